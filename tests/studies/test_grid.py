"""The laboratory of a study with a worker that is no simulator: a formula of overrides and seed."""

import functools
import math

import numpy as np
import pytest

import ackclock
from ackclock.scenario import Text
from ackclock.studies.framework import Lab, Reading, StudyError, Variant
from tests.helpers.scenarios import SMALL
from tests.helpers.tables import make_result

SCENARIO = Text(SMALL)
READINGS = [Reading("main", SCENARIO), Reading("slow", SCENARIO, {"bottleneck.rate": "50Mbps"})]
VARIANTS = [Variant("old", "Old"), Variant("new", "New", {"bottleneck.delay": "11ms"})]
SEEDS = [3, 1, 4, 15, 9]


class Recorded:
    """A worker that computes instead of simulating, and says what it was given."""

    def __init__(self):
        self.jobs = []

    def __call__(self, job, cancel, progress):
        self.jobs.append(job)
        settings = {path: float(value.rstrip("Mbpsm")) for path, value in job.overrides}
        shared = np.random.default_rng(job.seed).normal(0, 10)
        rate = (settings.get("bottleneck.rate", 100) + shared) * settings.get("bottleneck.delay", 10) / 10
        progress(1.0)
        result = make_result(job.seed)
        result.meta["duration_s"] = rate
        return result


def rate(result):
    return {"rate": result.meta["duration_s"], "seed": result.seed}


@pytest.mark.parametrize("threads", [1, 3])
def test_values_are_in_the_order_of_the_seeds(threads):
    grid = Lab(threads=threads, worker=Recorded()).grid(READINGS, VARIANTS, SEEDS, rate)
    for reading in READINGS:
        for variant in VARIANTS:
            assert grid.values(reading.name, variant.name, "seed").tolist() == SEEDS


def test_every_cell_is_run_once_with_its_overrides():
    worker = Recorded()
    Lab(worker=worker).grid(READINGS, VARIANTS, SEEDS, rate)
    assert len(worker.jobs) == len(set(worker.jobs)) == 2 * 2 * 5
    assert {job.overrides for job in worker.jobs} == {
        (),
        (("bottleneck.delay", "11ms"),),
        (("bottleneck.rate", "50Mbps"),),
        (("bottleneck.rate", "50Mbps"), ("bottleneck.delay", "11ms")),
    }


def test_changes_are_paired_by_seed():
    grid = Lab(worker=Recorded()).grid(READINGS, VARIANTS, SEEDS, rate)
    change = grid.change("main", "new", "old", "rate")
    assert (change.low, change.value, change.high) == pytest.approx((10, 10, 10))
    difference = grid.difference("main", "new", "old", "rate")
    assert difference.value == pytest.approx(0.1 * grid.mean("main", "old", "rate").value)
    assert difference.half_width < grid.mean("main", "old", "rate").half_width / 5


def test_rows_name_their_cell():
    columns, rows = Lab(worker=Recorded()).grid(READINGS, VARIANTS, SEEDS, rate).rows()
    assert columns == ["reading", "variant", "seed", "rate", "seed"]
    assert [row[:3] for row in rows[:6]] == [["main", "old", seed] for seed in SEEDS] + [["main", "new", 3]]


def test_a_measure_that_is_no_number_names_its_cell():
    with pytest.raises(StudyError, match="main, old, seed 3: rate is no finite number"):
        Lab(threads=1, worker=Recorded()).grid(READINGS, VARIANTS, SEEDS, lambda result: {"rate": math.nan})


def test_measures_that_differ_between_runs_are_refused():
    with pytest.raises(StudyError, match="is not measured in every run"):
        Lab(worker=Recorded()).grid(READINGS, VARIANTS, SEEDS, lambda result: {str(result.seed): 1.0})


def test_an_empty_grid_is_refused():
    with pytest.raises(ValueError, match="empty"):
        Lab(worker=Recorded()).grid(READINGS, VARIANTS, [], rate)


def test_a_part_of_the_progress():
    seen = []
    part = Lab(progress=seen.append).part(0.5, 1).part(0.0, 0.5)
    for fraction in (0, 0.5, 1):
        part.progress(fraction)
    assert seen == [0.5, 0.625, 0.75]
    assert Lab().part(0, 1).progress is None


def test_a_run_that_fails_names_its_cell_and_says_why():
    def bad(job, cancel, note):
        raise ZeroDivisionError("a seed of " + str(job.seed))

    with pytest.raises(
        StudyError, match=r"(?s)20 of 20 runs failed; main, old, seed 3: .*ZeroDivisionError: a seed of 3"
    ):
        Lab(worker=bad).grid(READINGS, VARIANTS, SEEDS, rate)


def test_what_was_measured_is_kept(tmp_path):
    first, again, other = Recorded(), Recorded(), Recorded()
    kept = Lab(worker=first, root=tmp_path / "runs").grid(READINGS, VARIANTS, SEEDS, rate)
    same = Lab(worker=again, root=tmp_path / "runs").grid(READINGS, VARIANTS, SEEDS, rate)
    assert not again.jobs
    assert all((kept.values(*key, "rate") == same.values(*key, "rate")).all() for key in kept.cells)
    more = Lab(worker=other, root=tmp_path / "runs").grid(READINGS, VARIANTS, [*SEEDS, 7], rate)
    assert {job.seed for job in other.jobs} == {7}
    assert len(more.values("main", "old", "rate")) == 6
    with ackclock.open(tmp_path / "runs") as store:
        rows = store.sql(
            "SELECT reading, variant, measures.rate FROM runs JOIN measures USING (run) WHERE runs.seed = 4"
        )
        assert {(row["reading"], row["variant"]) for row in rows.rows()} == set(kept.cells)


def test_sweeps_of_one_store_may_measure_different_things(tmp_path):
    lab = Lab(worker=Recorded(), root=tmp_path / "runs")
    lab.grid(READINGS, VARIANTS, SEEDS, rate)
    other = lab.grid(READINGS, VARIANTS, SEEDS, lambda result: {"twice": 2.0 * result.seed})
    assert list(other.cells["main", "old"]) == ["twice"]
    assert other.values("main", "old", "twice").tolist() == [2 * seed for seed in SEEDS]
    assert list(lab.grid(READINGS, VARIANTS, SEEDS, rate).cells["main", "old"]) == ["rate", "seed"]


def test_other_workers_and_measures_are_other_runs(tmp_path):
    worker = Recorded()
    for factor in (1.0, 2.0):
        grid = Lab(worker=worker, root=tmp_path / "runs").grid(
            READINGS[:1], VARIANTS[:1], [1], lambda result, factor=factor: {"x": factor}
        )
        assert grid.values("main", "old", "x") == [factor]
        bound = Lab(worker=worker, root=tmp_path / "runs").grid(
            READINGS[:1], VARIANTS[:1], [1], functools.partial(scaled, factor=factor)
        )
        assert bound.values("main", "old", "x") == [factor]
    assert len(worker.jobs) == 4


def scaled(result, factor):
    return {"x": factor}
