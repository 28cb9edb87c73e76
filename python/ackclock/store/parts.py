"""Parts: runs that follow each other in a sweep, as a folder of Parquet files that appears at once."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any

from arro3.core import Array, ChunkedArray, DataType, Field, RecordBatch, Schema
from arro3.core import Table as ArrowTable
from arro3.io import write_parquet

from ackclock.base import files, reading
from ackclock.base.documents import parse
from ackclock.results.declared import TABLES
from ackclock.store.layout import StoreError
from ackclock.store.packed import is_table
from ackclock.store.runs import Keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from ackclock.store.packed import Packed

__all__ = ["COMPRESSION", "Part", "UnreadableError", "damage", "read_part", "run_table", "stacked", "write_part"]

COMPRESSION = "zstd(3)"
DESCRIPTION = "part.json"
REMEDY = "the sweep, started again, makes this part anew"

_TEXT, _NUMBER, _COUNT = DataType.string(), DataType.float64(), DataType.uint64()

RECORD_TYPES = {
    "run": _TEXT,
    "scenario_hash": _TEXT,
    "seed": _COUNT,
    "version": _TEXT,
    "name": _TEXT,
    "duration_s": _NUMBER,
    "status": _TEXT,
    "error": _TEXT,
    "details": _TEXT,
}
"""Columns of the records of runs."""


class UnreadableError(StoreError):
    """The system refuses to read a file of a part. Its bytes may be sound, so that the part is not thrown away."""

    code = "ACK032"

    def __init__(self, part: Path, file: object, error: OSError) -> None:
        super().__init__(
            f"{file}: cannot be read: {error.strerror}; if that lasts, move {part} out of the store, and {REMEDY}"
        )


GONE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)
"""Errors that say that a file of a part is missing."""


@dataclass(frozen=True, slots=True)
class Part:
    """The description that a part holds of itself."""

    path: Path
    first: int
    """The place of its first run in the order of its sweep."""
    end: int
    """The place after its last run."""
    runs: Keys
    """The runs in it: those of these places that were nowhere else."""
    files: dict[str, dict[str, Any]]
    """Name to bytes and sha256."""

    @property
    def tables(self) -> list[str]:
        """The tables in it."""
        return [name.removesuffix(".parquet") for name in self.files]

    def table(self, name: str) -> Path:
        """The file of a table."""
        return self.path / f"{name}.parquet"


def stacked(tables: Iterable[tuple[str, ArrowTable]]) -> ArrowTable:
    """Tables of runs below each other with a column ``run`` in front; a column that some lack is empty in theirs."""
    found = [(run, table) for run, table in tables]
    first = found[0][1].schema if found else None
    if first is not None and all(table.schema == first for _, table in found):
        runs = [run for run, table in found for _ in range(table.num_rows)]
        whole = ArrowTable.from_batches([part for _, table in found for part in table.to_batches()], schema=first)
        column = ChunkedArray([Array(runs, type=_TEXT)])
        return whole.add_column(0, Field("run", _TEXT), column).combine_chunks()
    fields: dict[str, DataType] = {}
    for _, table in found:
        for name in table.column_names:
            field = table.schema.field(name)
            if fields.setdefault(name, field.type) != field.type:
                raise StoreError(
                    f"column {field.name} has type {fields[field.name]} in one run, {field.type} in another"
                )
    columns: dict[str, list[Array]] = {name: [] for name in ["run", *fields]}
    for run, table in found:
        columns["run"].append(Array([run] * table.num_rows, type=_TEXT))
        for name, kind in fields.items():
            if name in table.column_names:
                columns[name] += table.column(name).chunks
            else:
                columns[name].append(Array([None] * table.num_rows, type=kind))
    kinds = {"run": _TEXT, **fields}
    schema = Schema([Field(name, kind) for name, kind in kinds.items()])
    arrays = [ChunkedArray(columns[name], type=kind) for name, kind in kinds.items()]
    return ArrowTable.from_arrays(arrays, schema=schema).combine_chunks()


def run_table(packed: Sequence[Packed]) -> ArrowTable:
    """The records of runs."""
    rows = [one.record for one in packed]
    arrays = [Array([row[name] for row in rows], type=kind) for name, kind in RECORD_TYPES.items()]  # type: ignore[literal-required]
    schema = Schema([Field(name, kind) for name, kind in RECORD_TYPES.items()])
    return ArrowTable.from_batches([RecordBatch.from_arrays(arrays, schema=schema)])


def described(name: str, table: ArrowTable) -> ArrowTable:
    """A table with the unit and the description of each declared column in the metadata of its schema."""
    declared = TABLES.get(name)
    columns = {column["name"]: column for column in declared["columns"]} if declared else {}
    fields = []
    # A table with the columns of its runs may have two columns of one name.
    for place, column in enumerate(table.column_names):
        field = table.schema.field(place)
        if column in columns:
            told = {"unit": columns[column]["unit"], "description": columns[column]["about"]}
            field = field.with_metadata({key: text for key, text in told.items() if text})
        fields.append(field)
    return table.with_schema(Schema(fields))


def write_part(path: Path, first: int, end: int, packed: Sequence[Packed]) -> Part:
    """Writes a part under another name, syncs it, and gives it its own. The same runs give the same bytes."""
    partial = path.with_name(f".{path.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    tables = {"runs": run_table(packed)}
    for name in sorted({name for one in packed for name in one.tables}):
        rows = stacked((one.record["run"], one.tables[name]) for one in packed if name in one.tables)
        tables[name] = described(name, rows)
    written: dict[str, dict[str, Any]] = {}
    for name, table in tables.items():
        file = partial / f"{name}.parquet"
        # In memory first: this writer panics when a disk is full.
        data = io.BytesIO()
        write_parquet(table, data, compression=COMPRESSION)
        with file.open("wb") as stream:
            stream.write(data.getbuffer())
            stream.flush()
            os.fsync(stream.fileno())
        digest = hashlib.sha256(data.getbuffer()).hexdigest()
        written[file.name] = {"bytes": data.getbuffer().nbytes, "sha256": digest}
    keys = [one.record["run"] for one in packed]
    document = {"first": first, "end": end, "runs": keys, "files": written}
    files.write_json(partial / DESCRIPTION, document)
    _sync(partial / DESCRIPTION)
    _sync(partial)
    partial.rename(path)
    _sync(path.parent)
    return Part(path, first, end, Keys(keys), written)


def read_part(path: Path) -> Part:
    """The description that a part holds of itself.

    Raises
    ------
    UnreadableError
        If the system refuses to read a file.
    StoreError
        If a file is missing, is damaged, or has not the size that the part says.
    """
    try:
        document = parse(reading.contents(path / DESCRIPTION))
        written = {
            str(name): {"bytes": index(one["bytes"]), "sha256": str(one["sha256"])}
            for name, one in dict(document["files"]).items()
        }
        runs = Keys(document["runs"])
        part = Part(path, index(document["first"]), index(document["end"]), runs, written)
        if not all(name.endswith(".parquet") and is_table(name.removesuffix(".parquet")) for name in part.files):
            # These names become paths and parts of queries: nobody's store is to say more with them than a name.
            raise StoreError(f"{path / DESCRIPTION}: damaged: it names files that are no tables; {REMEDY}")
        if "runs" not in part.tables:
            raise StoreError(f"{path / DESCRIPTION}: damaged: it has no table of runs; {REMEDY}")
        sizes = {name: (path / name).stat().st_size for name in part.files}
    except StoreError:
        raise
    except GONE as error:
        raise StoreError(f"{error.filename}: cannot be read: {error.strerror}; {REMEDY}") from None
    except OSError as error:
        raise UnreadableError(path, error.filename or path / DESCRIPTION, error) from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        raise StoreError(f"{path / DESCRIPTION}: damaged; {REMEDY}") from None
    for name, size in sizes.items():
        if size != part.files[name]["bytes"]:
            raise StoreError(f"{path / name}: {size} bytes, not the {part.files[name]['bytes']} written; {REMEDY}")
    return part


def damage(part: Part, tables: Iterable[str] | None = None) -> str | None:
    """The damage to the bytes of a part, or of some of its tables; None where there is none.

    Raises
    ------
    UnreadableError
        If the system refuses to read a file.
    """
    for name, written in part.files.items():
        if tables is not None and name.removesuffix(".parquet") not in tables:
            continue
        try:
            if _digest(part.path / name) != written["sha256"]:
                return f"{part.path / name}: damaged: not the bytes that were written; {REMEDY}"
        except GONE as error:
            return f"{part.path / name}: cannot be read: {error.strerror}; {REMEDY}"
        except OSError as error:
            raise UnreadableError(part.path, part.path / name, error) from None
    return None


def _digest(file: Path) -> str:
    with reading.opened(file) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sync(path: Path) -> None:
    """Has the system write a folder's list of files to the disk. Windows opens no folders and does this by itself."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
