"""Coverage: over 1,000 synthetic experiments a 95 % interval covers the truth 93 to 97 % of the time.

The sizes are those at which theory says that a method holds; where it does not, its docstring says what was measured.
All draws are seeded, so each of the figures is the same in every run.
"""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from ackclock import stats

pytestmark = pytest.mark.slow

EXPERIMENTS = 1000
RESAMPLES = 400
"""Fewer than by default, for time: the ends of an interval then vary by about 4 % of its width."""


def coverage(experiment, truth):
    """The part of the intervals of an experiment, a function of a generator, that cover the truth."""
    covered = 0
    for seed in range(EXPERIMENTS):
        estimate = experiment(np.random.default_rng([2026, seed]))
        covered += estimate.low <= truth <= estimate.high
    return covered / EXPERIMENTS


def normal_mean(generator):
    return stats.mean(generator.normal(10, 2, 5))


def skewed_mean(generator):
    # Skewness 1, as of completion times that vary by half of their mean.
    return stats.mean(generator.gamma(4, 25, 30))


def bootstrap_mean(generator):
    return stats.mean(generator.gamma(4, 25, 60), method="BCa", resamples=RESAMPLES)


def percentile_mean(generator):
    return stats.mean(generator.normal(10, 2, 60), method="percentile", resamples=RESAMPLES)


def difference(generator):
    shared = generator.normal(0, 50, 10)
    return stats.paired_difference(shared + generator.normal(3, 2, 10), shared)


def change(generator):
    # Goodputs that differ between seeds by far more than the treatment changes.
    control = generator.lognormal(0, 0.4, 100)
    return stats.relative_change(control * generator.normal(1.1, 0.15, 100), control, resamples=RESAMPLES)


def median(generator):
    return stats.median(generator.lognormal(0, 0.5, 40), resamples=RESAMPLES)


def quartile(generator):
    return stats.quantile(generator.exponential(1, 100), 0.75, method="percentile", resamples=RESAMPLES)


def tail(generator):
    return stats.quantile(generator.exponential(1, 120), 0.9, resamples=RESAMPLES)


def medians_apart(generator):
    shared = generator.normal(0, 1, 80)
    treated, control = shared + generator.normal(1, 1, 80), shared + generator.normal(0, 1, 80)
    return stats.quantile_difference(treated, control, 0.5, resamples=RESAMPLES)


def until(precision, draw):
    """The mean of as many replications as a precision asks for, in as many steps as it likes."""

    def experiment(generator):
        sample = np.empty(0)
        while more := precision.more(sample):
            sample = np.append(sample, draw(generator, more))
        estimate = stats.mean(sample, level=precision.level)
        assert precision.met(estimate)
        return estimate

    return experiment


MEANS, SPREADS, WEIGHTS = (10, 20, 30, 40), (2, 5, 1, 10), (5, 3, 1, 1)
"""Four points of a population."""
OVERALL = (5 * 10 + 3 * 20 + 30 + 40) / 10


def independent_points(generator):
    sizes = (4, 6, 8, 12)
    samples = [generator.normal(*one) for one in zip(MEANS, SPREADS, sizes, strict=True)]
    return stats.population_mean(samples, WEIGHTS)


def moved_together(generator, sizes):
    """Points that have most of their randomness in common, which the seed decides."""
    common = generator.normal(0, 1, max(sizes))
    return [
        mean + spread * common[:size] + generator.normal(0, spread / 2, size)
        for mean, spread, size in zip(MEANS, SPREADS, sizes, strict=True)
    ]


def points_with_the_same_seeds(generator):
    sizes = (8, 8, 8, 8)
    return stats.population_mean(moved_together(generator, sizes), WEIGHTS, seeds=[range(size) for size in sizes])


def points_with_more_seeds_than_others(generator):
    sizes = (10, 14, 22, 10)
    return stats.population_mean(moved_together(generator, sizes), WEIGHTS, seeds=[range(size) for size in sizes])


@pytest.mark.parametrize(
    ("experiment", "truth"),
    [
        pytest.param(normal_mean, 10, id="mean, t, normal"),
        pytest.param(skewed_mean, 100, id="mean, t, skewed"),
        pytest.param(bootstrap_mean, 100, id="mean, BCa, skewed"),
        pytest.param(percentile_mean, 10, id="mean, percentile, normal"),
        pytest.param(difference, 3, id="paired difference"),
        pytest.param(change, 0.1, id="relative change"),
        pytest.param(median, 1, id="median, BCa"),
        pytest.param(quartile, math.log(4), id="third quartile, percentile"),
        pytest.param(tail, math.log(10), id="90th percentile, BCa"),
        pytest.param(medians_apart, 1, id="difference of medians"),
        pytest.param(independent_points, OVERALL, id="population, independent points"),
        pytest.param(points_with_the_same_seeds, OVERALL, id="population, the same seeds"),
        pytest.param(points_with_more_seeds_than_others, OVERALL, id="population, some of the seeds"),
        pytest.param(
            until(stats.Precision.parse("ci=2%"), lambda generator, n: generator.normal(100, 10, n)),
            100,
            id="until a relative width",
        ),
        pytest.param(
            until(stats.Precision.parse("ci=6"), lambda generator, n: generator.gamma(4, 25, n)),
            100,
            id="until an absolute width, skewed",
        ),
    ],
)
def test_a_95_percent_interval_covers_the_truth_as_often_as_it_says(experiment, truth):
    assert 0.93 <= coverage(experiment, truth) <= 0.97


def test_other_levels_are_kept_too():
    covered = [
        (estimate := stats.mean(np.random.default_rng(seed).normal(0, 1, 8), level=0.8)).low <= 0 <= estimate.high
        for seed in range(EXPERIMENTS)
    ]
    assert 0.77 <= np.mean(covered) <= 0.83


def test_the_smallest_samples_that_have_an_interval_of_a_quantile():
    # Below them not even the range of the sample would do.
    for q, fewest in ((0.5, 6), (0.95, 59), (0.05, 59), (0.75, 11)):
        values = np.arange(fewest, dtype=float)
        assert stats.quantile(values, q).has_interval
        assert not stats.quantile(values[1:], q).has_interval
        assert scipy_stats.binom.cdf(fewest - 1, fewest, q) - scipy_stats.binom.pmf(0, fewest, q) >= 0.95


def test_points_that_move_together_need_to_know_their_seeds():
    """As if they were independent, their errors would cancel, and the intervals would be too narrow."""
    blind = coverage(lambda generator: stats.population_mean(moved_together(generator, (8,) * 4), WEIGHTS), OVERALL)
    assert blind < 0.85


def test_holm_keeps_the_error_rate_of_the_family():
    """Twelve tests without an effect, of which some depend on each other: a false rejection in 5 % of the families."""
    false, plain = 0, 0
    for seed in range(EXPERIMENTS):
        generator = np.random.default_rng([7, seed])
        shared = generator.normal(0, 1, 10)
        samples = [generator.normal(0, 1, 10) + (shared if number < 4 else 0) for number in range(12)]
        p_values = [scipy_stats.ttest_1samp(sample, 0).pvalue for sample in samples]
        false += any(one.rejected for one in stats.holm(p_values))
        plain += min(p_values) <= 0.05
    assert 0.02 <= false / EXPERIMENTS <= 0.065
    assert plain / EXPERIMENTS > 0.3
