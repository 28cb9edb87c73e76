"""The archive: a zip file with the store, what its runs were made from, the wheel, and a digest of every result.

::

    ackclock-pack.json    format, version, environment, commands, and the digest of every table of every run
    README.md             how to repeat the experiment
    scenarios/NAME.toml   the scenarios as they were written, to be read
    store/                the whole store: `ackclock report`, `ackclock serve` and `ackclock.open` take it
    wheel/                ackclock itself
"""

from __future__ import annotations

import zipfile
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock._errors import RefusedError
from ackclock.base import files
from ackclock.base.build import revision
from ackclock.base.shown import one_line
from ackclock.base.workplace import sweep_up, workplace
from ackclock.judge.packs.contents import (
    DOCUMENT,
    README,
    commands_of,
    digests,
    document_of,
    readme,
    scenarios,
    written,
)
from ackclock.judge.packs.wheel import MOMENT, wheel_of
from ackclock.store import open_store
from ackclock.store.layout import MANIFEST, is_number
from ackclock.store.parts import DESCRIPTION
from ackclock.store.provenance import build, host

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ackclock.store import Store

__all__ = ["PackError", "Packed", "belongs", "pack"]


class PackError(RefusedError):
    """An archive cannot be made or read; the message says why."""

    code = "ACK061"


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
    prefix = f".{out.name[:50]}.partial-"
    if out.exists():
        # One that was killed at its very end has left an empty folder.
        with suppress(OSError):
            sweep_up(out.absolute().parent, prefix)
        raise PackError(f"{out} exists already; accepted: another name")
    if out.suffix != ".zip":
        raise PackError(f"{out}: accepted: a name that ends in .zip")
    with open_store(store, mixed=True, covered=True) as opened:
        _complete(opened)
        sweeps = [dict(one.document) for one in opened.sweeps]
        runs = {run: digests(one) for run, one in opened.results()}
        failures = {row["run"]: row["error"] for row in opened.failures.rows()}
        accounts = opened.provenance()
    about = {
        "version": build(),
        "engine": _core.engine(),
        "revision": revision(),
        "host": host(),
        "environment": environment(),
    }
    try:
        with workplace(out.absolute().parent, prefix) as folder:
            made = None if without_wheel else wheel_of(wheel, folder)
            named = None if made is None else made.name
            document = document_of(sweeps, runs, failures, commands_of(accounts, sweeps), named, about)
            partial = folder / "pack.zip"
            with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
                for path, data in _contents(store, sweeps, document, made):
                    archive.writestr(zipfile.ZipInfo(path, MOMENT), data, zipfile.ZIP_DEFLATED)
            files.place(partial, out)
    except FileExistsError:
        raise PackError(f"{out} exists already; accepted: another name") from None
    except OSError as error:
        raise PackError(f"{out}: cannot be written: {error.strerror or error}") from None
    return Packed(out, len(runs) + len(failures), out.stat().st_size, named)


def environment() -> dict[str, str]:
    """The distributions of Python that are installed, by name."""
    return dict(sorted((str(one.metadata["Name"]), str(one.version)) for one in metadata.distributions()))


def belongs(place: Path) -> bool:
    """Whether a path inside a store is one of the store's files that a pack holds."""
    match place.parts:
        case (name,):
            return name == MANIFEST
        case ("sweeps", name):
            return not name.startswith(".") and name.endswith(".json")
        case ("parts", part, name):
            return not part.startswith(".") and (name == DESCRIPTION or name.endswith(".parquet"))
        case ("pending", name):
            return name.endswith(".runs") and is_number(name.removesuffix(".runs"))
        case ("provenance", name):
            return name.endswith(".json") and is_number(name.removesuffix(".json"))
        case ("sources", name):
            return not name.startswith(".")
    return False


def _complete(store: Store) -> None:
    if not store.complete:
        missing = store.missing
        raise PackError(f"{store.path}: {missing} runs are missing; accepted: to let the sweep run to its end first")
    for sweep in store.sweeps:
        document: Mapping[str, Any] = sweep.document
        if sweep.version != build():
            raise PackError(
                f"{store.path}: sweep {one_line(sweep.name)} is of ackclock {one_line(sweep.version)}, and this is "
                f"{build()}; accepted: that version, or the same sweep run again"
            )
        if "algorithms" not in document or "request" not in document:
            raise PackError(
                f"{store.path}: sweep {sweep.name} was made by a version that kept no files of its scenarios; "
                "accepted: to run the same sweep again, which repeats no run"
            )
        for source, text in document["algorithms"].items():
            if text is None:
                raise PackError(f"{sweep.name}: {source} is in no file; accepted: the class in a file of its own")


def _contents(
    store: Path, sweeps: list[dict[str, Any]], document: Mapping[str, Any], wheel: Path | None
) -> Iterator[tuple[str, bytes]]:
    """The files of the archive by their paths in it."""
    yield DOCUMENT, written(document)
    yield README, readme(sweeps, document)
    yield from scenarios(sweeps)
    for path in sorted(one for one in store.rglob("*") if one.is_file()):
        place = path.relative_to(store)
        if belongs(place):
            yield f"store/{place.as_posix()}", path.read_bytes()
    if wheel is not None:
        yield f"wheel/{wheel.name}", wheel.read_bytes()
