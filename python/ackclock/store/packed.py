"""A finished run as one file: its record and its tables, whole or not at all.

The file is a ZIP without compression, its tables Arrow IPC streams, with the SHA-256 of it all behind it. The same run
gives the same bytes anywhere, so that what a worker far away sends is what a thread here would have written.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict, cast

from arro3.core import Table as ArrowTable
from arro3.io import read_ipc_stream, write_ipc_stream

from ackclock.base.documents import DocumentError, parse_object
from ackclock.base.table import Table
from ackclock.results.result import Meta, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from arro3.core.types import ArrowStreamExportable

__all__ = ["DamagedRunError", "Packed", "Record", "batch", "is_table", "pack", "unbatch", "unpack"]

RECORD = "run.json"
SUFFIX = ".arrow"
DIGEST_BYTES = 32
LENGTH_BYTES = 8


class DamagedRunError(ValueError):
    """The bytes are not those of a packed run."""

    code = "ACK033"


class Record(TypedDict):
    """The record of a run besides its tables."""

    run: str
    """Its key: scenario, seed, version of the engine, and what is kept of it."""
    scenario_hash: str
    seed: int
    version: str
    """The build: version and the first digits of the engine's digest, as in 0.1.0+1a2b3c4d."""
    name: str
    """The scenario's."""
    duration_s: float | None
    """Simulated time; None of a run that failed."""
    status: str
    """done or failed."""
    error: str | None
    """Reason of the failure, in one line."""
    details: str | None
    """The traceback of a failure in somebody's Python."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A run that was unpacked."""

    record: Record
    tables: Mapping[str, ArrowTable] = field(default_factory=dict)

    def result(self) -> Result:
        """The run as a result."""
        meta = Meta(
            name=self.record["name"],
            scenario_hash=self.record["scenario_hash"],
            version=self.record["version"],
            seed=self.record["seed"],
            duration_s=self.record["duration_s"] or 0.0,
        )
        return Result(meta, {name: Table(table) for name, table in self.tables.items()})


def pack(record: Record, tables: Mapping[str, ArrowStreamExportable]) -> bytes:
    """The bytes of a run."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        # A ZipInfo without a time has that of 1980: the bytes depend on the run alone.
        archive.writestr(zipfile.ZipInfo(RECORD), json.dumps(record, allow_nan=False, ensure_ascii=False))
        for name, table in sorted(tables.items()):
            stream = io.BytesIO()
            write_ipc_stream(table, stream, compression=None)
            archive.writestr(zipfile.ZipInfo(name + SUFFIX), stream.getbuffer())
    data = out.getvalue()
    return data + hashlib.sha256(data).digest()


def batch(runs: Iterable[bytes]) -> bytes:
    """Packed runs behind each other, each with its length before it."""
    return b"".join(part for data in runs for part in (len(data).to_bytes(LENGTH_BYTES, "little"), data))


def unbatch(data: bytes) -> Iterator[bytes]:
    """The packed runs of a batch; what is behind damage is not told from it, and left out."""
    place = 0
    while place < len(data):
        start = place + LENGTH_BYTES
        place = start + int.from_bytes(data[place:start], "little")
        if place > len(data):
            return
        yield data[start:place]


def unpack(data: bytes) -> Packed:
    """The run of some bytes.

    Raises
    ------
    DamagedRunError
        If they are not what `pack` made.
    """
    body, digest = data[:-DIGEST_BYTES], data[-DIGEST_BYTES:]
    if hashlib.sha256(body).digest() != digest:
        raise DamagedRunError("not a finished run: cut off or damaged")
    parts = _parts(body)
    record = _record(parts.pop(RECORD, b""))
    if not all(name.endswith(SUFFIX) and is_table(name.removesuffix(SUFFIX)) for name in parts):
        # These names become part of queries: nobody's store is to say more with them than a name.
        raise DamagedRunError("not a finished run: it names what is no table")
    return Packed(record, {name.removesuffix(SUFFIX): _table(part) for name, part in parts.items()})


def is_table(name: str) -> bool:
    """Whether a text is the name of a table."""
    return re.fullmatch(r"[a-z_][a-z0-9_]*", name) is not None


def _parts(body: bytes) -> dict[str, bytes]:
    """The files of the archive, which are neither compressed nor encrypted."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            found = archive.infolist()
            if len({one.filename for one in found}) < len(found) or any(one.compress_type for one in found):
                raise DamagedRunError("not a finished run: a file stands twice in it, or is compressed")
            return {one.filename: archive.read(one) for one in found}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise DamagedRunError(f"not a finished run: {error}") from None


def _record(text: bytes) -> Record:
    try:
        found = parse_object(text)
    except DocumentError as error:
        raise DamagedRunError(f"not a finished run: its record is {error}") from None
    record = {name: found.get(name) for name in Record.__annotations__}
    seed = record["seed"]
    kinds = [isinstance(record[name], str) for name in ("run", "scenario_hash", "version", "name")]
    kinds += [record[name] is None or isinstance(record[name], str) for name in ("error", "details")]
    kinds += [record["duration_s"] is None or type(record["duration_s"]) in (int, float)]
    if not all(kinds) or record["status"] not in ("done", "failed") or type(seed) is not int or not 0 <= seed < 2**64:
        raise DamagedRunError("not a finished run: its record lacks a value, or has one of another type")
    return cast("Record", record)


def _table(part: bytes) -> ArrowTable:
    try:
        return ArrowTable.from_arrow(read_ipc_stream(io.BytesIO(part)))
    except BaseException as error:
        # A panic of the reader arrives as a class of PyO3 that is no Exception and cannot be imported.
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise DamagedRunError("not a finished run: a table cannot be read") from None
        raise
