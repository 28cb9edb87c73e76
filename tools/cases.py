"""The public cases of tests/cases: reads them, runs them, records their values, and writes docs/cases.md.

``python -m tools.cases`` writes the page anew from the folders. ``python -m tools.cases --run [CASE...]`` runs cases,
by default all, in the simulator and records their values first. ``python -m tools.cases --kernel linux:6.12 CASE...``
records the values of a kernel. tests/cases/README.md describes the files of a case.
"""

from __future__ import annotations

import json
import math
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import ackclock
from ackclock.base.markdown import table_row
from ackclock.judge import drill
from ackclock.report.tables import cell_text
from ackclock.results.measure import Measure
from ackclock.results.names.measures import unit_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "tests/cases"
PAGE = ROOT / "docs/cases.md"

Basis: TypeAlias = Literal["report", "kernel", "theory"]
Value: TypeAlias = float | str
"""A number in the unit of its measure, or the verdict on a packetdrill script."""

DRIFT = 0.02
"""Relative difference between a recorded value and a run of today up to which the record counts as current."""
DRIFT_COUNT = 1.0
"""The same for measures without a unit, as an absolute difference."""

FIELDS = {
    "case": {"title", "topic", "source", "tracker", "about", "remark", "expect"},
    "expect": {
        *("what", "measure", "set", "seeds", "stack", "value", "relative", "absolute", "low", "high"),
        *("basis", "how", "reported", "wrong"),
    },
}
INTRODUCTION = """\
# Public cases

*For those who wonder whether ackclock agrees with what people report in public.*

People report how transports, emulators, players and measurement tools behave, with numbers: in issue trackers, on
mailing lists, in courses. This page lists such reports as scenarios, right and wrong. Every case is a folder of
[tests/cases](../tests/cases/README.md), whose README says how to add one. The test suite runs all of them. It fails if
a value leaves its accepted range, and also if a value that is listed as wrong becomes right.

- **Reported** is the number of the source, as the source has it.
- **Accepted** never comes from ackclock: it is the report's number, a kernel's, or follows from a stated formula.
- **Kernel** is the value of Linux 6.12 in virtual time over the same simulated network
  ([`--backend linux:6.12`](how-to/backends.md)), where somebody ran it.
- **First** is ackclock's value when the case entered the collection, and **ours** is the value of today.
"""


@dataclass(frozen=True)
class Expectation:
    """A number of a case, with the values that are accepted."""

    what: str
    """The quantity in words."""
    basis: Basis
    """Origin of the accepted values."""
    how: str
    """Derivation of the accepted values."""
    measure: str = ""
    """The number, as `ackclock.Measure` parses it. Empty for a packetdrill script, which passes or fails."""
    overrides: tuple[str, ...] = ()
    """Values of the scenario that are replaced, as ``PATH=VALUE``."""
    seeds: int = 1
    """Number of replications, whose mean is the value."""
    stack: str = drill.STACK
    """Stack that plays a packetdrill script."""
    low: float = -math.inf
    high: float = math.inf
    reported: str = ""
    """The number as the source has it."""
    wrong: str = ""
    """Reason why the value of today is outside the accepted range; empty if it is inside."""

    @property
    def key(self) -> str:
        """Name of the expectation in the record of its case."""
        asked = self.measure or f"script on {self.stack}"
        return " ".join([asked, *self.overrides, *([f"x{self.seeds}"] if self.seeds > 1 else [])])

    def accepts(self, value: Value) -> bool:
        """Whether a value is accepted."""
        if isinstance(value, str):
            return value == "pass"
        return self.low <= value <= self.high

    def current(self, recorded: Value, value: Value) -> bool:
        """Whether a recorded value still describes the value of today."""
        if isinstance(recorded, str) or isinstance(value, str):
            return recorded == value
        least = DRIFT_COUNT if unit_of(self.measure)[0] == "" else 0.0
        return abs(recorded - value) <= max(DRIFT * abs(value), least)


@dataclass(frozen=True)
class Case:
    """A folder of the collection."""

    name: str
    folder: Path
    title: str
    topic: str
    source: str
    """Address of the report, or a sentence if it has none."""
    tracker: str
    """Tracker and number, or list and date."""
    about: str
    """The report in our words, with its numbers."""
    remark: str
    """Differences between the report and the scenario."""
    expect: tuple[Expectation, ...]

    @property
    def script(self) -> Path | None:
        """The packetdrill script of a case that has one instead of a scenario."""
        path = self.folder / "script.pkt"
        return path if path.exists() else None

    @property
    def record_path(self) -> Path:
        """The file with the recorded values."""
        return self.folder / "record.json"

    def record(self) -> dict[str, dict[str, Value]]:
        """Expectation to its recorded values: ``first``, ``ours`` and, where a kernel was run, ``kernel``."""
        if not self.record_path.exists():
            return {}
        found: dict[str, dict[str, Value]] = json.loads(self.record_path.read_text(encoding="utf-8"))
        return found


