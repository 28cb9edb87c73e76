"""The cells: one flow by buffer, rate and round-trip time, both flows together by buffer, and the readings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ackclock.studies.bbr_when.published import DEEP, SHALLOW, gains
from ackclock.studies.framework import Reading, Variant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.results.result import Result
    from ackclock.scenario import Text

__all__ = [
    "BBR",
    "BUCKET",
    "BUFFERS",
    "CHOICES",
    "CLAIMED_SIZES",
    "CUBIC",
    "HEADLINE",
    "MAIN",
    "MIX_CHOICES",
    "MIX_SIZES",
    "OTHER_BUFFERS",
    "QUICK_CHOICES",
    "QUICK_MIX_SIZES",
    "QUICK_RATES",
    "QUICK_RTTS",
    "RATES",
    "RTTS",
    "TABLE",
    "VARIANTS",
    "both",
    "bucket",
    "cell",
    "choice_of",
    "grid_cells",
    "mix_name",
    "mixes",
    "name",
    "path_of",
    "powers",
    "readings",
    "single",
]

CUBIC = Variant("cubic", "CUBIC", {"flows[0].cc": "cubic"})
BBR = Variant("bbr1", "BBR (version 1)", {"flows[0].cc": "bbr"})
VARIANTS = (CUBIC, BBR)

BUFFERS = (SHALLOW, DEEP)
"""The buffers of figure 5."""
OTHER_BUFFERS = ("1 MB", "20 MB", "50 MB")
"""The buffers that the paper ran and prints no heat-map of."""
RATES, RTTS = gains().rates_mbps, gains().rtts_ms
"""Rates in Mbit/s and round-trip times in ms of a full run: all of figure 5."""
QUICK_RATES, QUICK_RTTS = (20, 500), (25, 200)

HEADLINE = ((SHALLOW, 500, 200), (SHALLOW, 500, 25), (DEEP, 500, 25))
"""Buffer, rate in Mbit/s and round-trip time in ms of the cells that the text of the paper gives numbers of."""

MAIN = "main reading"

BUCKET = "a token bucket with a burst of 4 ms"
BURST_MS = 4
"""The shortest burst with which tbf keeps its rate on a kernel with 250 ticks a second, Ubuntu's (man tc-tbf)."""

DEFAULT_SEND_BUFFER = "the default send buffer of Linux"

CHOICES: Mapping[str, Mapping[str, object]] = {
    "windows of at most 10 MB": {"flows[0].receive_buffer": "10MB"},
    DEFAULT_SEND_BUFFER: {"flows[0].send_buffer": "8KiB", "flows[0].send_buffer_max": "2MiB"},
    "the FQ queue discipline, which paces CUBIC too": {"flows[0].pacing": "fq"},
    BUCKET: {},
}
"""Readings beside the main one, for the cells of `HEADLINE`. FQ paces BBR no otherwise than TCP itself does."""

QUICK_CHOICES = {choice: CHOICES[choice] for choice in ("windows of at most 10 MB",)}
"""Readings of a quick run beside the main one."""

TABLE: Mapping[int, tuple[int, int]] = {
    10_000: (26_746, 908),
    100_000: (305_029, 1_398),
    1_000_000: (68_741, 3_987),
    5_000_000: (1_324, 1_145),
    10_000_000: (204, 794),
    50_000_000: (0, 7),
    100_000_000: (0, 16),
}
"""Table 1: buffer in bytes to the retransmissions of BBR and of CUBIC."""
MIX_SIZES = tuple(TABLE)
CLAIMED_SIZES = (10_000, 5_000_000, 10_000_000)
"""The buffers of which the text gives BBR's share, in bytes."""
QUICK_MIX_SIZES = (10_000, 10_000_000)

MIX_CHOICES: Mapping[str, Mapping[str, object]] = {
    "the FQ queue discipline, which paces CUBIC too": {"flows[1].pacing": "fq"},
    DEFAULT_SEND_BUFFER: {
        f"flows[{number}].{name}": size
        for number in (0, 1)
        for name, size in (("send_buffer", "8KiB"), ("send_buffer_max", "2MiB"))
    },
}
"""Readings beside the main one, for both flows together."""


