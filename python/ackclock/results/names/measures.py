"""Names and units of measures and of columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ackclock.results.declared import SUMMARISED, TABLES
from ackclock.results.measure import BOUNDED, MEASURES, Measure
from ackclock.results.names.columns import column_name
from ackclock.results.names.words import capital, identifier_words, ordinal, with_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["measure_label", "measure_name", "unit_of"]

FUNCTIONS = {
    "mean": "mean {}",
    "sum": "total {}",
    "median": "median {}",
    "min": "smallest {}",
    "max": "largest {}",
    "jain": "Jain's fairness index of {}",
    "count": "number of values of {}",
}

SUFFIXES = ("_bps", "_bytes", "_ms", "_s")
"""Ends of the names of a user's measures that state their units."""

SCALES: dict[str, tuple[tuple[float, str, float], ...]] = {
    "bit/s": ((1e6, "Mbit/s", 1e-6), (0.0, "kbit/s", 1e-3)),
    "bytes": ((1e6, "MB", 1e-6), (1e3, "kB", 1e-3), (0.0, "bytes", 1.0)),
}
"""Unit of a column to the units that are shown: the least of the largest numbers for it, the unit and the factor."""


def measure_name(measure: str | Measure) -> str:
    """The name of a measure, without its unit.

    The mean over the flows or links of a run is named "per flow" or "per link".

    Raises
    ------
    MeasureError
        If the text is not a measure.
    """
    one = Measure.parse(measure) if isinstance(measure, str) else measure
    noun = column_name(one.table, one.column) or identifier_words(_without_unit(one.column))
    of = ""
    if one.component is not None:
        of = f" {'at' if one.key == 'link' else 'of'} {one.component}"
    if one.function == "mean":
        if one.table in SUMMARISED:
            return capital(noun + (of or f" per {one.key}"))
        if one.table == MEASURES or noun.startswith(("mean ", "share ")):
            return capital(noun + of)
    text = FUNCTIONS.get(one.function) or f"{ordinal(float(one.function[1:]))} percentile of {{}}"
    return capital(text.format(noun) + of)


def _without_unit(column: str) -> str:
    return next((column.removesuffix(end) for end in SUFFIXES if column.endswith(end) and column != end), column)


def unit_of(measure: str | Measure, values: Sequence[float] = ()) -> tuple[str, float]:
    """The unit in which people read a measure with these values, and the factor from the unit of its column.

    Shares are in per cent. Rates are in Mbit/s or kbit/s and volumes in MB, kB or bytes, by the largest value.
    """
    one = Measure.parse(measure) if isinstance(measure, str) else measure
    if one.function in ("count", "jain"):
        return "", 1.0
    declared = _declared_unit(one.table, one.column)
    unit = {"bps": "bit/s"}.get(one.unit, one.unit) if declared is None else declared
    if unit == "%":
        return "%", 100.0
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    for least, shown, factor in SCALES.get(unit, ()):
        if largest >= least:
            return shown, factor
    return unit, 1.0


def _declared_unit(table: str, column: str) -> str | None:
    """The unit of a declared column, where a share is in per cent; None if the column is not declared."""
    for one in TABLES[table]["columns"] if table in TABLES else ():
        if one["name"] == column:
            share = one["type"] == "truth value" or BOUNDED.get(column) == (0.0, 1.0)
            return "%" if share else one["unit"]
    return None


def measure_label(measure: str | Measure, values: Sequence[float] = ()) -> str:
    """The name of a measure with the unit in which these values are read."""
    return with_unit(measure_name(measure), unit_of(measure, values)[0])
