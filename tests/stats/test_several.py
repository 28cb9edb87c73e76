"""Many comparisons at once: p-values against scipy's paired t test, and Holm's correction against arithmetic."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from ackclock import stats
from ackclock.stats.several import p_value


def holm(p_values):
    return [one.rejected for one in stats.holm(p_values)]


RANDOM = np.random.default_rng(20)


class TestPValue:
    @pytest.mark.parametrize("n", [2, 5, 40])
    @pytest.mark.parametrize("level", [0.9, 0.95])
    def test_it_is_that_of_the_paired_t_test(self, n, level):
        treated, control = RANDOM.normal(1.0, 1, n), RANDOM.normal(0.5, 1, n)
        found = p_value(stats.paired_difference(treated, control, level=level))
        assert found == pytest.approx(scipy_stats.ttest_rel(treated, control).pvalue, rel=1e-9)

    def test_nothing_random_has_none(self):
        assert p_value(stats.paired_difference([3, 4, 5], [1, 2, 3])) is None
        assert p_value(stats.paired_difference([3], [1])) is None

    def test_only_student(self):
        with pytest.raises(ValueError, match="not BCa"):
            p_value(stats.paired_difference([3, 4, 9], [1, 2, 3], method="BCa"))


class TestHolm:
    def test_worked_example(self):
        # 0.005 <= 0.05 / 4, 0.01 <= 0.05 / 3, but 0.03 > 0.05 / 2, which ends the list.
        assert holm([0.01, 0.04, 0.03, 0.005]) == [True, False, False, True]
        assert holm([0.04]) == [True]
        assert holm([]) == []

    def test_the_risk_of_any_false_one_is_the_level(self):
        drawn = RANDOM.uniform(size=(4000, 20))
        any_false = np.mean([any(holm(one)) for one in drawn.tolist()])
        assert any_false == pytest.approx(0.05, abs=3.5 * math.sqrt(0.05 * 0.95 / 4000))
        assert np.mean((drawn < 0.05).any(axis=1)) > 0.6, "what it would be without the correction"

    def test_it_keeps_no_less_than_bonferroni(self):
        for drawn in RANDOM.uniform(0, 0.02, size=(200, 5)).tolist():
            kept = holm(drawn)
            assert all(kept[at] for at, one in enumerate(drawn) if one <= 0.05 / 5)

    def test_what_is_no_p_value_is_refused(self):
        with pytest.raises(ValueError, match="from 0 to 1"):
            holm([0.5, math.nan])


def test_an_interval_ends_at_the_bounds():
    found = stats.mean([0.9, 0.99, 1.0]).within(0, 1)
    assert found.high == 1
    assert found.low == stats.mean([0.9, 0.99, 1.0]).low
    assert not stats.mean([0.9]).within(0, 1).has_interval
