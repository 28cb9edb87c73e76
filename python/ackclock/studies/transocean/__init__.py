"""High-speed congestion control over a transocean link: twenty flows of one variant over small and large buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock._run import Job, run_job
from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.scenario import Text
from ackclock.studies.grid import Grid, hash_of, portion, run_grid
from ackclock.studies.study import StudyResult, command_for, page, runs_sheet
from ackclock.studies.transocean import cells, verdicts

if TYPE_CHECKING:
    from ackclock._runner import Progress, Worker
    from ackclock.result import Result
    from ackclock.studies.grid import Variant

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "transocean"
TITLE = "High-speed congestion control over a transocean link"
SUMMARY = "Utilisation of a transocean link by twenty flows of nine variants over the size of the buffer"
SOURCE = "Wu 2008; RFC 3649; RFC 9438"

REPLICATIONS = 3
DECIDING_REPLICATIONS = 10
"""With the buffer that decides claims: few congestion events are in a run of Reno."""
QUICK_S = 20


def reproduce(
    *,
    quick: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    worker: Worker[Job, Result] = run_job,
) -> StudyResult:
    """Runs the study. With `quick`, two buffers under two readings for seconds of simulated time."""
    text = Text(cells.scenario(), name="transocean/scenario.toml")
    seeds = range(1, 1 + (REPLICATIONS if quick else DECIDING_REPLICATIONS))
    buffers = cells.QUICK_BUFFERS if quick else cells.BUFFERS
    short: dict[str, object] = {"duration": f"{QUICK_S}s"} if quick else {}
    main = {cells.MAIN: short}
    others = {name: {**short, **cells.CHOICES[name]} for name in (cells.QUICK_CHOICES if quick else cells.CHOICES)}
    deciding = cells.readings(text, (verdicts.SMALL,), main)
    larger = cells.readings(text, tuple(buffer for buffer in buffers if buffer != verdicts.SMALL), main)
    stages = (
        (deciding, seeds, portion(progress, 0, 0.3)),
        (larger, seeds[:REPLICATIONS], portion(progress, 0.3, 0.7)),
        (cells.readings(text, (verdicts.SMALL,), others), seeds[:REPLICATIONS], portion(progress, 0.7, 1)),
    )
    grids = [
        run_grid(some, cells.VARIANTS, chosen, cells.use, threads=threads, progress=stage, worker=worker)
        for some, chosen, stage in stages
    ]
    command = command_for(SLUG, quick=quick)
    return StudyResult(
        slug=SLUG,
        title=TITLE,
        claims=verdicts.assess_claims(grids),
        seeds=list(seeds),
        command=command,
        quick=quick,
        page=page(__package__, "README.md"),
        sheets=[
            verdicts.use_sheet(grids),
            *(runs_sheet(f"runs-{number}", "Every run", grid) for number, grid in enumerate(grids, 1)),
        ],
        figures=[_utilisation(grids, buffers, half, command) for half in (cells.VARIANTS[:5], cells.VARIANTS[5:])],
        scenarios={
            f"{one.name}; {cc.label}": hash_of(one, cc) for one in (*deciding, *larger) for cc in cells.VARIANTS
        },
        files={"scenario.toml": text.text},
    )


def _utilisation(grids: list[Grid], buffers: tuple[int, ...], variants: tuple[Variant, ...], command: str) -> Figure:
    """Utilisation of NewReno and some others over the size of the buffer."""
    by_name = {reading.name: grid for grid in grids for reading in grid.readings}
    series = []
    for index, one in enumerate([cells.RENO, *(one for one in variants if one is not cells.RENO)]):
        means = [by_name[name].mean(name, one.name, verdicts.MEASURE) for name in map(cells.name, buffers)]
        low, high = [mean.low for mean in means], [mean.high for mean in means]
        value = [mean.value for mean in means]
        series.append(Series(one.label, buffers, value, colour_of(index), "interval", low, high))
    caption = "Twenty flows of one variant, 1 Gbit/s, 130 ms there and back; 95 % intervals over replications."
    label = "buffer (% of a bandwidth-delay product)"
    title = "Utilisation by buffer: " + ", ".join(one.label for one in variants if one is not cells.RENO)
    return Plot(title, label, "utilisation (%)", series, caption, command, from_zero=False)
