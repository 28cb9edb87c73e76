"""Calls with GCC after a disruption, beside calls with other controls, beside themselves and beside TCP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.calls_together import cells, figures, measures, verdicts
from ackclock.studies.framework import Outcome, Study, hash_of, job

if TYPE_CHECKING:
    from ackclock.studies.framework import Grid, Lab

__all__ = ["STUDY"]

REPLICATIONS = 10
QUICK_REPLICATIONS = 2

PARTS = {cells.DISRUPTION: (0.0, 0.25), cells.TWO: (0.25, 0.55), cells.TCP: (0.55, 0.8), cells.FOUR: (0.8, 0.98)}
"""Experiment to its part of the work."""
SHOWN_MBPS = 0.25


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, the main reading at the rates of the claims."""
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    grids: dict[str, Grid] = {}
    hashes: dict[str, str] = {}
    for experiment, (start, end) in PARTS.items():
        readings = cells.readings(study, cells.wanted(experiment, quick=lab.quick))
        variants = cells.variants(experiment)
        measure = measures.disruption if experiment == cells.DISRUPTION else measures.beside
        deciding = verdicts.main_names(experiment, quick=lab.quick)
        grids[experiment] = lab.part(start, end).grid(readings, variants, seeds, measure, deciding)
        hashes |= {f"{one.name}; {variant.label}": hash_of(one, variant) for one in readings for variant in variants}
    controls = cells.variants(cells.DISRUPTION)
    [drawn] = cells.readings(study, [cells.Cell(cells.DISRUPTION, SHOWN_MBPS)])
    runs = lab.part(0.98, 1).run([job(drawn, one, seeds[0]) for one in controls])
    command = study.command(lab)
    shown = dict(zip([one.label for one in controls], runs, strict=True))
    return Outcome(
        claims=verdicts.assess_claims(grids, quick=lab.quick),
        seeds=seeds,
        sheets=verdicts.sheets(grids),
        runs={f"runs-{name.replace(' ', '-').lower()}": grid for name, grid in grids.items()},
        figures=[figures.over_time(shown, SHOWN_MBPS, seeds[0], command), *figures.shares(grids, command)],
        hashes=hashes,
    )


STUDY = Study(
    slug="calls-together",
    title="What calls do to each other",
    summary="GCC after a disruption, beside NADA and SCReAM, beside itself, and beside CUBIC, at 0.25 to 5 Mbit/s",
    source="MacMillan, Mangla, Saxon, Feamster, IMC 2021; Sander, Kunze, Wehrle, Rueth, PAM 2021",
    package=__name__,
    run=run,
    scenarios=("disruption.toml", "two.toml", "tcp.toml", "four.toml"),
    compares=False,
    most_times=4,
    nulls={
        "no GCC": cells.call_without_control,
        "one control": cells.one_control,
        "drop-tail": cells.queue_without_discipline,
    },
)
