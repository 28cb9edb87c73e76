"""Results in notebooks: tables with names and units, from the templates of reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from ackclock.report.tables import html_table
from ackclock.report.words import counted, interval_text
from ackclock.results.declared import SUMMARISED
from ackclock.results.measure import Measure
from ackclock.results.names import capital, column_name, field_name, measure_name, unit_of, with_unit
from ackclock.store.contrasts import LEAST_PAIRS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.engine.compare import Compared
    from ackclock.results.result import Replications, Result
    from ackclock.stats import Comparison, Estimate
    from ackclock.store.estimates import Estimates, Paired

__all__ = ["compared_html", "comparison_html", "estimates_html", "paired_html", "replications_html", "result_html"]

MOST_ROWS = 20
"""Rows of a table that a notebook shows."""


def result_html(result: Result) -> str:
    """A run: the tables with one row for each flow, link or client."""
    parts = [_head(f"{result.meta['name']}: {result.meta['duration_s']:g} s, seed {result.seed}")]
    for name, keys in SUMMARISED.items():
        if name in result.tables and len(result.tables[name]):
            rows = list(result.tables[name].rows())
            shown = [column for column in result.tables[name].column_names if any(map(_has, _cells(rows, column)))]
            columns = [_column(name, column, keys, _cells(rows, column)) for column in shown]
            parts.append(_table(name, columns))
    return str(Markup().join(parts))


def replications_html(runs: Replications) -> str:
    """Replications: the means of each flow, link or client with their intervals."""
    meta = runs[0].meta
    head = f"{meta['name']}: {meta['duration_s']:g} s, {counted(len(runs), 'seed')} from {runs.seeds[0]}"
    parts = [_head(f"{head}; means with 95 % intervals")]
    for name, rows in runs.summary().items():
        columns = list(dict.fromkeys(column for row in rows for column in row if column != "name"))
        cells: list[tuple[str, list[object]]] = [
            (
                capital(" and ".join(column_name(name, key) or key for key in SUMMARISED[name])),
                [row["name"] for row in rows],
            )
        ]
        for column in columns:
            means = [row[column]["mean"] for row in rows if column in row]
            unit, factor = unit_of(Measure("mean", name, column), means)
            texts: list[object] = [_document(row.get(column), factor) for row in rows]
            cells.append((with_unit(capital(column_name(name, column) or column), unit), texts))
        if columns:
            parts.append(_table(name, cells))
    return str(Markup().join(parts))


def compared_html(compared: Compared) -> str:
    """A comparison of two scenarios: both means, the difference, and the relative change with enough pairs."""
    rows: list[list[object]] = []
    relative = any(one.n >= LEAST_PAIRS for one in compared.comparisons.values())
    for row, one in zip(compared.rows(), compared.comparisons.values(), strict=True):
        unit, factor = unit_of(row["measure"], [row["treated"], row["control"]])
        sides = [float(row[side]) * factor for side in ("treated", "control")]
        rows.append([measure_name(row["measure"]), unit or "-", *sides, *_differences(one, factor, relative)])
    columns = ["Measure", "Unit", "Treated", "Control", "Difference [95 %]", "Pairs"]
    return str(html_table([*columns, *(["Relative change [95 %]"] if relative else [])], rows))


def comparison_html(comparison: Comparison) -> str:
    """One comparison: the difference, and the relative change with enough pairs."""
    relative = comparison.n >= LEAST_PAIRS
    columns = [with_unit("Difference [95 %]", "bit/s" if comparison.unit == "bps" else comparison.unit), "Pairs"]
    cells = _differences(comparison, 1.0, relative)
    return str(html_table([*columns, *(["Relative change [95 %]"] if relative else [])], [cells]))


def estimates_html(measure: Measure, estimates: Estimates) -> str:
    """The means of a measure at every point of a sweep."""
    values = [one.estimate.value for one in estimates if one.estimate is not None]
    unit, factor = unit_of(measure, values)
    names = list(dict.fromkeys(name for one in estimates for name in one.params))
    rows = [
        [one.point, *(one.params.get(name) for name in names), _interval(one.estimate, factor), _n(one.estimate)]
        for one in estimates[:MOST_ROWS]
    ]
    label = with_unit(measure_name(measure), unit)
    columns = ["Point", *(field_name(name) for name in names), f"{label} [95 %]", "Runs"]
    return str(html_table(columns, rows) + _more(len(estimates), "points"))


def paired_html(measure: Measure, pairs: Sequence[Paired]) -> str:
    """The differences between two settings, at every setting of the rest."""
    unit, factor = unit_of(measure, [one.comparison.difference.value for one in pairs])
    names = list(dict.fromkeys(name for one in pairs for name in one.params))
    relative = any(one.comparison.n >= LEAST_PAIRS for one in pairs)
    rows = [
        [*(one.params.get(name) for name in names), *_differences(one.comparison, factor, relative)]
        for one in pairs[:MOST_ROWS]
    ]
    label = with_unit(measure_name(measure), "percentage points" if unit == "%" else unit)
    columns = [*(field_name(name) for name in names), f"Difference: {label} [95 %]", "Pairs"]
    table = html_table([*columns, *(["Relative change [95 %]"] if relative else [])], rows)
    return str(table + _more(len(pairs), "settings"))


def _head(text: str) -> Markup:
    return Markup("<p>{}</p>").format(text)


def _more(count: int, what: str) -> Markup:
    return Markup("<p>{} {}</p>").format(count, what) if count > MOST_ROWS else Markup()


def _table(name: str, columns: Sequence[tuple[str, list[object]]]) -> Markup:
    rows = list(zip(*(cells for _, cells in columns), strict=True))
    table = html_table([label for label, _ in columns], rows[:MOST_ROWS], caption=name)
    return table + _more(len(rows), "rows")


def _cells(rows: Sequence[Mapping[str, Any]], column: str) -> list[Any]:
    return [row[column] for row in rows]


def _has(cell: object) -> bool:
    return cell is not None and cell == cell


def _column(table: str, column: str, keys: Sequence[str], cells: list[Any]) -> tuple[str, list[object]]:
    """The heading of a column and its cells, in the unit in which people read them."""
    numeric = all(cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool)) for cell in cells)
    name = capital(column_name(table, column) or column)
    if column in keys or not numeric:
        return name, cells
    numbers = [float(cell) for cell in cells if _has(cell)]
    unit, factor = unit_of(Measure("mean", table, column), numbers)
    scaled = [cell if factor == 1.0 or not _has(cell) else cell * factor for cell in cells]
    return with_unit(name, unit), scaled


def _document(told: Mapping[str, Any] | None, factor: float) -> str:
    """A mean of a summary with its interval."""
    if told is None:
        return "-"
    low, high = told["ci"] or (np.nan, np.nan)
    return interval_text(told["mean"] * factor, low * factor, high * factor)


def _interval(estimate: Estimate | None, factor: float) -> str:
    if estimate is None:
        return "-"
    scaled = estimate.scaled(factor)
    return interval_text(scaled.value, scaled.low, scaled.high)


def _n(estimate: Estimate | None) -> int:
    return 0 if estimate is None else estimate.n


def _differences(one: Comparison, factor: float, relative: bool) -> list[object]:
    cells: list[object] = [_interval(one.difference, factor), one.n]
    if relative:
        enough = one.relative is not None and one.n >= LEAST_PAIRS
        cells.append(f"{_interval(one.relative, 100)} %" if enough else "-")
    return cells
