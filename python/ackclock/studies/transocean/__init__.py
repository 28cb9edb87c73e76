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
QUICK_REPLICATIONS = 2
QUICK_S = 12


def reproduce(
    *,
    quick: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    worker: Worker[Job, Result] = run_job,
) -> StudyResult:
    """Runs the study. With `quick`, two buffers under the main reading for seconds of simulated time."""
    text = Text(cells.scenario(), name="transocean/scenario.toml")
    seeds = range(1, 1 + (QUICK_REPLICATIONS if quick else REPLICATIONS))
    buffers = cells.QUICK_BUFFERS if quick else cells.BUFFERS
    choices = {cells.MAIN: {"duration": f"{QUICK_S}s"} if quick else {}}
    others = {} if quick else {name: values for name, values in cells.CHOICES.items() if name != cells.MAIN}
    main = cells.readings(text, buffers, choices)
    grids = [
        run_grid(
            main, cells.VARIANTS, seeds, cells.use, threads=threads, progress=portion(progress, 0, 0.6), worker=worker
        )
    ]
    if others:
        small = cells.readings(text, (verdicts.SMALL,), others)
        stage = portion(progress, 0.6, 1)
        grids.append(run_grid(small, cells.VARIANTS, seeds, cells.use, threads=threads, progress=stage, worker=worker))
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
        figures=[_utilisation(grids[0], buffers, half, command) for half in (cells.VARIANTS[:5], cells.VARIANTS[5:])],
        scenarios={f"{one.name}; {cc.label}": hash_of(one, cc) for one in main for cc in cells.VARIANTS},
        files={"scenario.toml": text.text},
    )


def _utilisation(grid: Grid, buffers: tuple[int, ...], variants: tuple[Variant, ...], command: str) -> Figure:
    """Utilisation of NewReno and some others over the size of the buffer."""
    series = []
    for index, one in enumerate([cells.RENO, *(one for one in variants if one is not cells.RENO)]):
        means = [grid.mean(cells.name(buffer), one.name, verdicts.MEASURE) for buffer in buffers]
        low, high = [mean.low for mean in means], [mean.high for mean in means]
        value = [mean.value for mean in means]
        series.append(Series(one.label, buffers, value, colour_of(index), "interval", low, high))
    caption = "Twenty flows of one variant, 1 Gbit/s, 130 ms there and back; 95 % intervals over replications."
    label = "buffer (% of a bandwidth-delay product)"
    title = "Utilisation by buffer: " + ", ".join(one.label for one in variants if one is not cells.RENO)
    return Plot(title, label, "utilisation (%)", series, caption, command, from_zero=False)
