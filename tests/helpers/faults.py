"""Every call that touches a file, watched: a test may look at the disk there, fail the call, or end the process.

Python's own calls are replaced: functions of `os`, and the files that `io.open` opens. The store writes through these
alone: DuckDB only reads it, and the writers of Arrow and Parquet write into memory.
"""

from __future__ import annotations

import errno
import io
import os
import threading
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Self
from unittest import mock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["READS", "WRITES", "Call", "Fault", "InSteps", "watched"]

WRITES = frozenset(
    {
        "create",
        "write",
        "fsync",
        "mkdir",
        "rename",
        "replace",
        "link",
        "unlink",
        "remove",
        "rmdir",
        "chmod",
        "ftruncate",
    }
)
READS = frozenset({"open", "read", "scandir", "listdir"})
SPACE = frozenset({"create", "write", "fsync", "mkdir"})
"""The calls that a full disk refuses."""


@dataclass(frozen=True)
class Call:
    """One call, before it happens."""

    name: str
    path: object
    """The argument of the call: a path, or the descriptor of an open file."""
    half: Callable[[], object]
    """Does half of it: a write of half its bytes."""


_watchers: dict[int, tuple[Callable[[Call], object], frozenset[str]]] = {}
"""By thread: who is told, and of which calls."""

_open, _write, _open_file = os.open, os.write, io.open


@contextmanager
def watched(
    before: Callable[[Call], object], names: frozenset[str] = WRITES, thread: int | None = None
) -> Iterator[None]:
    """Calls `before` with each call of a thread (this one) among `names`; an exception that it raises is the call's.

    Several threads may be watched at once; the one that was watched first is watched longest.
    """
    number = threading.get_ident() if thread is None else thread
    with nullcontext() if _watchers else _replaced():
        _watchers[number] = (before, names)
        try:
            yield
        finally:
            del _watchers[number]


@contextmanager
def _replaced() -> Iterator[None]:
    plain = (WRITES | READS) - {"create", "write", "open", "read"}
    changed = {name: _telling(name) for name in plain} | {"open": _descriptor, "write": _written}
    with mock.patch.multiple(os, **changed), mock.patch.object(io, "open", _file):
        yield


def _tell(name: str, path: object, half: Callable[[], object] = lambda: None) -> None:
    before, names = _watchers.get(threading.get_ident(), (None, frozenset()))
    if before is not None and name in names:
        before(Call(name, path, half))


def _telling(name: str) -> Any:
    act = getattr(os, name)

    @wraps(act)
    def call(*arguments: Any, **options: Any) -> Any:
        _tell(name, arguments[0] if arguments else ".")
        return act(*arguments, **options)

    return call


def _descriptor(path: Any, flags: int, *arguments: Any, **options: Any) -> int:
    _tell("create" if flags & os.O_CREAT else "open", path)
    return _open(path, flags, *arguments, **options)


def _written(descriptor: int, data: Any) -> int:
    whole = bytes(data)
    _tell("write", descriptor, lambda: _write(descriptor, whole[: len(whole) // 2]))
    return _write(descriptor, whole)


class _File(io.FileIO):
    def write(self, data: Any) -> int:
        return _written(self.fileno(), data)

    def read(self, *arguments: Any) -> Any:
        _tell("read", self.name)
        return super().read(*arguments)

    def readinto(self, buffer: Any) -> Any:
        _tell("read", self.name)
        return super().readinto(buffer)

    def readall(self) -> Any:
        _tell("read", self.name)
        return super().readall()


def _file(
    path: Any,
    mode: str = "r",
    buffering: int = -1,
    encoding: Any = None,
    errors: Any = None,
    newline: Any = None,
    closefd: bool = True,
) -> Any:
    plain = mode.replace("b", "").replace("t", "")
    if plain not in ("r", "w", "w+", "x"):
        return _open_file(path, mode, buffering, encoding, errors, newline, closefd)
    if not isinstance(path, int):
        _tell("open" if plain == "r" else "create", path)
    raw = _File(path, plain, closefd)
    streams: dict[str, Any] = {"r": io.BufferedReader, "w+": io.BufferedRandom}
    stream: Any = streams.get(plain, io.BufferedWriter)(raw)
    return stream if "b" in mode else io.TextIOWrapper(stream, encoding, errors, newline)


class InSteps:
    """Something that is done on another thread and stops before each call that changes a file, until it may go on."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self.result: Any = None
        """The result of the function; None before its end."""
        self._act = act
        self._may_go = threading.Semaphore(0)
        self._has_stopped = threading.Semaphore(0)
        self._over = False
        self._ended = False

    def __enter__(self) -> Self:
        thread = threading.Thread(target=self._run)
        thread.start()
        assert thread.ident is not None
        self._stack = ExitStack()
        self._stack.callback(thread.join)
        self._stack.enter_context(watched(lambda _: self._stop(), WRITES, thread.ident))
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._may_go.release()
        self._stack.close()

    def go_on(self) -> None:
        """Lets it do one call and waits until it stands before the next; nothing once it has ended."""
        if not self._ended:
            self._may_go.release()
            self._has_stopped.acquire()

    def _stop(self) -> None:
        if not self._over:
            self._has_stopped.release()
            self._may_go.acquire()

    def _run(self) -> None:
        self._may_go.acquire()
        try:
            self.result = self._act()
        finally:
            # Also after an exception, or the next step would wait for ever.
            self._over = self._ended = True
            self._has_stopped.release()


class Fault:
    """Fails the call of a number, counted from 0 among those on paths below `under`.

    With `on`, all later calls fail too; on a full disk (ENOSPC) those alone that need space.
    """

    def __init__(self, number: int, error: int, *, on: bool = False, under: Path | None = None) -> None:
        self._left = number
        self._error = error
        self._on = on
        self._under = "" if under is None else str(under)
        self.hit: Call | None = None
        """The first call that failed."""

    def __call__(self, call: Call) -> None:
        if self.hit is not None:
            if self._on and (self._error != errno.ENOSPC or call.name in SPACE):
                self._fail(call)
            return
        if (self._error == errno.ENOSPC and call.name not in SPACE) or not str(call.path).startswith(self._under):
            return
        self._left -= 1
        if self._left < 0:
            self.hit = call
            call.half()
            self._fail(call)

    def _fail(self, call: Call) -> None:
        # The system names no path in an error of a call on an open file.
        if call.name in ("write", "fsync", "ftruncate", "read"):
            raise OSError(self._error, os.strerror(self._error))
        raise OSError(self._error, os.strerror(self._error), str(call.path))
