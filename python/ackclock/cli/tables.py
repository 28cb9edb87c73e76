"""Tables as files: CSV, Parquet, and LaTeX for the packages booktabs and siunitx."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock.base import files
from ackclock.stats import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ackclock.base.table import Table
    from ackclock.store.contrasts import Contrast
    from ackclock.store.estimates import PointEstimate
    from ackclock.store.populations import PopulationEstimate

__all__ = [
    "columns_of_contrasts",
    "columns_of_points",
    "latex_of_contrasts",
    "latex_of_points",
    "table_of",
    "write_table",
]


def write_table(out: Path, table: Table, of: str | None = None) -> None:
    """Writes a table as CSV, or as Parquet if the name of the file ends in .parquet.

    With `of`, the name of a table of runs, Parquet has the units and descriptions of its columns.
    """
    if out.suffix != ".parquet":
        files.write_csv(out, table)
        return
    import io

    from arro3.core import Table as ArrowTable
    from arro3.io import write_parquet

    from ackclock.store.parts import described

    content = io.BytesIO()
    whole = ArrowTable.from_arrow(table)
    write_parquet(whole if of is None else described(of, whole), content)
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


def columns_of_points(
    estimates: Mapping[str, Sequence[PointEstimate]], populations: Mapping[str, Sequence[PopulationEstimate]]
) -> dict[str, list[object]]:
    """One row a point: what was varied, and of each measure the mean, the ends of the interval and the count.

    The weighted means over a population follow, if there is one; a column then tells them from points.
    """
    rows: dict[str, list[PointEstimate | PopulationEstimate]] = {
        measure: [*points, *populations.get(measure, ())] for measure, points in estimates.items()
    }
    first = next(iter(rows.values()))
    names = dict.fromkeys(name for one in first for name in one.params)
    columns: dict[str, list[object]] = {name: [one.params.get(name) for one in first] for name in names}
    if populations:
        points = len(next(iter(estimates.values())))
        columns["population"] = [place >= points for place in range(len(first))]
    for measure, own in rows.items():
        told = [one.document() for one in own]
        columns[measure] = [one["mean"] for one in told]
        columns |= _ends(measure, [one.estimate for one in own])
        columns[f"{measure} n"] = [one.get("n") for one in told]
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


def latex_of_points(
    estimates: Mapping[str, Sequence[PointEstimate]],
    populations: Mapping[str, Sequence[PopulationEstimate]],
    flows: Sequence[str],
) -> str:
    """One row a point: what was varied, and of each measure the mean with its interval; then those of a population.

    The heads have names and units; `flows` names the groups of flows.
    """
    from ackclock.results.names import field_name, measure_name, unit_of, with_unit

    points = next(iter(estimates.values()))
    every: list[PointEstimate | PopulationEstimate] = [*points, *next(iter(populations.values()), ())]
    names = list(dict.fromkeys(name for one in points for name in one.params))
    columns = [
        _Text(
            field_name(name, flows),
            [str(one.params.get(name, "--" if at < len(points) else "population")) for at, one in enumerate(every)],
        )
        for name in names
    ]
    numbers: list[_Numbers] = []
    for measure, own in estimates.items():
        found = [*(one.estimate for one in own), *(one.estimate for one in populations.get(measure, ()))]
        unit, factor = unit_of(measure, [one.value for one in found if one is not None])
        scaled = [None if one is None else one.scaled(factor) for one in found]
        numbers.append(_Numbers(with_unit(measure_name(measure), unit), scaled))
    return _latex("means over the seeds", [*columns, *numbers], rule=len(points))


def latex_of_contrasts(contrasts: Sequence[Contrast], flows: Sequence[str]) -> str:
    """One row a comparison: the measure with its unit, control, difference, relative change, corrected p-value."""
    from ackclock.results.names import field_name, measure_name, unit_of, with_unit

    names = list(dict.fromkeys(name for one in contrasts for name in one.params))
    first = contrasts[0]
    units: dict[str, tuple[str, float]] = {}
    for measure in dict.fromkeys(one.measure for one in contrasts):
        units[measure] = unit_of(measure, [one.control_mean for one in contrasts if one.measure == measure])
    groups = [one.measure for one in contrasts]
    labels = {measure: with_unit(measure_name(measure), unit) for measure, (unit, _) in units.items()}
    differences = [one.difference.scaled(units[one.measure][1]) for one in contrasts]
    columns: list[_Text | _Numbers] = [
        _Text("Measure", [labels[one.measure] for one in contrasts]),
        *(
            _Text(
                field_name(name, flows),
                [str(one.params.get(name, "population" if one.population else "--")) for one in contrasts],
            )
            for name in names
        ),
        _Text(field_name(first.name, flows), [str(one.treated) for one in contrasts]),
        _Numbers(
            str(first.control),
            [
                Estimate(one.control_mean * units[one.measure][1], math.nan, math.nan, one.difference.n)
                for one in contrasts
            ],
            digits=_digits(differences, groups),
        ),
        _Numbers("Difference", differences, digits=_digits(differences, groups)),
    ]
    if any(one.relative is not None for one in contrasts):
        relative = [None if one.relative is None else one.relative.scaled(100) for one in contrasts]
        columns.append(_Numbers("Change (%)", relative))
    columns.append(_Text("p", [_p_value(one) for one in contrasts], align="r"))
    note = (
        f"differences from {first.name} = {first.control} over runs of the same seeds; p is Holm's for "
        f"{len(contrasts)} comparisons"
    )
    return _latex(note, columns)


def _p_value(one: Contrast) -> str:
    if one.holm is None:
        return "--"
    return "<0.001" if one.holm.p < SMALL else f"{one.holm.p:.3f}"


SMALL = 0.001
"""P-values below this are not told apart."""


@dataclass(frozen=True, slots=True)
class _Text:
    head: str
    cells: Sequence[str]
    align: str = "l"


@dataclass(frozen=True, slots=True)
class _Numbers:
    """A column of siunitx: means with half the width of their intervals, or with both ends if a bound cuts off one."""

    head: str
    cells: Sequence[Estimate | None]
    digits: Sequence[int] = ()
    """Decimals of each cell; without them, all have the same number."""

    @property
    def is_even(self) -> bool:
        """Whether every interval reaches as far down as up, so that a half width says all of it."""
        return all(
            abs(one.high + one.low - 2 * one.value) <= 1e-9 * abs(one.value)
            for one in self.cells
            if one is not None and one.has_interval
        )

    def columns(self) -> tuple[list[str], list[str], list[list[str]]]:
        """The specifications, the heads, and the cells of each column."""
        digits = self.digits or _digits(self.cells, [""] * len(self.cells))
        known = [one is not None and one.has_interval for one in self.cells]
        values = [None if one is None else one.value for one in self.cells]
        told = _fixed(values, digits)
        level = next((one.level for one in self.cells if one is not None), 0.95)
        if not any(known):
            return [_format(told)], [self.head], [told]
        if self.is_even:
            halves = _fixed([one.half_width if one is not None else None for one in self.cells], digits)
            cells = [
                f"{value} +- {half}" if has else value for value, half, has in zip(told, halves, known, strict=True)
            ]
            spec = _format(told, [half for half, has in zip(halves, known, strict=True) if has])
            return [spec], [self.head], [cells]
        ends = [
            _fixed(
                [
                    getattr(one, end) if has and one is not None else None
                    for one, has in zip(self.cells, known, strict=True)
                ],
                digits,
            )
            for end in ("low", "high")
        ]
        heads = [self.head, f"{level * 100:g} % from", "to"]
        return [_format(told), *(_format(end) for end in ends)], heads, [told, *ends]


def _digits(cells: Sequence[Estimate | None], groups: Sequence[str]) -> list[int]:
    """Decimals of each cell, the same in a group: two significant digits of the smallest half width, or three."""
    found: dict[str, int] = {}
    for group in dict.fromkeys(groups):
        own = [one for one, name in zip(cells, groups, strict=True) if name == group and one is not None]
        halves = [one.half_width for one in own if one.has_interval and one.half_width > 0]
        sizes = [abs(one.value) for one in own if math.isfinite(one.value) and one.value]
        if halves:
            needed = 1 - math.floor(math.log10(min(halves)))
        else:
            needed = 2 - math.floor(math.log10(max(sizes, default=1.0)))
        found[group] = min(max(needed, 0), MOST_DECIMALS)
    return [found[name] for name in groups]


MOST_DECIMALS = 6


def _fixed(values: Sequence[float | None], digits: Sequence[int]) -> list[str]:
    """Numbers with these decimals; braces keep what is no number from siunitx."""
    return [
        "{--}" if value is None or not math.isfinite(value) else f"{value:.{count}f}"
        for value, count in zip(values, digits, strict=True)
    ]


def _format(values: Sequence[str], halves: Sequence[str] = ()) -> str:
    """A column of siunitx with room for these numbers, and for their half widths."""
    numbers = [value for value in values if not value.startswith("{")] or ["0"]
    whole = max(len(value.lstrip("-").partition(".")[0]) for value in numbers)
    decimals = max(len(value.partition(".")[2]) for value in numbers)
    sign = "-" if any(value.startswith("-") for value in numbers) else ""
    room = max((len(half.replace(".", "").lstrip("0")) for half in halves), default=0)
    uncertainty = f"({room})" if halves else ""
    separate = ", separate-uncertainty" if halves else ""
    return f"S[table-format={sign}{whole}.{decimals}{uncertainty}{separate}]"


def _latex(note: str, columns: Sequence[_Text | _Numbers], rule: int | None = None) -> str:
    """A table of booktabs and siunitx, with a rule before row `rule` if there is such a row."""
    specs: list[str] = []
    heads: list[str] = []
    cells: list[Sequence[str]] = []
    for one in columns:
        if isinstance(one, _Text):
            specs.append(one.align)
            heads.append(_escaped(one.head))
            cells.append([_escaped(cell) for cell in one.cells])
        else:
            own, names, found = one.columns()
            specs += own
            heads += [f"{{{_escaped(name)}}}" for name in names]
            cells += found
    rows = [" & ".join(row) + r" \\" for row in zip(*cells, strict=True)]
    if rule is not None and rule < len(rows):
        rows.insert(rule, r"\midrule")
    level = next((each.level for one in columns if isinstance(one, _Numbers) for each in one.cells if each), 0.95)
    about = f"the number after +- is half the width of the {level * 100:g} % interval"
    lines = [
        rf"% needs \usepackage{{booktabs, siunitx}}; {' '.join(note.split())}; {about}",
        r"\begin{tabular}{" + " ".join(specs) + "}",
        r"\toprule",
        " & ".join(heads) + r" \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join([*lines, ""])


ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def _escaped(text: str) -> str:
    return "".join(ESCAPES.get(letter, letter) for letter in text)
