"""Initial window 10 under RED: the networks and bursts of `ackclock.studies.iw10` with the slides' managed queues."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock.studies import iw10
from ackclock.studies.grid import job
from ackclock.studies.iw10 import cells, figures, measures
from ackclock.studies.iw10 import verdicts as bursts
from ackclock.studies.iw10_aqm import verdicts
from ackclock.studies.iw10_aqm.queues import CELLS, CHOICES, DRAWN
from ackclock.studies.study import command_for

if TYPE_CHECKING:
    from ackclock.result import Result
    from ackclock.studies.lab import Lab
    from ackclock.studies.study import StudyResult

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "iw10-aqm"
TITLE = "Initial window 10 under RED"
SUMMARY = "One-way delay, elapsed time and fairness with IW3 and IW10 under RED and a RED tuned to bursts"
SOURCE = iw10.SOURCE

MOST_DRAWN = 20
"""Replications whose one-way delays are drawn, all together."""

CAPTION = (
    "Data packets of both bursts from the senders' hosts to their receivers', over replications with seeds {} to {}."
)


def transfers_and_delays(result: Result) -> dict[str, float]:
    """What `iw10` takes from a run, and the one-way delays of all its data packets together."""
    delays = measures.one_way_delays([result])
    return measures.transfers(result) | {
        "delay_mean_ms": delays.mean_ms,
        "delay_median_ms": delays.quantile(0.5),
        "delay_p95_ms": delays.quantile(0.95),
        "delay_max_ms": delays.quantile(1),
    }


def reproduce(lab: Lab) -> StudyResult:
    """Runs the study. With `quick`, every cell and reading with fewer replications."""
    grids = cells.run_cells(
        lab,
        CELLS,
        CHOICES,
        iw10.VARIANTS,
        transfers_and_delays,
        measures.DELAY_PROBE,
    )
    pooled = [(cell, one) for cell in DRAWN for one in iw10.VARIANTS]
    seeds = grids.main.seeds[:MOST_DRAWN]
    jobs = [job(cells.reading(cell), one, seed, measures.DELAY_PROBE) for cell, one in pooled for seed in seeds]
    runs = lab.part(0.95, 1).run(jobs)
    sampled = {
        (cell, one.name): measures.one_way_delays(runs[index * len(seeds) : (index + 1) * len(seeds)])
        for index, (cell, one) in enumerate(pooled)
    }
    command = command_for(SLUG, quick=lab.quick)
    whole = cells.result(
        SLUG,
        TITLE,
        __package__,
        grids,
        claims=verdicts.assess_claims(grids),
        findings=bursts.findings(grids),
        sheet=bursts.cells_sheet(grids),
        figures=[
            *figures.delays(sampled, iw10.VARIANTS, command, CAPTION.format(seeds[0], seeds[-1])),
            *figures.per_buffer(grids.main, CELLS, iw10.VARIANTS, command),
        ],
        quick=lab.quick,
    )
    return replace(whole, sheets=[verdicts.longest_sheet(grids), *whole.sheets])
