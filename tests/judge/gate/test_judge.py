"""Verdicts on made numbers: what is worse, what is not, and how often a gate without a change raises an alarm."""

import math

import numpy as np
import pytest

from ackclock.judge import gate
from ackclock.judge.gate.judge import fewest_seeds
from tests.judge.gate.parts import GOODPUT, verdicts

SEEDS = 20


def expected(direction="higher", relative=0.0, absolute=0.0):
    return gate.Expected(GOODPUT.measure, direction, relative, absolute)


def one(change, want, *, level=0.999, mean=100.0):
    """The verdict of a single measure that changes by these amounts, against a baseline that varies by seed."""
    before = mean + np.arange(len(change)) / 8
    return verdicts([before], [before + np.asarray(change)], want, level)[0]


NOISE = np.resize([-1.0, 0.5, 1.0, -0.5, 0.0], SEEDS)
"""Noise with a mean of zero, symmetric."""


@pytest.mark.parametrize(
    ("change", "want", "verdict"),
    [
        (np.zeros(SEEDS), expected(), "same"),
        (NOISE, expected(absolute=2), "within"),
        (NOISE, expected(absolute=0.1), "open"),
        (NOISE - 5, expected(absolute=2), "worse"),
        (NOISE + 5, expected(absolute=2), "better"),
        (NOISE - 5, expected("lower", absolute=2), "better"),
        (NOISE + 5, expected("lower", absolute=2), "worse"),
        (NOISE - 5, expected("either", absolute=2), "worse"),
        (NOISE + 5, expected("either", absolute=2), "worse"),
        # 5 % of about 101 are 5: what matters is the larger of both tolerances.
        (NOISE / 10 - 4, expected(relative=0.05), "within"),
        (NOISE / 10 + 4, expected("lower", relative=0.05), "within"),
        # Beyond zero for certain, and on both sides of the tolerance.
        (NOISE + 5, expected("lower", absolute=5), "open"),
        (NOISE - 5, expected(absolute=5), "open"),
        (NOISE / 10 - 6, expected(relative=0.05), "worse"),
        (NOISE / 10 - 6, expected(relative=0.05, absolute=8), "within"),
        # A change of every seed that equals the tolerance is not beyond it.
        (np.full(SEEDS, -2.0), expected(absolute=2), "within"),
        (np.full(SEEDS, -2.125), expected(absolute=2), "worse"),
    ],
)
def test_verdicts_follow_the_direction_and_the_tolerance(change, want, verdict):
    assert one(change, want).verdict == verdict


def test_a_run_without_a_value_is_the_worst():
    found = one(np.where(np.arange(SEEDS) < 18, math.nan, 0.0), expected("lower", absolute=2))
    assert (found.verdict, found.valueless) == ("worse", 18)
    assert found.change.value == math.inf
    assert found.document()["change"] is None
    found = one(np.full(SEEDS, math.nan), expected("higher"))
    assert found.verdict == "worse"
    assert math.isnan(found.now)


def test_the_first_look_accepts_and_never_rejects():
    before = np.arange(SEEDS) + 100.0
    later = before - np.where(np.arange(SEEDS) < 6, 0, 50)
    found = verdicts([before], [later], expected(absolute=1))[0]
    assert (found.verdict, len(found.seeds)) == ("same", 6)
    # Six regressions of six seeds are p = 1/64 at best: all seeds are taken, and the other 14 are as before.
    early = before - np.where(np.arange(SEEDS) < 6, 50, 0)
    found = verdicts([before], [early], expected(absolute=1))[0]
    assert (found.verdict, len(found.seeds)) == ("open", SEEDS)


def test_the_interval_of_a_regression_is_beyond_the_tolerance():
    draw = np.random.default_rng(3)
    seen = 0
    for _ in range(200):
        found = one(draw.normal(-3, 2, SEEDS), expected(absolute=1), level=0.95)
        if found.verdict == "worse":
            seen += 1
            assert found.change.high < -1
    assert 20 < seen < 200


def test_the_fewest_seeds_are_those_that_can_show_a_regression():
    for measures, level in ((1, 0.999), (5, 0.999), (64, 0.95), (1, 0.5)):
        n = fewest_seeds(measures, level)
        for count, verdict in ((n, "worse"), (n - 1, "open")):
            rows = [np.arange(count) + 100.0 for _ in range(measures)]
            now = [rows[0] - 50, *(row + NOISE[:count] for row in rows[1:])]
            assert verdicts(rows, now, expected(absolute=2), level, first=count)[0].verdict == verdict


def exchangeable(draw, kind, size):
    """Values of runs without a change of behaviour: new seeds, or draws in another order."""
    match kind:
        case "normal":
            return draw.normal(100, 10, size)
        case "skewed":
            return draw.lognormal(0, 1.5, size)
        case "bimodal":
            # A timeout or none, and a little noise.
            return draw.integers(0, 2, size) * 200.0 + draw.normal(0, 1e-3, size)
        case "counts":
            return draw.poisson(0.7, size).astype(float)
    raise AssertionError(kind)


@pytest.mark.parametrize("kind", ["normal", "skewed", "bimodal", "counts"])
def test_a_hundred_gates_without_a_change_raise_no_alarm(kind):
    draw = np.random.default_rng(2026)
    for _ in range(100):
        before, now = exchangeable(draw, kind, (2, 8, SEEDS))
        assert {each.verdict for each in verdicts(before, now, expected())} <= {"same", "within", "open"}


@pytest.mark.parametrize("kind", ["normal", "skewed", "bimodal"])
def test_the_level_holds_for_all_measures_together(kind):
    """At 95 % and without tolerance, at most 5 % of gates raise any alarm, to either side, over eight measures."""
    draw = np.random.default_rng(7)
    gates = 600
    alarms = 0
    for _ in range(gates):
        before, now = exchangeable(draw, kind, (2, 8, SEEDS))
        found = verdicts(before, now, expected("either"), level=0.95)
        alarms += any(each.verdict == "worse" for each in found)
    # Two standard errors of 600 gates are 1.8 %. Eight tests without Holm's correction would give 33 %.
    assert 0.02 <= alarms / gates <= 0.068


def test_dependent_measures_do_not_raise_the_level():
    draw = np.random.default_rng(11)
    alarms = 0
    for _ in range(400):
        before, now = draw.normal(0, 1, (2, SEEDS))
        found = verdicts([before, before * 2, -before], [now, now * 2, -now], expected("either"), level=0.95)
        alarms += any(each.verdict == "worse" for each in found)
    assert alarms / 400 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 400)
