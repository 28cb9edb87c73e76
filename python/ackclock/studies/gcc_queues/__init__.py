"""A video call with GCC alone, beside another and beside TCP, over drop-tail, AQM and flow queueing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Study, hash_of
from ackclock.studies.gcc_queues import cells, figures, verdicts

if TYPE_CHECKING:
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

REPLICATIONS = 5
QUICK_REPLICATIONS = 2


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, one rate, and the main reading alone without BBR."""
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    wanted = cells.wanted(quick=lab.quick)
    readings = cells.readings(study, wanted)
    deciding = [cells.name(one) for one in wanted if (one.buffer_ms, one.choice) == (cells.MAIN_MS, cells.MAIN)]
    grid = lab.grid(readings, cells.QUEUES, seeds, cells.measure, deciding)
    command = study.command(lab)
    return Outcome(
        claims=verdicts.assess_claims(grid, wanted),
        seeds=seeds,
        sheets=[verdicts.sheet(grid)],
        runs={"runs": grid},
        figures=[figures.delays(grid, wanted, command), figures.rates(grid, wanted, command)],
        hashes={
            f"{reading.name}; {queue.label}": hash_of(reading, queue) for reading in readings for queue in cells.QUEUES
        },
    )


STUDY = Study(
    slug="gcc-queues",
    title="A video call over AQM and flow queueing",
    summary="GCC alone, beside another GCC, CUBIC and BBR over drop-tail, CoDel, PIE, SFQ and FQ-CoDel",
    source="Carlucci, De Cicco, Mascolo, ACM CCR 46(3), 2016; and with Holmer, IEEE/ACM ToN 25(5), 2017",
    package=__name__,
    run=run,
    scenarios=("alone.toml", "two.toml", "tcp.toml"),
    compares=False,
    most_times=2,
    nulls={"drop-tail": cells.queue_without_discipline, "no GCC": cells.call_without_control},
)
