"""High-speed congestion control over a satellite: four flows of one variant among web traffic, a call and two more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.studies.framework import Outcome, Study, hash_of
from ackclock.studies.satellite import cells, verdicts

if TYPE_CHECKING:
    from ackclock.studies.framework import Grid, Lab, Variant

__all__ = ["STUDY"]

REPLICATIONS = 5
QUICK_REPLICATIONS = 2
QUICK_S = 20

FIGURES = (
    ("ftp_mbps", "Goodput of the four transfers", "Mbit/s"),
    ("utilisation_percent", "Utilisation", "utilisation (%)"),
    ("http_s", "Response time of 64 kB pages, median", "s"),
    ("mos", "The call with the play-out that suits it best", "MOS"),
)


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, the variants of the claims over three queues for seconds of simulated time."""
    text = study.scenario()
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    queues = lab.pick(cells.QUEUES, cells.QUICK_QUEUES)
    variants = lab.pick(cells.VARIANTS, cells.QUICK_VARIANTS)
    short: dict[str, object] = {"duration": f"{QUICK_S}s"} if lab.quick else {}
    others = {name: {**short, **cells.CHOICES[name]} for name in lab.pick(tuple(cells.CHOICES), cells.QUICK_CHOICES)}
    stages = (
        (cells.readings(text, queues, {cells.MAIN: short}), lab.part(0, 0.6)),
        (cells.readings(text, (cells.MODERATE,), others), lab.part(0.6, 1)),
    )
    grids = [part.grid(some, variants, seeds, cells.measures) for some, part in stages]
    return Outcome(
        claims=verdicts.assess_claims(grids),
        seeds=seeds,
        sheets=[verdicts.sheet(grids), verdicts.calls_sheet(grids)],
        runs={f"runs-{number}": grid for number, grid in enumerate(grids, 1)},
        figures=figures(grids[0], queues, study.command(lab)),
        hashes={f"{one.name}; {cc.label}": hash_of(one, cc) for one in grids[0].readings for cc in variants},
    )


def figures(grid: Grid, queues: tuple[int, ...], command: str) -> list[Figure]:
    """Every measure over the size of the queue: the variants of the claims, and the others beside HSTCP."""
    others = [one for one in grid.variants if one not in cells.QUICK_VARIANTS]
    halves = [cells.QUICK_VARIANTS, (cells.HSTCP, *others)] if others else [cells.QUICK_VARIANTS]
    return [_by_queue(grid, queues, half, *figure, command) for figure in FIGURES for half in halves]


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
    caption = "40 Mbit/s, 300 ms one way; 95 % intervals over replications."
    named = f"{title}: " + ", ".join(one.label for one in variants)
    return Plot(named, "queue (% of a bandwidth-delay product)", unit, series, caption, command, from_zero=False)


STUDY = Study(
    slug="satellite",
    title="High-speed congestion control over a satellite",
    summary="Four flows of eight variants among web traffic and a call over a satellite: goodput, response times, MOS",
    source="Wu, Chan, Ananda 2008 (ICC)",
    package=__name__,
    run=run,
)
