"""What a study is, and what it gives back."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any, Protocol

from ackclock import __version__, files
from ackclock.report import Report

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ackclock.report import Figure
    from ackclock.studies.claims import ClaimResult
    from ackclock.studies.grid import Grid
    from ackclock.studies.lab import Lab

__all__ = ["Sheet", "Study", "StudyResult", "command_for", "page", "runs_sheet"]


MOST_HASHES = 60
"""Scenarios whose hashes a report shows: more are for programs to read."""


class Study(Protocol):
    """The module of a study: ``ackclock.studies.<slug>``."""

    SLUG: str
    TITLE: str
    SUMMARY: str
    SOURCE: str

    @staticmethod
    def reproduce(lab: Lab) -> StudyResult:
        """Runs the study. Nothing is written but the laboratory's store, and nothing is printed."""
        ...


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of a study."""

    name: str
    """The name of its CSV file."""
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    caption: str = ""
    shown: bool = True
    """Whether the report shows it; the CSV file is written either way."""


def page(package: str | None, name: str) -> str:
    """A file of the folder of a study, which is the package `package`."""
    return resources.files(str(package)).joinpath(name).read_text(encoding="utf-8")


def command_for(slug: str, *, quick: bool) -> str:
    """The command that repeats a study."""
    return f"ackclock reproduce {slug}" + (" --quick" if quick else "")


def runs_sheet(name: str, title: str, grid: Grid) -> Sheet:
    """Every number of a grid, for the file alone."""
    columns, rows = grid.rows()
    return Sheet(name, title, columns, rows, shown=False)


@dataclass(frozen=True, slots=True)
class StudyResult:
    """A reproduced study."""

    slug: str
    title: str
    claims: Sequence[ClaimResult]
    seeds: Sequence[int]
    command: str
    """The command that repeats it."""
    quick: bool = False
    page: str = ""
    """The study's page in Markdown: question, set-up, unknowns."""
    sheets: Sequence[Sheet] = ()
    figures: Sequence[Figure] = ()
    scenarios: dict[str, str] = field(default_factory=dict)
    """Reading to the hash of its scenario."""
    files: dict[str, str] = field(default_factory=dict)
    """Scenario files that the commands of figures name, by name."""
    version: str = __version__
    findings: str = ""
    """What the numbers say together, in Markdown; computed."""

    @property
    def regressions(self) -> list[str]:
        """Claims on record as reproduced that were measured not to be. A quick run is too small to say."""
        return [] if self.quick else [result.claim.id for result in self.claims if result.regressed]

    def document(self) -> dict[str, Any]:
        """The JSON document of ``ackclock reproduce --json``."""
        return {
            "study": self.slug,
            "title": self.title,
            "version": self.version,
            "quick": self.quick,
            "seeds": list(self.seeds),
            "command": self.command,
            "scenario_hashes": self.scenarios,
            "claims": [result.document() for result in self.claims],
        }

    def report(self) -> Report:
        """The report: verdicts first, then figures, tables, and the page."""
        replications = f"{len(self.seeds)} paired replications, seeds {min(self.seeds)} to {max(self.seeds)}"
        mode = "quick mode: fewer replications than the study asks for. " if self.quick else ""
        report = Report(self.title, subtitle=f"{mode}{replications}; ackclock {self.version}", command=self.command)
        report.add_claims([result.document() for result in self.claims])
        if self.findings:
            report.add_text(self.findings)
        for figure in self.figures:
            report.add_figure(figure)
        for sheet in self.sheets:
            if sheet.shown:
                report.add_table(sheet.title, sheet.columns, sheet.rows, caption=sheet.caption)
        if len(self.scenarios) > MOST_HASHES:
            report.add_text(f"The hashes of all {len(self.scenarios)} scenarios are in `verdicts.json`.")
        elif self.scenarios:
            report.add_table("Provenance", ["reading", "scenario hash"], list(self.scenarios.items()))
        if self.page:
            report.add_text(self.page)
        return report

    def write(self, folder: Path) -> None:
        """Writes ``report.html``, ``verdicts.json``, the tables as CSV and the scenarios into an existing folder."""
        files.write_json(folder / "verdicts.json", self.document())
        for name, text in self.files.items():
            files.write_text(folder / name, text)
        for sheet in self.sheets:
            with (folder / f"{sheet.name}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(sheet.columns)
                writer.writerows(sheet.rows)
        self.report().write(folder / "report.html")
