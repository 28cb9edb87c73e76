"""Writing a sweep's runs: each is safe once it has finished, and parts come out the same however often it stops."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ackclock import files
from ackclock.store.layout import Layout, StoreError, writing
from ackclock.store.packed import DamagedRunError, unpack
from ackclock.store.parts import damage, read_part, write_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ackclock.store.parts import Part

__all__ = ["PART_BYTES", "PART_RUNS", "Writer", "open_writer"]

PART_RUNS = 512
PART_BYTES = 32 << 20
"""A part is complete with so many runs, or so many bytes of finished runs: both follow from the sweep alone."""


class Writer:
    """The one who adds runs to a store. Made by `open_writer`."""

    def __init__(self, layout: Layout, sweep: str) -> None:
        self._layout = layout
        self._sweep = sweep
        self._own: dict[int, Part] = {}
        self._elsewhere: set[str] = set()
        self._pending: dict[str, int] = {}
        self._number = 0
        self._position = 0
        self.warnings: list[str] = []
        """What was found damaged, and is made again."""

    def has(self, run: str) -> bool:
        """Whether a run has finished before, in this sweep or another."""
        return run in self._elsewhere or run in self._pending

    def describe(self, document: dict[str, Any]) -> None:
        """Says what the sweep asks for; again when it asks for more."""
        with self._disk():
            files.write_json(self._layout.sweeps / f"{self._sweep}.json", document)
            sweeps = self._layout.sweep_ids()
            if self._sweep not in sweeps:
                self._layout.write_manifest([*sweeps, self._sweep])

    def add(self, run: str, data: bytes) -> None:
        """Keeps a packed run: from now on nothing that ends this process loses it."""
        path = self._layout.run(run)
        partial = path.with_name(f".{path.name}.partial")
        with self._disk():
            try:
                with partial.open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                partial.rename(path)
            except BaseException:
                with suppress(OSError):
                    partial.unlink(missing_ok=True)
                raise
        self._pending[run] = len(data)

    def advance(self, order: Sequence[str], *, end: bool) -> None:
        """Turns pending runs into parts, as far as the sweep's order is complete; with `end` down to the last run."""
        while True:
            if (part := self._own.get(self._number)) is not None:
                self._position, self._number = part.end, self._number + 1
                continue
            cut = self._cut(order, end=end)
            if cut is None:
                return
            self._write(*cut)

    def _cut(self, order: Sequence[str], *, end: bool) -> tuple[int, list[str]] | None:
        """The place after the next part, and the runs in it, once all of them have finished."""
        later = [part.first for number, part in self._own.items() if number > self._number]
        limit = min(later, default=len(order))
        runs: dict[str, None] = {}
        size = 0
        for place in range(self._position, limit):
            run = order[place]
            if run in runs or run in self._elsewhere:
                continue
            if run not in self._pending:
                return None
            runs[run] = None
            size += self._pending[run]
            if len(runs) == PART_RUNS or size >= PART_BYTES:
                return place + 1, list(runs)
        return (limit, list(runs)) if runs and (later or end) else None

    def _write(self, end: int, runs: list[str]) -> None:
        with self._disk():
            packed = [unpack(self._layout.run(run).read_bytes()) for run in runs]
            part = write_part(self._layout.part(self._sweep, self._number), self._position, end, packed)
            self._own[self._number] = part
            for run in runs:
                self._layout.run(run).unlink()
                self._elsewhere.add(run)
                del self._pending[run]

    def recover(self) -> None:
        """Takes stock of what is there: what was half done goes, what is damaged too, with a warning."""
        with self._disk():
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
                    if sweep == self._sweep:
                        self._own[int(number)] = part
            for path in sorted(self._layout.pending.iterdir()):
                self._take_pending(path)

    def _sound(self, path: Path) -> Part | None:
        """A part, unless it is damaged: then it goes."""
        try:
            part = read_part(path)
            wrong = damage(part)
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
        run = path.stem
        if run in self._elsewhere:
            # Its part was written, and the process ended before this was removed.
            path.unlink()
            return
        data = path.read_bytes()
        try:
            if unpack(data).record["run"] != run:
                raise DamagedRunError("the run of another key")
        except DamagedRunError as error:
            self.warnings.append(f"{path}: {error}; removed, it is run again")
            path.unlink()
        else:
            self._pending[run] = len(data)

    @contextmanager
    def _disk(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(
                f"{self._layout.root}: cannot be written: {error.strerror or error}; "
                "what has finished is kept, and the same command goes on from there"
            ) from error


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
    try:
        with writing(layout):
            if not layout.manifest.exists():
                layout.write_manifest([])
            layout.sweep_ids()
            writer = Writer(layout, sweep)
            writer.recover()
            yield writer
    except BaseException:
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
            foreign = next((entry for entry in sorted(root.iterdir()) if entry != layout.lock), None)
            if foreign is not None and not layout.manifest.exists():
                raise StoreError(f"{root} holds what is no store ({foreign.name}); name another folder")
            if not os.access(root, os.W_OK | os.X_OK):
                raise StoreError(f"{root}: cannot be written: Permission denied")
            return False
        root.mkdir(parents=True)
    except OSError as error:
        raise StoreError(f"{root}: cannot be written: {error.strerror}") from None
    return True


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
