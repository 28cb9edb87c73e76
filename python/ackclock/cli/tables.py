"""Tables as files: CSV, Parquet, and LaTeX in the form of the package booktabs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.base import files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ackclock.base.table import Table
    from ackclock.stats import Estimate
    from ackclock.store.contrasts import Contrast
    from ackclock.store.estimates import PointEstimate

__all__ = [
    "columns_of_contrasts",
    "columns_of_points",
    "latex_of_contrasts",
    "latex_of_points",
    "table_of",
    "write_table",
]


def write_table(out: Path, table: Table) -> None:
    """Writes a table as CSV, or as Parquet if the name of the file ends in .parquet."""
    if out.suffix != ".parquet":
        files.write_csv(out, table)
        return
    import io

    from arro3.core import Table as ArrowTable
    from arro3.io import write_parquet

    content = io.BytesIO()
    write_parquet(ArrowTable.from_arrow(table), content)
    files.write_bytes(out, content.getvalue())


def table_of(columns: Mapping[str, Sequence[object]]) -> Table:
    """A table of Python values. A column is of numbers if all of its cells are numbers or None, else of text."""
    from arro3.core import Table as ArrowTable

    from ackclock.base.table import Table

    return Table(ArrowTable.from_pydict({name: _array(cells) for name, cells in columns.items()}))


def _array(cells: Sequence[object]) -> Any:
    from arro3.core import Array, DataType

    if all(isinstance(cell, bool) for cell in cells):
        return Array(list(cells), type=DataType.bool())
    numbers = all(cell is None or (isinstance(cell, (int, float)) and not isinstance(cell, bool)) for cell in cells)
    if numbers:
        return Array([None if cell is None else float(cell) for cell in cells], type=DataType.float64())  # type: ignore[arg-type]
    return Array([None if cell is None else str(cell) for cell in cells], type=DataType.string())


def columns_of_points(estimates: Mapping[str, Sequence[PointEstimate]]) -> dict[str, list[object]]:
    """One row a point: what was varied, and of each measure the mean, the ends of the interval and the count."""
    first = next(iter(estimates.values()))
    names = dict.fromkeys(name for one in first for name in one.params)
    columns: dict[str, list[object]] = {name: [one.params.get(name) for one in first] for name in names}
    for measure, points in estimates.items():
        told = [one.document() for one in points]
        columns[measure] = [one["mean"] for one in told]
        columns |= _ends(measure, [one.estimate for one in points])
        columns[f"{measure} n"] = [one["n"] for one in told]
    return columns


def columns_of_contrasts(contrasts: Sequence[Contrast]) -> dict[str, list[object]]:
    """One row a comparison; all numbers in full."""
    names = dict.fromkeys(name for one in contrasts for name in one.params)
    columns: dict[str, list[object]] = {
        "measure": [one.measure for one in contrasts],
        **{name: [one.params.get(name) for one in contrasts] for name in names},
        "population": [one.population for one in contrasts],
        "setting": [one.name for one in contrasts],
        "control": [one.control for one in contrasts],
        "treated": [one.treated for one in contrasts],
        "unit": [one.unit for one in contrasts],
        "n": [one.difference.n for one in contrasts],
        "control mean": [one.control_mean for one in contrasts],
        "difference": [one.difference.value for one in contrasts],
        **_ends("difference", [one.difference for one in contrasts]),
        "relative": [None if one.relative is None else one.relative.value for one in contrasts],
        **_ends("relative", [one.relative for one in contrasts]),
        "p": [one.p for one in contrasts],
        "holm p": [None if one.holm is None else one.holm.p for one in contrasts],
        "holm level": [None if one.holm is None else one.holm.level for one in contrasts],
        "differs": ["" if one.holm is None else "yes" if one.holm.rejected else "no" for one in contrasts],
    }
    return columns


def _ends(name: str, estimates: Sequence[Estimate | None]) -> dict[str, list[object]]:
    """The columns of the two ends of intervals."""
    shown = [one if one is not None and one.has_interval else None for one in estimates]
    return {
        f"{name} low": [None if one is None else one.low for one in shown],
        f"{name} high": [None if one is None else one.high for one in shown],
    }


def latex_of_points(estimates: Mapping[str, Sequence[PointEstimate]], flows: Sequence[str]) -> str:
    """One row a point: what was varied, and of each measure the mean with half the width of its interval.

    The heads have names and units; `flows` names the groups of flows. An interval that a bound cuts off has both ends.
    """
    from ackclock.results.names import field_name, measure_name, unit_of, with_unit

    first = next(iter(estimates.values()))
    names = list(dict.fromkeys(name for one in first for name in one.params))
    units = {
        measure: unit_of(measure, [one.estimate.value for one in points if one.estimate is not None])
        for measure, points in estimates.items()
    }
    rows = []
    for number, point in enumerate(first):
        cells = [_escaped(str(point.params.get(name, "--"))) for name in names]
        for measure, points in estimates.items():
            estimate = points[number].estimate
            cells.append(_with_half(None if estimate is None else estimate.scaled(units[measure][1])))
        rows.append(cells)
    heads = [field_name(name, flows) for name in names]
    heads += [with_unit(measure_name(measure), unit) for measure, (unit, _) in units.items()]
    note = "means over the seeds, with half the width of their 95 % intervals"
    return _latex(note, heads, len(names), rows)


def latex_of_contrasts(contrasts: Sequence[Contrast]) -> str:
    """One row a comparison: difference with half the width of its interval, relative change, corrected p-value."""
    names = list(dict.fromkeys(name for one in contrasts for name in one.params))
    relative = any(one.relative is not None for one in contrasts)
    rows = []
    for one in contrasts:
        places = [_escaped(str(one.params.get(name, "population" if one.population else "--"))) for name in names]
        change = [_with_half(None if one.relative is None else one.relative.scaled(100))] if relative else []
        p = "--" if one.holm is None else f"{one.holm.p:.2g}"
        cells = [_number(one.control_mean), _with_half(one.difference), *change, p]
        rows.append([_escaped(one.measure), *places, _escaped(str(one.treated)), *cells])
    first = contrasts[0]
    level = first.difference.level
    note = (
        f"differences from {first.name} = {first.control} over runs of the same seeds, with half the width of their "
        f"{level * 100:g} % intervals; p is Holm's for {len(contrasts)} comparisons"
    )
    head = ["measure", *names, first.name, str(first.control), "difference", *(["change %"] if relative else []), "p"]
    return _latex(note, head, len(names) + 2, rows)


def _latex(note: str, head: Sequence[str], left: int, rows: Sequence[Sequence[str]]) -> str:
    """A table whose first columns are aligned to the left."""
    lines = [
        rf"% needs \usepackage{{booktabs}}; {' '.join(note.split())}",
        r"\begin{tabular}{" + "l" * left + "r" * (len(head) - left) + "}",
        r"\toprule",
        " & ".join(_escaped(name) for name in head) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join([*lines, ""])


def _with_half(estimate: Estimate | None) -> str:
    if estimate is None:
        return "--"
    if not estimate.has_interval:
        return _number(estimate.value)
    if abs(estimate.high + estimate.low - 2 * estimate.value) <= 1e-9 * abs(estimate.value):
        return rf"{_number(estimate.value)} $\pm$ {_number(float(f'{estimate.half_width:.2g}'))}"
    return f"{_number(estimate.value)} [{_number(estimate.low)}, {_number(estimate.high)}]"


def _number(value: float) -> str:
    from ackclock.report.words import cell_text

    text = cell_text(float(value)).replace(",", r"\,")
    return f"${text}$" if text.startswith("-") and len(text) > 1 else text


ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def _escaped(text: str) -> str:
    return "".join(ESCAPES.get(letter, letter) for letter in text)
