"""Initial window 10 under RED: the networks and bursts of the study iw10 with the slides' managed queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Study, job
from ackclock.studies.framework.setups.wireless_bursts import SOURCE, cells, figures, measures, windows
from ackclock.studies.framework.setups.wireless_bursts.windows import VARIANTS
from ackclock.studies.iw10_aqm import verdicts
from ackclock.studies.iw10_aqm.queues import CELLS, CHOICES, DRAWN

if TYPE_CHECKING:
    from ackclock.result import Result
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

MOST_DRAWN = 20
"""Most replications whose one-way delays are pooled for a figure."""

CAPTION = (
    "Data packets of both bursts from the senders' hosts to their receivers', over replications with seeds {} to {}."
)


def transfers_and_delays(result: Result) -> dict[str, float]:
    """The measures of the study iw10, and the one-way delays of all data packets of the run together."""
    delays = measures.one_way_delays([result])
    return measures.transfers(result) | {
        "delay_mean_ms": delays.mean_ms,
        "delay_median_ms": delays.quantile(0.5),
        "delay_p95_ms": delays.quantile(0.95),
        "delay_max_ms": delays.quantile(1),
    }


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, every cell and reading with fewer replications."""
    grids = cells.run_cells(
        lab,
        CELLS,
        CHOICES,
        VARIANTS,
        transfers_and_delays,
        measures.DELAY_PROBE,
    )
    pooled = [(cell, one) for cell in DRAWN for one in VARIANTS]
    seeds = grids.main.seeds[:MOST_DRAWN]
    jobs = [job(cells.reading(cell), one, seed, measures.DELAY_PROBE) for cell, one in pooled for seed in seeds]
    runs = lab.part(0.95, 1).run(jobs)
    sampled = {
        (cell, one.name): measures.one_way_delays(runs[index * len(seeds) : (index + 1) * len(seeds)])
        for index, (cell, one) in enumerate(pooled)
    }
    command = study.command(lab)
    return cells.outcome(
        grids,
        claims=verdicts.assess_claims(grids),
        findings=windows.findings(grids),
        sheets=[verdicts.longest_sheet(grids), windows.cells_sheet(grids)],
        figures=[
            *figures.delays(sampled, VARIANTS, command, CAPTION.format(seeds[0], seeds[-1])),
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
)
