"""The figure of a case: received rates and one-way delays over time, with a pair of panels for each control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.judge.rmcat.measures import series_of
from ackclock.plot.canvas import legend, panels, paper
from ackclock.plot.palette import GREY, colour_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ackclock.judge.rmcat.case import Case, Variant
    from ackclock.judge.rmcat.suite import Outcome, Suite

__all__ = ["call_colours", "figure"]

MOST = 5
"""Calls that have a colour each."""


def figure(suite: Suite, case: Case, variant: Variant) -> NDArray[Any]:
    """Axes with the rates and delays of the first seed. Grey is the capacity in the forward direction."""
    controls = list(dict.fromkeys(one.control for one in suite.outcomes if (one.case, one.variant) == (case, variant)))
    with paper():
        axes = panels([1.1, 0.8] * len(controls))
        for index, control in enumerate(controls):
            outcome = suite.of(case, variant, control)[0]
            _draw(outcome, axes[2 * index], axes[2 * index + 1])
            axes[2 * index].set_ylabel(f"{control}\nMbit/s")
            axes[2 * index + 1].set_ylabel("delay (ms)")
        legend(axes[0])
        axes[-1].set(xlabel="time (s)", xlim=(0, case.duration_s))
        return axes


def _draw(outcome: Outcome, rates: Axes, delays: Axes) -> None:
    case = outcome.case
    edges = [case.phases[0].start_s, *(phase.end_s for phase in case.phases)]
    many = len(case.calls) > MOST
    # Beside the capacity that many calls share, the rate of one could not be seen.
    capacities = [phase.capacity_bps / 1e6 / (len(phase.calls) if many else 1) for phase in case.phases]
    if np.isfinite(capacities).all():
        rates.stairs(capacities, edges, color=GREY, linewidth=0.8, label="equal share" if many else "capacity")
        rates.set_ylim(0, (1.5 if many else 1.1) * max(capacities))
    for (call, colour), label in zip(call_colours(case).items(), _labels(case), strict=True):
        series = series_of(outcome.result, call)
        rates.plot(series.at_s, series.received_bps / 1e6, color=colour, linewidth=0.9, label=label)
        delays.plot(series.at_s, series.delay_ms, color=colour, linewidth=0.9)
    others = _tcp(outcome)
    if others is not None:
        rates.plot(*others, color=GREY, linewidth=0.8, linestyle="--", label="others")
    delays.set_ylim(bottom=0)


def call_colours(case: Case) -> dict[str, str]:
    """The colour of each call: one for all if they are more than there are colours."""
    few = len(case.calls) <= MOST
    return {call: colour_of(index if few else 0) for index, call in enumerate(case.calls)}


def _labels(case: Case) -> list[str | None]:
    """The entries of the legend: each call, or one for all of them."""
    if len(case.calls) <= MOST:
        return list(case.calls)
    return [f"{len(case.calls)} calls", *[None] * (len(case.calls) - 1)]


def _tcp(outcome: Outcome) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Times and the goodput of all competing flows, Mbit/s; None without any."""
    rows = outcome.result.rates
    calls = set(outcome.case.calls)
    mine = np.asarray([name not in calls for name in rows["flow"]])
    if not mine.any():
        return None
    times, rate = np.asarray(rows["time_s"], dtype=float)[mine], np.asarray(rows["goodput_bps"], dtype=float)[mine]
    at = np.unique(times)
    return at, np.asarray([rate[times == one].sum() for one in at]) / 1e6
