"""SCReAM with L4S: beside flows of Prague over DualPI2, and with L4S and without on the README's examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Study, hash_of, job
from ackclock.studies.scream_l4s import cells, figures, verdicts

if TYPE_CHECKING:
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]

REPLICATIONS = 5
QUICK_REPLICATIONS = 2
"""Also those of readings of the test that do not decide."""


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, the main reading at two round-trip times."""
    seeds = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    few = seeds[:QUICK_REPLICATIONS]
    tested, examples = cells.tested(quick=lab.quick), cells.examples()
    readings, shown = cells.tested_readings(study, tested), cells.example_readings(study, examples)
    grid = lab.part(0, 0.4).grid(readings, [cells.L4S], seeds, cells.measure_tested, [one.name for one in tested])
    of_test = [(grid, tested)]
    names = [one.name for one in examples]
    grid = lab.part(0.4, 0.7).grid(shown, cells.COMPARED, seeds, cells.measure_example, names)
    of_readme = [(grid, examples)]
    hashes = {one.name: hash_of(one, cells.L4S) for one in readings}
    hashes |= {f"{one.name}; {variant.label}": hash_of(one, variant) for one in shown for variant in cells.COMPARED}
    if not lab.quick:
        chosen, others = cells.chosen(), cells.other_examples()
        readings, compared = cells.tested_readings(study, chosen), cells.example_readings(study, others)
        grid = lab.part(0.7, 0.9).grid(readings, [cells.L4S], few, cells.measure_tested)
        of_test.append((grid, chosen))
        pair = (cells.L4S, cells.NONE)
        of_readme.append((lab.part(0.9, 0.98).grid(compared, pair, few, cells.measure_example), others))
        hashes |= {one.name: hash_of(one, cells.L4S) for one in readings}
        hashes |= {f"{one.name}; {variant.label}": hash_of(one, variant) for one in compared for variant in pair}
    step = next(one for one in shown if one.name == cells.Example("step").name)
    runs = lab.part(0.98, 1).run([job(step, variant, seeds[0]) for variant in cells.COMPARED])
    labels = [one.label for one in cells.COMPARED]
    command = study.command(lab)
    tests, main = of_test[0][0], of_readme[0][0]
    return Outcome(
        claims=verdicts.assess_claims(of_test, of_readme),
        seeds=seeds,
        sheets=[verdicts.tests_sheet(tests, tested), verdicts.examples_sheet([one for one, _ in of_readme])],
        runs={
            f"runs-{name}-{number}": one
            for name, grids in (("tests", of_test), ("examples", of_readme))
            for number, (one, _) in enumerate(grids, 1)
        },
        figures=[
            figures.rates(tests, tested, command),
            figures.delays(main, examples, command),
            *figures.steps(dict(zip(labels, runs, strict=True)), seeds[0], command),
        ],
        hashes=hashes,
    )


STUDY = Study(
    slug="scream-l4s",
    title="SCReAM with L4S",
    summary="SCReAM version 2 with L4S: beside Prague over DualPI2, a step of the capacity, and two calls",
    source="Ericsson Research, test record of October 2024 and README of 2025 of SCReAM, github.com/EricssonResearch",
    package=__name__,
    run=run,
    scenarios=("alone.toml", "beside.toml", "ramp.toml", "two.toml"),
    compares=False,
    most_times=2,
    nulls={"no L4S": cells.call_without_l4s, "no SCReAM": cells.call_without_control},
)
