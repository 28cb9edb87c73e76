"""The figure of a case: goodput, window and queueing delay over time, with the times at which something happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.judge.worst.page import FLOWS, label_of
from ackclock.plot.canvas import from_zero, legend, panels, paper
from ackclock.plot.palette import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ackclock.judge.worst.search import Found
    from ackclock.results.result import Result

__all__ = ["figure"]

SMOOTHED_S = 0.5
"""Time over which goodput is a mean: single intervals of the probe show the packets, not the rate."""


def figure(found: Found, run: Result) -> NDArray[Any]:
    """Axes with the goodput, the congestion window and the queueing delay at the bottleneck."""
    with paper():
        rates, window, queue = axes = panels((1.5, 1.2, 1.0))
        for name, colour in FLOWS.items():
            if name not in {str(one) for one in run.flows["flow"]}:
                continue
            label = label_of(found, name)
            _goodput(rates, run, name, colour, label)
            _window(window, run, name, colour)
        rates.set(ylabel="goodput (Mbit/s)")
        window.set(ylabel="cwnd (kB)")
        table = run.queues
        mine = table["link"].astype(str) == "bottleneck"
        queue.step(
            table["time_s"][mine], table["sojourn_ms"][mine].astype(float), where="post", color=GREY, linewidth=0.8
        )
        queue.set(xlabel="time (s)", ylabel="queueing\ndelay (ms)")
        for one in axes:
            one.set_xlim(0, run.meta["duration_s"])
            from_zero(one)
            _events(one, found)
        legend(rates)
        return axes


def _goodput(axes: Axes, run: Result, name: str, colour: str, label: str) -> None:
    rates = run.rates
    mine = rates["flow"].astype(str) == name
    times, values = rates["time_s"][mine].astype(float), rates["goodput_bps"][mine].astype(float) / 1e6
    every = max(1, round(SMOOTHED_S / (times[1] - times[0]))) if len(times) > 1 else 1
    whole = len(times) // every * every
    means = values[:whole].reshape(-1, every).mean(axis=1)
    axes.step(times[:whole].reshape(-1, every)[:, -1], means, where="pre", color=colour, linewidth=1.0, label=label)


def _window(axes: Axes, run: Result, name: str, colour: str) -> None:
    table = run.tables.get("window")
    if table is None:
        return
    mine = table["flow"].astype(str) == name
    values = table["cwnd"][mine].astype(float) / 1e3
    # A window that no loss has limited yet may be without bound.
    values = np.where(values > 1e9, np.nan, values)
    axes.step(table["time_s"][mine].astype(float), values, where="post", color=colour, linewidth=0.8)


def _events(axes: Axes, found: Found) -> None:
    """Marks the times of fades, changes of the rate and bursts."""
    case = found.case
    spans = [(one.at_s, one.at_s + one.length_s) for one in case.fades]
    spans += [(one.at_s, one.at_s + one.length_s) for one in case.bursts]
    for begin, end in spans:
        axes.axvspan(begin, end, color="#fae4d8", linewidth=0.6, zorder=0)
    for step in case.steps:
        axes.axvline(step.at_s, color=GREY, linestyle="--", linewidth=0.8)
