"""Runs in processes of their own, so that whatever ends such a process ends one run and not the sweep.

A run that runs out of memory is killed by the system or aborts. In a process of its own that becomes a recorded failure
of its point. The child is the first that Linux kills for its memory, and it ends when its parent does.

This needs a POSIX system, as Linux and macOS are. On Windows such runs are done in the process of the sweep.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ackclock._errors import ProcessError
from ackclock.cc.registry import LoadError
from ackclock.engine.processes import Pool, UnableError, can_travel
from ackclock.engine.run import run_job
from ackclock.engine.watched import POSIX
from ackclock.store.packed import Record, pack, unpack
from ackclock.store.provenance import build
from ackclock.sweeps.perform import perform
from ackclock.sweeps.plan import Keep
from ackclock.sweeps.vary import SweepError

if TYPE_CHECKING:
    from ackclock._core import Cancel
    from ackclock.base.progress import ProgressCallback
    from ackclock.engine.run import Job
    from ackclock.engine.threads import Worker
    from ackclock.results.result import Result

__all__ = ["Task", "in_process", "isolated", "limit_of"]

UNITS = {"B": 1, "kB": 10**3, "KiB": 2**10, "MB": 10**6, "MiB": 2**20, "GB": 10**9, "GiB": 2**30, "TiB": 2**40}

LEAST_LIMIT = 512 << 20
"""Bytes of address space that Python and the engine need before a run begins, with some to spare."""


@dataclass(frozen=True, slots=True)
class Task:
    """A run of a sweep, as `perform` takes it."""

    key: str
    job: Job
    scenario_hash: str
    name: str
    keep: Keep
    worker: Worker[Job, Result] = run_job
    algorithms: tuple[str, ...] = ()
    """The registered congestion controls that its scenario names."""

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
    if not POSIX or not can_travel(task.worker):
        return task.perform(cancel, progress)
    measure = task.keep.measure
    probe = (task.worker, measure if can_travel(measure) else None)
    try:
        with Pool(task.algorithms, probe, limit, cancel) as pool:
            return in_process(task, pool, cancel, progress)
    except (LoadError, UnableError):
        return task.perform(cancel, progress)
    except ProcessError as lost:
        return task.failed(str(lost), lost.said)


def in_process(task: Task, pool: Pool, cancel: Cancel, progress: ProgressCallback) -> tuple[bytes, bool]:
    """Does a run in a process of a pool and packs what came of it, as `perform` does.

    Raises
    ------
    Cancelled
        If `cancel` asked for it.
    """
    keep = task.keep if can_travel(task.keep.measure) else Keep()
    try:
        data, good = pool.call(_perform, replace(task, keep=keep), cancel, progress)
    except UnableError:
        # The file of a congestion control may change while a sweep runs.
        return task.perform(cancel, progress)
    except ProcessError as lost:
        return task.failed(str(lost), lost.said)
    except MemoryError:
        return task.failed("the run needs more memory than its process may take (MemoryError)", None)
    if good and keep is not task.keep:
        return _measured(task, data, cancel, progress)
    return data, good


def _perform(task: Task, cancel: Cancel, progress: ProgressCallback) -> tuple[bytes, bool]:
    return task.perform(cancel, progress)


def _measured(task: Task, data: bytes, cancel: Cancel, progress: ProgressCallback) -> tuple[bytes, bool]:
    """Takes from a run that was done elsewhere what the sweep keeps of it."""
    packed = unpack(data)
    result = packed.result()

    def give(_job: Job, _cancel: Cancel, _progress: ProgressCallback) -> Result:
        return result

    return replace(task, worker=give).perform(cancel, progress)
