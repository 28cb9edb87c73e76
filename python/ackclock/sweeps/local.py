"""Runs on the cores of this machine: the engine releases the interpreter's lock, so threads run side by side.

A congestion control in Python holds the lock. Runs with one are done by as many processes as there are threads.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from operator import index
from typing import TYPE_CHECKING

from ackclock._core import Cancel
from ackclock.cc import registry
from ackclock.engine.processes import can_travel
from ackclock.engine.run import run_job
from ackclock.engine.threads import POLL_S, default_threads
from ackclock.engine.watched import pool_for
from ackclock.sweeps.isolated import Task, in_process, isolated

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from contextlib import AbstractContextManager

    from ackclock.engine.processes import Pool
    from ackclock.engine.run import Job
    from ackclock.engine.threads import Worker
    from ackclock.results.result import Result
    from ackclock.sweeps.journal import Journal
    from ackclock.sweeps.plan import Done, Plan, Run

__all__ = ["LARGE_BYTES", "Threads"]

LARGE_BYTES = 1 << 30
"""A run whose estimated memory is larger has a process of its own."""


class Threads:
    """Does runs on threads, a few ahead of those that are under way.

    Runs that may be large have processes of their own. So have runs that execute transports of libraries, and those
    that were under way when an earlier start of the sweep was killed. With a `limit` of bytes of memory all have. Runs
    whose congestion control is in Python share processes, one run at a time in each, unless there is one thread.
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
        """Place of the runs, for the account of the sweep."""

    def run(
        self, plan: Plan, runs: Collection[Run], tick: Callable[[float], object], journal: Journal
    ) -> Iterator[Done]:
        """Each run with what came of it, in the order in which they finish."""
        cancel = Cancel()
        parts: dict[str, float] = {}
        pool = ThreadPoolExecutor(self._threads, "ackclock")
        waiting: dict[Future[tuple[bytes, bool]], Run] = {}
        source = iter(runs)

        known = registry.registered(name for point in plan.points for name in point.algorithms)
        python = registry.in_python(known)

        def one(run: Run, processes: Pool | None) -> tuple[bytes, bool]:
            def note(fraction: float) -> None:
                parts[run.key] = fraction

            point = plan.points[run.point]
            own = tuple(name for name in point.algorithms if name in known)
            task = Task(run.key, run.job, point.scenario_hash, plan.name, run.keep, self._worker, own)
            journal.began(run.key)
            try:
                if processes is not None and not {*python}.isdisjoint(own):
                    return in_process(task, processes, cancel, note)
                own_process = self._limit is not None or run.key in journal.suspects or point.foreign
                if not own_process and point.memory <= LARGE_BYTES:
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
                waiting[pool.submit(one, run, processes)] = run

        with self._processes(plan, runs, known) as processes:
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

    def _processes(
        self, plan: Plan, runs: Collection[Run], known: Sequence[str]
    ) -> AbstractContextManager[Pool | None]:
        """The processes for runs whose congestion control is in Python, where more than one such run is to be done."""
        python = {*registry.in_python(known)}
        own = [run for run in runs if not python.isdisjoint(plan.points[run.point].algorithms)] if python else []
        if self._limit is not None or not can_travel(self._worker):
            own = []
        measures = dict.fromkeys(run.keep.measure for run in own)
        probe = [self._worker, *(one for one in measures if can_travel(one))]
        return pool_for(known if own else (), min(self._threads, len(own)), probe)
