"""The archive: a zip file with the store, what its runs were made from, the wheel, and a digest of every result.

::

    ackclock-pack.json    format, version, environment, commands, and the digest of every table of every run
    README.md             how to repeat the experiment
    scenarios/NAME.toml   the scenarios as they were written, to be read
    store/                the whole store: `ackclock report`, `ackclock serve` and `ackclock.open` take it
    wheel/                ackclock itself
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import _core
from ackclock._errors import RefusedError
from ackclock.base.build import revision
from ackclock.judge.packs.wheel import MOMENT, wheel_of
from ackclock.results.measure import MEASURES
from ackclock.store import open_store
from ackclock.store.layout import Layout, listed
from ackclock.store.provenance import build, host

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ackclock.results.result import Result
    from ackclock.store import Store

__all__ = ["FORMAT", "PackError", "Packed", "digests", "pack", "read"]

FORMAT = 1
DOCUMENT = "ackclock-pack.json"
LARGEST = 64 * 2**30
"""Most bytes that an archive may have unpacked."""
NOT_PACKED = ("lock",)

README = """\
# {names}

This archive repeats an experiment that was run with ackclock {version}. It holds the scenarios, the files and the
congestion controls that they name, the results, and {wheel}.

To repeat every run and compare the results:

    python3 -m venv environment
    environment/bin/pip install {install}
    environment/bin/ackclock verify {file}

To look at the results, unpack the archive and open its store:

    environment/bin/ackclock ls store
    environment/bin/ackclock report store --out report

The commands that made the results:

{commands}
"""


class PackError(RefusedError):
    """An archive cannot be made or read; the message says why."""


@dataclass(frozen=True)
class Packed:
    """An archive that was written."""

    path: Path
    runs: int
    bytes: int
    wheel: str | None
    """The name of the wheel; None if the archive has none."""


def pack(store: Path, out: Path, *, wheel: Path | None = None, without_wheel: bool = False) -> Packed:
    """Writes everything that repeats the sweeps of a store into one archive.

    Parameters
    ----------
    store
        The folder of the store. All its runs have to have ended.
    out
        The archive, ``NAME.zip``; it must not exist.
    wheel
        The wheel of ackclock that is put in. By default, it is made of the installed files.
    without_wheel
        Leave ackclock itself out.

    Raises
    ------
    PackError
        If runs are missing, a congestion control is in no file, there is no wheel, or `out` cannot be written.
    StoreError
        If the store cannot be read.
    """
    if out.exists():
        raise PackError(f"{out} exists already; accepted: another name")
    if out.suffix != ".zip":
        raise PackError(f"{out}: accepted: a name that ends in .zip")
    with open_store(store, mixed=True, covered=True) as opened:
        _complete(opened)
        sweeps = [dict(one.document) for one in opened.sweeps]
        runs = {run: digests(opened.result(run)) for run in _done(opened)}
        failures = {row["run"]: row["error"] for row in opened.failures.rows()}
    layout = Layout(store)
    accounts = [json.loads(path.read_bytes()) for path in listed(layout.provenance) if path.stem.isdecimal()]
    commands = [" ".join(["ackclock", *account["command"][1:]]) for account in accounts]
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": build(),
        "engine": _core.engine(),
        "revision": revision(),
        "host": host(),
        "environment": environment(),
        "commands": commands,
        "sweeps": [{"id": one["id"], "name": one["name"]} for one in sweeps],
        "results": runs,
        "failures": failures,
    }
    try:
        with tempfile.TemporaryDirectory(prefix="ackclock-", dir=out.absolute().parent) as name:
            made = None if without_wheel else wheel_of(wheel, Path(name))
            document["wheel"] = None if made is None else made.name
            partial = Path(name) / "pack.zip"
            with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
                for path, data in _contents(store, sweeps, document, made, out.name):
                    archive.writestr(zipfile.ZipInfo(path, MOMENT), data, zipfile.ZIP_DEFLATED)
            partial.replace(out)
    except OSError as error:
        raise PackError(f"{out}: cannot be written: {error.strerror or error}") from None
    return Packed(out, len(runs) + len(failures), out.stat().st_size, document["wheel"])


def read(path: Path, folder: Path) -> dict[str, Any]:
    """Unpacks an archive into an empty folder and returns its document.

    Raises
    ------
    PackError
        If it is none, of a later format, or names files outside its folder.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(one.file_size for one in archive.infolist()) > LARGEST:
                raise PackError(f"{path}: is larger than {LARGEST // 2**30} GiB unpacked; accepted: a smaller archive")
            document: dict[str, Any] = json.loads(archive.read(DOCUMENT))
            if not isinstance(document, dict) or not isinstance(document.get("format"), int):
                raise PackError(f"{path}: is no pack of ackclock; accepted: what `ackclock pack` wrote")
            if document["format"] > FORMAT:
                raise PackError(
                    f"{path}: has format {document['format']}, and this version of ackclock knows {FORMAT}; accepted: "
                    f"ackclock {document.get('version', 'of the pack')}"
                )
            wrong = [one for one in archive.namelist() if one.startswith("/") or ".." in Path(one).parts]
            if wrong:
                raise PackError(f"{path}: has a file {wrong[0]!r}, which would lie outside its folder")
            archive.extractall(folder)
    except FileNotFoundError:
        raise PackError(f"{path}: no such file; accepted: what `ackclock pack` wrote") from None
    except (zipfile.BadZipFile, KeyError, ValueError, OSError) as error:
        raise PackError(
            f"{path}: is no pack of ackclock, or is damaged ({error}); accepted: what `ackclock pack` wrote"
        ) from None
    return document


