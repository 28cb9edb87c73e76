"""The cells: BBR flows beside loss-based flows by buffer, the mixes of ten flows, and the readings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.studies.bbr_share.model import Path
from ackclock.studies.framework import Reading, Variant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.results.result import Result
    from ackclock.scenario import Text

__all__ = [
    "ALONE",
    "BBR_FLOWS",
    "BUFFERS",
    "CHOICES",
    "DEEP",
    "FAST",
    "FAST_BUFFERS",
    "MAIN",
    "MIXES",
    "QUICK_BUFFERS",
    "QUICK_MIXES",
    "QUICK_SOME",
    "REPLICATED",
    "SIXTEEN",
    "SLOW",
    "SOME",
    "TEN",
    "TEN_CHOICES",
    "Cell",
    "beside",
    "fast_readings",
    "grid_cells",
    "mixes",
    "modelled",
    "path",
    "path_of",
    "per_flow",
    "readings",
    "ten_name",
]

SLOW, FAST = "10 Mbit/s, 40 ms", "50 Mbit/s, 30 ms"
PATHS: Mapping[str, tuple[float, float]] = {SLOW: (10.0, 0.04), FAST: (50.0, 0.03)}
"""The two paths of the paper: rate in Mbit/s and round-trip time in seconds."""
TEN = 10

ALONE = (Variant("", "measured"),)
"""The one variant: what differs between the cells are their flows."""

BUFFERS, FAST_BUFFERS = (1, 2, 4, 8, 16, 32, 64), (1, 2, 4, 8, 16)
"""Queues of figure 8 in bandwidth-delay products, over the slow path and over the fast one.

They are also those of one BBR flow beside sixteen CUBIC flows over the slow path.
"""
SOME = (2, 8, 32)
"""Queues of the other cells."""
QUICK_BUFFERS, QUICK_SOME = (2, 32), (32,)
DEEP = 32
"""The queue of the claims about the number of CUBIC flows, bandwidth-delay products."""
SIXTEEN = 16
PAIRS = ((1, 1, "cubic"), (1, SIXTEEN, "cubic"))
OTHERS = ((2, 1, "cubic"), (4, 1, "cubic"), (1, 4, "cubic"), (1, 1, "reno"), (1, SIXTEEN, "reno"))
"""Numbers of BBR flows and of the others, and the congestion control of the others."""
BBR_FLOWS = (1, 2, 4, 8, 16, 32)
"""Numbers of BBR flows of figure 8, beside one flow."""

MAIN = "main reading"

Cell = tuple[int, int, str, int]
"""Number of BBR flows, number of the others, their congestion control, and the queue in bandwidth-delay products."""

CHOICES: Mapping[str, Mapping[str, object]] = {
    "queues of a power of two in packets": {},
    "BBR starts 10 s later": {"flows[0].start": "10s"},
    "paced by the FQ queue discipline": {"flows[1].pacing": "fq"},
}
"""Readings beside the main one."""
POWERS = "queues of a power of two in packets"

MIXES = tuple(range(1, TEN + 1))
"""Numbers of BBR flows of ten."""
QUICK_MIXES = (1, 5, 6, 9)

TEN_CHOICES: Mapping[str, Mapping[str, object]] = {
    "120 s, as in the paper": {"duration": "120s"},
}
"""Readings beside the main one, for ten flows."""

REPLICATED: Mapping[str, Sequence[float]] = {
    "bbr": (32.09, 19.82, 14.77, 12.05, 10.42, 9.05, 8.35, 7.94, 7.73, 9.39),
    "cubic": (7.05, 6.94, 7.23, 7.78, 8.54, 10.13, 12.11, 15.67, 25.58),
}
"""Median goodput of a flow in Mbit/s by the number of BBR flows of ten, from 1, in the replication on Linux 5.4.

