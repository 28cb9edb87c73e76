"""Result tables: Arrow inside, numpy, pandas, polars or pyarrow outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from arro3.core import Array, ChunkedArray, DataType, Field
from arro3.core import Table as ArrowTable

from ackclock.base.hooks import Hook
from ackclock.base.preview import preview

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    import pandas
    import polars
    import pyarrow
    from numpy.typing import NDArray

__all__ = ["Table", "stack"]

_html: Hook[[Sequence[str], Sequence[Sequence[object]]], object] = Hook("table.html")
_unit: Hook[[str], str] = Hook("column.unit")

PREVIEWED = 10
"""Rows that `print` shows of a table."""


class Table:
    """A table of named columns.

    It speaks Arrow's C stream interface, so ``polars.DataFrame(table)``, ``pyarrow.table(table)`` and
    ``duckdb.from_arrow(table)`` open it without copying. Units are in the column names: ``_s`` seconds, ``_ms``
    milliseconds, ``_bps`` bits per second; window and sequence columns are bytes. `print` shows the first ten rows, the
    units of the columns and the number of rows.
    """

    __slots__ = ("_arrow",)

    def __init__(self, arrow: ArrowTable) -> None:
        self._arrow = arrow

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._arrow.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._arrow.__arrow_c_schema__()

    def __len__(self) -> int:
        return self._arrow.num_rows

    @property
    def column_names(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self._arrow.column_names)

    def __contains__(self, column: object) -> bool:
        return column in self._arrow.column_names

    def __getitem__(self, column: str) -> NDArray[Any]:
        """A column as a numpy array. Empty cells are NaN in columns of numbers and None in the others."""
        if column not in self:
            raise KeyError(f"no column {column!r}; there are {', '.join(self.column_names) or 'none'}")
        return _to_numpy(self._arrow.column(column))

    def is_empty(self, column: str) -> bool:
        """Whether every cell of a column is empty; NaN is a value."""
        found: ChunkedArray = self._arrow.column(column)
        return found.null_count == len(found)

    def cells(self) -> Iterator[tuple[Any, ...]]:
        """The rows as tuples of Python values in the order of the columns; empty cells are None."""
        return zip(*(self._arrow.column(name).to_pylist() for name in self.column_names), strict=True)

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows as dicts of Python values; empty cells are None."""
        names = self.column_names
        return (dict(zip(names, cells, strict=True)) for cells in self.cells())

    def where(self, mask: NDArray[np.bool_]) -> Table:
        """The rows for which the mask, one truth value a row, is true."""
        import numpy as np

        if np.shape(mask) != (len(self),):
            raise ValueError(f"a mask of {len(self)} rows has {np.size(mask)} values")
        if not self.column_names:
            return self
        rows = Array.from_numpy(np.flatnonzero(mask))
        batches = self._arrow.combine_chunks().to_batches()
        return Table(ArrowTable.from_batches([batch.take(rows) for batch in batches], schema=self._arrow.schema))

    def equals(self, other: Table) -> bool:
        """Whether both hold the same columns with the same values."""
        return bool(self._arrow.combine_chunks() == other._arrow.combine_chunks())

    def to_arrow(self) -> pyarrow.Table:
        """Returns a ``pyarrow.Table`` that shares the memory. Needs pyarrow."""
        import pyarrow as pa

        return pa.table(self)

    def to_polars(self) -> polars.DataFrame:
        """Returns a ``polars.DataFrame``. Needs polars."""
        import polars as pl

        return pl.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a ``pandas.DataFrame``; empty cells in columns of numbers are NaN. Needs pandas."""
        import pandas as pd

        return pd.DataFrame({name: self[name] for name in self.column_names})

    def __reduce__(self) -> tuple[Callable[[list[_Packed]], Table], tuple[list[_Packed]]]:
        return _unpack, ([_pack(name, self._arrow.column(name)) for name in self.column_names],)

    def __repr__(self) -> str:
        names = self.column_names
        units = [_unit(name) for name in names]
        return preview(names, units, list(self._first(PREVIEWED)), len(self))

    def _first(self, count: int) -> Iterator[tuple[Any, ...]]:
        """The first rows as tuples; the other rows are not converted."""
        if not self.column_names:
            return iter(())
        return Table(self._arrow.slice(0, min(count, len(self)))).cells()

    def _repr_html_(self) -> str:
        shown = [list(cells) for cells in self._first(20)]
        note = f"<p>{len(self)} rows</p>" if len(self) > len(shown) else ""
        return str(_html(self.column_names, shown)) + note


def stack(tables: Sequence[Table], key: str, values: Sequence[int]) -> Table:
    """One table below the other, with a first column `key` that says which one a row is from."""
    batches = []
    schema = None
    for table, value in zip(tables, values, strict=True):
        column = Array([value] * len(table), type=DataType.uint64())
        keyed = table._arrow.add_column(0, Field(key, DataType.uint64()), ChunkedArray([column]))
        schema = keyed.schema
        batches += keyed.to_batches()
    if schema is None:
        raise ValueError("there is no table to stack")
    return Table(ArrowTable.from_batches(batches, schema=schema))


_Packed: TypeAlias = "tuple[str, str, NDArray[Any] | list[Any]]"
"""A column for pickle: its name, the name of its type, and its cells."""

_TYPES = {
    "int64": DataType.int64(),
    "uint64": DataType.uint64(),
    "float64": DataType.float64(),
    "bool": DataType.bool(),
    "string": DataType.string(),
}


def _pack(name: str, column: ChunkedArray) -> _Packed:
    kind = next(kind for kind, type_ in _TYPES.items() if type_ == column.type)
    numbers = kind in ("int64", "uint64", "float64") and column.null_count == 0
    return name, kind, column.to_numpy() if numbers else column.to_pylist()


def _unpack(columns: list[_Packed]) -> Table:
    import numpy as np

    arrays: dict[str, Any] = {
        name: Array.from_numpy(cells) if isinstance(cells, np.ndarray) else Array(cells, type=_TYPES[kind])
        for name, kind, cells in columns
    }
    return Table(ArrowTable.from_pydict(arrays))


def _to_numpy(column: ChunkedArray) -> NDArray[Any]:
    # A run that prints its tables needs no numpy, whose import takes longer than a short run.
    import numpy as np

    if column.type == DataType.string():
        return np.array(column.to_pylist(), dtype=object)
    if len(column) == 0:
        # arro3 makes no array of a column without chunks.
        return np.empty(0, next(kind for kind, type_ in _TYPES.items() if type_ == column.type))
    if column.null_count == 0:
        return np.asarray(column.to_numpy())
    return np.array(column.to_pylist(), dtype=object if column.type == DataType.bool() else np.float64)
