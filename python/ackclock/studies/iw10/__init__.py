"""Initial window 10: bursts of short flows over wireless links, with three segments to start with or ten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.grid import command_of, job
from ackclock.studies.iw10 import cells, figures, measures, verdicts
from ackclock.studies.study import command_for

if TYPE_CHECKING:
    from ackclock.studies.lab import Lab
    from ackclock.studies.study import StudyResult

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "iw10"
TITLE = "Initial window 10"
SUMMARY = "Elapsed time and fairness of competing bursts over EDGE, HSPA and LTE with IW3 and IW10"
SOURCE = "Järvinen, Nyrhinen, Ding, Kojo, IETF 79"

VARIANTS = (verdicts.IW3, verdicts.IW10)
TRACE_SEED = 1
CAPTION = "Data packets from the senders' hosts to their receivers'. FIFO queue; for the slides' RED see iw10-aqm."


def reproduce(lab: Lab) -> StudyResult:
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
    command = command_for(SLUG, quick=lab.quick)
    repeat = command_of(cells.reading(traced[0][0]), VARIANTS[0], TRACE_SEED, measures.DELAY_PROBE)
    return cells.result(
        SLUG,
        TITLE,
        __package__,
        grids,
        claims=verdicts.assess_claims(grids),
        findings=verdicts.findings(grids),
        sheet=verdicts.cells_sheet(grids),
        figures=[
            *figures.per_buffer(grids.main, cells.CELLS, VARIANTS, command),
            *figures.delays(sampled, VARIANTS, repeat, CAPTION, TRACE_SEED),
        ],
        quick=lab.quick,
    )
