"""High-speed congestion control over a satellite: four flows of one variant among web traffic, a call and two more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.scenario import Text
from ackclock.studies.grid import Grid, hash_of
from ackclock.studies.satellite import cells, verdicts
from ackclock.studies.study import StudyResult, command_for, page, runs_sheet

if TYPE_CHECKING:
    from ackclock.studies.grid import Variant
    from ackclock.studies.lab import Lab

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "satellite"
TITLE = "High-speed congestion control over a satellite"
SUMMARY = "Four flows of eight variants among web traffic and a call over a satellite: goodput, response times, MOS"
SOURCE = "Wu, Chan, Ananda 2008 (ICC)"

REPLICATIONS = 5
QUICK_REPLICATIONS = 2
QUICK_S = 20

FIGURES = (
    ("ftp_mbps", "Goodput of the four transfers", "Mbit/s"),
    ("utilisation_percent", "Utilisation", "utilisation (%)"),
    ("http_s", "Response time of 64 kB pages, median", "s"),
    ("mos", "The call with the play-out that suits it best", "MOS"),
)


def reproduce(lab: Lab) -> StudyResult:
    """Runs the study. With `quick`, the variants of the claims over three queues for seconds of simulated time."""
    text = Text(cells.scenario(), name="satellite/scenario.toml")
    seeds = range(1, 1 + (QUICK_REPLICATIONS if lab.quick else REPLICATIONS))
    queues = cells.QUICK_QUEUES if lab.quick else cells.QUEUES
    variants = cells.QUICK_VARIANTS if lab.quick else cells.VARIANTS
    short: dict[str, object] = {"duration": f"{QUICK_S}s"} if lab.quick else {}
    others = {name: {**short, **cells.CHOICES[name]} for name in (cells.QUICK_CHOICES if lab.quick else cells.CHOICES)}
    stages = (
        (cells.readings(text, queues, {cells.MAIN: short}), lab.part(0, 0.6)),
        (cells.readings(text, (cells.MODERATE,), others), lab.part(0.6, 1)),
    )
    grids = [part.grid(some, variants, seeds, cells.measures) for some, part in stages]
    command = command_for(SLUG, quick=lab.quick)
    return StudyResult(
        slug=SLUG,
        title=TITLE,
        claims=verdicts.assess_claims(grids),
        seeds=list(seeds),
        command=command,
        quick=lab.quick,
        page=page(__package__, "README.md"),
        sheets=[
            verdicts.sheet(grids),
            verdicts.calls_sheet(grids),
            *(runs_sheet(f"runs-{number}", "Every run", grid) for number, grid in enumerate(grids, 1)),
        ],
        figures=figures(grids[0], queues, command),
        scenarios={f"{one.name}; {cc.label}": hash_of(one, cc) for one in grids[0].readings for cc in variants},
        files={"scenario.toml": text.text},
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
