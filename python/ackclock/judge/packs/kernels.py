"""Comparing a run of a kernel with others of the same inputs: measure by measure, by the spread that they have here.

A run in real time gives other numbers each time. The verifier therefore repeats it several times. A number of the pack
is equivalent if it lies in the prediction interval of one more such run. With the mean m and the standard deviation s
of n repetitions, the interval is m ± t s √(1 + 1/n), where t is the quantile of Student's distribution with n - 1
degrees of freedom. A measure that does not vary here has to have the same value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.results.declared import KEYS
from ackclock.stats import student

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ackclock.base.table import Table
    from ackclock.results.result import Result

__all__ = ["COMPARED", "LEVEL", "REPEATS", "Measured", "compared", "not_compared"]

REPEATS = 5
"""Repetitions of a run of a kernel."""
LEVEL = 0.999
"""Probability that a measure of one more run lies in the interval, if the measure is normally distributed."""
COMPARED = ("flows", "links")
"""Tables whose numbers are compared: a row a flow, or a link."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure of a run of a kernel, in the pack and here."""

    name: str
    """Name of the measure, such as ``flows[one].goodput_bps``."""
    packed: float
    mean: float
    """The mean over the repetitions."""
    half_width: float
    """Half the width of the prediction interval."""

    @property
    def equivalent(self) -> bool:
        """Whether the number of the pack lies in the interval."""
        if math.isnan(self.packed) or math.isnan(self.mean):
            return math.isnan(self.packed) and math.isnan(self.mean)
        # Sums of equal numbers may differ in the last digit.
        return abs(self.packed - self.mean) <= self.half_width + 1e-12 * abs(self.mean)

    def __str__(self) -> str:
        return f"{self.name} is {self.packed:.6g} in the pack, and {self.mean:.6g} ± {self.half_width:.3g} here"


def compared(packed: Result, repeated: Sequence[Result]) -> list[Measured]:
    """Every number of the tables `COMPARED`; rows or columns that one side lacks are NaN there."""
    there = dict(_numbers(packed))
    here = [dict(_numbers(one)) for one in repeated]
    names = dict.fromkeys([*there, *(name for one in here for name in one)])
    found = []
    for name in names:
        values = np.array([one.get(name, math.nan) for one in here])
        spread = 0.0 if len(values) < 2 or np.ptp(values) == 0 else float(np.std(values, ddof=1))
        half = _quantile(len(values)) * spread * math.sqrt(1 + 1 / len(values)) if spread else 0.0
        found.append(Measured(name, there.get(name, math.nan), float(np.mean(values)), half))
    return found


def not_compared(packed: Result, repeated: Sequence[Result]) -> list[str]:
    """The tables, and the columns of text, that `compared` says nothing of."""
    tables = {name for one in (packed, *repeated) for name in one.tables}
    return sorted(tables - {*COMPARED})


def _quantile(count: int) -> float:
    return student.quantile(count - 1, 0.5 + LEVEL / 2)


def _numbers(result: Result) -> Iterator[tuple[str, float]]:
    for table in COMPARED:
        if table in result.tables:
            yield from _of_table(table, result.tables[table])


def _of_table(name: str, table: Table) -> Iterator[tuple[str, float]]:
    (key,) = KEYS[name]
    for column in table.column_names:
        cells = np.asarray(table[column])
        if column == "run" or cells.dtype.kind not in "fiub":
            continue
        for label, cell in zip(table[key], cells.tolist(), strict=True):
            yield f"{name}[{label}].{column}", float(cell)
