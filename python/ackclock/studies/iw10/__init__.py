"""Initial window 10: bursts of short flows over wireless links, with three segments to start with or ten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Study
from ackclock.studies.framework.setups.wireless_bursts import SOURCE, cells, figures, measures, windows
from ackclock.studies.framework.setups.wireless_bursts.windows import VARIANTS
from ackclock.studies.iw10 import verdicts

if TYPE_CHECKING:
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

DRAWN = cells.choose(cells.CELLS, flows=(1, 6))
"""The cells whose one-way delays the slides show."""


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, every cell and reading with fewer replications."""
    grids = cells.run_cells(
        lab,
        cells.CELLS,
        cells.CHOICES,
        VARIANTS,
        windows.transfers_and_delays,
        measures.DELAY_PROBE,
    )
    command = study.command(lab)
    return cells.outcome(
        grids,
        claims=verdicts.assess_claims(grids),
        findings=windows.findings(grids),
        sheets=[windows.cells_sheet(grids)],
        figures=[
            *figures.per_buffer(grids.main, cells.CELLS, VARIANTS, command),
            *figures.pooled_delays(lab.part(0.95, 1), DRAWN, VARIANTS, grids.seeds, command),
        ],
    )


def run_live(study: Study, lab: Lab) -> Outcome:
    """Runs a part of the study over the sockets of the running kernel."""
    from ackclock.studies.iw10.live import run

    return run(study, lab)


STUDY = Study(
    slug="iw10",
    title="Initial window 10",
    summary="Elapsed time, fairness and one-way delay of competing bursts over EDGE, HSPA and LTE with IW3 and IW10",
    source=SOURCE,
    package=__name__,
    run=run,
    live=run_live,
    live_scenarios=("linux.toml",),
    scenarios=(),
    nulls={windows.IW10_OFF: windows.iw10_off},
)
