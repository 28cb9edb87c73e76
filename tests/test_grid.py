"""The grid of a study with a worker that is no simulator: a formula of overrides and seed."""

import math

import numpy as np
import pytest

from ackclock.scenario import Text
from ackclock.studies.grid import Reading, Variant, portion, run_grid
from tests.conftest import make_result

SCENARIO = Text("")
READINGS = [Reading("main", "m", SCENARIO), Reading("slow", "s", SCENARIO, {"base": 50})]
VARIANTS = [Variant("old", "Old"), Variant("new", "New", {"gain": 1.1})]
SEEDS = [3, 1, 4, 15, 9]


class Recorded:
    """A worker that computes instead of simulating, and says what it was given."""

    def __init__(self):
        self.jobs = []

    def __call__(self, job, cancel, progress):
        self.jobs.append(job)
        settings = {path: float(value) for path, value in job.overrides}
        shared = np.random.default_rng(job.seed).normal(0, 10)
        rate = (settings.get("base", 100) + shared) * settings.get("gain", 1)
        progress(1.0)
        result = make_result(job.seed)
        result.meta["duration_s"] = rate
        return result


def rate(result):
    return {"rate": result.meta["duration_s"], "seed": result.seed}


@pytest.mark.parametrize("threads", [1, 3])
def test_values_are_in_the_order_of_the_seeds(threads):
    grid = run_grid(READINGS, VARIANTS, SEEDS, rate, threads=threads, worker=Recorded())
    for reading in READINGS:
        for variant in VARIANTS:
            assert grid.values(reading.name, variant.name, "seed").tolist() == SEEDS


def test_every_cell_is_run_once_with_its_overrides():
    worker = Recorded()
    run_grid(READINGS, VARIANTS, SEEDS, rate, worker=worker)
    assert len(worker.jobs) == len(set(worker.jobs)) == 2 * 2 * 5
    assert {job.overrides for job in worker.jobs} == {
        (),
        (("gain", "1.1"),),
        (("base", "50"),),
        (("base", "50"), ("gain", "1.1")),
    }


def test_changes_are_paired_by_seed():
    grid = run_grid(READINGS, VARIANTS, SEEDS, rate, worker=Recorded())
    change = grid.change("main", "new", "old", "rate")
    assert (change.low, change.value, change.high) == pytest.approx((10, 10, 10))
    difference = grid.difference("main", "new", "old", "rate")
    assert difference.value == pytest.approx(0.1 * grid.mean("main", "old", "rate").value)
    assert difference.half_width < grid.mean("main", "old", "rate").half_width / 5


def test_rows_name_their_cell():
    columns, rows = run_grid(READINGS, VARIANTS, SEEDS, rate, worker=Recorded()).rows()
    assert columns == ["reading", "variant", "seed", "rate", "seed"]
    assert [row[:3] for row in rows[:6]] == [["main", "old", seed] for seed in SEEDS] + [["main", "new", 3]]


def test_a_measure_that_is_no_number_names_its_cell():
    with pytest.raises(ValueError, match="main, old, seed 3: rate is nan"):
        run_grid(READINGS, VARIANTS, SEEDS, lambda result: {"rate": math.nan}, threads=1, worker=Recorded())


def test_measures_that_differ_between_runs_are_refused():
    with pytest.raises(ValueError, match="differ"):
        run_grid(READINGS, VARIANTS, SEEDS, lambda result: {str(result.seed): 1.0}, worker=Recorded())


def test_an_empty_grid_is_refused():
    with pytest.raises(ValueError, match="empty"):
        run_grid(READINGS, VARIANTS, [], rate, worker=Recorded())


def test_a_portion_of_progress():
    seen = []
    stage = portion(seen.append, 0.5, 0.75)
    for fraction in (0, 0.5, 1):
        stage(fraction)
    assert seen == [0.5, 0.625, 0.75]
    assert portion(None, 0, 1) is None
