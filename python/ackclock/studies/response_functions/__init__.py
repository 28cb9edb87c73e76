"""Response functions: the average window by loss rate of Reno, CUBIC, HighSpeed and Scalable, and the formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Outcome, Reading, Study, Variant, command_of, hash_of, job
from ackclock.studies.framework.nulls import held
from ackclock.studies.response_functions import cells, figures, verdicts

if TYPE_CHECKING:
    from ackclock.studies.framework import Lab

__all__ = ["STUDY"]


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the study. With `quick`, loss rates down to 1e-4 only."""
    text = study.scenario()
    windows = cells.run_transfers(lab.part(0, 0.9), text)
    teeth = {one.name: figures.tooth(one.name) for one in cells.ALGORITHMS}
    drawn = [*teeth.values(), *map(figures.way, figures.WAYS)]
    results = lab.part(0.9, 1).run([job(Reading("", text, one), Variant("", ""), 1) for one in drawn])
    by_name = dict(zip(teeth, results, strict=False))
    command = study.command(lab)

    def repeat(overrides: dict[str, object]) -> str:
        return command_of(Reading("", text), Variant("", ""), 1, overrides)

    main = [cells.Transfer(cells.ASSUMPTIONS[0], one, 3, 1) for one in cells.ALGORITHMS]
    return Outcome(
        claims=verdicts.assess_claims(windows),
        seeds=range(1, 1 + len(cells.STARTS)),
        sheets=[verdicts.windows_sheet(windows)],
        figures=[
            figures.responses(windows, command),
            figures.away(windows, command),
            figures.sawteeth(by_name, repeat(teeth["reno"])),
            figures.ways(results[len(teeth) :], repeat(figures.way(1.0))),
        ],
        hashes={
            f"{one.algorithm.label} at {one.p:g}": hash_of(Reading("", text, one.overrides()), Variant("", ""))
            for one in main
        },
    )


STUDY = Study(
    slug="response-functions",
    title="Response functions",
    summary="Average window by loss rate of Reno, CUBIC, HighSpeed and Scalable against the RFCs' tables and theory",
    source="RFC 9438 section 5.1; RFC 3649 section 5; Mathis et al. 1997; Kelly 2003",
    package=__name__,
    run=run,
    compares=False,
    nulls={"every algorithm Reno": held({"flows[0].cc": "reno"})},
)