def read(folder: Path) -> Case:
    """Reads a case.

    Raises
    ------
    ValueError
        If ``case.toml`` has an unknown key, or an expectation has no range, with the path of the file.
    """
    path = folder / "case.toml"
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    _refuse_unknown(path, "the case", found, FIELDS["case"])
    expect = tuple(_expectation(path, row) for row in found.pop("expect", []))
    if not expect:
        raise ValueError(f"{path}: it has no [[expect]]")
    return Case(folder.name, folder, remark=found.pop("remark", "").strip(), expect=expect, **_stripped(path, found))


def _refuse_unknown(path: Path, where: str, found: dict[str, Any], known: set[str]) -> None:
    if unknown := found.keys() - known:
        raise ValueError(f"{path}: {where} has unknown keys: {', '.join(sorted(unknown))}; accepted: {sorted(known)}")


def _stripped(path: Path, found: dict[str, str]) -> dict[str, str]:
    if missing := {"title", "topic", "source", "tracker", "about"} - found.keys():
        raise ValueError(f"{path}: missing: {', '.join(sorted(missing))}")
    return {name: " ".join(text.split()) for name, text in found.items()}


def _expectation(path: Path, row: dict[str, Any]) -> Expectation:
    what = row.get("what", "?")
    _refuse_unknown(path, f"expectation {what!r}", row, FIELDS["expect"])
    if row.get("basis") not in get_args(Basis):
        raise ValueError(f"{path}: expectation {what!r}: basis: accepted: {', '.join(get_args(Basis))}")
    value, low, high = row.pop("value", None), row.pop("low", -math.inf), row.pop("high", math.inf)
    width = max(row.pop("relative", 0.0) * abs(value or 0.0), row.pop("absolute", 0.0))
    if value is not None:
        low, high = value - width, value + width
    if "measure" in row:
        Measure.parse(row["measure"]).check()
        if math.isinf(low) and math.isinf(high):
            raise ValueError(f"{path}: expectation {what!r} has no range: give value and a tolerance, low or high")
    overrides = tuple(row.pop("set", ()))
    return Expectation(low=low, high=high, overrides=overrides, **row)


def cases(folder: Path = FOLDER) -> list[Case]:
    """All cases, in the order of their names."""
    return [read(path.parent) for path in sorted(folder.glob("*/case.toml"))]


def values(case: Case, backend: str = "sim") -> dict[str, Value]:
    """Runs a case: expectation to its value. Expectations of the same scenario share their runs.

    A kernel has no value of what it cannot be set to.
    """
    results: dict[tuple[tuple[str, ...], int], list[ackclock.Result]] = {}
    found: dict[str, Value] = {}
    for one in case.expect:
        if case.script is not None:
            found[one.key] = _verdict(case.script, one.stack, backend)
            continue
        what = (one.overrides, one.seeds)
        if what not in results:
            try:
                results[what] = _runs(case, one, backend)
            except ackclock.ScenarioError:
                if backend == "sim":
                    raise
                continue
        numbers = [Measure.parse(one.measure).of(result) for result in results[what]]
        found[one.key] = math.fsum(numbers) / len(numbers)
    return found


def _runs(case: Case, one: Expectation, backend: str) -> list[ackclock.Result]:
    overrides = dict(text.split("=", 1) for text in one.overrides)
    path = case.folder / "scenario.toml"
    seeds = None if one.seeds == 1 else one.seeds
    runs = ackclock.run(path, overrides=overrides, seeds=seeds, threads=1, backend=backend)
    return [runs] if isinstance(runs, ackclock.Result) else list(runs)


def _verdict(script: Path, stack: str, backend: str) -> str:
    if backend == "sim":
        return drill.run(script, stack=stack).verdict
    from ackclock.kernel import scripts

    return drill.run_on_kernel(scripts.backend(backend), [script])[0].verdict


def recorded(case: Case, backend: str = "sim") -> dict[str, dict[str, Value]]:
    """The record of a case with the values of a new run; values of expectations that are gone are left out."""
    before, now = case.record(), values(case, backend)
    record: dict[str, dict[str, Value]] = {}
    for one in case.expect:
        row = dict(before.get(one.key, {}))
        record[one.key] = row
        if one.key not in now:
            continue
        value = now[one.key]
        rounded = value if isinstance(value, str) else float(f"{value:.5g}")
        if backend == "sim":
            row.setdefault("first", rounded)
        row["ours" if backend == "sim" else "kernel"] = rounded
    return record


