"""Results of the runs, kept in a file of the repository so that the page can be checked without a kernel."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ackclock import _core
from tools.residuals.cells import Cell, cells
from tools.residuals.plan import EXPERIMENTS

__all__ = ["DEFAULT", "Record", "load", "save", "suffix"]

HERE = Path(__file__).parent
CAUSES = HERE / "causes.toml"
DEFAULT = "6.12"
"""The version of the kernel whose runs and page have no version in their names."""
DIGITS = 6
"""Significant digits that are kept."""


def suffix(version: str) -> str:
    """Ending of the names of the files of a version such as 6.1."""
    return "" if version == DEFAULT else f"-{version}"


def _runs(version: str) -> Path:
    return HERE / f"runs{suffix(version)}.json"


@dataclass
class Record:
    """The runs of all experiments, and the causes of differences."""

    kernel: dict[str, Any] = field(default_factory=dict)
    """version and hz."""
    version: str = ""
    """The version of ackclock."""
    runs: dict[str, dict[str, list[dict[str, float]]]] = field(default_factory=dict)
    """Measures of each run, by key of the experiment and by side, simulator or kernel."""
    spent_s: dict[str, dict[str, float]] = field(default_factory=dict)
    """Processor time of the runs, in s, by key and side."""
    causes: list[dict[str, str]] = field(default_factory=list)

    def cells(self) -> list[Cell]:
        """Every number of the simulator that has one of the kernel beside it."""
        found: list[Cell] = []
        for experiment in EXPERIMENTS:
            sides = self.runs.get(experiment.key, {})
            if len(sides) == 2:
                found += cells(experiment, sides["simulator"], sides["kernel"])
        return found

    def causes_of(self, cell: Cell) -> list[str]:
        """The named causes of a difference: a cause has a pattern of experiments, and may have one of measures."""
        return [
            cause["cause"]
            for cause in self.causes
            if re.search(cause["experiments"], cell.experiment)
            and re.fullmatch(cause.get("measures", ".*"), cell.measure)
        ]


def load(version: str = DEFAULT) -> Record:
    """The record of a version of the kernel in the repository; without runs where there is none yet.

    A cause is one of all versions, unless it names its own.
    """
    named = tomllib.loads(CAUSES.read_text(encoding="utf-8")).get("causes", [])
    causes = [cause for cause in named if cause.get("version", version) == version]
    file = _runs(version)
    if not file.exists():
        return Record(causes=causes)
    return Record(**json.loads(file.read_text(encoding="utf-8")), causes=causes)


def save(record: Record, version: str = DEFAULT) -> None:
    """Writes the runs, in the order of the experiments."""
    runs = {
        one.key: {
            side: [{name: float(f"{value:.{DIGITS}g}") for name, value in run.items()} for run in found]
            for side, found in record.runs[one.key].items()
        }
        for one in EXPERIMENTS
        if one.key in record.runs
    }
    runs_lines, spent_lines = (
        ",\n".join(f"{json.dumps(key)}: {json.dumps(sides[key])}" for key in runs if key in sides)
        for sides in (runs, record.spent_s)
    )
    head = f'"kernel": {json.dumps(record.kernel)},\n"version": {json.dumps(_core.version())},\n'
    _runs(version).write_text(
        f'{{\n{head}"runs": {{\n{runs_lines}\n}},\n"spent_s": {{\n{spent_lines}\n}}\n}}\n', encoding="utf-8"
    )
