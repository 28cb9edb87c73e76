"""The cells: three variants at thirteen loss rates, and the readings of what the paper does not state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Reading, Variant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.results.result import Result
    from ackclock.scenario import Text

__all__ = [
    "BBR",
    "BBR3",
    "CHOICES",
    "CUBIC",
    "LINK_MBPS",
    "LOSSES",
    "MAIN",
    "QUICK_CHOICES",
    "REPLICATED",
    "VARIANTS",
    "measures",
    "name",
    "possible_mbps",
    "readings",
]

LINK_MBPS = 100.0
ON_THE_WIRE = 1500 / 1448
"""Bytes of a packet over its payload: figure 8 compares throughput with the rate of the link."""

CUBIC = Variant("cubic", "CUBIC", {"flows[0].cc": "cubic"})
BBR = Variant("bbr1", "BBR (version 1)", {"flows[0].cc": "bbr"})
BBR3 = Variant("bbr3", "BBRv3", {"flows[0].cc": "bbr3"})
VARIANTS = (CUBIC, BBR, BBR3)

LOSSES = (0.001, 0.01, 0.1, 1, 2, 5, 10, 15, 20, 25, 30, 40, 50)
"""Loss rates in per cent: those of the replication, which span the paper's 0.001 to 50 %."""

MAIN = "main reading"

CHOICES: Mapping[str, Mapping[str, object]] = {
    "the default receive buffer of Linux": {"flows[0].receive_buffer": "64KiB", "flows[0].receive_buffer_max": "3MiB"},
    "a send buffer that never limits": {"flows[0].send_buffer_max": "64MiB"},
    "two packets lost together": {},
}
"""Readings beside the main one."""
TOGETHER = "two packets lost together"
QUICK_CHOICES = ("the default receive buffer of Linux",)
"""Readings of a quick run beside the main one."""

REPLICATED = {
    CUBIC.name: (97.55, 33.47, 6.42, 1.48, 1.07, 0.54, 0.39, 0.27, 0.18, 0.18, 0.17, 0.06, 0.05),
    BBR.name: (77.01, 80.07, 72.7, 60.92, 59.49, 53.16, 46.22, 42.85, 38.43, 33.66, 33.02, 29.4, 3.54),
}
"""Goodput in Mbit/s at `LOSSES` in the replication by Hsiao and Muindi (2017), one run each."""


def name(loss: float, choice: str = MAIN) -> str:
    """The reading of a loss rate in per cent."""
    return f"{choice}; {loss:g} %"


def possible_mbps(loss: float) -> float:
    """The maximum possible throughput: the link rate times the fraction delivered."""
    return LINK_MBPS * (1 - loss / 100)


def lost(loss: float, choice: str) -> object:
    """The loss of a rate in per cent: of single packets, or of runs of two in the mean."""
    if choice != TOGETHER:
        return f"{loss:g}%"
    # Stationary loss is p / (p + r) and a run has 1 / r packets (Gilbert and Elliott, with loss in the bad state only).
    leave = 0.5
    enter = leave * loss / (100 - loss)
    return {
        "kind": "gilbert-elliott",
        "p": f"{1e9 * enter:.0f}ppb",
        "r": f"{100 * leave:g}%",
        "good_loss": "0%",
        "bad_loss": "100%",
    }


def readings(text: Text, losses: tuple[float, ...], choices: Mapping[str, Mapping[str, object]]) -> list[Reading]:
    """Every loss rate under every choice."""
    return [
        Reading(name(loss, choice), text, {"bottleneck.loss": lost(loss, choice), **values})
        for choice, values in choices.items()
        for loss in losses
    ]


def measures(result: Result) -> dict[str, float]:
    """Throughput of packets, goodput of payload, retransmissions and timeouts of the flow."""
    flow = next(result.flows.rows())
    goodput = flow["goodput_bps"] / 1e6
    return {
        "throughput_mbps": goodput * ON_THE_WIRE,
        "goodput_mbps": goodput,
        "resent_percent": 100 * flow["retransmits"] / flow["data_segments_sent"],
        "timeouts": float(flow["timeouts"]),
        "recoveries": float(flow["recoveries"]),
    }