Read off the vector figure "Ubuntu 20.04/multirun figure_8a.svg" of github.com/profi06/rns-bbr-dominance-experiments.
"""


def path(queue_bdp: float, where: str = SLOW) -> Path:
    """One of the two paths, for the model."""
    return Path(*PATHS[where], queue_bdp)


def path_of(reading: str) -> str:
    """The path of a reading."""
    return FAST if reading.startswith(f"{FAST}; ") else SLOW


def beside(bbr: int, others: int, cc: str, queue: int, choice: str = MAIN) -> str:
    """The reading of a cell."""
    return f"{choice}; {bbr} BBR, {others} {cc}; {queue} BDP"


def cell_of(reading: str) -> Cell:
    """The cell of a reading."""
    _, flows, queue = reading.split("; ")
    bbr, others = flows.split(", ")
    many, cc = others.split()
    return int(bbr.split()[0]), int(many), cc, int(queue.split()[0])


def grid_cells(buffers: Sequence[int], some: Sequence[int] = (), many: Sequence[int] = ()) -> list[Cell]:
    """The cells over the slow path.

    One BBR flow beside one CUBIC flow and sixteen has the queues `buffers`, the other flows have `some`, and any number
    of BBR flows beside one CUBIC flow and beside one Reno flow has `many`.
    """
    alone = [(bbr, 1, cc) for cc in ("cubic", "reno") for bbr in BBR_FLOWS]
    kinds = ((PAIRS, buffers), (OTHERS, some), (alone, many))
    return list(dict.fromkeys((*flows, queue) for every, queues in kinds for flows in every for queue in queues))


def fast_readings(text: Text) -> list[Reading]:
    """Any number of BBR flows beside one CUBIC flow over the fast path: figure 8b."""
    rate, rtt = PATHS[FAST]
    over = {"bottleneck.rate": f"{rate:g}Mbps", "bottleneck.delay": f"{rtt * 500:g}ms"}
    cells = [(bbr, 1, "cubic", queue) for bbr in BBR_FLOWS for queue in FAST_BUFFERS]
    return readings(text, cells, {FAST: over})


def modelled(grid_readings: Iterable[str], cc: str, choice: str = MAIN) -> list[tuple[str, Cell]]:
    """The readings of a choice beside flows of a congestion control, with their cells."""
    found = [(reading, cell_of(reading)) for reading in grid_readings if reading.partition("; ")[0] == choice]
    return [(reading, cell) for reading, cell in found if cell[2] == cc]


def readings(text: Text, cells: Iterable[Cell], choices: Mapping[str, Mapping[str, object]]) -> list[Reading]:
    """Every cell under every choice."""
    return [
        Reading(
            beside(bbr, others, cc, queue, choice),
            text,
            {
                "flows[0].count": bbr,
                "flows[1].count": others,
                "flows[1].cc": cc,
                # The paper calls 32 BDP 1024 packets: the power of two next to 1067.
                "bottleneck.queue": f"{32 * queue}p" if choice == POWERS else f"{queue}bdp",
                **values,
            },
        )
        for choice, values in choices.items()
        for bbr, others, cc, queue in cells
    ]


def shares(result: Result) -> dict[str, float]:
    """The part of all BBR flows together in what the flows received, and the use of the link, after the start."""
    rates = result.tables["rates"]
    delivered = np.asarray(rates["bytes_delivered"], dtype=np.float64)
    bbr = np.array([flow.startswith("bbr") for flow in rates["flow"]])
    link = next(result.links.rows())
    return {
        "bbr_percent": 100 * float(delivered[bbr].sum() / delivered.sum()),
        "queue_delay_ms": float(link["queue_delay_mean_ms"]),
        "dropped_percent": 100 * float(link["drop_rate"]),
    }


def ten_name(bbr: int, choice: str = MAIN) -> str:
    """The reading of a mix of ten flows."""
    return f"{choice}; {bbr} of ten"


def mixes(text: Text, numbers: Iterable[int], choices: Mapping[str, Mapping[str, object]]) -> list[Reading]:
    """Every mix under every choice. Of ten BBR flows, the last takes the place of the CUBIC flows."""
    return [
        Reading(
            ten_name(bbr, choice),
            text,
            {
                "flows[0].count": min(bbr, TEN - 1),
                "flows[1].count": max(TEN - bbr, 1),
                "flows[1].cc": "cubic" if bbr < TEN else "bbr",
                **values,
            },
        )
        for choice, values in choices.items()
        for bbr in numbers
    ]


def per_flow(result: Result) -> dict[str, float]:
    """Goodput of a BBR flow and of a CUBIC flow, in the mean over the flows of each; 0 where there is no CUBIC flow."""
    goodput = np.asarray(result.flows["goodput_bps"], dtype=np.float64) / 1e6
    bbr = np.array([cc.startswith("bbr") for cc in result.flows["cc"]])
    link = next(result.links.rows())
    return {
        "bbr_mbps": float(goodput[bbr].mean()),
        "cubic_mbps": 0.0 if bbr.all() else float(goodput[~bbr].mean()),
        "queue_delay_ms": float(link["queue_delay_mean_ms"]),
        "dropped_percent": 100 * float(link["drop_rate"]),
    }
