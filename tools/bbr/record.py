"""Verdicts of a kernel's BBR, kept in a file of the repository so that the page can be written without a kernel."""

from __future__ import annotations

import datetime
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.judge.conform import Case
    from ackclock.judge.conform.report import Judged
    from ackclock.kernel import Built

__all__ = ["RECORD", "Cell", "Record", "Row", "digest", "load", "row_of", "save"]

RECORD = Path(__file__).with_name("kernel.json")


@dataclass(frozen=True)
class Cell:
    """A check on the page."""

    verdict: str
    shown: str
    """The value or the range of the seeds, with its unit."""


@dataclass(frozen=True)
class Row:
    """A case on the page, of one congestion control."""

    verdict: str
    reason: str
    """Reason why the case, or some of its checks, are not applicable; empty without one."""
    cells: tuple[Cell, ...]
    """The checks in their order. There are none if the case is not applicable as a whole."""


@dataclass(frozen=True)
class Record:
    """The results of a kernel."""

    version: str
    """Version of the kernel, such as 6.12.117."""
    hz: int
    """Ticks of the kernel a second."""
    ackclock: str
    """Version of ackclock."""
    date: str
    """Date of the last run, as 2026-11-25."""
    seeds: tuple[int, ...]
    cases: dict[int, str]
    """Digest of the case that was run, by number of the case."""
    rows: dict[int, Row]
    """Results by number of the case."""

    @property
    def name(self) -> str:
        """Title of the column: linux and the version's first two parts."""
        return f"linux {'.'.join(self.version.split('.')[:2])}"

    def stale(self, cases: Sequence[Case]) -> list[int]:
        """Numbers of the cases that were not run, or that have changed since."""
        return [case.number for case in cases if self.cases.get(case.number) != digest(case)]


def digest(case: Case) -> str:
    """Identifies scenario, stages and checks of a case: 16 hexadecimal digits."""
    kept = ("scenario", "rate_bps", "checks", "stages", "versions", "why_not")
    text = json.dumps({name: value for name, value in asdict(case).items() if name in kept}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def row_of(judged: Judged) -> Row:
    """The row of a case that was run."""
    return Row(judged.verdict, judged.reason, tuple(Cell(line.verdict, line.shown) for line in judged.lines))


def load(path: Path = RECORD) -> Record:
    """The record of the repository."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    cases = found.pop("cases")
    return Record(
        **found | {"seeds": tuple(found["seeds"])},
        cases={int(number): case["digest"] for number, case in cases.items()},
        rows={
            int(number): Row(case["verdict"], case["reason"], tuple(Cell(*cell) for cell in case["checks"]))
            for number, case in cases.items()
        },
    )


def save(judged: Sequence[Judged], kernel: Built, seeds: Sequence[int], path: Path = RECORD) -> None:
    """Writes the results of a kernel; cases that were not run keep theirs if the same kernel gave them."""
    cases: dict[int, Any] = {}
    if path.exists():
        old = load(path)
        if (old.version, old.hz, old.ackclock, old.seeds) == (kernel.version, kernel.hz, _core.version(), tuple(seeds)):
            cases = {number: _document(old.cases[number], row) for number, row in old.rows.items()}
    cases |= {one.case.number: _document(digest(one.case), row_of(one)) for one in judged}
    head = {
        "version": kernel.version,
        "hz": kernel.hz,
        "ackclock": _core.version(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "seeds": list(seeds),
    }
    lines = ",\n".join(f'"{number}": {json.dumps(cases[number], ensure_ascii=False)}' for number in sorted(cases))
    path.write_text(f'{json.dumps(head)[:-1]}, "cases": {{\n{lines}\n}}}}\n', encoding="utf-8")


def _document(case: str, row: Row) -> dict[str, Any]:
    return {
        "digest": case,
        "verdict": row.verdict,
        "reason": row.reason,
        "checks": [[cell.verdict, cell.shown] for cell in row.cells],
    }
