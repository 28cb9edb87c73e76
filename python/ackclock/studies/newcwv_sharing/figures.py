"""The figures of the study: rates of both classes over time, their shares, and losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Figure, Intervals, Plot, Row, Series, colour_of
from ackclock.studies.newcwv_sharing.measures import WINDOW_S, rates, sides
from ackclock.studies.newcwv_sharing.readings import RIVALS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.results.result import Result
    from ackclock.studies.framework import Grid, Variant

__all__ = ["figures"]


def figures(
    grids: Mapping[str, Grid], traces: Mapping[str, Sequence[tuple[Variant, Result]]], command: str
) -> list[Figure]:
    """All figures. `traces` are runs of the main reading by the traffic that shares the link with DASH."""
    shares = [_over_time(rival, variant, result, command) for rival, runs in traces.items() for variant, result in runs]
    spreads = [
        figure
        for rival, grid in grids.items()
        for figure in (
            _intervals(
                grid,
                "dash_share_percent",
                f"DASH's share beside {RIVALS[rival]}",
                "% of what both carry while both have an answer under way",
                command,
            ),
            _intervals(
                grid, "loss_percent", f"Losses of DASH and {RIVALS[rival]} together", "% of the segments", command
            ),
        )
    ]
    return [*shares, *spreads]


def _over_time(rival: str, variant: Variant, result: Result, command: str) -> Figure:
    end = float(result.meta["duration_s"])
    series = []
    for index, (name, one) in enumerate(zip(("DASH", RIVALS[rival].split()[0]), sides(result), strict=True)):
        starts, carried = rates(one, end)
        middle = [float(start) + WINDOW_S / 2 for start in starts]
        series.append(Series(name, middle, [8 * float(rate) / 1e3 for rate in carried], colour_of(index)))
    caption = f"Data carried over the bottleneck of 1 Mbit/s in windows of {WINDOW_S:g} s, main reading."
    title = f"Shares over time: {variant.label} beside {RIVALS[rival]}"
    return Plot(title, "time (s)", "carried (kbit/s)", series, caption, command, result.seed)


def _intervals(grid: Grid, measure: str, title: str, unit: str, command: str) -> Figure:
    rows = [
        Row(reading.name, variant.label, grid.mean(reading.name, variant.name, measure), colour_of(index))
        for reading in grid.readings
        for index, variant in enumerate(grid.variants)
    ]
    return Intervals(title, unit, rows, "The main reading and every single change of it, 95 % intervals.", command)
