"""The runs of cases, on this machine or on the workers of a Dask scheduler. The place changes no damage."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from ackclock._core import Cancel
from ackclock._errors import ClusterError
from ackclock.cc import registry
from ackclock.engine.run import Job, run_job
from ackclock.engine.threads import default_threads, execute
from ackclock.engine.watched import pool_for
from ackclock.judge.worst.goals import GOALS
from ackclock.store.provenance import build
from ackclock.sweeps.scheduler import AHEAD, Connection, check_build

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ackclock.base.progress import ProgressCallback
    from ackclock.judge.worst.case import Case
    from ackclock.judge.worst.goals import Goal

__all__ = ["Damages", "Local", "place_for"]


class Damages(Protocol):
    """A place where cases run."""

    def of(self, goal: Goal, cases: Sequence[tuple[Case, list[Job]]], duration_s: float) -> list[float]:
        """The damage of each case, from its runs."""
        ...


@dataclass(frozen=True)
class Local:
    """Runs on this machine."""

    threads: int | None
    worker: Callable[[Job, Cancel, ProgressCallback], Any] = run_job

    def of(self, goal: Goal, cases: Sequence[tuple[Case, list[Job]]], duration_s: float) -> list[float]:
        """The damage of each case, from its runs."""
        runs = iter(execute([job for _, jobs in cases for job in jobs], self.worker, threads=self.threads))
        return [goal.of(case, [next(runs) for _ in jobs], duration_s) for case, jobs in cases]


def remote(
    goal: str,
    case: Case,
    jobs: Sequence[Job],
    duration_s: float,
    sources: dict[str, tuple[str, str]],
    wanted: str,
) -> float:
    """The task of a worker: it loads the congestion controls of the user that it does not know, and runs a case."""
    check_build(wanted)
    registry.adopt(sources)
    return GOALS[goal].of(case, [run_job(job, Cancel(), lambda _: None) for job in jobs], duration_s)


class Elsewhere(Connection):
    """Runs on the workers of a Dask scheduler.

    Files that a case names, such as the library of a transport, have to be at the same place on every worker.
    """

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self._search = uuid4().hex
        self._tasks = 0

    def of(self, goal: Goal, cases: Sequence[tuple[Case, list[Job]]], duration_s: float) -> list[float]:
        """The damage of each case, from its runs."""
        if not cases:
            return []
        from distributed import KilledWorker

        damages = [0.0] * len(cases)
        waiting: dict[Any, int] = {}
        left = iter(enumerate(cases))
        sources = registry.sources()

        def submit(count: int) -> None:
            for place, (case, jobs) in islice(left, count):
                self._tasks += 1
                key = f"ackclock-worst-{self._search}-{self._tasks}"
                waiting[self.submit(remote, goal.name, case, jobs, duration_s, sources, build(), key=key)] = place

        submit(AHEAD * self.threads())
        while waiting:
            for future in self.finished(waiting):
                place = waiting.pop(future)
                try:
                    damages[place] = future.result()
                except KilledWorker as error:
                    raise ClusterError(f"{self.where}: every worker that had a case died: {error}") from None
                submit(1)
        return damages


@contextmanager
def place_for(names: Iterable[str], threads: int | None, cluster: str | None, *, foreign: bool) -> Iterator[Damages]:
    """The place where cases run: the cluster, if its address is given, or else this machine.

    Parameters
    ----------
    names
        The congestion controls that the cases name.
    threads
        Runs at the same time on this machine.
    cluster
        Address of a Dask scheduler.
    foreign
        Whether the runs execute transports of libraries.
    """
    if cluster is not None:
        elsewhere = Elsewhere(cluster)
        try:
            yield elsewhere
        finally:
            elsewhere.close()
        return
    with pool_for(names, threads or default_threads(), [run_job], foreign=foreign) as processes:
        yield Local(threads, run_job if processes is None else processes.worker(run_job))