def name(buffer: str, rate: int, rtt: int, choice: str = MAIN) -> str:
    """The reading of a cell."""
    return f"{choice}; {buffer}; {rate} Mbit/s; {rtt} ms"


def choice_of(reading: str) -> str:
    """The choice of a reading."""
    return reading.partition("; ")[0]


def cell(reading: str) -> tuple[str, int, int]:
    """Buffer, rate in Mbit/s and round-trip time in ms of a reading."""
    _, buffer, rate, rtt = reading.split("; ")
    return buffer, int(rate.split()[0]), int(rtt.split()[0])


def grid_cells(
    rates: Iterable[int], rtts: Sequence[int], buffers: Sequence[str] = BUFFERS
) -> list[tuple[str, int, int]]:
    """The cells of the heat-maps of some buffers at some rates and round-trip times."""
    every = tuple(rates)
    return [(buffer, rate, rtt) for buffer in buffers for rate in every for rtt in rtts]


def path_of(buffer: str, rate: int, rtt: int) -> dict[str, object]:
    """The overrides of a scenario that make its bottleneck that of a cell."""
    return {
        "bottleneck.rate": f"{rate}Mbps",
        "bottleneck.delay": f"{rtt / 2:g}ms",
        "bottleneck.queue": buffer.replace(" ", ""),
    }


def bucket(buffer: str, rate: int) -> dict[str, object]:
    """The overrides that shape a link of 1 Gbit/s, as tbf does, instead of a link with the rate of the cell."""
    burst = BURST_MS * rate * 1000 // 8
    queue = {"kind": "token-bucket", "rate": f"{rate}Mbps", "burst": f"{burst}B", "limit": buffer.replace(" ", "")}
    return {"bottleneck.rate": "1Gbps", "bottleneck.queue": queue}


def readings(
    text: Text, cells: Iterable[tuple[str, int, int]], choices: Mapping[str, Mapping[str, object]]
) -> list[Reading]:
    """Every cell under every choice."""
    return [
        Reading(
            name(buffer, rate, rtt, choice),
            text,
            {**path_of(buffer, rate, rtt), **(bucket(buffer, rate) if choice == BUCKET else values)},
        )
        for choice, values in choices.items()
        for buffer, rate, rtt in cells
    ]


def mix_name(size: int, choice: str = MAIN) -> str:
    """The reading of both flows with a buffer in bytes."""
    return f"{choice}; {size} B"


def mixes(text: Text, sizes: Iterable[int], choices: Mapping[str, Mapping[str, object]]) -> list[Reading]:
    """Every buffer under every choice."""
    return [
        Reading(mix_name(size, choice), text, {"bottleneck.queue": f"{size}B", **values})
        for choice, values in choices.items()
        for size in sizes
    ]


def powers(count: float) -> float:
    """The power of ten of a count, with 0 for none."""
    return math.log10(max(count, 1.0))


def single(result: Result) -> dict[str, float]:
    """Goodput and losses of one flow."""
    flow, link = next(result.flows.rows()), next(result.links.rows())
    return {
        "goodput_mbps": flow["goodput_bps"] / 1e6,
        "resent": float(flow["retransmits"]),
        "resent_percent": 100 * flow["retransmits"] / flow["data_segments_sent"],
        "dropped_percent": 100 * link["drop_rate"],
        "timeouts": float(flow["timeouts"]),
        "queue_delay_ms": float(link["queue_delay_mean_ms"]),
    }


def both(result: Result) -> dict[str, float]:
    """Share and retransmissions of the BBR flow and of the CUBIC flow beside it."""
    bbr, cubic = result.flows.rows()
    total = bbr["goodput_bps"] + cubic["goodput_bps"]
    return {
        "bbr_percent": 100 * bbr["goodput_bps"] / total,
        "total_mbps": total / 1e6,
        "bbr_resent": float(bbr["retransmits"]),
        "cubic_resent": float(cubic["retransmits"]),
        "bbr_resent_powers": powers(bbr["retransmits"]),
        "cubic_resent_powers": powers(cubic["retransmits"]),
    }
