"""Results of the kernel's runs, in files of the repository: the page is made and checked without a kernel."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.queues.compared import Pair, Sample, pair, sample, samples
from tools.queues.patterns import PATTERNS, packets
from tools.queues.plan import CASES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.queues.asked import Run
    from tools.queues.compared import Fate
    from tools.queues.plan import Case

__all__ = ["Record", "load", "save"]

HERE = Path(__file__).parent
RUNS = HERE / "runs"
CAUSES = HERE / "causes.toml"
DROPPED = "-"
DIGITS = 6
"""Significant digits of what is measured of a run."""


@dataclass
class Record:
    """The kernel's runs, and the causes of differences."""

    kernel: dict[str, Any] = field(default_factory=dict)
    """version and hz."""
    exact: dict[tuple[str, str], Run] = field(default_factory=dict)
    """Runs of disciplines that do not draw random numbers, by the names of the case and of the pattern."""
    drawn: dict[tuple[str, str], list[list[float]]] = field(default_factory=dict)
    """Measures of each run of a discipline that draws random numbers, by the same names."""
    causes: list[dict[str, str]] = field(default_factory=list)

    def pairs(self, cases: Iterable[Case] = CASES) -> list[Pair]:
        """The runs of disciplines that do not draw, beside ours."""
        return [
            pair(case, name, *self.exact[case.name, name])
            for case in cases
            for name in PATTERNS
            if (case.name, name) in self.exact
        ]

    def samples(self, cases: Iterable[Case] = CASES) -> list[Sample]:
        """The measures of disciplines that draw, beside ours."""
        return [
            found
            for case in cases
            for name in PATTERNS
            if (case.name, name) in self.drawn
            for found in sample(case, name, samples(case, name), self.drawn[case.name, name])
        ]

    def causes_of(self, row: Pair | Sample) -> list[str]:
        """The named causes of a difference.

        A cause has a pattern of names such as ``fq_codel full/bursts``, and for disciplines that draw
        ``pie/bursts/drops``.
        """
        name = f"{row.case}/{row.pattern}" + (f"/{row.measure}" if isinstance(row, Sample) else "")
        return [cause["cause"] for cause in self.causes if re.search(cause["rows"], name)]


def _words(run: Run, pattern: str) -> str:
    """A run as text: for each packet its lateness behind the pattern, and the time until it left with its ECN field."""
    words = []
    for planned, one, fate in zip(packets(pattern), *run, strict=True):
        left = DROPPED if fate is None else f"{fate[0] - one.at}:{fate[1]}"
        words.append(f"{one.at - planned.at}:{left}")
    return " ".join(words)


def _run(words: str, pattern: str) -> Run:
    arrived, fates = [], []
    for planned, word in zip(packets(pattern), words.split(), strict=True):
        late, *left = word.split(":")
        one = replace(planned, at=planned.at + int(late))
        fate: Fate = None if left == [DROPPED] else (one.at + int(left[0]), int(left[1]))
        arrived.append(one)
        fates.append(fate)
    return arrived, fates


def load() -> Record:
    """The record of the repository; without runs where there is none yet."""
    record = Record(causes=tomllib.loads(CAUSES.read_text(encoding="utf-8")).get("causes", []))
    drawn = RUNS / "drawn.json"
    if drawn.exists():
        document = json.loads(drawn.read_text(encoding="utf-8"))
        record.kernel = document["kernel"]
        record.drawn = {(case, name): runs for case, of in document["runs"].items() for name, runs in of.items()}
    for case in CASES:
        file = RUNS / f"{_file(case)}.txt"
        if file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                name, words = line.split(" ", 1)
                record.exact[case.name, name] = _run(words, name)
    return record


def _file(case: Case) -> str:
    return case.name.replace(",", "").replace(" ", "-")


def save(record: Record) -> None:
    """Writes the runs, each case that does not draw into a file of its own."""
    RUNS.mkdir(exist_ok=True)
    drawn: dict[str, dict[str, list[list[float]]]] = {}
    for case in CASES:
        lines = [
            f"{name} {_words(record.exact[case.name, name], name)}\n"
            for name in PATTERNS
            if (case.name, name) in record.exact
        ]
        if lines:
            (RUNS / f"{_file(case)}.txt").write_text("".join(lines), encoding="utf-8")
        for name in PATTERNS:
            if (case.name, name) in record.drawn:
                runs = [[float(f"{value:.{DIGITS}g}") for value in run] for run in record.drawn[case.name, name]]
                drawn.setdefault(case.name, {})[name] = runs
    rows = ",\n".join(
        f"{json.dumps(case)}: {{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(runs)}" for name, runs in of.items())
        + "\n}"
        for case, of in drawn.items()
    )  # fmt: skip
    text = f'{{\n"kernel": {json.dumps(record.kernel)},\n"runs": {{\n{rows}\n}}\n}}\n'
    (RUNS / "drawn.json").write_text(text, encoding="utf-8")
