"""Runs of a sweep on other machines: a Dask scheduler hands them out, and their bytes come back to this one's store."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from ackclock._core import Cancel
from ackclock.cc import registry
from ackclock.store.packed import Record, pack
from ackclock.store.provenance import build
from ackclock.sweeps.perform import perform
from ackclock.sweeps.scheduler import AHEAD, Connection, check_build

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from ackclock.engine.run import Job
    from ackclock.sweeps.journal import Journal
    from ackclock.sweeps.plan import Done, Keep, Plan, Run

__all__ = ["Cluster"]


def remote(
    key: str, job: Job, scenario_hash: str, name: str, keep: Keep, sources: dict[str, tuple[str, str]], wanted: str
) -> tuple[bytes, bool]:
    """The job of a worker: it loads the congestion controls of the user that it does not know, and does the run."""
    check_build(wanted)
    registry.adopt(sources)
    return perform(key, job, scenario_hash, name, keep, Cancel(), lambda _: None)


class Cluster(Connection):
    """Does runs on the workers of a Dask scheduler.

    Files that a scenario names, as traces, have to be at the same place on every worker.
    """

    def run(
        self, plan: Plan, runs: Collection[Run], tick: Callable[[float], object], journal: Journal
    ) -> Iterator[Done]:
        """Each run with what came of it, in the order in which they finish.

        The scheduler counts the workers that a run has ended, so that `journal` is not written.
        """
        del journal
        from distributed import KilledWorker

        ahead = AHEAD * self.threads()
        sources = registry.sources()
        waiting: dict[Any, Run] = {}
        source = iter(runs)

        def submit(count: int) -> None:
            for run in islice(source, count):
                point = plan.points[run.point]
                future = self.submit(
                    remote, run.key, run.job, point.scenario_hash, plan.name, run.keep, sources, build(),
                    key=f"ackclock-{run.key}",
                )  # fmt: skip
                waiting[future] = run

        submit(ahead)
        while waiting:
            for future in self.finished(waiting):
                run = waiting.pop(future)
                try:
                    data, good = future.result()
                except KilledWorker as error:
                    data, good = _lost(run, plan, str(error)), False
                submit(1)
                yield run, data, good
            tick(0.0)


def _lost(run: Run, plan: Plan, why: str) -> bytes:
    record = Record(
        run=run.key,
        scenario_hash=plan.points[run.point].scenario_hash,
        seed=run.job.seed or 0,
        version=build(),
        name=plan.name,
        duration_s=None,
        status="failed",
        error=f"every worker that had it died: {why}",
        details=None,
    )
    return pack(record, {})
