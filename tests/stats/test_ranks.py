"""Signed ranks against an enumeration of all signs, SciPy and worked numbers."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from ackclock.stats import ranks


def enumerated(differences, margin):
    """The p-value by definition: the share of all choices of signs whose positive ranks sum to as much or more."""
    moved = np.asarray(differences) - margin
    ranks = scipy_stats.rankdata(np.abs(moved))
    observed = ranks[moved > 0].sum()
    sums = [np.dot(signs, ranks) for signs in itertools.product((0, 1), repeat=len(moved))]
    return np.mean([one >= observed for one in sums])


@pytest.mark.parametrize("seed", range(5))
def test_p_is_that_of_all_signs_and_of_scipy(seed):
    draw = np.random.default_rng(seed)
    differences = draw.normal(0.4, 1, 10)
    for margin in (0.0, 0.3, -0.5):
        p = ranks.signed_rank_p(differences, margin)
        assert p == pytest.approx(enumerated(differences, margin), rel=1e-12)
        scipys = scipy_stats.wilcoxon(differences - margin, alternative="greater", method="exact").pvalue
        assert p == pytest.approx(scipys, rel=1e-9)


def test_the_smallest_p_is_a_power_of_two():
    for n in (1, 6, 20, 100):
        assert ranks.signed_rank_p(np.arange(1.0, n + 1)) == 2.0**-n
        assert ranks.signed_rank_p(-np.arange(1.0, n + 1)) == 1.0


def test_differences_equal_to_the_margin_count_for_the_hypothesis():
    assert ranks.signed_rank_p([2.0] * 8, 2.0) == 1.0
    assert ranks.signed_rank_p([2.0] * 8, 1.999) == 2.0**-8
    # Two of eight at the margin: their pair means with each other do not exceed it.
    mixed = [2.0, 2.0] + [5.0] * 6
    assert 2.0**-8 < ranks.signed_rank_p(mixed, 2.0) < 0.02


def test_the_interval_is_the_set_of_margins_that_both_tests_keep():
    draw = np.random.default_rng(7)
    differences = draw.normal(3, 2, 12)
    found = ranks.signed_rank_interval(differences, level=0.95)
    for end, outwards in ((found.low, -1), (found.high, 1)):
        sign = -outwards
        assert ranks.signed_rank_p(sign * differences, sign * end + 1e-9) > 0.025
        assert ranks.signed_rank_p(sign * differences, sign * end - 1e-9) <= 0.025


def test_an_interval_of_worked_numbers():
    # Hollander, Wolfe and Chicken, example 3.1 to 3.5 (Hamilton depression scale, n = 9): the estimate is -0.46 and the
    # interval at 96 % is [-0.786, -0.010].
    x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    found = ranks.signed_rank_interval(np.subtract(y, x), level=0.96)
    assert found == pytest.approx((-0.46, -0.786, -0.010), abs=1e-9)


def test_few_differences_have_no_interval():
    assert ranks.signed_rank_interval([1.0] * 5) == (1.0, -math.inf, math.inf)
    assert ranks.signed_rank_interval([1.0] * 6) == (1.0, 1.0, 1.0)


def test_infinity_is_the_worst_rank():
    differences = [math.inf, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    finite = [100.0, *differences[1:]]
    assert ranks.signed_rank_p(differences, 3.5) == ranks.signed_rank_p(finite, 3.5)
    assert ranks.signed_rank_interval([math.inf] * 8).value == math.inf


@pytest.mark.parametrize("sample", [[], [1.0, math.nan], [math.inf, -math.inf]])
def test_what_is_no_sample_is_refused(sample):
    with pytest.raises(ValueError, match="sample"):
        ranks.signed_rank_p(sample)
    with pytest.raises(ValueError, match="sample"):
        ranks.signed_rank_interval(sample)


def test_coverage_of_a_heavy_tail():
    draw = np.random.default_rng(20)
    samples = draw.standard_cauchy((2000, 12)) + 1
    inside = [one.low <= 1 <= one.high for one in map(ranks.signed_rank_interval, samples)]
    # 95 % or a little more, as the levels of 12 pairs are discrete; the standard error is 0.5 %.
    assert 0.94 <= np.mean(inside) <= 0.965
