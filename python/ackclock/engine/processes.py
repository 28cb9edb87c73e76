"""Processes for work that holds the interpreter's lock, or that may end its process.

A congestion control in Python holds the lock for the whole run, so that threads take turns. Each of these processes is
a new interpreter, which loads the same congestion controls and does one piece of work at a time. A process that dies
takes only its own piece with it. All of them end with the parent process, however that ends.

This needs a POSIX system, as Linux and macOS are.
"""

from __future__ import annotations

import os
import pickle
import queue
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, Self, TypeVar, cast

from ackclock._core import Cancel
from ackclock._errors import Cancelled, ProcessError
from ackclock.base.workplace import draft
from ackclock.cc import registry
from ackclock.engine import watched

if TYPE_CHECKING:
    import io
    from collections.abc import Callable, Iterable, Sequence

    from ackclock.base.progress import ProgressCallback
    from ackclock.cc.registry import Sent
    from ackclock.engine.threads import Worker

__all__ = ["Pool", "UnableError", "can_travel", "serve"]

J = TypeVar("J")
D = TypeVar("D")

POLL_S = 0.05
"""Seconds between two looks whether the work is to be cancelled."""

HEAD = struct.Struct("<cQ")
"""The head of a message: its kind and the bytes that follow."""
WORK, READY, UNABLE, PROGRESS, DONE, RAISED, NO_MEMORY = b"w", b"r", b"u", b"p", b"d", b"e", b"m"

BLOCKED_S = 60.0
"""Seconds of real time that one call to a transport may take. A call that is sound takes microseconds."""

SHOWN = 2000
"""Characters of the output of a process that are kept of a failure."""

CHILD = "from ackclock.engine.processes import serve; serve()"


class UnableError(ProcessError):
    """A process cannot load what its work needs."""

    code = "ACK025"


