"""Places of the files in a store, and rules for writers.

::

    ackclock-store.json     the manifest: the format, the version of ackclock that wrote it, and the sweeps in the order
                            in which they came
    sweeps/ID.json          what a sweep asked for: scenario, points, seeds
    parts/ID-00000/         up to 512 runs of a sweep, in its order: a Parquet file a table, and part.json
    pending/N.runs          finished runs, a few to a file, that are not in a part yet
    sources/SHA256          a file that scenarios of the sweeps name
    provenance/N.json       each start of a sweep: command, host, time, git revision
    lock                    held by the one who writes
"""

from __future__ import annotations

import os
import platform
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock._errors import RefusedError
from ackclock.base import files, locks, reading
from ackclock.base.documents import DocumentError, parse
from ackclock.base.near import near_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["COLUMNS", "FORMAT", "Layout", "StoreError", "is_number", "listed", "on_disk", "read", "writing"]

FORMAT = 2
"""Format of the folder. A store with a later format is refused.

Format 2 has the version of ackclock in the manifest. A store of format 1 is read; the next sweep that writes into it
makes it a store of format 2.
"""

OLDEST = 1
"""Oldest format that is read."""

COLUMNS = (
    "place", "run", "sweep", "point", "seed", "status", "error", "details", "scenario_hash", "version", "duration_s",
)  # fmt: skip
"""Columns of the table of runs besides the varied fields, which cannot have these names."""

MANIFEST = files.STORE

NAME = re.compile(r"[0-9A-Za-z_-]+")
"""Name of a sweep's document."""

MOST_STORES = 8
"""Stores inside a folder that a message names."""

LONGEST_VERSION = 64
"""Characters of a version that a message shows."""


