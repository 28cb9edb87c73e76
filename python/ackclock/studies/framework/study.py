"""A study, the outcome of its runs, and the assembly of both into a result that is written as a report."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock.base import files
from ackclock.report import Report
from ackclock.scenario import Text
from ackclock.store.provenance import host
from ackclock.studies.framework.answers import compose, of_record, with_answer
from ackclock.studies.framework.claims import assess, load_claims
from ackclock.studies.framework.nulls import measured, recorded, with_nulls
from ackclock.studies.framework.published import side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from ackclock.report import Figure
    from ackclock.stats import Estimate
    from ackclock.studies.framework.claims import Claim, ClaimResult, Kind
    from ackclock.studies.framework.grid import Grid
    from ackclock.studies.framework.lab import Lab, Removal

__all__ = ["Outcome", "Sheet", "Study", "StudyResult", "assess_all", "opening_of", "side_sheet", "study_file"]


OPEN_FIGURES = 2
"""Number of figures that are open when a report is opened, besides those of the published numbers."""
OPENING = 2
"""Number of sections with which a study's page opens: the question and the answer."""
MOST_TIMES = 4
"""Most times as many replications as a study states, made while a claim is inconclusive."""
MOST_HASHES = 60
"""Most scenarios whose hashes a report shows. If there are more, they are only in ``verdicts.json``."""


def study_file(package: str, name: str) -> str:
    """The text of a file in the folder of a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def assess_all(
    package: str,
    measured: Callable[[str], Mapping[str, Estimate]],
    main: str | Callable[[str], str | Sequence[str]],
    kind_of: Callable[[str], Kind] | None = None,
) -> list[ClaimResult]:
    """The results of all claims of a study, in the order of its ``claims.toml``.

    Parameters
    ----------
    package
        The package that holds ``claims.toml``.
    measured
        Returns the estimates of a claim, by reading, from the claim's id.
    main
        The reading that decides the verdict, or a function that returns it from the claim's id. It may return several
        readings of the same rank, the first of which is shown as the measured number.
    kind_of
        Returns the kind of a reading from its name. Without it every reading is an assumption.
    """
    claims = load_claims(study_file(package, "claims.toml"))
    main_of = main if callable(main) else lambda _: main
    return [assess(claim, measured(name), main_of(name), kind_of) for name, claim in claims.items()]


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


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of the runs of a study, from which `Study.reproduce` assembles the whole result."""

    claims: Sequence[ClaimResult]
    seeds: Sequence[int]
    """Seeds of the main reading that the study states, before `Lab.extended`."""
    hashes: Mapping[str, str]
    """Reading to the hash of its scenario."""
    runs: Mapping[str, Grid] = field(default_factory=dict)
    """Every number of these grids is written to a CSV file of this name."""
    sheets: Sequence[Sheet] = ()
    figures: Sequence[Figure] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    """Files beside the scenarios of the study's folder that the commands of figures need: name to text."""
    findings: str = ""
    """A summary of the numbers in Markdown."""


