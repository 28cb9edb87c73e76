"""Measures: a measure is one number of a run, named by a short text, from a result in memory or from a store.

============================  ==========================================================================
``flows.goodput_bps``         the mean over the rows of a table
``sum(flows.goodput_bps)``    another function: ``mean``, ``median``, ``min``, ``max``, ``count``, ``jain``
``p95(rounds.duration_s)``    a percentile, from 0 to 100, interpolated; also ``p99.9``
``flows[video].goodput_bps``  the rows of one component: a flow with all its copies (`video.0`, `video.1`), or a link
============================  ==========================================================================

Empty cells and NaN are ignored. A measure of no rows has no value, except for ``count``, which is 0. True counts as 1.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import _core, stats
from ackclock._errors import RefusedError
from ackclock.results.declared import KEYS, PROBES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from ackclock.base.table import Table
    from ackclock.results.result import Result

__all__ = ["Measure", "MeasureError"]


class MeasureError(RefusedError):
    """A measure that cannot be parsed, or that a run does not have; the message lists the names that exist."""

    code = "ACK030"


FUNCTIONS: dict[str, tuple[Callable[[NDArray[np.float64]], float], str]] = {
    "mean": (lambda x: float(x.mean()), 'favg("x")'),
    "sum": (lambda x: float(x.sum()), 'fsum("x")'),
    "median": (lambda x: float(np.median(x)), 'quantile_cont("x", 0.5)'),
    "min": (lambda x: float(x.min()), 'min("x")'),
    "max": (lambda x: float(x.max()), 'max("x")'),
    "jain": (
        stats.jain,
        (
            "CASE WHEN min(\"x\") < 0 THEN CAST(error('shares must not be negative') AS DOUBLE)"
            ' WHEN max("x") = 0 THEN 1.0 ELSE pow(fsum("x"), 2) / (count("x") * fsum("x" * "x")) END'
        ),
    ),
}
"""Functions by name, in Python and in SQL; `count` and percentiles are handled separately."""

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
COLUMN = re.compile(rf"({NAME})(?:\[\s*([^\[\]\s](?:[^\[\]]*[^\[\]\s])?)\s*\])?\s*\.\s*({NAME})", re.ASCII)
CALL = re.compile(r"([A-Za-z0-9_.]+)\s*\((.*)\)", re.ASCII | re.DOTALL)
PERCENTILE = re.compile(r"p([0-9]{1,3}(?:\.[0-9]{1,6})?)", re.ASCII)

MEASURES = "measures"
"""The table of the numbers that a function of the user takes from each run."""

BOUNDED = {
    "utilisation": (0.0, 1.0),
    "drop_rate": (0.0, 1.0),
    "loss": (0.0, 1.0),
    "quantile": (0.0, 1.0),
    "mos": (1.0, 4.5),
    "r": (-math.inf, 100.0),
}
"""Columns with bounds of their own. The mean opinion score is that of the E-model (G.107, annex B)."""

ACCEPTED = (
    f"accepted: a column such as flows.goodput_bps or flows[video].goodput_bps, alone for its mean or in one of "
    f"{', '.join(FUNCTIONS)}, count, p0 to p100, such as p95(rounds.duration_s)"
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A function of a column of a table, as parsed by `Measure.parse`."""

    function: str
    """``mean``, ``sum``, ``median``, ``min``, ``max``, ``count``, ``jain``, or a percentile such as ``p95``."""
    table: str
    """A table of the result, such as ``flows``."""
    column: str
    """A column of this table with numbers."""
    component: str | None = None
    """The flow or link whose rows count; None for all rows."""

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Parses a measure.

        Raises
        ------
        MeasureError
            With the text, the error, and the accepted forms.
        """
        written = text.strip()
        call = CALL.fullmatch(written)
        function, inside = (call[1], call[2].strip()) if call else ("mean", written)
        if function not in FUNCTIONS and function != "count" and _percentile(function) is None:
            near = _near(function, [*FUNCTIONS, "count"])
            raise MeasureError(f"measure {text!r}: {function} is not a function{near}; {ACCEPTED}")
        found = COLUMN.fullmatch(inside)
        if found is None or not inside.isprintable():
            part = "" if inside == text else f"{inside!r} "
            raise MeasureError(f"measure {text!r}: {part}is not a column of a table; {ACCEPTED}")
        return cls(function, found[1], found[3], found[2])

    def __str__(self) -> str:
        """The measure as text for `parse`, in its shortest form."""
        component = "" if self.component is None else f"[{self.component}]"
        column = f"{self.table}{component}.{self.column}"
        return column if self.function == "mean" else f"{self.function}({column})"

    @property
    def unit(self) -> str:
        """The unit in the column's name: ``s``, ``ms``, ``bps`` or ``bytes``; empty if it has none."""
        if self.function in ("count", "jain"):
            return ""
        words = self.column.split("_")
        if "bytes" in (words[0], words[-1]):
            return "bytes"
        return words[-1] if len(words) > 1 and words[-1] in ("s", "ms", "bps") else ""

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest value that the measure can have; infinite where there is none.

        All declared columns are volumes, times, rates, counts and shares, none of which is negative.
        """
        if self.function == "jain":
            return 0.0, 1.0
        if self.function == "count":
            return 0.0, math.inf
        if self.table == MEASURES:
            return -math.inf, math.inf
        least, most = BOUNDED.get(self.column, (0.0, math.inf))
        return (min(least, 0.0), math.inf) if self.function == "sum" else (least, most)

    @property
    def key(self) -> str:
        """The column with the component of a row: ``link`` for links, ``flow`` for all other tables."""
        return KEYS.get(self.table, ("flow",))[0]

    def check(self) -> None:
        """Refuses a table or a column that no run of any scenario has, before there is a run.

        The table ``measures`` has columns of its user, and is not checked.

        Raises
        ------
        MeasureError
            With the nearest name, and all names.
        """
        if self.table == MEASURES:
            return
        columns = {one["name"]: [column["name"] for column in one["columns"]] for one in json.loads(_core.tables())}
        if self.table not in columns:
            raise self._error(f"there is no table {self.table}", columns, self.table)
        if self.column not in columns[self.table]:
            raise self._error(f"table {self.table} has no column {self.column}", columns[self.table], self.column)

    def check_component(self, names: Iterable[str]) -> None:
        """Refuses a flow or a link that none of `names` is, before a value is asked for.

        Raises
        ------
        MeasureError
            With the nearest name, and all names.
        """
        if self.component is None:
            return
        known = set(names)
        if not any(_is_of(name, self.component) for name in known):
            # The flow itself is a nearer match than each of its copies.
            known |= {re.sub(r"\.[0-9]+$", "", name) for name in known}
            raise self._error(f"there is no {self.key} {self.component}", known, self.component)

    def of(self, result: Result) -> float:
        """The measure of a run, in the unit of its column; NaN if the run has no value.

        Raises
        ------
        MeasureError
            If the run has no such table, column, flow or link, or the function does not apply to the column.
        """
        table = result.tables.get(self.table)
        if table is None:
            hint = f"; set {PROBES[self.table]} in the scenario" if self.table in PROBES else ""
            raise self._error(f"there is no table {self.table}", result.tables, self.table, hint)
        if not table.column_names:
            # A table without rows may have no columns.
            return 0.0 if self.function == "count" else math.nan
        if self.column not in table:
            raise self._error(f"table {self.table} has no column {self.column}", table.column_names, self.column)
        cells = table[self.column]
        if self.component is not None:
            cells = cells[self._rows(result, table, self.component)]
        return self._value(cells)

    def sql(self, *, runs: str | None = None) -> str:
        """The measure as a DuckDB query over a table of all runs, with the name of this table and a column ``run``.

        Parameters
        ----------
        runs
            A table or view with a column ``run`` that contains every run to be counted. With `runs`, a run without rows
            has a ``count`` of 0; the table itself does not contain that run.

        Returns
        -------
        str
            A query with the columns ``run`` and ``value`` (a double, in the unit of the column), one row per run, in
            the order of ``run``. A run without a value has no row. If there is no such table or column, the query fails
            in DuckDB; it cannot detect that a flow does not exist.
        """
        column = _identifier(self.column)
        number = f"TRY_CAST({column} AS DOUBLE)" if self.function == "count" else f"CAST({column} AS DOUBLE)"
        nan = f"typeof({column}) IN ('DOUBLE', 'FLOAT') AND isnan({number})"
        kept = "1.0" if self.function == "count" else number
        where = ""
        if self.component is not None:
            name, key = _literal(self.component), _identifier(self.key)
            copies = (
                f"starts_with({key}, {name} || '.') AND regexp_full_match(substr({key}, length({name}) + 2), '[0-9]+')"
            )
            where = f" WHERE {key} = {name} OR ({copies})"
        cells = (
            f'SELECT "run", CASE WHEN {column} IS NULL OR ({nan}) THEN NULL ELSE {kept} END AS "x" '
            f"FROM {_identifier(self.table)}{where}"
        )
        query = f'SELECT "run", {self._aggregate()} AS "value" FROM ({cells}) GROUP BY "run"'
        if runs is not None and self.function == "count":
            query = (
                f'SELECT "run", coalesce("value", 0) AS "value" FROM (SELECT "run" FROM {_identifier(runs)}) '
                f'LEFT JOIN ({query}) USING ("run")'
            )
        elif runs is not None:
            query = f'SELECT * FROM ({query}) WHERE "run" IN (SELECT "run" FROM {_identifier(runs)})'
        return (
            f'SELECT "run", CAST("value" AS DOUBLE) AS "value" FROM ({query}) WHERE "value" IS NOT NULL ORDER BY "run"'
        )

    def _aggregate(self) -> str:
        if self.function in FUNCTIONS:
            return FUNCTIONS[self.function][1]
        rank = _percentile(self.function)
        return 'count("x")' if rank is None else f'quantile_cont("x", {rank!r})'

    def _value(self, cells: NDArray[Any]) -> float:
        if self.function == "count":
            there = [cell is not None for cell in cells] if cells.dtype == object else ~np.isnan(cells)
            return float(np.count_nonzero(there))
        if cells.dtype == object and any(isinstance(cell, str) for cell in cells):
            raise MeasureError(f"measure {self}: {self.table}.{self.column} is text; accepted for text: count")
        numbers = cells.astype(np.float64)
        numbers = numbers[~np.isnan(numbers)]
        if not numbers.size:
            return math.nan
        rank = _percentile(self.function)
        try:
            return FUNCTIONS[self.function][0](numbers) if rank is None else float(np.quantile(numbers, rank))
        except ValueError as error:
            raise MeasureError(f"measure {self}: {error}") from None

    def _rows(self, result: Result, table: Table, component: str) -> NDArray[np.bool_]:
        """Mask of the rows of the component."""
        if self.key not in table:
            raise MeasureError(f"measure {self}: {self.table} has no column {self.key}; leave out [{component}]")
        own = table[self.key]
        rows = np.array([_is_of(name, component) for name in own], dtype=bool)
        if not rows.any():
            # An existing flow may have no row in this table.
            everywhere = result.tables.get(f"{self.key}s", table)
            names = {name for name in own if name is not None}
            if self.key in everywhere:
                names.update(everywhere[self.key])
            self.check_component(names)
        return rows

    def _error(self, what: str, names: Iterable[str], name: str, hint: str = "") -> MeasureError:
        known = sorted(set(names))
        return MeasureError(f"measure {self}: {what}{_near(name, known)}{hint}; there are {', '.join(known) or 'none'}")


def _percentile(function: str) -> float | None:
    """The quantile, from 0 to 1, of a function such as ``p95``; None if the function is not a percentile."""
    found = PERCENTILE.fullmatch(function)
    percent = float(found[1]) if found else math.inf
    return percent / 100 if percent <= 100 else None


def _is_of(name: str | None, component: str) -> bool:
    """Whether a row with this name belongs to the component: by its own name, or as one of its copies."""
    if name is None or not name.startswith(component):
        return False
    rest = name[len(component) :]
    return not rest or re.fullmatch(r"\.[0-9]+", rest, re.ASCII) is not None


def _near(name: str, known: Iterable[str]) -> str:
    meant = difflib.get_close_matches(name, list(known), 1, 0.6)
    return f", did you mean {meant[0]}?" if meant else ""


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