class StoreError(RefusedError):
    """A store cannot be read or written; the message says which, why, and what can be done."""

    code = "ACK031"


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of a store."""

    root: Path

    @property
    def manifest(self) -> Path:
        """Its presence makes a folder a store."""
        return self.root / MANIFEST

    @property
    def sweeps(self) -> Path:
        """Folder of the requested sweeps."""
        return self.root / "sweeps"

    @property
    def parts(self) -> Path:
        """Runs in Parquet."""
        return self.root / "parts"

    @property
    def pending(self) -> Path:
        """Runs that wait for their part to be complete."""
        return self.root / "pending"

    @property
    def provenance(self) -> Path:
        """Folder with the records of who ran which command, where and when."""
        return self.root / "provenance"

    @property
    def sources(self) -> Path:
        """Files that scenarios name, each under its SHA-256."""
        return self.root / "sources"

    @property
    def lock(self) -> Path:
        """Names the process that writes."""
        return self.root / "lock"

    def part(self, sweep: str, number: int) -> Path:
        """The folder of a part."""
        return self.parts / f"{sweep}-{number:05}"

    def batch(self, number: int) -> Path:
        """A file of pending runs."""
        return self.pending / f"{number:08}.runs"

    def batches(self) -> list[Path]:
        """The files of pending runs, in the order in which they were written; raises as `listed`."""
        return [path for path in listed(self.pending) if path.suffix == ".runs" and is_number(path.stem)]

    def half_written(self) -> list[Path]:
        """Manifests that a process was writing when it was killed."""
        return sorted(self.root.glob(f".{MANIFEST}.*"))

    def sweep_ids(self) -> list[str]:
        """The sweeps of the store, in the order in which they came.

        Raises
        ------
        StoreError
            If this is no store, or one of a later format.
        """
        return self._read_manifest()[1]

    def upgrade(self) -> None:
        """Makes a store of an earlier format one of the present format; changes no other store.

        Raises
        ------
        StoreError
            If this is no store, or one of a later format.
        """
        given, sweeps = self._read_manifest()
        if given < FORMAT:
            self.write_manifest(sweeps)

    def _read_manifest(self) -> tuple[int, list[str]]:
        """The format and the sweeps."""
        try:
            manifest: Any = parse(reading.contents(self.manifest))
        except FileNotFoundError:
            if (self.root / "summary.json").is_file():
                raise StoreError(
                    f"{self.root}: what `ackclock run` wrote, no store; `ackclock sweep SCENARIO --out FOLDER` makes "
                    "one, of a single run too"
                ) from None
            raise StoreError(
                f"{self.root}: no store; `ackclock sweep SCENARIO --out {self.root}` makes one{self._near()}"
            ) from None
        except NotADirectoryError:
            raise StoreError(f"{self.root}: a file, and no store; a store is a folder, such as out/NAME") from None
        except OSError as error:
            raise StoreError(f"{self.manifest}: cannot be read: {error.strerror}") from None
        except DocumentError as error:
            raise StoreError(f"{self.manifest}: damaged: {error}") from None
        given = manifest.get("format") if isinstance(manifest, dict) else None
        if isinstance(given, int) and given > FORMAT:
            writer = manifest.get("version")
            named = isinstance(writer, str) and writer.isprintable()
            reader = f"ackclock {writer[:LONGEST_VERSION]}" if named else "that version"
            raise StoreError(
                f"{self.root}: written by a later ackclock, in format {given}; ackclock {_core.version()} reads "
                f"formats {OLDEST} to {FORMAT}: read the store with {reader} or later"
            )
        if type(given) is not int or given < OLDEST or not isinstance(manifest.get("sweeps"), list):
            raise StoreError(f"{self.manifest}: damaged: it names no format and sweeps")
        sweeps = [str(one) for one in manifest["sweeps"]]
        if not all(NAME.fullmatch(one) for one in sweeps):
            # These names become paths.
            raise StoreError(f"{self.manifest}: damaged: it names sweeps by more than letters and digits")
        return given, sweeps

    def _near(self) -> str:
        """The end of a message about a folder that is no store: the stores inside, or one of a similar name."""
        inside = [path.parent for path in sorted(self.root.glob(f"*/{MANIFEST}"))[:MOST_STORES]]
        if inside:
            return f"; it holds the stores {', '.join(map(str, inside))}"
        return near_path(self.root, "*") if not self.root.exists() else ""

    def write_manifest(self, sweeps: list[str]) -> None:
        """Replaces the manifest, whole or not at all."""
        document = {"written_by": "ackclock", "version": _core.version(), "format": FORMAT, "sweeps": sweeps}
        files.write_json(self.manifest, document)


def is_number(name: str) -> bool:
    """Whether the name of a file is a whole number."""
    return name.isascii() and name.isdecimal() and len(name) < LONGEST_NUMBER


LONGEST_NUMBER = 18
"""Digits of the number of a file."""


def listed(folder: Path) -> list[Path]:
    """The entries of a folder in order, without half-written ones; none where there is no such folder.

    Raises
    ------
    StoreError
        If the folder cannot be read.
    """
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(f"{folder}: cannot be read: {error.strerror}") from None


def read(path: Path) -> bytes:
    """The bytes of a file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    StoreError
        If the file cannot be read.
    """
    try:
        return reading.contents(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None


@contextmanager
def on_disk(layout: Layout) -> Iterator[None]:
    """Around every change of a store that a sweep is writing.

    Raises
    ------
    StoreError
        Instead of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{layout.root}: cannot be written: {error.strerror or error}; "
            "what has finished is kept, and the same command goes on from there"
        ) from error


@contextmanager
def writing(layout: Layout) -> Iterator[None]:
    """Holds the store's lock, which one process at a time can; it ends with the process, whatever ends that.

    Raises
    ------
    StoreError
        If another process holds it, or the folder cannot be written.
    """
    try:
        descriptor = os.open(layout.lock, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise StoreError(f"{layout.root}: cannot be written: {error.strerror}") from None
    try:
        try:
            locks.take(descriptor)
        except BlockingIOError:
            holder = os.read(descriptor, 200).decode(errors="replace").strip()
            raise StoreError(
                f"{layout.root}: another sweep is writing to it{f' ({holder})' if holder else ''}; "
                "wait for it, or name another folder"
            ) from None
        with on_disk(layout):
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"process {os.getpid()} on {platform.node()}".encode())
        yield
        # The lock counts, not the name in it, which the next holder replaces.
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)
