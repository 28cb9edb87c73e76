"""Statistics against worked numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock import stats

FINITE = st.floats(min_value=-1e6, max_value=1e6, allow_nan=False)


def test_t_interval_of_a_textbook_sample():
    # 1..5: mean 3, standard deviation sqrt(2.5), t(0.975, 4) = 2.776445.
    estimate = stats.mean([1, 2, 3, 4, 5])
    half = 2.776445 * math.sqrt(2.5) / math.sqrt(5)
    assert estimate.value == 3
    assert estimate.low == pytest.approx(3 - half, rel=1e-6)
    assert estimate.high == pytest.approx(3 + half, rel=1e-6)
    assert estimate.n == 5
    assert estimate.half_width == pytest.approx(half, rel=1e-6)


def test_level_widens_the_interval():
    sample = [1.0, 2.0, 4.0]
    assert stats.mean(sample, level=0.99).half_width > stats.mean(sample, level=0.9).half_width


def test_bootstrap_repeats_itself():
    sample = np.random.default_rng(2).exponential(1, 20)
    assert stats.mean(sample, method="BCa") == stats.mean(sample, method="BCa")


def test_bca_leans_to_the_long_tail():
    sample = np.random.default_rng(3).exponential(1, 25)
    skewed, plain = stats.mean(sample, method="BCa"), stats.mean(sample, method="percentile")
    assert skewed.high > plain.high


def test_pairing_removes_what_pairs_share():
    shared = np.random.default_rng(4).normal(0, 100, 20)
    noise = np.random.default_rng(5).normal(0, 1, 20)
    paired = stats.paired_difference(shared + 3 + noise, shared)
    assert paired.low < 3 < paired.high
    assert paired.half_width < 1
    assert stats.mean(shared + 3).half_width > 30


def test_relative_change_is_the_ratio_of_means():
    control = np.array([700.0, 800.0, 900.0, 810.0, 790.0])
    change = stats.relative_change(control * np.array([1.05, 1.03, 1.04, 1.06, 1.02]), control)
    expected = (control * [1.05, 1.03, 1.04, 1.06, 1.02]).sum() / control.sum() - 1
    assert change.value == pytest.approx(expected)
    assert change.low < expected < change.high
    assert change.low > 0.02
    assert change.high < 0.06


def test_relative_change_of_an_exact_factor_has_no_width():
    change = stats.relative_change([110, 220, 330], [100, 200, 300])
    assert (change.low, change.value, change.high) == pytest.approx((0.1, 0.1, 0.1))


def test_a_sample_of_one_has_no_interval():
    for estimate in (stats.mean([5.0]), stats.relative_change([2.0], [1.0])):
        assert not estimate.has_interval
        assert estimate.document()["ci"] is None


def test_equal_values_have_an_interval_of_no_width():
    for method in ("t", "percentile", "BCa"):
        estimate = stats.mean([7, 7, 7], method=method)
        assert (estimate.low, estimate.high) == (7, 7)


def test_a_median_is_the_middle_and_its_interval_is_of_the_sample():
    sample = [5.0, 1.0, 9.0, 2.0, 7.0, 3.0, 8.0]
    for method in ("percentile", "BCa"):
        estimate = stats.median(sample, method=method)
        assert (estimate.value, estimate.n, estimate.method) == (5, 7, method)
        assert 1 <= estimate.low < 5 < estimate.high <= 9
    assert stats.quantile(sample, 0.25).value == 2.5
    assert stats.median(sample) == stats.quantile(sample, 0.5)
    assert stats.median(sample, level=0.5).half_width < stats.median(sample).half_width


def test_ties_leave_the_median_to_the_percentile_method():
    # Whichever value is left out, the median stays: BCa has nothing to work with, and the estimate says what was done.
    sample = [1.0] * 9 + [9.0]
    estimate = stats.median(sample)
    assert (estimate.low, estimate.high, estimate.method) == (1, 1, "percentile")
    assert estimate == stats.median(sample, method="percentile")


def test_resamples_can_be_more():
    sample = np.random.default_rng(6).exponential(1, 30)
    few, many = (stats.mean(sample, method="percentile", resamples=count) for count in (100, 2000))
    assert few != many == stats.mean(sample, method="percentile")


def test_a_benefit_is_positive_whatever_is_better():
    control = np.array([10.0, 12.0, 9.0, 11.0, 10.0])
    treated = control * np.array([0.8, 0.9, 0.7, 0.8, 0.8])
    faster = stats.relative_benefit(treated, control, better="less")
    assert faster.value == pytest.approx(1 - treated.mean() / control.mean())
    assert 0 < faster.low < faster.value < faster.high
    assert stats.relative_benefit(treated, control, better="more") == faster.scaled(-1)
    assert stats.relative_benefit(-treated, -control, better="more").value == pytest.approx(faster.value)
    assert stats.relative_benefit(-treated, -control, better="less").value == pytest.approx(-faster.value)


def test_differences_of_quantiles_are_of_whole_pairs():
    generator = np.random.default_rng(7)
    shared = generator.normal(1000, 100, 80)
    treated = shared + generator.normal(3, 1, 80)
    difference = stats.quantile_difference(treated, shared, 0.75)
    assert difference.value == np.quantile(treated, 0.75) - np.quantile(shared, 0.75)
    assert difference.low < 3 < difference.high
    assert difference.half_width < 3 < stats.quantile(treated, 0.75).half_width
    change = stats.quantile_change(treated, shared, 0.75)
    assert change.value == pytest.approx(np.quantile(treated, 0.75) / np.quantile(shared, 0.75) - 1)
    assert change.low < 0.003 < change.high
    assert change.half_width < 0.003
    for exact in (stats.quantile_difference(shared + 5, shared, 0.5), stats.quantile_change(shared * 1.5, shared, 0.5)):
        assert exact.low == exact.value == exact.high
    for few in (stats.quantile_difference([1.0] * 5, [2.0] * 5, 0.5), stats.quantile_change([1.0] * 5, [2.0] * 5, 0.5)):
        assert not few.has_interval


def test_a_comparison_is_both():
    control = np.array([10.0, 12.0, 9.0, 11.0, 10.0, 14.0])
    treated = np.array([11.0, 14.0, 10.0, 14.0, 11.0, 15.0])
    both = stats.compare(treated, control, unit="bps")
    assert (both.n, both.unit) == (6, "bps")
    assert both.difference == stats.paired_difference(treated, control)
    assert both.relative == stats.relative_change(treated, control)
    medians = stats.compare(treated, control, q=0.5, level=0.9)
    assert medians.difference == stats.quantile_difference(treated, control, 0.5, level=0.9)
    assert medians.relative == stats.quantile_change(treated, control, 0.5, level=0.9)
    for q in (None, 0.5):
        assert stats.compare(treated, control - 10, q=q).relative is None


def test_scaling_keeps_the_ends_in_order():
    estimate = stats.mean([1, 2, 3]).scaled(-100)
    assert estimate.low < estimate.value < estimate.high


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: stats.mean([]), "empty"),
        (lambda: stats.mean([1, math.nan]), "NaN"),
        (lambda: stats.mean([1, 2], level=1.5), "between 0 and 1"),
        (lambda: stats.paired_difference([1, 2], [1]), "pairs"),
        (lambda: stats.relative_change([1, 2], [1, 0]), "all positive or all negative"),
        (lambda: stats.relative_change([1, 2], [1, -1]), "all positive or all negative"),
        (lambda: stats.jain([1, -1]), "negative"),
        (lambda: stats.quantile([1, 2], 1), "between 0 and 1, not 1"),
        (lambda: stats.quantile_difference([1, 2], [1, 2], 0), "between 0 and 1, not 0"),
        (lambda: stats.quantile_change([1, 2], [0, 2], 0.5), "all positive or all negative"),
        (lambda: stats.quantile_change([1, 2], [2], 0.5), "pairs"),
        (lambda: stats.quantile(range(9), 0.5, level=0), "between 0 and 1"),
        (lambda: stats.median(range(9), method="t"), "percentile or BCa, not 't'"),
        (lambda: stats.median(range(9), resamples=0), "at least 1, not 0"),
        (lambda: stats.relative_benefit([1, 2], [1, 2], better="most"), "more or less, not 'most'"),
        (lambda: stats.relative_benefit([1, 2], [1, -2], better="more"), "all positive or all negative"),
    ],
)
def test_what_makes_no_statistic_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_jain():
    assert stats.jain([1, 1, 1, 1]) == 1
    assert stats.jain([1, 0, 0, 0]) == 0.25
    assert stats.jain([2, 1]) == pytest.approx(9 / 10)
    assert stats.jain([0, 0]) == 1


@given(st.lists(st.floats(min_value=1e-3, max_value=1e6), min_size=1, max_size=30), st.floats(1e-3, 1e3))
def test_jain_lies_between_one_share_and_all(shares, factor):
    index = stats.jain(shares)
    assert 1 / len(shares) - 1e-9 <= index <= 1 + 1e-9
    assert stats.jain([share * factor for share in shares]) == pytest.approx(index)


@given(st.lists(FINITE, min_size=2, max_size=30))
def test_a_mean_lies_in_its_interval(sample):
    estimate = stats.mean(sample)
    assert estimate.low <= estimate.value <= estimate.high


def test_bins_of_several_runs_have_quantiles_together():
    values = np.random.default_rng(1).exponential(1.0, 999)
    upto = np.ceil(values * 1000) / 1000
    for quantile in (0.0, 0.5, 0.95, 1.0):
        exact = np.quantile(values, quantile, method="inverted_cdf")
        assert 0 <= stats.quantile_of_bins(upto, np.ones(999), quantile) - exact <= 1e-3
    # The same values in fewer bins, those of two runs in turn.
    bins, counts = np.unique(upto, return_counts=True)
    halves = np.concatenate([bins[::2], bins[1::2]]), np.concatenate([counts[::2], counts[1::2]])
    assert stats.quantile_of_bins(*halves, 0.95) == stats.quantile_of_bins(upto, np.ones(999), 0.95)


def test_no_bins_have_no_quantile():
    assert math.isnan(stats.quantile_of_bins([], [], 0.5))
    with pytest.raises(ValueError, match="between 0 and 1, not 2"):
        stats.quantile_of_bins([1.0], [1], 2)
    with pytest.raises(ValueError, match="2 bins have 1 counts"):
        stats.quantile_of_bins([1.0, 2.0], [1], 0.5)
