"""Student's distribution and the bootstrap against printed tables, closed forms and scipy."""

import math

import numpy as np
import pytest
from scipy import special
from scipy import stats as scipy_stats

from ackclock.stats import student
from ackclock.stats.estimate import RESAMPLING_SEED, bootstrap

PRINTED = {(1, 0.975): 12.706, (4, 0.975): 2.776, (9, 0.995): 3.250, (29, 0.975): 2.045, (120, 0.95): 1.658}
"""Tables of Student's distribution, as in Fisher and Yates 1963, table III: degrees of freedom, probability, t."""


@pytest.mark.parametrize(("freedom", "p"), PRINTED)
def test_quantiles_are_those_of_printed_tables(freedom, p):
    assert round(student.quantile(freedom, p), 3) == PRINTED[freedom, p]


@pytest.mark.parametrize("p", [0.01, 0.3, 0.5, 0.6, 0.975, 0.9995])
def test_one_and_two_degrees_of_freedom_have_closed_forms(p):
    assert student.quantile(1, p) == pytest.approx(math.tan(math.pi * (p - 0.5)), rel=1e-12, abs=1e-300)
    two = (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))
    assert student.quantile(2, p) == pytest.approx(two, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("freedom", [0.7, 1, 1.5, 2, 3, 5, 9, 29.4, 99, 999, 9_999, 10_000, 1e6, 1e10])
def test_quantiles_and_tails_are_scipys(freedom):
    precision = 1e-13 if freedom < 9_000 else 1e-12
    for p in (0.025, 0.6, 0.9, 0.975, 0.995, 0.99995):
        assert student.quantile(freedom, p) == pytest.approx(float(special.stdtrit(freedom, p)), rel=precision)
    for t in (0.0, 0.01, 0.5, 1.7, -2.0, 4.5, 30.0):
        expected = float(2 * special.stdtr(freedom, -abs(t)))
        assert student.two_sided(freedom, t) == pytest.approx(expected, rel=1e-11, abs=1e-290)


def test_a_quantile_and_its_tails_undo_each_other():
    for freedom in (1, 2.5, 10, 200):
        assert student.two_sided(freedom, student.quantile(freedom, 0.99)) == pytest.approx(0.02, rel=1e-13)
        assert student.quantile(freedom, 0.01) == pytest.approx(-student.quantile(freedom, 0.99), rel=1e-13)
    assert student.two_sided(3, math.inf) == 0
    assert student.two_sided(3, 0) == 1


@pytest.mark.parametrize(("freedom", "p"), [(0, 0.5), (-1, 0.5), (math.inf, 0.5), (math.nan, 0.5), (3, 0), (3, 1)])
def test_what_has_no_quantile_is_refused(freedom, p):
    with pytest.raises(ValueError, match=r"degrees of freedom|between 0 and 1"):
        student.quantile(freedom, p)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
@pytest.mark.parametrize("pairs", [1, 2])
def test_bootstrap_intervals_are_scipys(method, pairs):
    def statistic(first, second=None, axis=-1):
        return np.median(first, axis=axis) if second is None else first.mean(axis=axis) / second.mean(axis=axis)

    for seed in range(5):
        samples = tuple(np.random.default_rng(seed).exponential(size=(pairs, 17)) + 1)
        ours = bootstrap(statistic, samples, 0.0, 0.9, method, 999)
        theirs = scipy_stats.bootstrap(
            samples,
            statistic,
            paired=True,
            vectorized=True,
            n_resamples=999,
            confidence_level=0.9,
            method=method,
            rng=np.random.default_rng(RESAMPLING_SEED),
        ).confidence_interval
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)
