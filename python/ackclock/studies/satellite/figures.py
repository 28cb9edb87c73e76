"""The figures: the variants against HSTCP, harm by application, and every measure over the size of the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock import stats
from ackclock.report import Figure, Intervals, Plot, Reference, Row, Series, colour_of
from ackclock.studies.satellite import cells, harm

if TYPE_CHECKING:
    from ackclock.studies.framework import Grid, Variant

__all__ = ["BY_QUEUE", "figures"]

BY_QUEUE = (
    ("ftp_mbps", "Goodput of the four transfers", "Mbit/s"),
    ("utilisation_percent", "Utilisation", "utilisation (%)"),
    ("http_s", "Response time of 64 kB pages, median", "s"),
    ("mos", "The call with the play-out that suits it best", "MOS"),
)
"""Measure, title and unit of each figure over the size of the queue."""

NETWORK = "40 Mbit/s, 300 ms one way"
AT = cells.name(cells.MODERATE)


def figures(grid: Grid, queues: tuple[int, ...], command: str) -> list[Figure]:
    """The claims in one picture, harm by application, and every measure over the size of the queue.

    A figure has fewer colours than there are variants: those over the queue come in two halves, both with HSTCP.
    """
    others = [one for one in grid.variants if one not in cells.QUICK_VARIANTS]
    halves = [cells.QUICK_VARIANTS, (cells.HSTCP, *others)] if others else [cells.QUICK_VARIANTS]
    by_queue = [_by_queue(grid, queues, half, *figure, command) for figure in BY_QUEUE for half in halves]
    return [_against_hstcp(grid, command), _harm(grid, command), *by_queue]


def _against_hstcp(grid: Grid, command: str) -> Figure:
    """Goodput and mean harm of every variant beside those of HSTCP."""
    variants = [one for one in grid.variants if one != cells.HSTCP]
    goodput = [
        Row("goodput of its four flows, %", one.label, grid.change(AT, one.name, cells.HSTCP.name, "ftp_mbps"), colour)
        for one, colour in _coloured(variants)
    ]
    harmed = [
        Row(
            "mean harm to the other applications, points", one.label, harm.relative_to_hstcp(grid, AT, one.name), colour
        )
        for one, colour in _coloured(variants)
    ]
    caption = (
        f"{NETWORK}, a queue of {cells.MODERATE} % of a bandwidth-delay product; 95 % intervals over paired "
        "replications. Published, without numbers: Compound, CUBIC and H-TCP do not work well, and HSTCP is the one to "
        "adopt. A variant that gets less goodput than HSTCP is left of the line; one that harms more is right of it."
    )
    title = "Goodput and harm of the variants beside HSTCP"
    references = (Reference(0, "HSTCP"),)
    return Intervals(title, "more than HSTCP (%, points)", [*goodput, *harmed], caption, command, None, references)


def _harm(grid: Grid, command: str) -> Figure:
    """The harm of every variant to every application."""
    variants = [one for one in grid.variants if one != cells.NEWRENO]
    rows = [
        Row(application.label, one.label, stats.mean(harm.of(grid, AT, one.name, application)), colour)
        for application in harm.APPLICATIONS
        for one, colour in _coloured(variants)
    ]
    rows += [
        Row(harm.MEAN_HARM, one.label, stats.mean(harm.mean_harm(grid, AT, one.name)), colour)
        for one, colour in _coloured(variants)
    ]
    caption = (
        f"{NETWORK}, a queue of {cells.MODERATE} % of a bandwidth-delay product; 95 % intervals over replications. "
        "Harm is what an application loses beside four flows of the variant in place of four of NewReno."
    )
    references = (Reference(0, "NewReno"),)
    return Intervals("Harm to the other applications", "harm (%)", rows, caption, command, None, references)


def _coloured(variants: list[Variant]) -> list[tuple[Variant, str]]:
    return [(one, colour_of(index)) for index, one in enumerate(variants)]


def _by_queue(
    grid: Grid,
    queues: tuple[int, ...],
    variants: tuple[Variant, ...],
    measure: str,
    title: str,
    unit: str,
    command: str,
) -> Figure:
    """A measure of some variants over the size of the queue."""
    series = []
    for index, one in enumerate(variants):
        means = [grid.mean(cells.name(queue), one.name, measure) for queue in queues]
        low, high = [mean.low for mean in means], [mean.high for mean in means]
        series.append(
            Series(one.label, queues, [mean.value for mean in means], colour_of(index), "interval", low, high)
        )
    caption = f"{NETWORK}; 95 % intervals over replications."
    named = f"{title}: " + ", ".join(one.label for one in variants)
    return Plot(named, "queue (% of a bandwidth-delay product)", unit, series, caption, command, from_zero=False)
