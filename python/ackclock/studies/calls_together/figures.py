"""Figures: a disruption over time, and the share of a call over the rate of the link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.studies.calls_together.cells import PAIRS, QUEUES, RATES, TCP, TWO, Cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.results.result import Result
    from ackclock.studies.framework import Grid, Variant

__all__ = ["over_time", "shares"]

MEANS = 10
"""Samples of a mean in the figure over time."""


def over_time(runs: Mapping[str, Result], rate: float, seed: int, command: str) -> Figure:
    """The rate of a call with each control before, during and after a disruption."""
    series = []
    for index, (label, result) in enumerate(runs.items()):
        samples = result.call_rates
        received = 1e-6 * np.asarray(samples["received_bps"], dtype=np.float64)
        at = np.asarray(samples["at_s"], dtype=np.float64)
        whole = len(at) // MEANS * MEANS
        means = received[:whole].reshape(-1, MEANS).mean(axis=1)
        series.append(Series(label, at[MEANS - 1 : whole : MEANS], means, colour_of(index)))
    caption = f"{rate:g} Mbit/s from 120 to 150 s, 10 Mbit/s before and after; means over 2 s of one run."
    return Plot("A disruption of 30 s", "time (s)", "received rate (Mbit/s)", series, caption, command, seed)


def shares(grids: Mapping[str, Grid], command: str) -> list[Figure]:
    """The share of the first call over the rate of the link, beside another call and beside an upload."""
    two = "A call of at most 1 Mbit/s with GCC, and another that begins 30 s later; 95 % intervals."
    tcp = "A call of at most 1 Mbit/s with GCC, and an upload with CUBIC; 95 % intervals."
    return [
        _over_rates(grids[TWO], TWO, PAIRS, "Share of a call beside another", two, command),
        _over_rates(grids[TCP], TCP, QUEUES, "Share of a call beside an upload", tcp, command),
    ]


def _over_rates(
    grid: Grid, experiment: str, variants: Sequence[Variant], title: str, caption: str, command: str
) -> Figure:
    known = {one.name for one in grid.readings}
    rates = [rate for rate in RATES if Cell(experiment, rate).name in known]
    series = []
    for index, variant in enumerate(variants):
        means = [grid.mean(Cell(experiment, rate).name, variant.name, "call_percent") for rate in rates]
        value, low, high = ([getattr(one, end) for one in means] for end in ("value", "low", "high"))
        series.append(Series(variant.label, rates, value, colour_of(index), "interval", low, high))
    return Plot(title, "rate of the link (Mbit/s)", "share of both (%)", series, caption, command)