def digests(result: Result) -> dict[str, str]:
    """The digest of every table of a run: of the names of its columns, and of all its cells in their order."""
    found = {}
    for name, table in result.tables.items():
        # The function of the user that took these numbers is not in a pack.
        if name == MEASURES:
            continue
        digest = hashlib.sha256()
        for column in sorted(set(table.column_names) - {"run"}):
            cells = np.asarray(table[column])
            digest.update(f"{column}\0{len(cells)}\0".encode())
            digest.update(_bytes(cells))
        found[name] = digest.hexdigest()
    return found


def _bytes(cells: np.typing.NDArray[Any]) -> bytes:
    match cells.dtype.kind:
        case "f":
            # Every number that is none is the same one.
            return np.where(np.isnan(cells), np.nan, cells).astype("<f8").tobytes()
        case "u":
            return cells.astype("<u8").tobytes()
        case "i" | "b":
            return cells.astype("<i8").tobytes()
        case _:
            return json.dumps([None if cell is None else str(cell) for cell in cells.tolist()]).encode()


def environment() -> dict[str, str]:
    """The distributions of Python that are installed, by name."""
    return dict(sorted((str(one.metadata["Name"]), str(one.version)) for one in metadata.distributions()))


def _complete(store: Store) -> None:
    if not store.complete:
        missing = len(store.runs) - store.finished
        raise PackError(f"{store.path}: {missing} runs are missing; accepted: to let the sweep run to its end first")
    for sweep in store.sweeps:
        document: Mapping[str, Any] = sweep.document
        if "algorithms" not in document:
            raise PackError(
                f"{store.path}: sweep {sweep.name} was made by a version that kept no files of its scenarios; "
                "accepted: to run the same sweep again, which repeats no run"
            )
        for source, text in document["algorithms"].items():
            if text is None:
                raise PackError(f"{sweep.name}: {source} is in no file; accepted: the class in a file of its own")


def _done(store: Store) -> Iterator[str]:
    yield from dict.fromkeys(row["run"] for row in store.runs.rows() if row["status"] == "done")


def _contents(
    store: Path, sweeps: list[dict[str, Any]], document: Mapping[str, Any], wheel: Path | None, file: str
) -> Iterator[tuple[str, bytes]]:
    """The files of the archive by their paths in it."""
    yield DOCUMENT, (json.dumps(document, indent=1, sort_keys=True) + "\n").encode()
    install = f"ackclock=={_core.version()}" if wheel is None else f"wheel/{wheel.name}"
    told = README.format(
        names=", ".join(one["name"] for one in sweeps),
        version=document["version"],
        wheel="ackclock itself" if wheel is not None else "no copy of ackclock itself",
        install=install,
        file=file,
        commands="\n".join(f"    {command}" for command in document["commands"]) or "    none are known",
    )
    yield "README.md", told.encode()
    texts = {text["text"]: text for one in sweeps for text in one["scenarios"]}
    for number, text in enumerate(texts.values()):
        name = Path(text["name"]).name or "scenario"
        yield f"scenarios/{number}-{Path(name).stem}.{text['format']}", text["text"].encode()
    for path in sorted(one for one in store.rglob("*") if one.is_file()):
        place = path.relative_to(store)
        if place.parts[0] not in NOT_PACKED:
            yield f"store/{place.as_posix()}", path.read_bytes()
    if wheel is not None:
        yield f"wheel/{wheel.name}", wheel.read_bytes()
