"""Initial RTO: 1 s against 3 s, on the networks and with the bursts of the study iw10."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Study
from ackclock.studies.framework.nulls import held
from ackclock.studies.framework.setups.wireless_bursts import SOURCE, cells, measures, windows
from ackclock.studies.irto import verdicts
from ackclock.studies.irto.figures import figures

if TYPE_CHECKING:
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, every cell and reading with fewer replications."""
    grids = cells.run_cells(
        lab,
        cells.CELLS,
        cells.CHOICES,
        verdicts.VARIANTS,
        measures.timeouts,
        measures.TIMEOUT_PROBE | measures.DELAY_PROBE,
    )
    return cells.outcome(
        grids,
        claims=verdicts.assess_claims(grids),
        findings=verdicts.findings(grids),
        sheets=[verdicts.cells_sheet(grids)],
        figures=figures(lab.part(0.95, 1), grids, study.command(lab)),
    )


STUDY = Study(
    slug="irto",
    title="Initial RTO of 1 s",
    summary="Timeouts, spurious ones and elapsed times of competing bursts with an initial RTO of 1 s and 3 s",
    source=SOURCE,
    package=__name__,
    run=run,
    scenarios=(),
    nulls={
        "initial RTO of 3 s": held({"flows[*].initial_rto": "3s"}),
        windows.IW10_OFF: windows.iw10_off,
    },
)
