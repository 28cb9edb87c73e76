"""Looking through the files of a store for what a reader of tables does not see: runs in two places, rows of no run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
from arro3.core import Schema
from arro3.core import Table as ArrowTable
from arro3.io import read_parquet

from ackclock.base.documents import parse_object
from ackclock.base.table import Table
from ackclock.store.database import ask
from ackclock.store.layout import Layout, listed, read
from ackclock.store.packed import DamagedRunError, unbatch, unpack
from ackclock.store.parts import DESCRIPTION, RECORD_TYPES, described, read_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from ackclock.store.parts import Part

__all__ = ["misplaced", "records"]


def records(root: Path) -> Iterator[dict[str, Any]]:
    """The record of every run in every file of a store; raises `StoreError` for a file that cannot be read."""
    layout = Layout(root)
    for path in listed(layout.parts):
        part = read_part(path)
        yield from _rows(part, "runs", ", ".join(f'"{name}"' for name in RECORD_TYPES))
    for path in layout.batches():
        for data in unbatch(read(path)):
            yield dict(unpack(data).record)


def misplaced(root: Path, orders: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """A sentence for everything in the files of a store that the writer of a store does not write.

    `orders` has the runs of each sweep, in their order.
    """
    layout = Layout(root)
    found: dict[str, str] = {}
    ends: dict[str, int] = {}
    for path in listed(layout.parts):
        part = read_part(path)
        written = parse_object(read(path / DESCRIPTION))
        if written != {"first": part.first, "end": part.end, "runs": [*part.runs], "files": part.files}:
            yield f"{path.name}: {DESCRIPTION} has members that nothing reads"
        yield from _of_part(part)
        for run in part.runs:
            if run in found:
                yield f"run {run} is in {found[run]} and in {path.name}"
            found[run] = path.name
        sweep = path.name.rpartition("-")[0]
        if sweep not in orders:
            yield f"{path.name} is of no sweep"
            continue
        stretch = orders[sweep][part.first : part.end]
        place_of = {run: place for place, run in reversed([*enumerate(stretch)])}
        places = [place_of.get(run, -1) for run in part.runs]
        inside = ends.get(sweep, 0) == part.first < part.end <= len(orders[sweep])
        if not inside or -1 in places or places != sorted(places):
            yield f"{path.name}: its runs are not those of its places in the sweep"
        ends[sweep] = part.end
    for path in layout.batches():
        data = read(path)
        if b"".join(len(one).to_bytes(8, "little") + one for one in unbatch(data)) != data:
            yield f"{path.name}: has bytes behind its runs"
        for one in unbatch(data):
            try:
                run = unpack(one).record["run"]
            except DamagedRunError as error:
                yield f"{path.name}: {error}"
                continue
            if run in found:
                yield f"run {run} is in {found[run]} and in {path.name}"
            found[run] = path.name


def _of_part(part: Part) -> Iterator[str]:
    """Reports everything in the files of a part that does not belong to its runs."""
    names = {path.name for path in listed(part.path)} - {*part.files, DESCRIPTION}
    if names:
        yield f"{part.path.name}: has a file {sorted(names)[0]} that it does not name"
    for name in part.tables:
        runs = {str(row["run"]) for row in _rows(part, name, "DISTINCT run")}
        if not runs <= {*part.runs} or (name == "runs" and len(runs) < len(part.runs)):
            yield f"{part.path.name}: table {name} has rows of other runs than the part's"
        table = ArrowTable.from_arrow(read_parquet(str(part.table(name))))
        bare = table.with_schema(Schema([table.schema.field(one).with_metadata({}) for one in table.column_names]))
        told = bare.schema if name == "runs" else described(name, bare).schema
        for column in table.column_names:
            if table.schema.field(column).metadata != told.field(column).metadata:
                yield f"{part.path.name}: table {name}: the unit or the description of {column} is not ackclock's"
    if [str(row["run"]) for row in _rows(part, "runs", "run")] != [*part.runs]:
        yield f"{part.path.name}: its table of runs has other runs than it names"


def _rows(part: Part, name: str, columns: str) -> list[dict[str, Any]]:
    file = str(part.table(name)).replace("'", "''")
    query = f"SELECT {columns} FROM read_parquet('{file}')"  # noqa: S608 -- names that `read_part` has checked
    with duckdb.connect() as connection:
        table = ask(part.path, connection, lambda database: ArrowTable.from_arrow(database.sql(query)))
    return list(Table(table).rows())
