"""The changes that a forger makes: every field of every document, cells and rows of tables, texts, and whole files."""

from __future__ import annotations

import copy
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arro3.core import Array, ChunkedArray, Schema
from arro3.core import Table as ArrowTable
from arro3.io import read_parquet, write_parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["DOCUMENT", "Change", "Files", "changes", "dumped"]

Files = dict[str, bytes]
"""The files of a pack by their names."""
DOCUMENT = "ackclock-pack.json"


@dataclass(frozen=True)
class Change:
    """One change of a pack."""

    file: str
    """Kind of file, as in the table."""
    field: str
    """Path of the field, without numbers of list entries."""
    make: Callable[[Files], Files]


def changes(files: Files) -> Iterator[Change]:
    """Every change of a pack, each of one field alone.

    Of fields that have the same path but for the numbers of entries, as those of the points of a sweep, there are two.
    """
    seen: dict[tuple[str, str], int] = {}
    for one in _all(files):
        number = seen[one.file, one.field] = seen.get((one.file, one.field), 0) + 1
        if number <= ALIKE:
            yield one


ALIKE = 2
"""Fields with the same path that are changed."""


def _all(files: Files) -> Iterator[Change]:
    documents = {
        DOCUMENT: DOCUMENT,
        "store manifest": "store/ackclock-store.json",
        "sweep": _one(files, "store/sweeps/"),
        "part": _one(files, "/part.json"),
        "provenance": _one(files, "store/provenance/"),
    }
    for kind, name in documents.items():
        document = json.loads(files[name])
        for place, value in fields(document):
            yield Change(kind, _told(place), _set(name, place, value))
        for member in document:
            yield Change(kind, f"{member} removed", _set(name, (member,), None, remove=True))
        yield Change(kind, "member added", _set(name, ("extra",), 1))
    yield from _lists(documents["sweep"])
    for name in files:
        if name.endswith(".parquet"):
            yield from _cells(name, files[name])
    for name in ("README.md", _one(files, "scenarios/"), _one(files, "store/sources/")):
        yield Change(name.split("/")[-2] if "/" in name else name, "a digit", _digit(name))
        yield Change(name.split("/")[-2] if "/" in name else name, "removed", _without(name))
    for name in ("extra", "store/extra", "store/sources/" + "0" * 64, "scenarios/9-extra.toml", "wheel/extra.whl"):
        yield Change("file added", name.partition("000")[0], _with(name, b"x"))
    for name in [one for one in files if one.endswith(".parquet")]:
        yield Change("file removed", name.rpartition("/")[2], _without(name))


