"""Figures: rates beside Prague as published and measured, queueing delays, and a step of the capacity over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.report import Figure, Intervals, Plot, Row, Series, colour_of
from ackclock.studies.scream_l4s.cells import (
    COMPARED,
    EVEN,
    KINDS,
    L4S,
    MAIN,
    TCPS,
    VARYING,
    Example,
    Tested,
    fair_mbps,
)
from ackclock.studies.scream_l4s.verdicts import PUBLISHED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.results.result import Result
    from ackclock.studies.framework import Grid

__all__ = ["delays", "rates", "steps"]


def rates(tests: Grid, tested: Sequence[Tested], command: str) -> Figure:
    """The rate of SCReAM over the number of flows of Prague, as means over the round-trip times."""
    series = []
    for index, frames in enumerate((EVEN, VARYING)):
        mine = [one for one in tested if (one.frames, one.choice) == (frames, MAIN)]
        counts = sorted({one.tcps for one in mine})
        means = [
            stats.mean(tests.over([one.name for one in mine if one.tcps == count], L4S.name, "call_mbps"))
            for count in counts
        ]
        value, low, high = ([getattr(one, end) for one in means] for end in ("value", "low", "high"))
        series.append(Series(f"{frames}, measured", counts, value, colour_of(index), "interval", low, high))
        rows = [PUBLISHED[frames, rtt] for rtt in sorted({one.rtt for one in mine})]
        published = np.mean(rows, axis=0)
        series.append(Series(f"{frames}, published", TCPS, published, colour_of(index), dashed=True))
    series.append(Series("fair share", TCPS, [fair_mbps(count) for count in TCPS], colour_of(2)))
    caption = "100 Mbit/s over DualPI2. Means over round-trip times; 95 % intervals over replications."
    return Plot("SCReAM beside Prague", "flows of Prague", "rate of SCReAM (Mbit/s)", series, caption, command)


def delays(compared: Grid, examples: Sequence[Example], command: str) -> Figure:
    """The 95th percentile of the call's queueing delay in each example."""
    rows = [
        Row(cell.kind, variant.label, compared.mean(cell.name, variant.name, "queue_p95_ms"), colour_of(index))
        for cell in (Example(kind) for kind in KINDS)
        if cell in examples
        for index, variant in enumerate(COMPARED)
    ]
    caption = "50 Mbit/s, 25 ms; the whole run with the step, whose capacity is half from 50 to 70 s; 95 % intervals."
    return Intervals("Queueing delay of SCReAM", "95th percentile (ms)", rows, caption, command)


def steps(runs: Mapping[str, Result], seed: int, command: str) -> list[Figure]:
    """The rate and the delay of the call while the capacity is half for a time, by variant."""
    figures: list[Figure] = []
    for column, title, label, scale in (
        ("received_bps", "Rate of SCReAM while the capacity is half", "rate (Mbit/s)", 1e-6),
        ("delay_ms", "Delay of SCReAM's packets while the capacity is half", "one-way delay (ms)", 1.0),
    ):
        series = []
        for index, (name, result) in enumerate(runs.items()):
            samples = result.call_rates
            series.append(
                Series(name, samples["at_s"], scale * np.asarray(samples[column], dtype=np.float64), colour_of(index))
            )
        caption = "50 Mbit/s, and 25 Mbit/s from 50 to 70 s, behind a ramp marker from 2 to 10 ms; one run."
        figures.append(Plot(title, "time (s)", label, series, caption, command, seed))
    return figures
