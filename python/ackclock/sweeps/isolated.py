"""Runs in processes of their own, so that whatever ends such a process ends one run and not the sweep.

A run that runs out of memory is killed by the system or aborts. In a process of its own that becomes a recorded failure
of its point. The child is the first that Linux kills for its memory, and it ends when its parent does.

This needs a POSIX system, as Linux and macOS are. On Windows such runs are done in the process of the sweep.
"""

from __future__ import annotations

import os
import pickle
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, cast

from ackclock import _registry
from ackclock._core import Cancel
from ackclock._errors import Cancelled
from ackclock._run import run_job
from ackclock.result import Meta, Result
from ackclock.store.packed import Record, pack, unpack
from ackclock.store.provenance import build
from ackclock.sweeps.perform import perform
from ackclock.sweeps.plan import Keep
from ackclock.sweeps.vary import SweepError
from ackclock.table import Table

if TYPE_CHECKING:
    import io
    from collections.abc import Callable

    from ackclock._run import Job
    from ackclock._runner import ProgressCallback, Worker

__all__ = ["Task", "isolated", "limit_of", "serve"]

POSIX = os.name == "posix"
"""Whether the system waits for several pipes at once and limits the memory of a process."""

UNITS = {"B": 1, "kB": 10**3, "KiB": 2**10, "MB": 10**6, "MiB": 2**20, "GB": 10**9, "GiB": 2**30, "TiB": 2**40}

LEAST_LIMIT = 512 << 20
"""Bytes of address space that Python and the engine need before a run begins, with some to spare."""

POLL_S = 0.05
"""Seconds between two looks whether the run is to be cancelled."""

HEAD = struct.Struct("<cQ")
"""The head of a message of the child: its kind and the bytes that follow."""
PROGRESS, DONE, FAILED, NO_MEMORY = b"p", b"d", b"f", b"m"

SHOWN = 2000
"""Characters of what the child said that are kept of a failure."""

CHILD = "from ackclock.sweeps.isolated import serve; serve()"


@dataclass(frozen=True, slots=True)
class Task:
    """A run of a sweep, as `perform` takes it."""

    key: str
    job: Job
    scenario_hash: str
    name: str
    keep: Keep
    worker: Worker[Job, Result] = run_job

    def perform(self, cancel: Cancel, progress: ProgressCallback) -> tuple[bytes, bool]:
        """Does the run in this process."""
        return perform(
            self.key, self.job, self.scenario_hash, self.name, self.keep, cancel, progress, worker=self.worker
        )

    def failed(self, error: str, details: str | None) -> tuple[bytes, bool]:
        """The run as one that failed."""
        record = Record(
            run=self.key,
            scenario_hash=self.scenario_hash,
            seed=self.job.seed or 0,
            version=build(),
            name=self.name,
            duration_s=None,
            status="failed",
            error=error,
            details=details,
        )
        return pack(record, {}), False


def limit_of(memory: str | int | None) -> int | None:
    """Bytes that a process of a run may take, from a number of them or a text such as ``"4GiB"``.

    Raises
    ------
    SweepError
        If it cannot be read, is too little for any run, or the system cannot limit memory.
    """
    if memory is None:
        return None
    if not POSIX:
        raise SweepError(f"memory {memory}: this system cannot limit the memory of a process; leave it out")
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)\s*", memory) if isinstance(memory, str) else None
    size = memory if isinstance(memory, int) else None
    if found is not None and found[2] in UNITS:
        size = int(float(found[1]) * UNITS[found[2]])
    if size is None or not LEAST_LIMIT <= size < 2**63:
        raise SweepError(
            f"memory {memory}: accepted: at least {LEAST_LIMIT >> 20}MiB, as 4GiB (units: {', '.join(UNITS)})"
        )
    return size


def isolated(task: Task, cancel: Cancel, progress: ProgressCallback, limit: int | None = None) -> tuple[bytes, bool]:
    """Does a run in a process of its own and packs what came of it, as `perform` does.

    `limit` bounds the address space of the process, in bytes. A function that no other process can import is called in
    this one, on all tables of the run; a run that no other process can do is done in this one, as is every run where
    the system is not POSIX.

    Raises
    ------
    Cancelled
        If `cancel` asked for it.
    """
    keep = task.keep if _can_travel(task.keep.measure) else Keep()
    try:
        if not POSIX or not _can_travel(task.worker):
            return task.perform(cancel, progress)
        sources = _registry.sources()
    except _registry.LoadError:
        return task.perform(cancel, progress)
    sent = pickle.dumps((replace(task, keep=keep), sources, limit))
    data, good = _of_child(task, sent, cancel, progress)
    if good and keep is not task.keep:
        return _measured(task, data, cancel, progress)
    return data, good


