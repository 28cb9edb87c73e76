"""Runs of a sweep that are under way: one of those at the time when the process was killed may have been the reason."""

from __future__ import annotations

from contextlib import suppress
from threading import Lock
from typing import IO, TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

__all__ = ["Journal"]


class Journal:
    """A file with a line for each run that begins and each that ends, which goes when the sweep has ended.

    A run that is in it, begun and not ended, was under way when an earlier process of the sweep was killed, perhaps for
    the memory that this run took. Nothing but speed depends on the file: it is not synced, and a disk that is full
    keeps nobody from running.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._file: IO[str] | None = None
        self.suspects = _under_way(path)
        """Keys of the runs that were under way."""

    def __enter__(self) -> Self:
        with suppress(OSError):
            # Suspects stay suspects until they have ended, should this process be killed too.
            self._path.write_text("".join(f"+{key}\n" for key in sorted(self.suspects)), encoding="ascii")
            self._file = self._path.open("a", encoding="ascii")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None
        # An interrupt is no kill: what was under way then did not end the process.
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def began(self, key: str) -> None:
        """Says that a run has begun."""
        self._write(f"+{key}\n")

    def ended(self, key: str) -> None:
        """Says that a run has ended."""
        self._write(f"-{key}\n")

    def _write(self, line: str) -> None:
        with self._lock, suppress(OSError):
            if self._file is not None:
                self._file.write(line)
                self._file.flush()


def _under_way(path: Path) -> frozenset[str]:
    try:
        lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return frozenset()
    open_: dict[str, None] = {}
    for line in lines:
        if line.startswith("+"):
            open_[line[1:]] = None
        else:
            open_.pop(line[1:], None)
    return frozenset(open_)
