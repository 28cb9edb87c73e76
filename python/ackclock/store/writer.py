"""Writing a sweep's runs: each is safe once it has finished, and parts come out the same however often it stops."""

from __future__ import annotations

import math
import os
import shutil
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ackclock.base import files
from ackclock.store.layout import Layout, StoreError, is_number, on_disk, read, writing
from ackclock.store.packed import LENGTH_BYTES, DamagedRunError, batch, unbatch, unpack
from ackclock.store.parts import UnreadableError, damage, read_part, write_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ackclock.store.packed import Packed
    from ackclock.store.parts import Part

__all__ = ["PART_BYTES", "PART_RUNS", "Writer", "open_writer"]

PART_RUNS = 512
PART_BYTES = 32 << 20
"""A part is complete with so many runs, or so many bytes of finished runs: both follow from the sweep alone."""

TOGETHER_S = 0.1
"""Runs that finish within it share a file on disk."""


class Writer:
    """The one who adds runs to a store. Made by `open_writer`."""

    def __init__(self, layout: Layout, sweep: str) -> None:
        self._layout = layout
        self._sweep = sweep
        self._own: dict[int, Part] = {}
        self._elsewhere: set[str] = set()
        self._pending: dict[str, tuple[int, int]] = {}
        """Run to its batch and its bytes."""
        self._batches: dict[int, set[str]] = {}
        """Batch to the runs in it that are in no part."""
        self._next = 1
        self._buffer: dict[str, bytes] = {}
        self._kept_at = -math.inf
        self._number = 0
        self._begin(0)
        self.warnings: list[str] = []
        """Messages on damaged runs, which are made again."""

    def has(self, run: str) -> bool:
        """Whether a run has finished before, in this sweep or another."""
        return run in self._elsewhere or run in self._pending or run in self._buffer

    def describe(self, document: dict[str, Any]) -> None:
        """Says what the sweep asks for; again when it asks for more."""
        with on_disk(self._layout):
            files.write_json(self._layout.sweeps / f"{self._sweep}.json", document)
            sweeps = self._layout.sweep_ids()
            if self._sweep not in sweeps:
                self._layout.write_manifest([*sweeps, self._sweep])

    def add(self, run: str, data: bytes) -> None:
        """Takes a packed run; `keep` puts it on disk."""
        self._buffer[run] = data

    def keep(self, *, now: bool = False) -> None:
        """Puts what was added on disk: from then on nothing that ends this process loses it.

        Syncing costs milliseconds, so runs that finish within a tenth of a second share one file; `now` does not wait.
        """
        if not self._buffer or (not now and time.monotonic() - self._kept_at < TOGETHER_S):
            return
        number = self._next
        self._next += 1
        path = self._layout.batch(number)
        partial = path.with_name(f".{path.name}.partial")
        with on_disk(self._layout):
            try:
                with partial.open("wb") as file:
                    file.write(batch(self._buffer.values()))
                    file.flush()
                    os.fsync(file.fileno())
                partial.rename(path)
            except BaseException:
                with suppress(OSError):
                    partial.unlink(missing_ok=True)
                raise
        self._batches[number] = set(self._buffer)
        self._pending |= {run: (number, len(data)) for run, data in self._buffer.items()}
        self._buffer.clear()
        self._kept_at = time.monotonic()

    def advance(self, order: Sequence[str], *, end: bool) -> None:
        """Turns pending runs into parts, as far as the sweep's order is complete; with `end` down to the last run."""
        while True:
            if (part := self._own.get(self._number)) is not None:
                self._number += 1
                self._begin(part.end)
                continue
            cut = self._cut(order, end=end)
            if cut is None:
                return
            self._write(*cut)

    def _begin(self, position: int) -> None:
        """The next part begins at this place of the order."""
        self._position = self._seen = position
        self._gathered: dict[str, None] = {}
        """Runs of the next part, as far as the order was looked through without meeting one that is missing."""
        self._gathered_bytes = 0

    def _cut(self, order: Sequence[str], *, end: bool) -> tuple[int, list[str]] | None:
        """The place after the next part, and the runs in it, once all of them have finished."""
        later = [part.first for number, part in self._own.items() if number > self._number]
        limit = min(later, default=len(order))
        for place in range(self._seen, limit):
            run = order[place]
            if run not in self._gathered and run not in self._elsewhere:
                if run not in self._pending:
                    return None
                self._gathered[run] = None
                self._gathered_bytes += self._pending[run][1]
            self._seen = place + 1
            if len(self._gathered) == PART_RUNS or self._gathered_bytes >= PART_BYTES:
                return place + 1, list(self._gathered)
        return (limit, list(self._gathered)) if self._gathered and (later or end) else None

    def _write(self, end: int, runs: list[str]) -> None:
        with on_disk(self._layout):
            packed = self._read(runs)
            part = write_part(self._layout.part(self._sweep, self._number), self._position, end, packed)
            self._own[self._number] = part
            self._elsewhere.update(runs)
            for run in runs:
                del self._pending[run]
            # An interrupt may have left a run in two files.
            for left in self._batches.values():
                left.difference_update(runs)
            for number in [number for number, left in self._batches.items() if not left]:
                self._layout.batch(number).unlink()
                del self._batches[number]

    def _read(self, runs: list[str]) -> list[Packed]:
        """Pending runs, in this order."""
        wanted, found = set(runs), {}
        for number in sorted({self._pending[run][0] for run in runs}):
            for data in unbatch(read(self._layout.batch(number))):
                packed = unpack(data)
                if packed.record["run"] in wanted:
                    found[packed.record["run"]] = packed
        return [found[run] for run in runs]

    def recover(self) -> None:
        """Takes stock of what is there: what was half done goes, what is damaged too, with a warning."""
        with on_disk(self._layout):
            for path in self._layout.half_written():
                path.unlink()
            for folder in (self._layout.sweeps, self._layout.parts, self._layout.pending, self._layout.provenance):
                folder.mkdir(exist_ok=True)
                for entry in folder.iterdir():
                    if entry.name.startswith("."):
                        _remove(entry)
            for path in sorted(self._layout.parts.iterdir()):
                part = self._sound(path)
                if part is not None:
                    self._elsewhere.update(part.runs)
                    sweep, _, number = path.name.rpartition("-")
                    if sweep == self._sweep and is_number(number):
                        self._own[int(number)] = part
            batches = self._layout.batches()
            self._next = 1 + max((int(path.stem) for path in batches), default=0)
            for path in batches:
                self._take_pending(path)

    def _sound(self, path: Path) -> Part | None:
        """A part, unless it is damaged: then it goes. A part that the disk does not give back stays."""
        try:
            part = read_part(path)
            wrong = damage(part)
        except UnreadableError:
            raise
        except StoreError as error:
            wrong = str(error)
        if wrong is None:
            return part
        self.warnings.append(f"{wrong}: removed, its runs are run again")
        # A name that the next start removes, should this one end half way.
        doomed = path.with_name(f".{path.name}.damaged")
        path.rename(doomed)
        _remove(doomed)
        return None

    def _take_pending(self, path: Path) -> None:
        """Takes over the runs of a batch that are in no part; a batch that is damaged is written anew without them."""
        data = read(path)
        sound: dict[str, bytes] = {}
        size = 0
        for one in unbatch(data):
            size += len(one) + LENGTH_BYTES
            with suppress(DamagedRunError):
                sound[unpack(one).record["run"]] = one
        whole = len(batch(sound.values())) == size == len(data)
        if not whole:
            self.warnings.append(f"{path}: damaged: what was in it is run again, but for {len(sound)} runs")
        left = {run: one for run, one in sound.items() if run not in self._elsewhere}
        if whole and left:
            number = int(path.stem)
            self._batches[number] = set(left)
            self._pending |= {run: (number, len(one)) for run, one in left.items()}
            return
        # Its parts were written, and the process ended before this was removed; or what is sound gets a new file.
        self._buffer |= left
        self.keep(now=True)
        path.unlink()


