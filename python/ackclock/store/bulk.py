"""Many runs at once: those that are in no part yet, and all those of a part, for which a query each would take long."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import duckdb
import numpy as np
from arro3.core import Array
from arro3.core import Table as ArrowTable

from ackclock.base.table import Table
from ackclock.store.asked import asked
from ackclock.store.database import ask, literal
from ackclock.store.layout import StoreError, read
from ackclock.store.packed import DamagedRunError, unbatch, unpack
from ackclock.store.parts import run_table
from ackclock.store.runs import Holders
from ackclock.store.sound import wrong_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ackclock.store.asked import Sweep
    from ackclock.store.layout import Layout
    from ackclock.store.packed import Packed
    from ackclock.store.parts import Part

__all__ = ["by_run", "check_columns", "make_runs", "pending_runs"]


def pending_runs(layout: Layout) -> Iterator[tuple[str, Packed]]:
    """The finished runs that are in no part, by their keys."""
    for path in layout.batches():
        # What has gone became part of parts; what is damaged has not finished, and the next start runs it again.
        with suppress(FileNotFoundError):
            for data in unbatch(read(path)):
                with suppress(DamagedRunError):
                    packed = unpack(data)
                    yield packed.record["run"], packed


def by_run(rows: ArrowTable) -> dict[str, Table]:
    """The rows of each run, in the order in which they are in `rows`, without the column ``run``.

    Runs that follow each other, as in every part that ackclock writes, share the memory of `rows`.
    """
    keys = np.asarray(rows.column("run").to_pylist(), dtype=object)
    bare = rows.select([name for name in rows.column_names if name != "run"]).combine_chunks()
    edges = [0, *(np.flatnonzero(keys[1:] != keys[:-1]) + 1).tolist(), keys.size] if keys.size else []
    found: dict[str, list[tuple[int, int]]] = {}
    for begin, end in pairwise(edges):
        found.setdefault(str(keys[begin]), []).append((begin, end))
    return {run: Table(_of(bare, stretches)) for run, stretches in found.items()}


def _of(rows: ArrowTable, stretches: list[tuple[int, int]]) -> ArrowTable:
    if len(stretches) == 1:
        [(begin, end)] = stretches
        return rows.slice(begin, end - begin)
    places = Array.from_numpy(np.concatenate([np.arange(*one, dtype=np.int64) for one in stretches]))
    return ArrowTable.from_batches([batch.take(places) for batch in rows.to_batches()], schema=rows.schema)


def make_runs(
    path: Path,
    connection: duckdb.DuckDBPyConnection,
    sweeps: Sequence[Sweep],
    parts: Sequence[Part],
    pending: Sequence[Packed],
) -> None:
    """Makes the table of runs of a store: what its sweeps asked for, and what came of it.

    Raises
    ------
    StoreError
        If a part has no table of runs that can be read.
    """
    connection.register("_pending_records", run_table(pending))
    holders = Holders([part.runs for part in parts])
    make = "CREATE TABLE runs AS"
    # Joining all runs at once would need the memory of all of them several times.
    for keys, table in asked(sweeps):
        files = ", ".join(literal(str(parts[part].table("runs"))) for part in holders.of(keys))
        done = f"SELECT * FROM read_parquet([{files}]) UNION ALL BY NAME " if files else ""  # noqa: S608
        if files:
            check_columns(path, connection, "runs", f"FROM read_parquet([{files}]) LIMIT 0")
        connection.register("_asked", table)
        query = (
            f"{make} SELECT _asked.* EXCLUDE (scenario_hash, version), "  # noqa: S608
            "coalesce(_records.status, 'missing') AS status, _records.error, _records.details, "
            "_asked.scenario_hash, _asked.version, _records.duration_s "
            f"FROM _asked LEFT JOIN ({done}SELECT * FROM _pending_records) AS _records USING (run) ORDER BY place"
        )
        ask(path, connection, partial(duckdb.DuckDBPyConnection.execute, query=query))
        make = "INSERT INTO runs"


def check_columns(path: Path, connection: duckdb.DuckDBPyConnection, table: str, query: str) -> None:
    """Sees that what a query gives of a table of a store has the columns of this table.

    Raises
    ------
    StoreError
        If a column is missing or has another type, as in a file that ackclock did not write.
    """
    found = ask(f"{path}: table {table}", connection, lambda database: database.sql(query))
    wrong = wrong_column(table, {column: str(kind) for column, kind in zip(found.columns, found.types, strict=True)})
    if wrong is not None:
        raise StoreError(f"{path}: table {table}: damaged: column {wrong} is missing or of another type")