def _can_travel(function: Callable[..., Any] | None) -> bool:
    """Whether another process can import a function: it stands in a module, and not in the script that runs."""
    if function is None:
        return True
    try:
        return getattr(function, "__module__", "__main__") != "__main__" and bool(pickle.dumps(function))
    except (pickle.PicklingError, AttributeError, TypeError):
        return False


def _measured(task: Task, data: bytes, cancel: Cancel, progress: ProgressCallback) -> tuple[bytes, bool]:
    """Takes from a run that was done elsewhere what the sweep keeps of it."""
    packed = unpack(data)
    record = packed.record
    meta = Meta(
        name=record["name"],
        scenario_hash=record["scenario_hash"],
        version=record["version"],
        seed=record["seed"],
        duration_s=record["duration_s"] or 0.0,
    )
    result = Result(meta, {name: Table(table) for name, table in packed.tables.items()})

    def give(_job: Job, _cancel: Cancel, _progress: ProgressCallback) -> Result:
        return result

    return replace(task, worker=give).perform(cancel, progress)


def _of_child(task: Task, sent: bytes, cancel: Cancel, progress: ProgressCallback) -> tuple[bytes, bool]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with tempfile.TemporaryFile() as said:
        # A session of its own: the terminal's Ctrl-C is for the parent, which then ends the child.
        with subprocess.Popen(  # noqa: S603 -- this interpreter and a constant
            [sys.executable, "-P", "-c", CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            start_new_session=True,
            env=environment,
        ) as child:
            to_child, from_child = cast("IO[bytes]", child.stdin), cast("IO[bytes]", child.stdout)
            try:
                with suppress(BrokenPipeError):
                    to_child.write(HEAD.pack(DONE, len(sent)) + sent)
                    to_child.flush()
                came = _listen(from_child.fileno(), cancel, progress)
            except BaseException:
                child.kill()
                raise
            if came is None:
                # A process that has closed its output has ended, or is about to.
                status = child.wait()
            else:
                child.kill()
        if came is not None:
            kind, data = came
            if kind == NO_MEMORY:
                return task.failed("the run needs more memory than its process may take (MemoryError)", None)
            return data, kind == DONE
        said.seek(0)
        return task.failed(_why(status), said.read().decode(errors="replace")[-SHOWN:] or None)


def _listen(descriptor: int, cancel: Cancel, progress: ProgressCallback) -> tuple[bytes, bytes] | None:
    """The outcome of the run; None where the child process ended without reporting one."""
    pending = bytearray()
    while True:
        if cancel.cancelled:
            raise Cancelled
        if not select.select([descriptor], [], [], POLL_S)[0]:
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
    """Why a child ended, from its exit status; the same words for the same cause."""
    if status == -signal.SIGKILL:
        return "the process of the run was killed (SIGKILL), as the system does when memory runs out"
    if status == -signal.SIGABRT:
        return "the process of the run aborted (SIGABRT), as it does when memory runs out"
    if status < 0:
        return f"the process of the run was ended by signal {-status}"
    return f"the process of the run ended with status {status}"


def serve() -> None:
    """The job of a child process: one run, whose bytes it writes to its standard output."""
    # The parent does not read the output of a measure: standard output becomes standard error.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    task, sources, limit = pickle.loads(_message(sys.stdin.buffer))  # noqa: S301 -- from the parent
    if limit is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    # Standard input ends with the parent, however that ends.
    Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(1)), daemon=True).start()

    def say(kind: bytes, body: bytes) -> None:
        out.write(HEAD.pack(kind, len(body)))
        out.write(body)
        out.flush()

    try:
        if sources:
            _registry.adopt(sources)
        data, good = task.perform(Cancel(), lambda part: say(PROGRESS, struct.pack("<d", part)))
    except MemoryError:
        say(NO_MEMORY, b"")
    else:
        say(DONE if good else FAILED, data)


def _message(stream: IO[bytes] | io.BufferedIOBase) -> bytes:
    _, length = HEAD.unpack(stream.read(HEAD.size))
    return stream.read(length)
