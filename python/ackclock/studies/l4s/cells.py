"""The cells: pairs of flows over queues, rates and round-trip times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.studies.framework import Reading, Variant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.results.result import Result
    from ackclock.scenario import Text

__all__ = ["MIXED", "PAIRS", "RATES", "RTTS", "TESTED", "Cell", "choices", "measure", "name", "readings", "reference"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A bottleneck."""

    queue: str
    """A name of `QUEUES`."""
    rate: int
    """Mbit/s."""
    rtt: int
    """Base round-trip time, ms."""


QUEUES: Mapping[str, object] = {
    "dualpi2": "dualpi2",
    "fq-codel": {"kind": "fq-codel", "ecn": True},
    "pie": {"kind": "pie", "ecn": True},
}
"""Queues of every rate. The tests' pfifo of 250 ms (200 packets at 10 Mbit/s, 1,000 at 50) is made by `_queue`."""

TESTED = tuple(
    Cell(queue, rate, rtt) for queue in ("dualpi2", "pfifo", "fq-codel") for rate in (50, 10) for rtt in (10, 20, 80)
)
"""The cells of the tests of 2020 in which both flows have one RTT, over the queues that ackclock has."""

RATES = (4, 12, 40, 120)
RTTS = (5, 10, 20, 50, 100)
"""The range: rates in Mbit/s and round-trip times in ms."""

PRAGUE: Mapping[str, object] = {"cc": "prague", "ecn": "l4s", "pacing": "fq"}
CUBIC: Mapping[str, object] = {"cc": "cubic", "ecn": "off", "pacing": "off"}

CUBIC_ECN: Mapping[str, object] = {**CUBIC, "ecn": "classic"}


def _pair(first: Mapping[str, object], second: Mapping[str, object]) -> dict[str, object]:
    return {f"flows[{at}].{key}": value for at, one in enumerate((first, second)) for key, value in one.items()}


MIXED = Variant("mixed", "Prague and CUBIC", _pair(PRAGUE, CUBIC))

PAIRS = (
    MIXED,
    Variant("cubic", "CUBIC and CUBIC", _pair(CUBIC, CUBIC)),
    Variant("prague", "Prague and Prague", _pair(PRAGUE, PRAGUE)),
)

PACKET_BITS = 8 * 1500

CHOICES: Mapping[str, Mapping[str, object]] = {
    "CUBIC with ECN": _pair(PRAGUE, CUBIC_ECN),
    "Prague without pacing": _pair({**PRAGUE, "pacing": "off"}, CUBIC),
    "Prague paced at cwnd / SRTT": _pair({**PRAGUE, "pacing": {"kind": "fq", "avoidance_percent": 100}}, CUBIC),
    "DCTCP for Prague": _pair({**PRAGUE, "cc": "dctcp"}, CUBIC),
    "a step at 1 ms for the ramp": {
        **MIXED.overrides,
        "bottleneck.queue": {"kind": "dualpi2", "ramp_from": "1ms", "ramp_width": "0ms"},
    },
    "no marks by the ramp up to three packets": {
        **MIXED.overrides,
        "bottleneck.queue": {"kind": "dualpi2", "ramp_packets": 3},
    },
}
"""Choices that the tests leave open. DCTCP does not treat short RTTs like 25 ms; DualPI2 of 2020 had a step at 1 ms."""


def choices() -> tuple[Variant, ...]:
    """The other pairs as variants."""
    return tuple(Variant(label, label, overrides) for label, overrides in CHOICES.items())


def name(cell: Cell) -> str:
    """The name of a cell's reading."""
    return f"{cell.queue}, {cell.rate} Mbit/s, {cell.rtt} ms"


def _queue(cell: Cell) -> object:
    # 250 ms of packets of 1500 bytes, rounded as the tests' tables have it.
    return QUEUES.get(cell.queue, f"{20 * cell.rate} packets")


def reference(cell: Cell) -> dict[str, object]:
    """The overrides of a cell."""
    return {
        "bottleneck.rate": f"{cell.rate}Mbps",
        "bottleneck.delay": f"{cell.rtt / 2:g}ms",
        "bottleneck.queue": _queue(cell),
    }


def readings(text: Text, cells: Sequence[Cell], fixed: Mapping[str, object]) -> list[Reading]:
    """A reading for each cell."""
    return [Reading(name(cell), text, {**reference(cell), **fixed}, "cell") for cell in cells]


def measure(result: Result) -> dict[str, float]:
    """Rates over the last third of the run, and queueing delays from the first third on, of each of the two flows."""
    rates = result.rates
    delivered = {
        flow: np.asarray(rates["bytes_delivered"], dtype=np.float64)[rates["flow"] == flow]
        for flow in ("first", "second")
    }
    # Recording starts after a third of the run, so that its second half is the last third.
    mbps = {flow: 8e-6 * float(one[len(one) // 2 :].mean()) for flow, one in delivered.items()}
    link = next(result.links.rows())
    found = {
        "first_mbps": mbps["first"],
        "second_mbps": mbps["second"],
        "first_percent": 100 * mbps["first"] / (mbps["first"] + mbps["second"]),
        "utilisation_percent": 100 * link["utilisation"],
    }
    # The smallest RTT is that of the handshake; a full packet takes its own time on the wire besides.
    base = float(result.flows["min_rtt_ms"].min()) / 2 + 1e3 * PACKET_BITS / link["rate_bps"]
    for row in result.delays.rows():
        for column in ("mean_ms", "p99_ms"):
            found[f"{row['flow']}_{column}"] = max(0.0, row[column] - base)
    return found
