"""Initial window 10: bursts of short flows over wireless links, with three segments to start with or ten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Study, command_of, job
from ackclock.studies.framework.setups.wireless_bursts import SOURCE, cells, figures, measures, windows
from ackclock.studies.framework.setups.wireless_bursts.windows import VARIANTS
from ackclock.studies.iw10 import verdicts

if TYPE_CHECKING:
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

TRACE_SEED = 1
CAPTION = "Data packets from the senders' hosts to their receivers'. FIFO queue; for the slides' RED see iw10-aqm."


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, every cell and reading with fewer replications."""
    grids = cells.run_cells(
        lab,
        cells.CELLS,
        cells.CHOICES,
        VARIANTS,
        measures.transfers,
        {},
    )
    traced = [(cell, one) for cell in cells.choose(cells.CELLS, buffers=("2 BDP",), flows=(1, 6)) for one in VARIANTS]
    jobs = [job(cells.reading(cell), one, TRACE_SEED, measures.DELAY_PROBE) for cell, one in traced]
    traces = lab.part(0.95, 1).run(jobs)
    sampled = {
        (cell, one.name): measures.one_way_delays([trace]) for (cell, one), trace in zip(traced, traces, strict=True)
    }
    command = study.command(lab)
    repeat = command_of(cells.reading(traced[0][0]), VARIANTS[0], TRACE_SEED, measures.DELAY_PROBE)
    return cells.outcome(
        grids,
        claims=verdicts.assess_claims(grids),
        findings=windows.findings(grids),
        sheets=[windows.cells_sheet(grids)],
        figures=[
            *figures.per_buffer(grids.main, cells.CELLS, VARIANTS, command),
            *figures.delays(sampled, VARIANTS, repeat, CAPTION, TRACE_SEED),
        ],
    )


STUDY = Study(
    slug="iw10",
    title="Initial window 10",
    summary="Elapsed time and fairness of competing bursts over EDGE, HSPA and LTE with IW3 and IW10",
    source=SOURCE,
    package=__name__,
    run=run,
    scenarios=(),
)
