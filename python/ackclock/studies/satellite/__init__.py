"""High-speed congestion control over a satellite: four flows of one variant among web traffic, a call and two more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Study, hash_of
from ackclock.studies.framework.nulls import held
from ackclock.studies.satellite import cells, verdicts
from ackclock.studies.satellite.figures import figures

if TYPE_CHECKING:
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

REPLICATIONS = 10
QUICK_REPLICATIONS = 2
QUICK_S = 20


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, the variants of the claims over three queues for seconds of simulated time."""
    text = study.scenario()
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    queues = lab.pick(cells.QUEUES, cells.QUICK_QUEUES)
    variants = lab.pick(cells.VARIANTS, cells.QUICK_VARIANTS)
    short: dict[str, object] = {"duration": f"{QUICK_S}s"} if lab.quick else {}
    others = {name: {**short, **cells.CHOICES[name]} for name in lab.pick(tuple(cells.CHOICES), cells.QUICK_CHOICES)}
    deciding = [cells.name(queue) for queue in (cells.SMALL, cells.MODERATE, cells.LARGE)]
    stages = (
        (cells.readings(text, queues, {cells.MAIN: short}), lab.part(0, 0.6)),
        (cells.readings(text, (cells.MODERATE,), others), lab.part(0.6, 1)),
    )
    grids = [part.grid(some, variants, seeds, cells.measures, deciding) for some, part in stages]
    return Outcome(
        claims=verdicts.assess_claims(grids),
        seeds=seeds,
        sheets=[verdicts.harm_sheet(grids), verdicts.sheet(grids), verdicts.calls_sheet(grids)],
        runs={f"runs-{number}": grid for number, grid in enumerate(grids, 1)},
        figures=figures(grids[0], queues, study.command(lab)),
        hashes={
            f"{one.name}; {cc.label}": hash_of(one, cc) for grid in grids for one in grid.readings for cc in variants
        },
    )


STUDY = Study(
    slug="satellite",
    title="High-speed congestion control over a satellite",
    summary="Four flows of eight variants among web traffic and a call over a satellite: goodput and harm",
    source="Wu, Chan, Ananda 2008 (ICC)",
    package=__name__,
    run=run,
    nulls={"every variant NewReno": held(cells.NEWRENO.overrides), "every queue moderate": held(cells.MODERATE_QUEUE)},
)
