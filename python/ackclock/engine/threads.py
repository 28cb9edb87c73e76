"""Work spread over cores by threads: the engine releases the interpreter's lock, so replications run side by side.

Results come back in the order of the jobs, whatever the number of threads and whoever finishes first.
"""

from __future__ import annotations

import os
from operator import index
from threading import Thread
from typing import TYPE_CHECKING, Protocol, TypeVar

from ackclock._core import Cancel
from ackclock._errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from ackclock.base.progress import ProgressCallback

__all__ = ["Worker", "default_threads", "execute"]

POLL_S = 0.1
"""Seconds between two reports of progress. Interrupts are taken at once, not at the next poll."""

Job = TypeVar("Job", contravariant=True)
Done = TypeVar("Done", covariant=True)
J = TypeVar("J")
D = TypeVar("D")


class Worker(Protocol[Job, Done]):
    """Does one job. It ends early, by raising `Cancelled`, when `cancel` asks for it."""

    def __call__(self, job: Job, cancel: Cancel, progress: ProgressCallback, /) -> Done:
        """Does the job, and reports the part that is done."""
        ...


def default_threads() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def execute(
    jobs: Sequence[J],
    worker: Worker[J, D],
    *,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> list[D]:
    """Does every job and returns what came of them, in the order of the jobs.

    An exception in one job, or Ctrl-C, ends the others within milliseconds and is raised; when several jobs fail, the
    first of them in order is. `progress` is called on the calling thread.
    """
    if threads is not None and index(threads) < 1:
        raise ValueError(f"threads is at least 1, not {threads}")
    if not jobs:
        return []
    if len(jobs) == 1:
        return [_alone(jobs[0], worker, progress)]
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    cancel = Cancel()
    done = [0.0] * len(jobs)

    def work(index: int) -> D:
        def note(fraction: float) -> None:
            done[index] = fraction

        result = worker(jobs[index], cancel, note)
        done[index] = 1.0
        return result

    with ThreadPoolExecutor(min(threads or default_threads(), len(jobs)), "ackclock") as pool:
        futures = [pool.submit(work, index) for index in range(len(jobs))]
        try:
            pending: set[Future[D]] = set(futures)
            while pending:
                finished, pending = wait(pending, timeout=POLL_S, return_when=FIRST_EXCEPTION)
                if any(future.exception() for future in finished):
                    break
                if progress is not None:
                    progress(sum(done) / len(done))
        finally:
            # After a normal end this changes nothing. After an exception, what waits is taken away before what runs is
            # ended: the other way round, a worker that becomes free would begin the jobs that are still there.
            try:
                pool.shutdown(wait=False, cancel_futures=True)
            finally:
                cancel.cancel()
    failures = [error for future in futures if not future.cancelled() and (error := future.exception())]
    for error in failures:
        if not isinstance(error, Cancelled):
            raise error
    if failures:
        raise failures[0]
    return [future.result() for future in futures]


def _alone(job: J, worker: Worker[J, D], progress: ProgressCallback | None) -> D:
    """Does one job on a thread of its own, while this one waits for signals. It needs no pool, and not its import."""
    cancel = Cancel()
    part = 0.0
    results: list[D] = []
    failures: list[BaseException] = []

    def note(fraction: float) -> None:
        nonlocal part
        part = fraction

    def work() -> None:
        try:
            results.append(worker(job, cancel, note))
        except BaseException as error:  # noqa: BLE001 -- raised on the calling thread
            failures.append(error)

    thread = Thread(target=work, name="ackclock_0")
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL_S)
            if progress is not None and not failures:
                progress(1.0 if results else part)
    finally:
        cancel.cancel()
        thread.join()
    if failures:
        raise failures[0]
    return results[0]