@dataclass(frozen=True, slots=True)
class Study:
    """A published study: its names, its files and the function that runs it."""

    slug: str
    """Name on the command line."""
    title: str
    summary: str
    source: str
    """The publication."""
    package: str
    """The package with the study's files: ``README.md``, ``claims.toml`` and scenarios."""
    run: Callable[[Study, Lab], Outcome]
    """Runs the experiments. It writes nothing but the laboratory's store, and prints nothing."""
    scenarios: Sequence[str] = ("scenario.toml",)
    """The names of its scenario files."""
    compares: bool = True
    """Whether a report opens with the published numbers beside ours; else its first figure has them."""
    most_times: int = MOST_TIMES
    """Largest factor by which the readings that decide verdicts may have more replications than the study states."""
    live: Callable[[Study, Lab], Outcome] | None = None
    """Runs a part of the experiments over the sockets of the running kernel, and the same in the simulator."""
    live_scenarios: Sequence[str] = ()
    """The names of further scenario files, of the live part."""
    nulls: Mapping[str, Removal] = field(default_factory=dict)
    """Removals of the study's mechanisms, by name. The first removal is that of claims that name none."""

    def file(self, name: str) -> str:
        """The text of a file of the study."""
        return study_file(self.package, name)

    @property
    def claims(self) -> dict[str, Claim]:
        """The published claims, by id, in order."""
        return load_claims(self.file("claims.toml"))

    def scenario(self, name: str = "scenario.toml", folder: str = "") -> Text:
        """A scenario of the study; the files that it names are in `folder`."""
        return Text(self.file(name), name=f"{self.package.rpartition('.')[2]}/{name}", folder=folder)

    def command(self, lab: Lab) -> str:
        """The command that repeats the study."""
        return f"ackclock reproduce {self.slug}" + lab.pick("", " --quick")

    def live_command(self, lab: Lab) -> str:
        """The command that repeats the study's live part."""
        return f"{self.command(lab)} --backend linux"

    def reproduce(self, lab: Lab) -> StudyResult:
        """Runs the study and assembles its result.

        While a claim is inconclusive, the replications of the readings that decide are doubled, at most to `most_times`
        those of the study. A quick run has no more than its few. A full run then measures every claim once more with
        its mechanism removed; a quick run takes these null readings from the record.
        """
        with lab.kept() as kept:
            outcome = self.run(self, kept)
            while not kept.quick and _undecided(outcome) and 2 * kept.times <= self.most_times:
                kept = replace(kept, times=2 * kept.times)
                outcome = self.run(self, kept)
            nulls = recorded(self) if lab.quick else measured(self, kept)
        claims = [with_nulls(one, nulls) for one in outcome.claims]
        return self._result(
            replace(outcome, claims=claims),
            lab,
            title=self.title,
            seeds=list(kept.extended(outcome.seeds)),
            command=self.command(lab),
            page=self._page(claims, quick=lab.quick),
            compares=self.compares,
        )

    def _page(self, claims: Sequence[ClaimResult], *, quick: bool) -> str:
        """The study's page. Its answer follows from these verdicts where the study has the sentences for it.

        Where it has not, the answer is that of the full run on record, and a quick run says so.
        """
        page = self.file("README.md")
        try:
            sentences = self.file("answer.toml")
        except FileNotFoundError:
            return of_record(page) if quick else page
        verdicts = {one.claim.id: one.verdict for one in claims}
        numbers = {one.claim.id: None if one.measured is None else one.measured.value for one in claims}
        return with_answer(page, compose(sentences, verdicts, numbers))

    def reproduce_live(self, lab: Lab) -> StudyResult:
        """Runs the study's live part and assembles its result, which has no verdicts: few runs, and no more than that.

        Raises
        ------
        ValueError
            If the study has no live part.
        """
        if self.live is None:
            raise ValueError(f"{self.slug} has no live part")
        with lab.kept() as kept:
            outcome = self.live(self, kept)
        return self._result(
            outcome,
            lab,
            self.live_scenarios,
            title=f"{self.title}, on the running kernel",
            seeds=list(outcome.seeds),
            command=self.live_command(lab),
            page=self.file("live.md"),
            compares=False,
            backend="linux",
        )

    def _result(self, outcome: Outcome, lab: Lab, further: Sequence[str] = (), **own: Any) -> StudyResult:
        """The result of an outcome; `further` are scenario files besides those of the study."""
        return StudyResult(
            slug=self.slug,
            claims=outcome.claims,
            quick=lab.quick,
            sheets=[*outcome.sheets, *(_runs_sheet(name, grid) for name, grid in outcome.runs.items())],
            figures=outcome.figures,
            scenarios=dict(outcome.hashes),
            files={**{name: self.file(name) for name in (*self.scenarios, *further)}, **outcome.files},
            findings=outcome.findings,
            **own,
        )


def opening_of(page: str) -> tuple[str, str]:
    """The question and the answer of a study's page, which are its first two sections, and the rest of it."""
    starts = [match.start() for match in re.finditer(r"^## ", page, re.MULTILINE)]
    end = starts[OPENING] if len(starts) > OPENING else len(page)
    return page[:end], page[end:]


