"""Replications go on while a claim is inconclusive, up to the budget of the study."""

import pytest

from ackclock.scenario import Text
from ackclock.studies.framework import Claim, Lab, Outcome, Reading, Study, Variant, assess
from tests.helpers.scenarios import SMALL
from tests.helpers.tables import make_result

READINGS = [Reading("main", Text(SMALL)), Reading("other", Text(SMALL), {"bottleneck.rate": "50Mbps"})]
VARIANTS = [Variant("old", "Old")]


class Worker:
    """Computes a rate of 1 with a deviation of 1 that alternates with the seed, and keeps the jobs."""

    def __init__(self):
        self.jobs = []

    def __call__(self, job, cancel, progress):
        self.jobs.append((dict(job.overrides), job.seed))
        result = make_result(job.seed)
        result.meta["duration_s"] = 1.0 + (1 if job.seed % 2 else -1)
        return result

    def seeds(self, overrides):
        return sorted(seed for given, seed in self.jobs if given == overrides)


def study_with(bound, most_times):
    """A study that claims that the rate is above `bound`."""

    def run(study, lab):
        seeds = lab.seeds(4, 2)
        grid = lab.grid(READINGS, VARIANTS, seeds, lambda result: {"rate": result.meta["duration_s"]}, ("main",))
        claim = Claim("up", "it rises", "a paper", "more", "above", bound=bound)
        measured = {one.name: grid.mean(one.name, "old", "rate") for one in READINGS}
        return Outcome([assess(claim, measured, "main")], seeds, {}, {"runs": grid})

    package = "ackclock.studies.dctcp"
    return Study("it", "A study", "", "a paper", package, run, (), most_times=most_times)


@pytest.mark.parametrize(
    ("bound", "most_times", "quick", "made", "verdict"),
    [
        (-5.0, 4, False, 4, "reproduced"),
        (0.35, 4, False, 16, "reproduced"),
        (0.9, 4, False, 16, "inconclusive"),
        (0.9, 3, False, 8, "inconclusive"),
        (0.9, 1, False, 4, "inconclusive"),
        (0.9, 4, True, 2, "inconclusive"),
    ],
)
def test_replications_double_until_a_verdict_or_the_budget(bound, most_times, quick, made, verdict):
    worker = Worker()
    result = study_with(bound, most_times).reproduce(Lab(quick, 1, worker=worker))
    assert [one.verdict for one in result.claims] == [verdict]
    # No run is repeated, and only the reading that decides has more of them.
    assert worker.seeds({}) == list(range(1, 1 + made)) == list(result.seeds)
    assert worker.seeds({"bottleneck.rate": "50Mbps"}) == list(range(1, 1 + (2 if quick else 4)))
    (rows,) = [sheet.rows for sheet in result.sheets if sheet.name == "runs"]
    assert [(row[0], row[2]) for row in rows] == [
        (name, seed) for name, many in (("main", made), ("other", 2 if quick else 4)) for seed in range(1, 1 + many)
    ]


def test_seeds_go_on_after_the_last():
    assert Lab(times=3).extended([3, 1, 4]) == (3, 1, 4, 5, 6, 7, 8, 9, 10)
    assert Lab().extended(range(1, 4)) == (1, 2, 3)