def fields(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every leaf of a document, with another value of the same type; of lists the first entry and the last."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from fields(one, (*at, name))
    elif isinstance(value, list):
        for number in sorted({0, len(value) - 1} if value else ()):
            yield from fields(value[number], (*at, number))
    else:
        yield at, _other(value)


def _other(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case None:
            return "forged"
        case str() if "5" in value:
            return value.replace("5", "6", 1)
        case str() if value[:1].isdecimal():
            return "9" + value[1:] if value[0] != "9" else "8" + value[1:]
    return f"{value}x"


def _told(place: tuple[str | int, ...]) -> str:
    """A path without numbers, and without names that are keys of runs or of packages."""
    parts = [str(one) for one in place if isinstance(one, str)]
    if parts[0] in ("results", "environment", "host", "failures", "files", "algorithms") and len(parts) > 1:
        parts = [parts[0], *("*" for _ in parts[1:])]
    return ".".join(parts)


def _one(files: Files, part: str) -> str:
    return next(name for name in files if part in name)


def _set(name: str, place: tuple[str | int, ...], value: Any, *, remove: bool = False) -> Callable[[Files], Files]:
    def make(files: Files) -> Files:
        document = json.loads(files[name])
        inside = document
        for one in place[:-1]:
            inside = inside[one]
        if remove:
            del inside[place[-1]]
        else:
            inside[place[-1]] = value
        return files | {name: dumped(name, document)}

    return make


def dumped(name: str, document: Any) -> bytes:
    """The bytes of a document as ackclock writes them."""
    if name == DOCUMENT:
        return (json.dumps(document, indent=1, sort_keys=True) + "\n").encode()
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _lists(name: str) -> Iterator[Change]:
    """Changes of the lists of a sweep: entries swapped, removed, and doubled."""

    def edited(change: Callable[[dict[str, Any]], object]) -> Callable[[Files], Files]:
        def make(given: Files) -> Files:
            document = json.loads(given[name])
            change(document)
            return given | {name: dumped(name, document)}

        return make

    def swap_labels(sweep: dict[str, Any]) -> None:
        one, other = sweep["points"][:2]
        one["params"], other["params"] = other["params"], one["params"]

    def swap_points(sweep: dict[str, Any]) -> None:
        sweep["points"][:2] = sweep["points"][1::-1]

    def swap_runs(sweep: dict[str, Any]) -> None:
        sweep["runs"][:2] = sweep["runs"][1::-1]

    def cut_runs(sweep: dict[str, Any]) -> None:
        del sweep["runs"][2:]

    def double_run(sweep: dict[str, Any]) -> None:
        sweep["runs"].append(copy.copy(sweep["runs"][0]))

    def cut_point(sweep: dict[str, Any]) -> None:
        del sweep["points"][1]
        sweep["runs"] = [run for run in sweep["runs"] if run[1] == 0]

    def fail(sweep: dict[str, Any]) -> None:
        for point in sweep["points"]:
            point["overrides"].append(["bottleneck.queue", '"0 packets"'])

    def as_kernel(sweep: dict[str, Any]) -> None:
        for point in sweep["points"]:
            point["backend"] = "linux:0123456789abcdef"

    def weigh(sweep: dict[str, Any]) -> None:
        for point in sweep["points"]:
            point["weight"] = 1.0

    for told, change in (
        ("labels swapped", swap_labels),
        ("points swapped", swap_points),
        ("runs swapped", swap_runs),
        ("runs left out", cut_runs),
        ("run doubled", double_run),
        ("point left out", cut_point),
        ("override that fails added", fail),
        ("backend of a kernel added", as_kernel),
        ("weights added", weigh),
    ):
        yield Change("sweep", told, edited(change))


def _cells(name: str, data: bytes) -> Iterator[Change]:
    """A cell of each column of a table, the order of rows, a row left out, a row doubled, and a description."""
    table = ArrowTable.from_arrow(read_parquet(io.BytesIO(data)))
    kind = name.rpartition("/")[2]

    def stored(changed: ArrowTable) -> Callable[[Files], Files]:
        def make(files: Files) -> Files:
            out = io.BytesIO()
            write_parquet(changed, out, compression="zstd(3)")
            return files | {name: out.getvalue()}

        return make

    for number, column in enumerate(table.column_names):
        field = table.schema.field(column)
        cells: list[Any] = list(table.column(column).to_pylist())
        if all(cell is None for cell in cells) and kind != "runs.parquet":
            continue
        place = next((at for at, cell in enumerate(cells) if cell is not None), 0)
        cells[place] = "forged" if cells[place] is None and "Utf8" in str(field.type) else _other(cells[place])
        if cells[place] == "forged" and "Utf8" not in str(field.type):
            cells[place] = 1.0
        made = ChunkedArray([Array(cells, type=field.type)])
        yield Change(kind, column, stored(table.set_column(number, field, made)))
    if table.num_rows > 1:
        rows = table.combine_chunks()
        yield Change(kind, "a row left out", stored(rows.slice(0, rows.num_rows - 1)))
        batches = [one for part in (rows.slice(0, 1), rows) for one in part.to_batches()]
        yield Change(kind, "a row doubled", stored(ArrowTable.from_batches(batches, schema=rows.schema)))
        turned = [one for at in range(rows.num_rows) for one in rows.slice(rows.num_rows - 1 - at, 1).to_batches()]
        yield Change(kind, "rows in another order", stored(ArrowTable.from_batches(turned, schema=rows.schema)))
    fields_ = [table.schema.field(column) for column in table.column_names]
    told = Schema([one.with_metadata({"unit": "forged", "description": "forged"}) for one in fields_])
    yield Change(kind, "unit and description", stored(table.with_schema(told)))


def _digit(name: str) -> Callable[[Files], Files]:
    def make(files: Files) -> Files:
        data = files[name]
        place = next((at for at, one in enumerate(data) if chr(one).isdecimal()), 0)
        return files | {name: data[:place] + (b"8" if data[place : place + 1] == b"9" else b"9") + data[place + 1 :]}

    return make


def _without(name: str) -> Callable[[Files], Files]:
    return lambda files: {one: data for one, data in files.items() if one != name}


def _with(name: str, data: bytes) -> Callable[[Files], Files]:
    return lambda files: files | {name: data}
