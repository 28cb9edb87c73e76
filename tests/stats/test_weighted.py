"""Weighted means over points and Holm's correction, against arithmetic by hand and other implementations."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from ackclock import stats
from ackclock.stats.weighted import mean_of, weighted_mean

FIRST, SECOND = [1.0, 2.0, 3.0, 6.0], [10.0, 14.0]


def test_independent_points_have_the_variance_and_the_freedom_of_cochran():
    """Variances 14/3 of four values and 8 of two: worked by hand, with weights 3 and 1."""
    found = stats.population_mean([FIRST, SECOND], [3, 1])
    parts = 0.75**2 * (14 / 3) / 4, 0.25**2 * 8 / 2
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / 3 + parts[1] ** 2 / 1)
    half = scipy_stats.t.ppf(0.975, freedom) * math.sqrt(sum(parts))
    assert found.value == pytest.approx(0.75 * 3 + 0.25 * 12)
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))
    assert found.n == 6


def test_points_with_the_same_seeds_are_summed_seed_by_seed():
    generator = np.random.default_rng(4)
    samples = [generator.normal(0, 1, 9), generator.gamma(2, 3, 9), generator.normal(5, 2, 9)]
    # The seeds of a point may come in any order.
    order = generator.permutation(9)
    seeds = [range(9), order, range(9)]
    found = stats.population_mean([samples[0], samples[1][order], samples[2]], [1, 2, 1], seeds=seeds, level=0.9)
    plain = stats.mean((samples[0] + 2 * samples[1] + samples[2]) / 4, level=0.9)
    assert (found.value, found.low, found.high) == pytest.approx((plain.value, plain.low, plain.high))
    assert found.n == 9


def test_two_groups_of_seeds_are_combined():
    """The second point has the first two of four seeds; the errors of a seed are added before they are squared."""
    one, two = np.array([1.0, 3.0, 2.0, 6.0]), np.array([10.0, 14.0])
    found = weighted_mean([one, two], [np.arange(4), np.arange(2)], [1, 1])
    first = 0.5 / 4 * math.sqrt(4 / 3) * (one - 3)
    second = 0.5 / 2 * math.sqrt(2) * (two - 12)
    both, alone = (first[:2] + second) @ (first[:2] + second), first[2:] @ first[2:]
    assert found.error == pytest.approx(math.sqrt(both + alone))
    assert found.freedom == pytest.approx((both + alone) ** 2 / (both**2 + alone**2))


def test_a_point_of_weight_zero_has_no_part():
    assert stats.population_mean([FIRST, SECOND, [1e9]], [3, 1, 0]) == stats.population_mean([FIRST, SECOND], [3, 1])
    alone, plain = stats.population_mean([FIRST, [7.0]], [1, 0]), stats.mean(FIRST)
    assert (alone.low, alone.high) == pytest.approx((plain.low, plain.high))


def test_one_value_at_a_point_leaves_no_interval():
    found = stats.population_mean([FIRST, [12.0]], [1, 1])
    assert found.value == 7.5
    assert not found.has_interval
    assert mean_of([1.0]).p_value() is None


def test_constant_points_have_an_interval_without_width():
    found = stats.population_mean([[0.1] * 3, [0.3] * 7], [1, 2])
    assert found.low == found.value == found.high
    assert mean_of([0.1] * 3).p_value() is None, "the same under all seeds tells nothing about chance"


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ([-1, math.nan, 1], "weight 0 is -1, weight 1 is nan; accepted: finite"),
        ([math.inf, 1, 1], "weight 0 is inf"),
        ([0, 0, 0], "all weights are zero"),
        ([1, 1], "3 samples, 3 arrays of seeds and 2 weights"),
    ],
)
def test_weights_that_are_none_are_refused(weights, told):
    with pytest.raises(ValueError, match=told):
        stats.population_mean([FIRST] * 3, weights)


def test_large_weights_do_not_overflow():
    assert stats.population_mean([FIRST, SECOND], [1e308, 1e308]).value == 7.5


def test_a_seed_twice_is_refused():
    with pytest.raises(ValueError, match="a seed of its own"):
        stats.population_mean([FIRST], [1], seeds=[[1, 1, 2, 3]])


def test_the_p_value_is_that_of_the_paired_t_test():
    treated, control = np.array([3.1, 2.2, 5.9, 4.4, 3.3]), np.array([2.0, 2.5, 4.0, 3.9, 2.2])
    assert mean_of(treated - control).p_value() == pytest.approx(scipy_stats.ttest_rel(treated, control).pvalue)


def test_holm_by_hand():
    """Holm's own order: the smallest times four, the next times three, and none below the one before."""
    found = stats.holm([0.04, 0.01, 0.03, 0.005])
    assert [one.p for one in found] == pytest.approx([0.06, 0.03, 0.06, 0.02])
    assert [one.level for one in found] == pytest.approx([0.95, 1 - 0.05 / 3, 1 - 0.05 / 2, 1 - 0.05 / 4])
    assert [one.rejected for one in found] == [False, True, False, True]
    # 0.04 alone would be below 0.05, and the step before it stops the procedure.
    assert [one.rejected for one in stats.holm([0.04, 0.01, 0.03, 0.005], level=0.9)] == [True] * 4


def test_holm_of_one_and_of_none():
    assert stats.holm([0.02])[0].p == 0.02
    assert stats.holm([]) == []
    assert stats.holm([0.9, 0.8])[0].p == 1


@pytest.mark.parametrize(("p_values", "level", "told"), [([0.5, 1.5], 0.95, "from 0 to 1"), ([0.5], 1.0, "level")])
def test_holm_refuses_what_is_none(p_values, level, told):
    with pytest.raises(ValueError, match=told):
        stats.holm(p_values, level=level)
