"""Initial RTO: 1 s against 3 s, on the networks and with the bursts of `ackclock.studies.iw10`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.irto import verdicts
from ackclock.studies.irto.figures import figures
from ackclock.studies.iw10 import cells, measures
from ackclock.studies.study import command_for

if TYPE_CHECKING:
    from ackclock.studies.lab import Lab
    from ackclock.studies.study import StudyResult

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "irto"
TITLE = "Initial RTO of 1 s"
SUMMARY = "Timeouts, spurious ones and elapsed times of competing bursts with an initial RTO of 1 s and 3 s"
SOURCE = "Järvinen, Nyrhinen, Ding, Kojo, IETF 79"


def reproduce(lab: Lab) -> StudyResult:
    """Runs the study. With `quick`, every cell and reading with fewer replications."""
    grids = cells.run_cells(
        lab,
        cells.CELLS,
        cells.CHOICES,
        verdicts.VARIANTS,
        measures.timeouts,
        measures.TIMEOUT_PROBE,
    )
    return cells.result(
        SLUG,
        TITLE,
        __package__,
        grids,
        claims=verdicts.assess_claims(grids),
        findings=verdicts.findings(grids),
        sheet=verdicts.cells_sheet(grids),
        figures=figures(grids.main, command_for(SLUG, quick=lab.quick)),
        quick=lab.quick,
    )
