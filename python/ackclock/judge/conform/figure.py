"""The figure of a case: rates, window and round-trip times of the flow under test over time, with its states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import Patch

from ackclock.judge.conform.evidence import Unreadable
from ackclock.plot.canvas import from_zero, legend, panels, paper
from ackclock.plot.palette import COLOURS, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ackclock.judge.conform.evidence import Evidence

__all__ = ["figure"]

MOST_POINTS = 2000
"""Points of a line; more cannot be seen in a column's width."""


def figure(evidence: Evidence) -> NDArray[Any]:
    """Axes with the series that the checks read: delivery and pacing rate, window and data in flight, RTT samples.

    The background says the state, where the stack shows it. A dashed line is the moment of the last stage.
    """
    with paper():
        rates, window, rtt = axes = panels((1.7, 1.3, 1.1))
        _line(rates, evidence, "pacing_bps", 1e6, "pacing rate", COLOURS["vermillion"])
        _line(rates, evidence, "delivery_bps", 1e6, "delivery rate", COLOURS["blue"])
        rates.axhline(evidence.capacity / 1e6, color=GREY, linewidth=0.8, label="capacity")
        rates.set(ylabel="rate (Mbit/s)")
        _line(window, evidence, "cwnd", evidence.mss, "cwnd", COLOURS["blue"])
        _line(window, evidence, "pipe", evidence.mss, "in flight", COLOURS["vermillion"])
        window.set(ylabel="window (packets)")
        column = "latest_rtt_ms" if _shown(evidence, "latest_rtt_ms") else "srtt_ms"
        _line(rtt, evidence, column, 1.0, None, COLOURS["blue"])
        rtt.set(xlabel="time (s)", ylabel="RTT (ms)")
        states = _states(evidence, list(axes))
        for one in axes:
            if evidence.moment_s is not None:
                one.axvline(evidence.moment_s, color=GREY, linestyle="--", linewidth=0.8)
            one.set_xlim(left=0)
            from_zero(one)
        # A rate that overshoots for a few packets of Startup would hide the rest.
        rates.set_ylim(0, min(rates.get_ylim()[1], 4 * evidence.capacity / 1e6))
        legend(rates, states)
        legend(window)
        return axes


def _line(axes: Axes, evidence: Evidence, column: str, unit: float, label: str | None, colour: str) -> None:
    if not _shown(evidence, column):
        return
    step = max(1, len(evidence.time) // MOST_POINTS)
    values = evidence.column(column)[::step] / unit
    axes.step(evidence.time[::step], values, where="post", color=colour, linewidth=0.8, label=label)


def _shown(evidence: Evidence, column: str) -> bool:
    try:
        return bool(np.isfinite(evidence.column(column).astype(float)).any())
    except Unreadable:
        return False


SHADES = {
    "startup": "#fae4d8",
    "drain": "#e4e4e4",
    "probe_bw_down": "#e3ecd8",
    "probe_bw_cruise": "#ffffff",
    "probe_bw_refill": "#d6e6f4",
    "probe_bw_up": "#f7ecc6",
    "probe_rtt": "#ece2f3",
}


def _states(evidence: Evidence, axes: list[Axes]) -> list[Patch]:
    """Shades the background, and returns the entries of the legend."""
    try:
        phases = evidence.phases
    except Unreadable:
        return []
    for phase in phases:
        colour = SHADES.get(phase.state, "#ffffff")
        if colour != "#ffffff":
            for one in axes:
                one.axvspan(phase.start_s, phase.end_s, color=colour, linewidth=0, zorder=0)
    seen = dict.fromkeys(phase.state for phase in phases)
    return [
        Patch(facecolor=SHADES[state], edgecolor=GREY, linewidth=0.4, label=state) for state in seen if state in SHADES
    ]
