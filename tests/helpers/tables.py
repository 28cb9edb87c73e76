"""Tables and results that no engine made, and their comparison."""

from __future__ import annotations

import numpy as np
from arro3.core import Array, DataType
from arro3.core import Table as ArrowTable

from ackclock.base.table import Table
from ackclock.results.result import Result

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


def sequence_of(count: int) -> Result:
    """A run of one flow that sends a segment each millisecond, of which every hundredth is dropped and sent again."""
    time = np.arange(count) / 1e3
    lost = np.arange(0, count, 100)
    kinds = ["sent"] * count + ["dropped"] * len(lost) + ["sent"] * len(lost)
    table = make_table(
        time_s=np.concatenate([time, time[lost] + 0.01, time[lost] + 0.05]).tolist(),
        flow=["one"] * len(kinds),
        side=["source"] * len(kinds),
        event=kinds,
        seq=[*range(0, 1448 * count, 1448), *(1448 * lost).tolist(), *(1448 * lost).tolist()],
        len=[1448] * len(kinds),
        ack=[None] * len(kinds),
        retransmission=[False] * (count + len(lost)) + [True] * len(lost),
    )
    return make_result(1, packets=table, flows=make_table(flow=["one"], cc=["reno"]))


def same(first, second):
    """Whether two results have the same tables with the same cells."""
    return first.tables.keys() == second.tables.keys() and all(
        first.tables[name].equals(second.tables[name]) for name in first.tables
    )
