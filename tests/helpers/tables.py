"""Tables and results that no engine made, and their comparison."""

from __future__ import annotations

from arro3.core import Array, DataType
from arro3.core import Table as ArrowTable

from ackclock.result import Result
from ackclock.table import Table

TYPES = {int: DataType.int64(), float: DataType.float64(), str: DataType.string(), bool: DataType.bool()}


def make_table(**columns: list[object]) -> Table:
    """A table from lists; the first cell that is not None decides the type of a column."""
    arrays = {}
    for name, cells in columns.items():
        kind = next((type(cell) for cell in cells if cell is not None), float)
        arrays[name] = Array(cells, type=TYPES[kind])
    return Table(ArrowTable.from_pydict(arrays))


def make_result(seed: int, **tables: Table) -> Result:
    """A result that no engine made."""
    meta = {"name": "made", "scenario_hash": "0" * 16, "version": "0", "seed": seed, "duration_s": 5.0}
    return Result(meta, tables)


def same(first, second):
    """Whether two results have the same tables with the same cells."""
    return first.tables.keys() == second.tables.keys() and all(
        first.tables[name].equals(second.tables[name]) for name in first.tables
    )