@contextmanager
def open_writer(root: Path, sweep: str) -> Iterator[Writer]:
    """Opens a store to write a sweep into; makes it where there is none.

    Raises
    ------
    StoreError
        If another process writes to it, it cannot be written, its format is a later one, or the folder is no store.
    """
    layout = Layout(root)
    made = _prepare(layout)
    with writing(layout):
        try:
            if not layout.manifest.exists():
                with on_disk(layout):
                    layout.write_manifest([])
            with on_disk(layout):
                layout.upgrade()
            writer = Writer(layout, sweep)
            writer.recover()
            yield writer
        except BaseException:
            # Under the lock: another process may have been the first in the folder that this one made.
            if made and not layout.manifest.exists():
                shutil.rmtree(root, ignore_errors=True)
            raise


def _prepare(layout: Layout) -> bool:
    """Makes the folder, and says whether it did."""
    root = layout.root
    try:
        if root.exists():
            if not root.is_dir():
                raise StoreError(f"{root} exists and is not a folder")
            ours = {layout.lock, *layout.half_written()}
            foreign = next((entry for entry in sorted(root.iterdir()) if entry not in ours), None)
            if foreign is not None and not layout.manifest.exists():
                what = (
                    "the results of a run" if (root / files.MARKER).exists() else f"what is no store ({foreign.name})"
                )
                raise StoreError(f"{root} holds {what}; name another folder")
            if not os.access(root, os.W_OK | os.X_OK):
                raise StoreError(f"{root}: cannot be written: Permission denied")
            return False
        root.mkdir(parents=True)
    except FileExistsError as error:
        if not root.exists():
            raise StoreError(f"{root}: cannot be written: {error.strerror}") from None
        # Another process made it in between.
        return _prepare(layout)
    except OSError as error:
        raise StoreError(f"{root}: cannot be written: {error.strerror}") from None
    return True


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
