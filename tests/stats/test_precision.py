"""The number of replications that a precision needs, and the rule that stops adding them."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from ackclock import stats
from ackclock.stats import Estimate, Precision


def t_half_width(deviation, n, level=0.95):
    return scipy_stats.t.ppf((1 + level) / 2, n - 1) * deviation / math.sqrt(n)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("wanted", [5.0, 1.0, 0.1, 0.013])
def test_the_number_needed_is_the_first_that_is_enough(wanted, level):
    pilot = stats.mean([8.0, 9.0, 10.0, 11.0, 12.0], level=level)
    needed = stats.replications_needed(pilot, half_width=wanted)
    deviation = math.sqrt(2.5)
    assert t_half_width(deviation, needed, level) <= wanted
    assert needed == 2 or t_half_width(deviation, needed - 1, level) > wanted
    assert stats.replications_needed(pilot, relative=wanted / 10) == needed


def test_a_sample_stands_for_its_mean():
    sample = np.random.default_rng(1).normal(-50, 5, 12)
    expected = stats.replications_needed(stats.mean(sample), relative=0.01)
    assert stats.replications_needed(sample, relative=0.01) == expected > 12


def test_half_the_width_of_a_bootstrap_interval_takes_four_times_as_many():
    pilot = Estimate(100.0, 90.0, 110.0, 20, method="BCa")
    assert stats.replications_needed(pilot, half_width=5) == 80
    assert stats.replications_needed(pilot, half_width=3) == math.ceil(20 * (10 / 3) ** 2)
    assert stats.replications_needed(pilot, half_width=1e3) == 2


def test_as_many_as_a_pilot_says_are_enough():
    draw = np.random.default_rng(2).normal
    for estimate, wanted in ((stats.mean, 0.3), (stats.median, 0.4)):
        needed = stats.replications_needed(estimate(draw(10, 2, 60)), half_width=wanted)
        assert estimate(draw(10, 2, needed)).half_width == pytest.approx(wanted, rel=0.3)


@pytest.mark.parametrize(
    ("pilot", "width", "words"),
    [
        ([1.0, 2.0], {}, "give either half_width or relative"),
        ([1.0, 2.0], {"half_width": 1, "relative": 0.1}, "give either half_width or relative"),
        ([1.0, 2.0], {"half_width": 0}, "above zero and finite, not 0"),
        ([1.0, 2.0], {"relative": math.nan}, "above zero and finite, not nan"),
        ([1.0], {"half_width": 1}, "a pilot of 1 has no interval"),
        ([-1.0, 1.0], {"relative": 0.1}, "narrow relative to it; give half_width"),
        ([1.0, 2.0], {"half_width": 1e-9}, "more than 2\\^53"),
        (stats.quantile(range(9), 0.5), {"half_width": 1e-9}, "more than 2\\^53"),
    ],
)
def test_what_has_no_number_is_refused(pilot, width, words):
    with pytest.raises(ValueError, match=words):
        stats.replications_needed(pilot, **width)


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("ci=2%", None, Precision(relative=0.02)),
        (" ci = 0.5 % , level = 99% ", "ms", Precision(relative=0.005, level=0.99)),
        ("ci=50kbps", None, Precision(absolute=50e3)),
        ("ci=50kbps", "bps", Precision(absolute=50e3)),
        ("ci=5ms", None, Precision(absolute=5e-3)),
        ("ci=5ms", "s", Precision(absolute=5e-3)),
        ("ci=5ms", "ms", Precision(absolute=5.0)),
        ("ci=0.01s", "ms", Precision(absolute=10.0)),
        ("ci=1.5KiB", "bytes", Precision(absolute=1536.0)),
        ("ci=3e-2", "", Precision(absolute=0.03)),
        ("ci=3", "ms", Precision(absolute=3.0)),
        ("level=0.9,ci=1%,least=5,most=50", None, Precision(relative=0.01, level=0.9, least=5, most=50)),
        ("ci=1%,most=5", None, Precision(relative=0.01, least=5, most=5)),
        ("ci=1%,least=3000", None, Precision(relative=0.01, least=3000, most=3000)),
    ],
)
def test_a_precision_as_text(text, unit, expected):
    read = Precision.parse(text, unit)
    assert (read.least, read.most, read.level) == (expected.least, expected.most, expected.level)
    assert (read.relative is None, read.absolute is None) == (expected.relative is None, expected.absolute is None)
    assert read.half_width(1.0) == pytest.approx(expected.half_width(1.0), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "unit", "words"),
    [
        ("", None, "'': '' does not begin with ci=, level=, least= or most=; accepted: a half-width such as ci=2%"),
        ("2%", None, "'2%' does not begin with"),
        ("level=90%", None, "ci= is missing"),
        ("ci=2%,ci=3%", None, "ci is given twice"),
        ("ci=", None, "'' is not a number"),
        ("ci=-2%", None, "'-2%' is not a number"),
        ("ci=nan", None, "'nan' is not a number"),
        ("ci=2furlong", None, "'furlong' is not a unit; units: %, bps, kbps"),
        ("ci=0%", None, "above zero and finite, not 0"),
        ("ci=5ms", "bps", "ms does not fit the measure, which is in bps"),
        ("ci=5ms", "", "ms does not fit the measure, which is a number"),
        ("ci=2%,level=95", None, "the confidence level must be between 0 and 1, not 95"),
        ("ci=2%,level=1s", None, "level=1s is not a confidence level"),
        ("ci=2%,least=1", None, "least must be from 2 to most, 1000, not 1"),
        ("ci=2%,least=20,most=10", None, "least must be from 2 to most, 10, not 20"),
        ("ci=2%,most=1e3", None, "most=1e3 is not a whole number"),
    ],
)
def test_what_is_no_precision_is_refused_with_what_is(text, unit, words):
    with pytest.raises(ValueError, match=words) as caught:
        Precision.parse(text, unit)
    assert str(caught.value).startswith(repr(text))


def test_a_precision_is_one_width():
    for both in ({}, {"relative": 0.1, "absolute": 1.0}):
        with pytest.raises(ValueError, match="either relative or absolute"):
            Precision(**both)


def test_met_means_narrow_and_of_enough_replications():
    narrow = Estimate(-100.0, -102.0, -98.0, 10)
    assert Precision(relative=0.02).met(narrow)
    assert Precision(absolute=2.0).met(narrow)
    assert not Precision(relative=0.0199).met(narrow)
    assert not Precision(absolute=1.99).met(narrow)
    assert not Precision(relative=0.02, least=11).met(narrow)
    assert not Precision(absolute=1e9).met(Estimate(1.0, math.nan, math.nan, 30))
    assert Precision(relative=0.02).met([5.0] * 10)
    with pytest.raises(ValueError, match=r"at 0\.9 cannot meet a precision at 0\.95"):
        Precision(relative=0.02).met(stats.mean([1.0, 2.0], level=0.9))


def test_how_many_to_add():
    precision = Precision(absolute=1.0, least=8, most=100)
    assert precision.more([]) == 8
    assert precision.more([1.0]) == 7
    assert precision.more([1.0] * 8) == 0
    # As many as are needed, but no more than there are, nor more than the most.
    nearly = Estimate(0.0, -1.2, 1.2, 20, method="BCa")
    assert precision.more(nearly) == math.ceil(20 * 1.44) - 20
    assert precision.more(Estimate(0.0, -2.0, 2.0, 20, method="BCa")) == 20
    assert precision.more(Estimate(0.0, -2.0, 2.0, 95, method="BCa")) == 5
    assert precision.more(Estimate(0.0, -2.0, 2.0, 100, method="BCa")) == 0
    assert precision.more(Estimate(0.0, -1.0 - 1e-9, 1.0 + 1e-9, 20, method="BCa")) == 1
    # The number needed is rounded; while the interval is too wide at all there is one more to run.
    a_little = Estimate(0.0, -math.nextafter(1, 2), math.nextafter(1, 2), 31, level=0.99)
    assert stats.replications_needed(a_little, half_width=1) == 31
    assert Precision(absolute=1.0, level=0.99).more(a_little) == 1
    # Without an interval, or in relation to zero, nothing is known but that there are too few.
    assert precision.more(Estimate(0.0, math.nan, math.nan, 20, method="BCa")) == 20
    assert Precision(relative=0.1).more(Estimate(0.0, -1.0, 1.0, 20)) == 20
    with pytest.raises(ValueError, match="cannot meet"):
        precision.more(stats.mean([1.0, 2.0], level=0.9))


def test_t_intervals_take_as_many_more_as_their_number_needed_says():
    sample = np.random.default_rng(3).normal(100, 10, 40)
    precision = Precision(absolute=stats.mean(sample).half_width * 0.8)
    needed = stats.replications_needed(sample, half_width=precision.half_width(100))
    assert 60 < needed < 64
    assert precision.more(sample) == needed - 40


def test_a_level_of_its_own_is_that_of_the_mean():
    sample = np.random.default_rng(4).normal(100, 10, 40)
    half = stats.mean(sample, level=0.99).half_width
    assert Precision(absolute=half * 1.001, level=0.99).met(sample)
    assert not Precision(absolute=half * 0.999, level=0.99).met(sample)
