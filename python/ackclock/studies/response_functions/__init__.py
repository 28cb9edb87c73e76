"""Response functions: the average window by loss rate of Reno, CUBIC, HighSpeed and Scalable, and the formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.grid import Reading, Variant, command_of, hash_of
from ackclock.studies.response_functions import cells, figures, verdicts
from ackclock.studies.study import StudyResult, command_for, page

if TYPE_CHECKING:
    from ackclock.studies.lab import Lab

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "response-functions"
TITLE = "Response functions"
SUMMARY = "Average window by loss rate of Reno, CUBIC, HighSpeed and Scalable against the RFCs' tables and theory"
SOURCE = "RFC 9438 section 5.1; RFC 3649 section 5; Mathis et al. 1997; Kelly 2003"


def reproduce(lab: Lab) -> StudyResult:
    """Runs the study. With `quick`, loss rates down to 1e-4 only."""
    windows = cells.run_cells(lab.part(0, 0.9))
    teeth = {one.name: figures.tooth(one.name) for one in cells.ALGORITHMS}
    drawn = [*teeth.values(), *map(figures.way, figures.WAYS)]
    results = lab.part(0.9, 1).run([cells.job(one) for one in drawn])
    by_name = dict(zip(teeth, results, strict=False))
    command = command_for(SLUG, quick=lab.quick)
    text = cells.job({}).scenario

    def repeat(overrides: dict[str, object]) -> str:
        return command_of(Reading("", "", text), Variant("", ""), 1, overrides)

    main = [cells.Cell(cells.CHOICES[0], one, 3, 1) for one in cells.ALGORITHMS]
    return StudyResult(
        slug=SLUG,
        title=TITLE,
        claims=verdicts.assess_claims(windows),
        seeds=list(range(1, 1 + len(cells.STARTS))),
        command=command,
        quick=lab.quick,
        page=page(__package__, "README.md"),
        sheets=[verdicts.windows_sheet(windows)],
        figures=[
            figures.responses(windows, command),
            figures.away(windows, command),
            figures.sawteeth(by_name, repeat(teeth["reno"])),
            figures.ways(results[len(teeth) :], repeat(figures.way(1.0))),
        ],
        scenarios={
            f"{one.algorithm.label} at {one.p:g}": hash_of(Reading("", "", text, one.overrides()), Variant("", ""))
            for one in main
        },
        files={"scenario.toml": text.text},
    )
