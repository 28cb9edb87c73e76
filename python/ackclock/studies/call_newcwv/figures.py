"""Figures: jitter and loss of the call beside every sender, and its delay over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.report import Figure, Intervals, Plot, Row, Series, colour_of
from ackclock.studies.call_newcwv.cells import CUBIC, CUBIC_PACED, LINKS, Cell
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, PACED, SPREAD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.results.result import Result
    from ackclock.studies.framework import Grid

__all__ = ["OVER_TIME_S", "SHOWN", "jitter", "losses", "over_time"]

SHOWN = (NEWRENO, NEWCWV, SPREAD, PACED, CUBIC, CUBIC_PACED)
"""Senders in the figures."""
OVER_TIME_S = (120.0, 180.0)
"""Time that the figure over time shows."""


def jitter(videos: Grid, command: str) -> Figure:
    """The jitter of the call, by link and sender of the video."""
    return _intervals(
        videos, command, "jitter_ms", "Jitter of the call", "99th percentile less median of the delay (ms)"
    )


def losses(videos: Grid, command: str) -> Figure:
    """The losses of the call, by link and sender of the video."""
    return _intervals(videos, command, "loss_percent", "Losses of the call", "packets lost (%)")


def _intervals(videos: Grid, command: str, measure: str, title: str, axis: str) -> Figure:
    rows = [
        Row(link.name, sender.label, videos.mean(Cell(link).name, sender.name, measure), colour_of(index))
        for link in LINKS
        for index, sender in enumerate(one for one in SHOWN if one in videos.variants)
    ]
    caption = (
        "A video call with GCC beside a video over TCP, with a buffer of one BDP; 95 % intervals over replications."
    )
    return Intervals(title, axis, rows, caption, command)


def over_time(runs: Mapping[str, Result], seed: int, command: str) -> Figure:
    """The call's delay over time beside some senders of the video."""
    series = []
    for index, (label, result) in enumerate(runs.items()):
        samples = result.call_rates
        at = np.asarray(samples["at_s"], dtype=np.float64)
        shown = (at >= OVER_TIME_S[0]) & (at <= OVER_TIME_S[1])
        delay = np.asarray(samples["delay_ms"], dtype=np.float64)
        series.append(Series(label, at[shown], delay[shown], colour_of(index)))
    caption = f"{LINKS[1].name}; means over 200 ms; one run."
    return Plot("Delay of the call over time", "time (s)", "one-way delay (ms)", series, caption, command, seed)
