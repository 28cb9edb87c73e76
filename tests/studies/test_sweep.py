"""The largest and the smallest saving of a sweep."""

import numpy as np
import pytest

from ackclock.stats import relative_change
from ackclock.studies.framework.sweep import largest_saving

EQUAL = np.full(8, 0.2)


def times(random, savings, replications=30):
    """Times by point and replication: replications differ by 30 %, and every time by a further 10 %."""
    size = (savings.size, replications)
    control = np.exp(random.normal(0, 0.3, replications)) * np.exp(random.normal(0, 0.1, size))
    return control * (1 - savings)[:, None] * np.exp(random.normal(0, 0.14, size)), control


@pytest.mark.parametrize("sign", [1, -1])
def test_the_interval_covers_the_extreme_of_equal_points(sign):
    """At 95 %; the interval of the chosen point alone covers it less often."""
    random = np.random.default_rng(1)
    covered = alone = 0
    for _ in range(200):
        treated, control = times(random, EQUAL)
        extreme = largest_saving(treated, control, sign, resamples=400).scaled(sign)
        chosen = int(np.argmax(sign * (1 - treated.mean(axis=1) / control.mean(axis=1))))
        one = relative_change(treated[chosen], control[chosen], resamples=400).scaled(-1)
        assert extreme.value == pytest.approx(one.value)
        covered += extreme.low <= 0.2 <= extreme.high
        alone += one.low <= 0.2 <= one.high
    assert covered >= 184
    assert alone <= 178


def test_a_clear_extreme_has_about_the_interval_of_its_point():
    treated, control = times(np.random.default_rng(2), np.array([0.0, 0.1, 0.6]), 100)
    extreme = largest_saving(treated, control)
    alone = relative_change(treated[2], control[2]).scaled(-1)
    assert extreme.value == pytest.approx(alone.value)
    assert alone.half_width < extreme.half_width < 1.5 * alone.half_width


def test_the_interval_is_the_same_every_time():
    treated, control = times(np.random.default_rng(3), EQUAL)
    assert largest_saving(treated, control) == largest_saving(treated, control)


def test_the_smallest_saving_is_the_largest_of_the_negative_ones():
    treated, control = times(np.random.default_rng(4), np.array([0.3, 0.1]))
    smallest = largest_saving(treated, control, -1).scaled(-1)
    assert smallest.low < smallest.value < smallest.high
    assert smallest.value == pytest.approx(min(1 - treated.mean(axis=1) / control.mean(axis=1)))


def test_without_randomness_the_interval_is_a_point():
    exact = largest_saving(np.array([[1.0, 1.0], [3.0, 3.0]]), np.array([[2.0, 2.0], [4.0, 4.0]]))
    assert (exact.low, exact.value, exact.high) == pytest.approx((0.5, 0.5, 0.5))


def test_one_replication_has_no_interval():
    assert not largest_saving(np.ones((2, 1)), np.ones((2, 1))).has_interval
