"""The tables of docs/coverage.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tools.coverage.experiments import KINDS, SIZES
from tools.coverage.gates import CHANGES
from tools.coverage.scenarios import SCENARIOS

__all__ = ["PAGE", "RECORD", "tables", "write"]

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
RECORD = Path(__file__).with_name("record.json")
MARK = "<!-- python -m tools.coverage writes these tables -->\n"
LOW = 0.90
"""Coverage below which a cell is in bold."""


def tables(record: dict[str, Any]) -> str:
    """The coverage of each kind of interval by scenario and number of seeds, and what gates say."""
    parts = []
    for kind in KINDS:
        sizes = [size for size in SIZES if any(str(size) in _cells(record, case.name, kind.name) for case in SCENARIOS)]
        head = ["scenario", *(f"{size} seeds" for size in sizes)]
        rows = []
        for case in SCENARIOS:
            cells = _cells(record, case.name, kind.name)
            if cells:
                rows.append([f"`{case.name}`", *(_cell(cells.get(str(size))) for size in sizes)])
        parts.append(f"### {TITLES[kind.name]}\n\n{_table(head, rows)}")
    parts.append(f"### Gates without a change\n\n{_alarms(record['gates'])}")
    parts.append(f"### Gates with a change\n\n{_power(record)}")
    return "\n" + "\n\n".join(parts) + "\n"


TITLES = {
    "mean": "Means",
    "difference": "Paired differences",
    "ratio": "Relative changes",
    "median": "Medians over seeds",
    "90th percentile": "90th percentiles over seeds",
}


def _cells(record: dict[str, Any], case: str, kind: str) -> dict[str, Any]:
    cells: dict[str, Any] = record["coverage"].get(case, {}).get(kind, {}).get("sizes", {})
    return cells


def _cell(one: dict[str, int] | None) -> str:
    """The coverage of intervals with a width, in percent, and the share that the output notes."""
    if one is None:
        return "-"
    wide = one["tried"] - one["flat"]
    if wide < one["tried"] / 10:
        return "no width"
    share = one["held"] / one["tried"]
    told = f"**{100 * share:.0f}**" if share < LOW else f"{100 * share:.0f}"
    noted = 100 * one["noted"] / one["tried"]
    return told + (f" ({noted:.0f})" if noted >= 0.5 else "")


def _alarms(found: dict[str, int]) -> str:
    return (
        f"Of {found['gates']:,} gates over builds that draw other random numbers and behave as before, "
        f"{found['alarms']} fail with the usual tolerances, and {found['alarms without a tolerance']} without any "
        "tolerance. The level of 99.9 % allows one in a thousand."
    )


def _power(record: dict[str, Any]) -> str:
    head = ["scenario", *(f"{100 * change:g} %" for change in CHANGES)]
    rows = []
    for case in SCENARIOS:
        found = record["power"].get(case.name)
        if found:
            cells = [found[f"{change:g}"] for change in CHANGES]
            names = ("same", "other", "other, 100 seeds")
            rows.append([f"`{case.name}`", *(" / ".join(f"{100 * one[name]:.0f}" for name in names) for one in cells)])
    return _table(head, rows)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines)


def write(record: dict[str, Any]) -> None:
    """Writes the tables into the page."""
    before, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    PAGE.write_text(f"{before}{mark}{tables(record)}", encoding="utf-8")