def side_sheet(
    claims: Sequence[ClaimResult],
    one: str,
    other: str,
    main: Callable[[str], str],
    turned: Callable[[str], str] | None = None,
    name: str = "both-readings",
) -> Sheet:
    """Every claim under two readings of one setting, beside each other.

    Parameters
    ----------
    claims
        The results.
    one, other
        How the setting is called in the names of readings, for example ``200 ms one-way``.
    main
        The name of the reading that decides a claim, from the claim's id. It contains `one`.
    turned
        Returns the name of the reading with `other`. Without it, `one` is replaced in the name.
    name
        The name of the table.
    """
    other_of = turned or (lambda reading: reading.replace(one, other))
    rows: list[list[object]] = []
    for result in claims:
        decides = main(result.claim.id)
        cells: list[object] = []
        for reading in (decides, other_of(decides)):
            estimate, verdict = result.readings.get(reading, (None, "not run"))
            ends = [None, None] if estimate is None or not estimate.has_interval else [estimate.low, estimate.high]
            cells += [None if estimate is None else estimate.value, *ends, verdict]
        if decides != other_of(decides) and (turned is None or other_of(decides) in result.readings):
            rows.append([result.claim.statement, result.claim.unit, *cells])
    columns = [
        "claim",
        "unit",
        *(f"{of}{what}" for of in (one, other) for what in ("", ": low", ": high", ": verdict")),
    ]
    caption = f"Each claim under the reading that decides it, with {one} and with {other}; means and 95 % intervals."
    return Sheet(name, f"{one[0].upper()}{one[1:]}, and {other}", columns, rows, caption)


def _add_sheet(report: Report, sheet: Sheet, *, folded: bool = False) -> None:
    report.add_table(sheet.title, sheet.columns, sheet.rows, caption=sheet.caption, folded=folded)


def _undecided(outcome: Outcome) -> bool:
    return any(one.verdict == "inconclusive" for one in outcome.claims)


def _runs_sheet(name: str, grid: Grid) -> Sheet:
    """A table of every number of a grid, which the report does not show."""
    columns, rows = grid.rows()
    return Sheet(name, "Every run", columns, rows, shown=False)


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
    version: str = _core.version()
    findings: str = ""
    """A summary of the numbers in Markdown."""
    compares: bool = True
    """Whether the report opens with the published numbers and the measured ones, rather than with the first figure."""
    backend: str = "sim"
    """The TCP of its runs: ``sim``, or ``linux`` for the running kernel beside the simulator."""

    @property
    def regressions(self) -> list[str]:
        """Claims that are on record as reproduced and were measured not to be. A quick run is too small to tell."""
        return [] if self.quick else [result.claim.id for result in self.claims if result.regressed]

    def document(self) -> dict[str, Any]:
        """The JSON document of ``ackclock reproduce --json``."""
        return {
            "study": self.slug,
            "title": self.title,
            "version": self.version,
            "engine": _core.engine(),
            "host": host(),
            "quick": self.quick,
            "seeds": list(self.seeds),
            "command": self.command,
            "scenario_hashes": self.scenarios,
            "claims": [result.document() for result in self.claims],
        } | ({} if self.backend == "sim" else {"backend": self.backend, "columns": self._columns()})

    def _columns(self) -> list[dict[str, object]]:
        """The tables that the report shows: a list of rows, each from the name of a column to its cell."""
        return [
            {"table": sheet.name, "rows": [dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows]}
            for sheet in self.sheets
            if sheet.shown
        ]

    def report(self) -> Report:
        """The report: question, answer and a figure; verdicts and figures; folded, the rest of the page and tables."""
        replications = f"{len(self.seeds)} paired replications, seeds {min(self.seeds)} to {max(self.seeds)}"
        if len(self.seeds) == 1:
            replications = f"1 replication, seed {self.seeds[0]}"
        mode = "quick mode: fewer replications than the study asks for. " if self.quick else ""
        report = Report(self.title, subtitle=f"{mode}{replications}; ackclock {self.version}", command=self.command)
        opening, rest = opening_of(self.page)
        report.open_with(opening)
        compared = side_by_side(self.claims, self.command) if self.compares else []
        leading, others = (compared, self.figures) if compared else (self.figures[:1], self.figures[1:])
        for figure in leading[:1]:
            report.open_with_figure(figure)
        for figure in leading[1:]:
            report.add_figure(figure)
        shown = [sheet for sheet in self.sheets if sheet.shown]
        if self.claims:
            report.add_claims([result.document() for result in self.claims])
        else:
            # Without verdicts the first table is the answer.
            _add_sheet(report, shown.pop(0))
        for number, figure in enumerate(others):
            report.add_figure(figure, folded=number >= OPEN_FIGURES)
        if self.findings:
            report.add_text(self.findings, folded=True)
        if rest:
            report.add_text(rest, folded=True)
        for sheet in shown:
            _add_sheet(report, sheet, folded=True)
        if len(self.scenarios) > MOST_HASHES:
            report.add_text(f"The hashes of all {len(self.scenarios)} scenarios are in `verdicts.json`.")
        elif self.scenarios:
            report.add_table("Provenance", ["Reading", "Scenario hash"], list(self.scenarios.items()), folded=True)
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
