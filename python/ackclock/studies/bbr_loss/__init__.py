"""BBR and CUBIC under random loss: throughput of one flow at loss rates of 0.001 to 50 %."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.bbr_loss import cells, figures, verdicts
from ackclock.studies.framework import Outcome, Study, hash_of

if TYPE_CHECKING:
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

REPLICATIONS = 5
QUICK_REPLICATIONS = 2


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, two replications and one reading beside the main one."""
    text = study.scenario()
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    others = {choice: cells.CHOICES[choice] for choice in lab.pick(tuple(cells.CHOICES), cells.QUICK_CHOICES)}
    main = cells.readings(text, cells.LOSSES, {cells.MAIN: {}})
    deciding = [one.name for one in main]
    stages = ((main, lab.part(0, 0.4)), (cells.readings(text, cells.LOSSES, others), lab.part(0.4, 1)))
    grids = [part.grid(some, cells.VARIANTS, seeds, cells.measures, deciding) for some, part in stages]
    command = study.command(lab)
    return Outcome(
        claims=verdicts.assess_claims(grids),
        seeds=seeds,
        sheets=[verdicts.sheet(grids)],
        runs={f"runs-{number}": grid for number, grid in enumerate(grids, 1)},
        figures=[figures.throughput(grids[0], command), figures.small_rates(grids[0], command)],
        hashes={
            f"{one.name}; {cc.label}": hash_of(one, cc)
            for grid in grids
            for one in grid.readings
            for cc in cells.VARIANTS
        },
    )


STUDY = Study(
    slug="bbr-loss",
    title="BBR and CUBIC under random loss",
    summary="Throughput of BBR, BBRv3 and CUBIC at random loss of 0.001 to 50 % over 100 Mbit/s and 100 ms",
    source="Cardwell, Cheng, Gunn, Yeganeh, Jacobson, ACM Queue 14(5), 2016, figure 8",
    package=__name__,
    run=run,
    compares=False,
    most_times=2,
)
