"""Initial RTO: 1 s against 3 s, on the networks and with the bursts of `ackclock.studies.iw10`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock._run import Job, run_job
from ackclock.studies.irto import verdicts
from ackclock.studies.irto.figures import figures
from ackclock.studies.iw10 import cells, measures
from ackclock.studies.study import command_for

if TYPE_CHECKING:
    from ackclock._runner import Progress, Worker
    from ackclock.result import Result
    from ackclock.studies.study import StudyResult

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "irto"
TITLE = "Initial RTO of 1 s"
SUMMARY = "Timeouts, spurious ones and elapsed times of competing bursts with an initial RTO of 1 s and 3 s"
SOURCE = "Järvinen, Nyrhinen, Ding, Kojo, IETF 79"


def reproduce(
    *,
    quick: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    worker: Worker[Job, Result] = run_job,
) -> StudyResult:
    """Runs the study. With `quick`, every cell and reading with fewer replications."""
    grids = cells.run_cells(
        cells.CELLS,
        cells.CHOICES,
        verdicts.VARIANTS,
        measures.timeouts,
        measures.TIMEOUT_PROBE,
        quick=quick,
        threads=threads,
        progress=progress,
        worker=worker,
    )
    return cells.result(
        SLUG,
        TITLE,
        __package__,
        grids,
        claims=verdicts.assess_claims(grids),
        findings=verdicts.findings(grids),
        sheet=verdicts.cells_sheet(grids),
        figures=figures(grids.main, command_for(SLUG, quick=quick)),
        quick=quick,
    )
