"""Initial window 10 under RED: the networks and bursts of the study iw10 with the slides' managed queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Study
from ackclock.studies.framework.setups.wireless_bursts import SOURCE, cells, figures, measures, windows
from ackclock.studies.framework.setups.wireless_bursts.windows import VARIANTS
from ackclock.studies.iw10_aqm import verdicts
from ackclock.studies.iw10_aqm.backup import backup_figures
from ackclock.studies.iw10_aqm.queues import CELLS, CHOICES, DRAWN, FIFO_CELLS, red_off

if TYPE_CHECKING:
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, every cell and reading with fewer replications."""
    grids = cells.run_cells(
        lab,
        (*CELLS, *FIFO_CELLS),
        CHOICES,
        VARIANTS,
        windows.transfers_and_delays,
        measures.DELAY_PROBE,
    )
    command = study.command(lab)
    return cells.outcome(
        grids,
        claims=verdicts.assess_claims(grids),
        findings=windows.findings(grids),
        sheets=[verdicts.longest_sheet(grids), verdicts.competition_sheet(grids), windows.cells_sheet(grids)],
        figures=[
            *backup_figures(grids.main, command),
            *figures.pooled_delays(lab.part(0.95, 1), DRAWN, VARIANTS, grids.seeds, command),
            *figures.per_buffer(grids.main, CELLS, VARIANTS, command),
        ],
    )


STUDY = Study(
    slug="iw10-aqm",
    title="Initial window 10 under RED",
    summary="One-way delay, elapsed time and fairness with IW3 and IW10 under RED and a RED tuned to bursts",
    source=SOURCE,
    package=__name__,
    run=run,
    scenarios=(),
    nulls={windows.IW10_OFF: windows.iw10_off, "RED off": red_off},
)