def write_record(case: Case, backend: str = "sim") -> None:
    """Runs a case and writes its record."""
    case.record_path.write_text(json.dumps(recorded(case, backend), indent=1) + "\n", encoding="utf-8")


def page(every: Sequence[Case] | None = None) -> str:
    """The page of all cases, as Markdown."""
    every = cases() if every is None else every
    rows = [one for case in every for one in case.expect]
    wrong = [case for case in every if any(one.wrong for one in case.expect)]
    bad = f"{sum(bool(one.wrong) for one in rows)} values of {len(wrong)} cases are wrong"
    lines = [INTRODUCTION, f"{len(every)} cases have {len(rows)} values; {bad}.", ""]
    topics: dict[str, list[Case]] = {}
    for case in every:
        topics.setdefault(case.topic, []).append(case)
    for topic, inside in sorted(topics.items()):
        lines += [f"## {topic}", "", *_table(inside), ""]
    lines += ["## Reports and their sources", ""]
    for case in every:
        lines += _section(case)
    return "\n".join(lines)


def _table(inside: Iterable[Case]) -> list[str]:
    lines = [
        "| case | value | reported | accepted | kernel | first | ours | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for case in inside:
        record, name = case.record(), f"[{case.name}](#{case.name})"
        for one in case.expect:
            row = record.get(one.key, {})
            shown = [_text(one, row[column]) if column in row else "" for column in ("kernel", "first", "ours")]
            state = "**wrong**" if one.wrong else "right"
            cells = [name, one.what, one.reported, f"{_accepted(one)} ({one.basis})", *shown, state]
            lines.append(table_row(cells))
    return lines


def _scale(one: Expectation, value: float) -> tuple[str, float]:
    largest = max((abs(number) for number in (one.low, one.high, value) if math.isfinite(number)), default=0.0)
    unit, factor = unit_of(one.measure, [largest])
    if unit == "s" and largest < 1:
        unit, factor = "ms", 1e3
    return (f" {unit}" if unit else ""), factor


def _text(one: Expectation, value: Value) -> str:
    if isinstance(value, str):
        return value
    unit, factor = _scale(one, value)
    return f"{cell_text(value * factor)}{unit}"


def _accepted(one: Expectation) -> str:
    if not one.measure:
        return "pass"
    unit, factor = _scale(one, 0.0)
    if math.isinf(one.low):
        return f"at most {cell_text(one.high * factor)}{unit}"
    if math.isinf(one.high):
        return f"at least {cell_text(one.low * factor)}{unit}"
    if one.low == one.high:
        return f"{cell_text(one.low * factor)}{unit}"
    return f"{cell_text(one.low * factor)} to {cell_text(one.high * factor)}{unit}"


def _section(case: Case) -> list[str]:
    where = f"[{case.tracker}]({case.source})" if case.source.startswith("http") else f"{case.tracker}: {case.source}"
    lines = [f"### {case.name}", "", f"{case.title}. Source: {where}.", "", case.about]
    if case.remark:
        lines += ["", " ".join(case.remark.split())]
    lines += [""]
    for one in case.expect:
        lines.append(f"- {one.what}: {' '.join(one.how.split())}")
        if one.wrong:
            lines.append(f"  **Wrong today:** {' '.join(one.wrong.split())}")
    what = "script.pkt" if case.script is not None else "scenario.toml"
    return [*lines, "", f"[{what}](../tests/cases/{case.name}/{what})", ""]


def main(arguments: Sequence[str]) -> None:
    """Runs the cases that are named, writes their records, and writes the page."""
    flag, *rest = arguments or [""]
    backend = "sim"
    if flag == "--kernel":
        backend, *rest = rest
    if flag:
        chosen = [case for case in cases() if not rest or case.name in rest]
        if unknown := {*rest} - {case.name for case in chosen}:
            raise SystemExit(f"unknown cases: {', '.join(sorted(unknown))}")
        for case in chosen:
            write_record(case, backend)
            for one in case.expect:
                value = case.record()[one.key].get("ours" if backend == "sim" else "kernel")
                if value is None:
                    continue
                state = "accepted" if one.accepts(value) else "not accepted"
                if backend == "sim" and one.accepts(value) == bool(one.wrong):
                    state += (
                        ": remove `wrong` from case.toml" if one.wrong else ": give the reason as `wrong`, or mend it"
                    )
                sys.stdout.write(f"{case.name}: {one.what}: {_text(one, value)}, {state} ({_accepted(one)})\n")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
