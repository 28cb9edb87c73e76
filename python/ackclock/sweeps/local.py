"""Runs on the cores of this machine: the engine releases the interpreter's lock, so threads run side by side."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from operator import index
from typing import TYPE_CHECKING

from ackclock._core import Cancel
from ackclock._run import run_job
from ackclock._runner import POLL_S, default_threads
from ackclock.sweeps.isolated import Task, isolated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ackclock._run import Job
    from ackclock._runner import Worker
    from ackclock.result import Result
    from ackclock.sweeps.journal import Journal
    from ackclock.sweeps.plan import Done, Plan, Run

__all__ = ["LARGE_BYTES", "Threads"]

LARGE_BYTES = 1 << 30
"""A run whose estimated memory is larger has a process of its own."""


class Threads:
    """Does runs on threads, a few ahead of those that are under way.

    Runs that may be large have processes of their own, and so have those that were under way when an earlier start of
    the sweep was killed. With a `limit` of bytes of memory all have.
    """

    def __init__(
        self, threads: int | None = None, worker: Worker[Job, Result] = run_job, limit: int | None = None
    ) -> None:
        if threads is not None and index(threads) < 1:
            raise ValueError(f"threads is at least 1, not {threads}")
        self._threads = threads or default_threads()
        self._worker = worker
        self._limit = limit
        self.where = f"{self._threads} threads"
        """For the account of the sweep."""

    def run(self, plan: Plan, runs: Iterable[Run], tick: Callable[[float], object], journal: Journal) -> Iterator[Done]:
        """Each run with what came of it, in the order in which they finish."""
        cancel = Cancel()
        parts: dict[str, float] = {}
        pool = ThreadPoolExecutor(self._threads, "ackclock")
        waiting: dict[Future[tuple[bytes, bool]], Run] = {}
        source = iter(runs)

        def one(run: Run) -> tuple[bytes, bool]:
            def note(fraction: float) -> None:
                parts[run.key] = fraction

            point = plan.points[run.point]
            task = Task(run.key, run.job, point.scenario_hash, plan.name, run.keep, self._worker)
            journal.began(run.key)
            try:
                if self._limit is None and run.key not in journal.suspects and point.memory <= LARGE_BYTES:
                    try:
                        return task.perform(cancel, note)
                    except MemoryError:
                        # A process of its own gives its memory back, and turns the error into a recorded one.
                        pass
                return isolated(task, cancel, note, self._limit)
            finally:
                journal.ended(run.key)

        def submit(count: int) -> None:
            for run in islice(source, count):
                waiting[pool.submit(one, run)] = run

        try:
            submit(2 * self._threads)
            while waiting:
                finished, _ = wait(waiting, timeout=POLL_S, return_when=FIRST_COMPLETED)
                for future in finished:
                    run = waiting.pop(future)
                    data, good = future.result()
                    parts.pop(run.key, None)
                    submit(1)
                    yield run, data, good
                tick(sum(list(parts.values())))
        finally:
            cancel.cancel()
            pool.shutdown(cancel_futures=True)
