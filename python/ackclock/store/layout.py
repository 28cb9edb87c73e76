"""Where things are in a store, and who may write.

::

    ackclock-store.json     the manifest: the format, and the sweeps in the order in which they came
    sweeps/ID.json          what a sweep asked for: scenario, points, seeds
    parts/ID-00000/         up to 512 runs of a sweep, in its order: a Parquet file a table, and part.json
    pending/N.runs          finished runs, a few to a file, that are not in a part yet
    provenance/N.json       each start of a sweep: command, host, time, git revision
    lock                    held by the one who writes
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock import files
from ackclock._errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["COLUMNS", "FORMAT", "Layout", "StoreError", "writing"]

FORMAT = 1
"""Of the folder. A store of a later one is refused."""

COLUMNS = (
    "place", "run", "sweep", "point", "seed", "status", "error", "details", "scenario_hash", "version", "duration_s",
)  # fmt: skip
"""Of the table of runs, beside what was varied, which can have none of these names."""

MANIFEST = "ackclock-store.json"


class StoreError(RefusedError):
    """A store cannot be read or written; the message says which, why, and what can be done."""


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
        """What was asked for."""
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
        """Who ran what, where and when."""
        return self.root / "provenance"

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
        """The files of pending runs, in the order in which they were written."""
        return sorted(self.pending.glob("[!.]*.runs"))

    def sweep_ids(self) -> list[str]:
        """The sweeps of the store, in the order in which they came.

        Raises
        ------
        StoreError
            If this is no store, or one of a later format.
        """
        try:
            manifest: Any = json.loads(self.manifest.read_text(encoding="utf-8"))
        except FileNotFoundError:
            if (self.root / "summary.json").is_file():
                raise StoreError(
                    f"{self.root}: what `ackclock run` wrote, no store; `ackclock sweep SCENARIO --out FOLDER` makes "
                    "one, of a single run too"
                ) from None
            raise StoreError(f"{self.root}: no store; `ackclock sweep SCENARIO --out {self.root}` makes one") from None
        except OSError as error:
            raise StoreError(f"{self.manifest}: cannot be read: {error.strerror}") from None
        except ValueError as error:
            raise StoreError(f"{self.manifest}: damaged: {error}") from None
        version = manifest.get("format") if isinstance(manifest, dict) else None
        if isinstance(version, int) and version > FORMAT:
            raise StoreError(
                f"{self.root}: written by a later ackclock, in format {version}; this one reads {FORMAT}: update it"
            )
        if version != FORMAT or not isinstance(manifest.get("sweeps"), list):
            raise StoreError(f"{self.manifest}: damaged: it names no format and sweeps")
        return [str(one) for one in manifest["sweeps"]]

    def write_manifest(self, sweeps: list[str]) -> None:
        """Replaces the manifest, whole or not at all."""
        files.write_json(self.manifest, {"written_by": "ackclock", "format": FORMAT, "sweeps": sweeps})


@contextmanager
def writing(layout: Layout) -> Iterator[None]:
    """Holds the store's lock, which one process at a time can; it ends with the process, whatever ends that.

    Raises
    ------
    StoreError
        If another process holds it, or the folder cannot be written.
    """
    import fcntl

    try:
        descriptor = os.open(layout.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise StoreError(f"{layout.root}: cannot be written: {error.strerror}") from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 200).decode(errors="replace").strip()
            raise StoreError(
                f"{layout.root}: another sweep is writing to it{f' ({holder})' if holder else ''}; "
                "wait for it, or name another folder"
            ) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()} on {os.uname().nodename}".encode())
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)