class Process:
    """One process, ready for work."""

    def __init__(self, hello: bytes, cancel: Cancel) -> None:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 -- `close` closes it
        self._files = ExitStack()
        _, self._calls = self._files.enter_context(draft(Path(tempfile.gettempdir()), "ackclock-calls-"))
        hello = pickle.dumps((str(self._calls), hello))
        # A session of its own: the terminal's Ctrl-C is for the parent, which then ends the child.
        self._child = subprocess.Popen(  # noqa: S603 -- this interpreter and a constant
            [sys.executable, "-P", "-X", "faulthandler", "-c", CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            start_new_session=True,
            env=environment,
        )
        try:
            kind, body = self._ask(hello, cancel, lambda _: None)
            if kind == UNABLE:
                raise UnableError(body.decode())
        except BaseException:
            self.close()
            raise

    def call(self, function: Worker[J, D], job: J, cancel: Cancel, progress: ProgressCallback) -> D:
        """Has the function called there; raises what it raises, `ProcessError` and `Cancelled`."""
        self._said.seek(0)
        self._said.truncate()
        kind, body = self._ask(pickle.dumps((function, job)), cancel, progress)
        self._said.seek(0)
        if said := self._said.read().decode(errors="replace"):
            sys.stderr.write(said)
        if kind == NO_MEMORY:
            raise MemoryError
        outcome = pickle.loads(body)  # noqa: S301 -- from the child
        if kind == DONE:
            return cast("D", outcome)
        error, cause, told = outcome
        (cause or error).add_note(f"In a worker process:\n{told.rstrip()}")
        raise error from cause

    def close(self) -> None:
        """Ends the process."""
        self._child.kill()
        self._child.wait()
        self._files.close()
        for stream in (self._child.stdin, self._child.stdout, self._said):
            # A pipe whose reader has gone cannot be flushed.
            with suppress(OSError):
                cast("IO[bytes]", stream).close()

    def _ask(self, sent: bytes, cancel: Cancel, progress: ProgressCallback) -> tuple[bytes, bytes]:
        to_child, from_child = cast("IO[bytes]", self._child.stdin), cast("IO[bytes]", self._child.stdout)
        with suppress(BrokenPipeError):
            to_child.write(HEAD.pack(WORK, len(sent)) + sent)
            to_child.flush()
        watch = _Watch(self._calls)
        came = _listen(from_child.fileno(), cancel, progress, watch)
        if watch.blocked:
            raise ProcessError(f"{watch.told}: the call has not returned after {BLOCKED_S:g} s of real time")
        if came is None:
            # A process that has closed its output has ended, or is about to.
            status = self._child.wait()
            self._said.seek(0)
            call = _call_of(self._calls)
            why = f"{_in_words(call)}: {_why(status)}" if call else _why(status)
            raise ProcessError(why, self._said.read().decode(errors="replace")[-SHOWN:] or None)
        return came


class _Watch:
    """Looks whether a process has been in one and the same call to a transport for too long."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._call = ""
        self._since = time.monotonic()
        self.blocked = False

    def look(self) -> bool:
        call, now = _call_of(self._file), time.monotonic()
        if not call or call != self._call:
            self._call, self._since = call, now
        self.blocked = now - self._since > BLOCKED_S and bool(call)
        return self.blocked

    @property
    def told(self) -> str:
        return _in_words(self._call)


def _call_of(file: Path) -> str:
    """The call to a transport that is in progress, as the engine has written it; empty if there is none."""
    try:
        data = file.read_bytes()
    except OSError:
        return ""
    return data[2 : 2 + int.from_bytes(data[:2], "little")].decode(errors="replace")


def _in_words(call: str) -> str:
    transport, flow, name, time_ns = call.split("\t")
    return f"{transport} of flow {flow} at {int(time_ns) / 1e9:.9g} s, in {name}"


class Pool:
    """Processes that have loaded the same congestion controls; as many as there are calls at the same time.

    `probe` holds functions that the processes will be asked to call, `limit` bounds the address space of each process,
    in bytes. It is a context: at its end there is no process any more.

    Raises
    ------
    LoadError
        If a congestion control can be sent to no other process.
    UnableError
        If a process cannot load what it needs.
    """

    def __init__(
        self, names: Iterable[str], probe: Sequence[object] = (), limit: int | None = None, cancel: Cancel | None = None
    ) -> None:
        sent: Sent = registry.sent(names)
        self._hello = pickle.dumps((limit, pickle.dumps(sent), pickle.dumps(tuple(probe))))
        self._free: list[Process] = []
        self._cancel = cancel or Cancel()

    def __enter__(self) -> Self:
        self._free.append(Process(self._hello, self._cancel))
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._free:
            process.close()

    def call(self, function: Worker[J, D], job: J, cancel: Cancel, progress: ProgressCallback) -> D:
        """Has a process call the function, and waits for it. Threads may call this side by side.

        Raises
        ------
        ProcessError
            If the process ends before its work does. The next call has another process.
        Cancelled
            If `cancel` asks for it.
        BaseException
            Any exception that the function raises; a note on it, or on its cause, has the traceback.
        """
        try:
            process = self._free.pop()
        except IndexError:
            process = Process(self._hello, cancel)
        try:
            result = process.call(function, job, cancel, progress)
        except BaseException:
            # After an error its memory may be short or its state half changed.
            process.close()
            raise
        self._free.append(process)
        return result

    def worker(self, function: Worker[J, D]) -> Worker[J, D]:
        """The function, called in the processes; it raises as `call` does."""
        return partial(self.call, function)


def can_travel(function: Callable[..., Any] | None) -> bool:
    """Whether another process can import a function: it stands in a module, and not in the script that runs."""
    if function is None:
        return True
    try:
        return getattr(function, "__module__", "__main__") != "__main__" and bool(pickle.dumps(function))
    except (pickle.PicklingError, AttributeError, TypeError):
        return False


def _listen(descriptor: int, cancel: Cancel, progress: ProgressCallback, watch: _Watch) -> tuple[bytes, bytes] | None:
    """The next message that is no progress; None where the process ended without one, or is blocked in a call."""
    pending = bytearray()
    while True:
        if cancel.cancelled:
            raise Cancelled
        if not select.select([descriptor], [], [], POLL_S)[0]:
            if watch.look():
                return None
            continue
        piece = os.read(descriptor, 1 << 20)
        if not piece:
            return None
        pending += piece
        while len(pending) >= HEAD.size:
            kind, length = HEAD.unpack_from(pending)
            if len(pending) < HEAD.size + length:
                break
            body = bytes(pending[HEAD.size : HEAD.size + length])
            del pending[: HEAD.size + length]
            if kind != PROGRESS:
                return kind, body
            progress(struct.unpack("<d", body)[0])


def _why(status: int) -> str:
    """States why a process ended, from its exit status; the same words for the same cause."""
    if status == -signal.SIGKILL:
        return "the process of the run was killed (SIGKILL), as the system does when memory runs out"
    if status == -signal.SIGABRT:
        return "the process of the run aborted (SIGABRT), as it does when memory runs out"
    if status < 0:
        return f"the process of the run was ended by signal {-status}"
    return f"the process of the run ended with status {status}"


def serve() -> None:
    """Does the work of a process: reads messages from standard input, and writes answers to standard output."""
    # The parent does not read the output of the work: standard output becomes standard error.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with suppress(OSError):
        # The first process that Linux kills for its memory.
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    work: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    Thread(target=_receive, args=(sys.stdin.buffer, work), daemon=True).start()

    def say(kind: bytes, body: bytes) -> None:
        out.write(HEAD.pack(kind, len(body)))
        out.write(body)
        out.flush()

    name, hello = pickle.loads(work.get())  # noqa: S301 -- from the parent
    watched.watch(Path(name))
    limit, sent, probe = pickle.loads(hello)  # noqa: S301 -- from the parent
    if limit is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        registry.receive(pickle.loads(sent))  # noqa: S301 -- from the parent
        pickle.loads(probe)  # noqa: S301 -- from the parent
    except Exception as error:  # noqa: BLE001 -- whatever it is, the parent can do the work itself
        say(
            UNABLE,
            f"{error if isinstance(error, registry.LoadError) else f'{type(error).__name__}: {error}'}".encode(),
        )
        return
    say(READY, b"")
    while True:
        function, job = pickle.loads(work.get())  # noqa: S301 -- from the parent
        try:
            result = pickle.dumps(function(job, Cancel(), lambda part: say(PROGRESS, struct.pack("<d", part))))
        except MemoryError:
            say(NO_MEMORY, b"")
        except BaseException as error:  # noqa: BLE001 -- the parent raises it
            sys.stderr.flush()
            say(RAISED, _told(error))
        else:
            sys.stdout.flush()
            sys.stderr.flush()
            say(DONE, result)


def _receive(stream: IO[bytes] | io.BufferedIOBase, work: queue.SimpleQueue[bytes]) -> None:
    """Puts messages into the queue. Standard input ends with the parent process, and this process with it."""
    while len(head := stream.read(HEAD.size)) == HEAD.size:
        work.put(stream.read(HEAD.unpack(head)[1]))
    os._exit(1)


def _told(error: BaseException) -> bytes:
    """An error, its cause and the traceback, as far as they can be sent."""
    text = "".join(traceback.format_exception(error.__cause__ or error))
    plain = RuntimeError(f"{type(error).__name__}: {error}")
    for told in ((error, error.__cause__, text), (error, None, text), (plain, None, text)):
        # An exception whose class takes other arguments than it keeps can be sent and not be made again.
        with suppress(Exception):
            body = pickle.dumps(told)
            pickle.loads(body)  # noqa: S301 -- made just now
            return body
    raise AssertionError("a RuntimeError with a text can be sent")
