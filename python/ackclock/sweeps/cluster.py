"""Runs on other machines: a Dask scheduler hands them out, and their bytes come back to this one's store."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _registry
from ackclock._core import Cancel
from ackclock._runner import POLL_S
from ackclock.store.packed import Record, pack
from ackclock.store.provenance import build
from ackclock.sweeps.perform import perform
from ackclock.sweeps.vary import SweepError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from ackclock._run import Job
    from ackclock.sweeps.journal import Journal
    from ackclock.sweeps.plan import Done, Keep, Plan, Run

__all__ = ["Cluster"]

AHEAD = 4
"""Runs that are handed out for each thread of the workers: enough for none to wait for this process."""

CONNECT_S = 10
"""Seconds to wait for the scheduler, and for its first worker."""


def remote(
    key: str, job: Job, scenario_hash: str, name: str, keep: Keep, sources: dict[str, tuple[str, str]], wanted: str
) -> tuple[bytes, bool]:
    """The job of a worker: it loads the congestion controls of the user that it does not know, and does the run."""
    if build() != wanted:
        raise SweepError(f"a worker has ackclock {build()}, and this sweep is of {wanted}; install the same everywhere")
    _registry.adopt(sources)
    return perform(key, job, scenario_hash, name, keep, Cancel(), lambda _: None)


class Cluster:
    """Does runs on the workers of a Dask scheduler: ``tcp://HOST:PORT``, or ``file:PATH`` of a scheduler file.

    Files that a scenario names, as traces, have to be at the same place on every worker. A worker that dies has its
    runs done by another.
    """

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise SweepError("a cluster needs the package distributed: pip install 'ackclock[cluster]'") from None
        file = address.removeprefix("file:")
        if file != address and not Path(file).is_file():
            # The client would wait for it for ever.
            raise SweepError(f"{file}: no such file, so no Dask scheduler answers there")
        given = {"address": address} if file == address else {"scheduler_file": file}
        client: Any = Client
        try:
            self._client = client(**given, timeout=CONNECT_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise SweepError(f"{address}: no Dask scheduler answers there: {error}") from None
        self.where = f"Dask scheduler at {self._client.scheduler.address}"
        """For the account of the sweep."""

    def run(
        self, plan: Plan, runs: Collection[Run], tick: Callable[[float], object], journal: Journal
    ) -> Iterator[Done]:
        """Each run with what came of it, in the order in which they finish.

        The scheduler counts the workers that a run has ended, so that `journal` is not written.
        """
        del journal
        import distributed
        from distributed import KilledWorker

        self._await_worker()
        sources = _registry.sources()
        wait: Any = distributed.wait
        waiting: dict[Any, Run] = {}
        source = iter(runs)

        def submit(count: int) -> None:
            for run in islice(source, count):
                point = plan.points[run.point]
                future = self._client.submit(
                    remote, run.key, run.job, point.scenario_hash, plan.name, run.keep, sources, build(),
                    key=f"ackclock-{run.key}", pure=False,
                )  # fmt: skip
                waiting[future] = run

        submit(AHEAD * max(1, sum(self._client.nthreads().values())))
        while waiting:
            done: Any = ()
            with suppress(TimeoutError), self._client.as_current():
                done = wait(list(waiting), timeout=POLL_S, return_when="FIRST_COMPLETED").done
            for future in done:
                run = waiting.pop(future)
                try:
                    data, good = future.result()
                except KilledWorker as error:
                    data, good = _lost(run, plan, str(error)), False
                submit(1)
                yield run, data, good
            tick(0.0)

    def close(self) -> None:
        """Says goodbye to the scheduler; what is still queued for us is dropped."""
        self._client.close()

    def _await_worker(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_S)
        except TimeoutError:
            raise SweepError(f"{self.where}: no worker within {CONNECT_S} s; start one with `dask worker`") from None


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
