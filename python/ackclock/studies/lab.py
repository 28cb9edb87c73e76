"""Where a study runs: it says what, and the laboratory does it as sweeps into a store."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from ackclock import sweeps
from ackclock._run import Job, run_job
from ackclock._runner import Progress, Worker, execute
from ackclock.progress import sweep_reporter
from ackclock.store.reader import open_store
from ackclock.studies.grid import Grid
from ackclock.sweeps.local import Threads
from ackclock.sweeps.plan import Keep, Plan, points_of
from ackclock.sweeps.vary import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.result import Result
    from ackclock.scenario import Text
    from ackclock.studies.grid import Reading, Variant
    from ackclock.table import Table

__all__ = ["Cell", "Lab", "StudyError"]


class StudyError(RuntimeError):
    """Runs of a study failed, or gave no number where one is needed."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One scenario of a study, and the seeds under which it runs."""

    params: Mapping[str, object]
    """What it is called in the store: name to value."""
    scenario: Text
    overrides: Mapping[str, object]
    seeds: Sequence[int]
    measure: Callable[[Result], Mapping[str, float]] | None = None
    """What is taken from it, where that is not what is taken from the others."""


@dataclass(frozen=True, slots=True)
class Lab:
    """How a study is run; the same numbers come out whatever the threads, the progress and the folder."""

    quick: bool = False
    """Fewer replications, and fewer readings, than the study asks for."""
    threads: int | None = None
    """Runs at the same time; None is one a core."""
    progress: Progress | None = None
    """Told the part done, from 0 to 1."""
    worker: Worker[Job, Result] = run_job
    """Does one run."""
    root: Path | None = None
    """The folder of the store that keeps what is measured; what is there already is not run again."""

    def part(self, start: float, end: float) -> Lab:
        """The laboratory for a part of the work, whose progress from 0 to 1 is `start` to `end` of the whole."""
        progress = self.progress
        if progress is None:
            return self
        return replace(self, progress=lambda fraction: progress(start + (end - start) * fraction))

    def of(self, worker: Worker[Job, Result]) -> Lab:
        """The same with another way to do a run."""
        return replace(self, worker=worker)

    def run(self, jobs: Sequence[Job]) -> list[Result]:
        """Whole results, for figures of single runs: they are not kept."""
        return execute(jobs, self.worker, threads=self.threads, progress=self.progress)

    def grid(
        self,
        readings: Sequence[Reading],
        variants: Sequence[Variant],
        seeds: Sequence[int],
        measure: Callable[[Result], Mapping[str, float]],
    ) -> Grid:
        """Runs every reading with every variant under every seed, and takes `measure` from each run.

        Raises
        ------
        ScenarioError
            If a reading and a variant together make no scenario.
        StudyError
            If a run fails, a measure is not a finite number, or the names differ between runs.
        """
        cells = [
            Cell(
                {"reading": reading.name, "variant": variant.name},
                reading.scenario,
                {**reading.overrides, **variant.overrides},
                seeds,
            )
            for reading in readings
            for variant in variants
        ]
        measured = iter(self.measure(cells, measure))
        found = {(reading.name, variant.name): next(measured) for reading in readings for variant in variants}
        return Grid(tuple(readings), tuple(variants), tuple(seeds), found)

    def measure(
        self, cells: Sequence[Cell], measure: Callable[[Result], Mapping[str, float]] | None = None
    ) -> list[dict[str, NDArray[np.float64]]]:
        """Takes `measure` from every run: of each cell name to its values, in the order of its seeds.

        It raises as `grid` does.
        """
        if not any(cell.seeds for cell in cells):
            raise ValueError("the grid is empty")
        plan = _plan(cells, Keep((), measure, None if self.worker is run_job else self.worker))
        with self._folder() as root:
            with sweep_reporter(self.progress or False, plan.name) as report:
                sweeps.carry_out(plan, root, Threads(self.threads, self.worker), report)
            with open_store(root, sweep=plan.id) as store:
                failure = next(store.failures.rows(), None)
                if failure is not None:
                    where = _where(cells[failure["point"]], failure["seed"])
                    told = failure["details"] or failure["error"]
                    raise StudyError(f"{store.failed} of {len(plan.runs)} runs failed; {where}: {told}")
                query = "SELECT point AS _point, runs.seed AS _seed, measures.* EXCLUDE (run) FROM runs"
                table = store.sql(f"{query} JOIN measures USING (run)")
        return _numbers(table, cells)

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        if self.root is not None:
            self.root.parent.mkdir(parents=True, exist_ok=True)
            yield self.root
            return
        with TemporaryDirectory(prefix="ackclock-") as folder:
            yield Path(folder) / "runs"


def _plan(cells: Sequence[Cell], keep: Keep) -> Plan:
    """A plan whose points are the cells; where all have the same seeds, all run under one seed before the next."""
    points = [point for cell in cells for point in points_of(cell.scenario, [Setting(cell.params, cell.overrides)])]
    plan = Plan(points, points[0].scenario.name or "study", keep)
    if all(cell.measure is None and cell.seeds == cells[0].seeds for cell in cells):
        plan.add(cells[0].seeds)
        return plan
    for number, cell in enumerate(cells):
        plan.add(cell.seeds, [number], keep if cell.measure is None else replace(keep, measure=cell.measure))
    return plan


def _numbers(table: Table, cells: Sequence[Cell]) -> list[dict[str, NDArray[np.float64]]]:
    # What other sweeps of the store measure has columns of its own, which are empty here.
    names = [name for name in table.column_names if name not in ("_point", "_seed") and not table.is_empty(name)]
    columns = [np.asarray(table[name], dtype=np.float64) for name in names]
    row_of = {key: row for row, key in enumerate(zip(table["_point"].tolist(), table["_seed"].tolist(), strict=True))}
    found = []
    for number, cell in enumerate(cells):
        rows = [row_of[number, seed] for seed in cell.seeds]
        measured = {name: values[rows] for name, values in zip(names, columns, strict=True)}
        for name, values in measured.items():
            wrong = np.flatnonzero(~np.isfinite(values))
            if wrong.size:
                where = _where(cell, cell.seeds[int(wrong[0])])
                raise StudyError(f"{where}: {name} is no finite number, or is not measured in every run")
        found.append(measured)
    return found


def _where(cell: Cell, seed: int) -> str:
    return ", ".join([*(str(value) for value in cell.params.values()), f"seed {seed}"])
