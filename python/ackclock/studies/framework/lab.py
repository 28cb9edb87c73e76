"""Runs the experiments of a study as sweeps and keeps their numbers in a store."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from ackclock import sweeps
from ackclock.base.progress import ProgressCallback, sweep_reporter
from ackclock.base.workplace import temporary
from ackclock.engine.run import Job, run_job
from ackclock.engine.threads import Worker, execute
from ackclock.store.reader import open_store
from ackclock.studies.framework.grid import Grid
from ackclock.sweeps.local import Threads
from ackclock.sweeps.plan import Keep, Plan, points_of
from ackclock.sweeps.vary import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ackclock.base.table import Table
    from ackclock.results.result import Result
    from ackclock.scenario import Text
    from ackclock.studies.framework.grid import Reading, Variant

__all__ = ["Experiment", "Lab", "Removal", "StudyError"]

T = TypeVar("T")

Removal: TypeAlias = "Callable[[Mapping[str, object]], Mapping[str, object]]"
"""Removes a mechanism: from the overrides of a run, those that switch it off. They win over all others."""


class StudyError(RuntimeError):
    """Runs of a study failed, or gave no number where one is needed."""

    code = "ACK080"


@dataclass(frozen=True, slots=True)
class Experiment:
    """One scenario of a study, and the seeds under which it runs."""

    params: Mapping[str, object]
    """Name to value: what identifies the experiment in the store."""
    scenario: Text
    overrides: Mapping[str, object]
    seeds: Sequence[int]
    measure: Callable[[Result], Mapping[str, float]] | None = None
    """Measures a run of this experiment, where that differs from the other experiments."""


@dataclass(frozen=True, slots=True)
class Lab:
    """The way a study is run. The numbers do not depend on the threads, the progress or the folder."""

    quick: bool = False
    """Run fewer replications and fewer readings than the study asks for."""
    threads: int | None = None
    """Number of runs at the same time; None is one per core."""
    progress: ProgressCallback | None = None
    """Callback that receives the part of the work that is done, from 0 to 1."""
    worker: Worker[Job, Result] = run_job
    """Does one run."""
    root: Path | None = None
    """The folder of the store that keeps the measured numbers. Runs that it has already are not repeated."""
    times: int = 1
    """Factor by which the readings that decide verdicts have more replications than the study states."""
    without: Removal | None = None
    """Removes the mechanism that a study is about from all of its runs: a null reading."""

    def part(self, start: float, end: float) -> Lab:
        """The laboratory for a part of the work, whose progress from 0 to 1 is `start` to `end` of the whole."""
        progress = self.progress
        if progress is None:
            return self
        return replace(self, progress=lambda fraction: progress(start + (end - start) * fraction))

    def pick(self, full: T, quick: T) -> T:
        """The setting of a full run or that of a quick run."""
        return quick if self.quick else full

    def seeds(self, replications: int, quick_replications: int) -> range:
        """The seeds of the replications of a full run or of a quick run: 1, 2, ..."""
        return range(1, 1 + self.pick(replications, quick_replications))

    def extended(self, seeds: Sequence[int]) -> tuple[int, ...]:
        """The seeds of a reading that decides verdicts: those that the study states, and the ones after them."""
        last = max(seeds)
        return (*seeds, *range(last + 1, last + 1 + (self.times - 1) * len(seeds)))

    @contextmanager
    def kept(self) -> Iterator[Lab]:
        """The same laboratory with a store: its own, or one that is removed at the end."""
        with self._folder() as root:
            yield replace(self, root=root)

    def with_worker(self, worker: Worker[Job, Result]) -> Lab:
        """The same laboratory with another function that does a run."""
        return replace(self, worker=worker)

    def run(self, jobs: Sequence[Job]) -> list[Result]:
        """Whole results, for figures of single runs. The store does not keep them."""
        return execute(jobs, self.worker, threads=self.threads, progress=self.progress)

    def grid(
        self,
        readings: Sequence[Reading],
        variants: Sequence[Variant],
        seeds: Sequence[int],
        measure: Callable[[Result], Mapping[str, float]],
        deciding: Collection[str] = (),
    ) -> Grid:
        """Runs every reading with every variant under every seed, and takes `measure` from each run.

        The readings named in `deciding` have the seeds of `extended`.

        Raises
        ------
        ScenarioError
            If a reading and a variant together make no scenario.
        StudyError
            If a run fails, a measure is not a finite number, or the names differ between runs.
        """
        seeds_of = {one.name: self.extended(seeds) if one.name in deciding else tuple(seeds) for one in readings}
        experiments = [
            Experiment(
                {"reading": reading.name, "variant": variant.name},
                reading.scenario,
                {**reading.overrides, **variant.overrides},
                seeds_of[reading.name],
            )
            for reading in readings
            for variant in variants
        ]
        measured = iter(self.measure(experiments, measure))
        found = {(reading.name, variant.name): next(measured) for reading in readings for variant in variants}
        return Grid(tuple(readings), tuple(variants), seeds_of, found)

    def measure(
        self, experiments: Sequence[Experiment], measure: Callable[[Result], Mapping[str, float]] | None = None
    ) -> list[dict[str, NDArray[np.float64]]]:
        """Measures every run: for each experiment, a dictionary of measure to its values in the order of the seeds.

        It raises as `grid` does.
        """
        if not any(one.seeds for one in experiments):
            raise ValueError("the grid is empty")
        if self.without is not None:
            return self._measure_without(experiments, measure, self.without)
        plan = _plan(experiments, Keep((), measure, None if self.worker is run_job else self.worker))
        with self._folder() as root:
            with sweep_reporter(self.progress or False, plan.name) as report:
                sweeps.carry_out(plan, root, Threads(self.threads, self.worker), report)
            with open_store(root, sweep=plan.id) as store:
                failure = next(store.failures.rows(), None)
                if failure is not None:
                    where = _where(experiments[failure["point"]], failure["seed"])
                    told = failure["details"] or failure["error"]
                    raise StudyError(f"{store.failed} of {len(plan.runs)} runs failed; {where}: {told}")
                query = "SELECT point AS _point, runs.seed AS _seed, measures.* EXCLUDE (run) FROM runs"
                table = store.sql(f"{query} JOIN measures USING (run)")
        return _numbers(table, experiments)

    def _measure_without(
        self,
        experiments: Sequence[Experiment],
        measure: Callable[[Result], Mapping[str, float]] | None,
        without: Removal,
    ) -> list[dict[str, NDArray[np.float64]]]:
        """Measures as `measure` does, with a mechanism removed. Experiments that are alike without it are run once."""
        different: list[Experiment] = []
        place: dict[tuple[object, ...], int] = {}
        places = []
        for one in experiments:
            left = replace(one, overrides=_removed(one.overrides, without))
            key = (one.scenario, repr(left.overrides), tuple(one.seeds), one.measure)
            if key not in place:
                place[key] = len(different)
                different.append(left)
            places.append(place[key])
        measured = replace(self, without=None).measure(different, measure)
        return [measured[at] for at in places]

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        if self.root is not None:
            self.root.parent.mkdir(parents=True, exist_ok=True)
            yield self.root
            return
        with temporary("study") as folder:
            yield folder / "runs"


def _removed(overrides: Mapping[str, object], without: Removal) -> dict[str, object]:
    """The overrides with those that remove a mechanism after all others."""
    removed = without(overrides)
    return {path: value for path, value in overrides.items() if path not in removed} | dict(removed)


def _plan(experiments: Sequence[Experiment], keep: Keep) -> Plan:
    """A plan with a point for each experiment. If all have the same seeds, all run under one seed before the next."""
    points = [point for one in experiments for point in points_of(one.scenario, [Setting(one.params, one.overrides)])]
    plan = Plan(points, points[0].scenario.name or "study", keep)
    if all(one.measure is None and one.seeds == experiments[0].seeds for one in experiments):
        plan.add(experiments[0].seeds)
        return plan
    for number, one in enumerate(experiments):
        plan.add(one.seeds, [number], keep if one.measure is None else replace(keep, measure=one.measure))
    return plan


def _numbers(table: Table, experiments: Sequence[Experiment]) -> list[dict[str, NDArray[np.float64]]]:
    # The measures of other sweeps in the store have columns of their own, which are empty here.
    names = [name for name in table.column_names if name not in ("_point", "_seed") and not table.is_empty(name)]
    columns = [np.asarray(table[name], dtype=np.float64) for name in names]
    row_of = {key: row for row, key in enumerate(zip(table["_point"].tolist(), table["_seed"].tolist(), strict=True))}
    found = []
    for number, experiment in enumerate(experiments):
        rows = [row_of[number, seed] for seed in experiment.seeds]
        measured = {name: values[rows] for name, values in zip(names, columns, strict=True)}
        for name, values in measured.items():
            wrong = np.flatnonzero(~np.isfinite(values))
            if wrong.size:
                where = _where(experiment, experiment.seeds[int(wrong[0])])
                raise StudyError(f"{where}: {name} is no finite number, or is not measured in every run")
        found.append(measured)
    return found


def _where(experiment: Experiment, seed: int) -> str:
    return ", ".join([*(str(value) for value in experiment.params.values()), f"seed {seed}"])
