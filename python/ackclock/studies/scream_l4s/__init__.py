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
    tested, examples = cells.tested(quick=lab.quick), cells.examples(quick=lab.quick)
    readings = cells.tested_readings(study, tested)
    tests = lab.part(0, 0.3).grid(readings, [cells.L4S], seeds, cells.measure_tested, [one.name for one in tested])
    others = []
    choices = {}
    if not lab.quick:
        chosen = cells.chosen()
        of_chosen = cells.tested_readings(study, chosen)
        few = seeds[:QUICK_REPLICATIONS]
        others.append((lab.part(0.3, 0.6).grid(of_chosen, [cells.L4S], few, cells.measure_tested), chosen))
        choices["runs-choices"] = others[0][0]
        readings += of_chosen
    compared_readings = cells.example_readings(study, examples)
    deciding = [one.name for one in examples if one.choice == cells.MAIN or one == cells.Example("ramp", cells.EVEN)]
    compared = lab.part(0.6, 0.98).grid(compared_readings, cells.COMPARED, seeds, cells.measure_example, deciding)
    step = next(one for one in compared_readings if one.name == cells.Example("step").name)
    shown = lab.part(0.98, 1).run([job(step, variant, seeds[0]) for variant in cells.COMPARED])
    command = study.command(lab)
    hashes = {one.name: hash_of(one, cells.L4S) for one in readings} | {
        f"{one.name}; {variant.label}": hash_of(one, variant) for one in compared_readings for variant in cells.COMPARED
    }
    return Outcome(
        claims=verdicts.assess_claims([(tests, tested), *others], compared, examples),
        seeds=seeds,
        sheets=[verdicts.tests_sheet(tests, tested), verdicts.examples_sheet(compared)],
        runs={"runs-tests": tests, "runs-examples": compared} | choices,
        figures=[
            figures.rates(tests, tested, command),
            figures.delays(compared, examples, command),
            *figures.steps(dict(zip([one.label for one in cells.COMPARED], shown, strict=True)), seeds[0], command),
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
