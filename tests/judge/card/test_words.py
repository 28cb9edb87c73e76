"""Numbers of a card as people read them."""

import math

import pytest

from ackclock.judge.card.judge import Beside, Judged
from ackclock.judge.card.words import difference, label, number, place, sentence, told
from ackclock.stats.estimate import Estimate
from tests.judge.card.made import cell, judge, row


def of(value, low, high, lacking=0):
    one = row()
    estimate = None if value is None else Estimate(value, low, high, 8)
    return Judged(cell(one), one, {"candidate": [1.0] * 8}, {"cubic": Beside(estimate, lacking, "lower")})


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (-0.0015123, -0.0050712, 0.0020512, "-0.0015 [-0.0051, 0.0021]"),
        (9.6312, 7.8213, 11.4412, "+9.6 [7.8, 11.4]"),
        (1682.4, 1134.2, 2224.1, "+1,680 [1,130, 2,220]"),
        (-107.774, -107.871, -107.677, "-107.8 [-107.9, -107.7]"),
        (0.0, -0.2, 0.2, "0.00 [-0.20, 0.20]"),
        (64.6123, 64.6123, 64.6123, "+64.6 [64.6, 64.6]"),
        (-0.0003, -0.04, 0.04, "0.000 [-0.040, 0.040]"),
        (0.0, 0.0, 0.0, "0"),
        (-7.4e-17, -4.2e-16, 2.8e-16, "0"),
        (5.0, math.nan, math.nan, "+5.00"),
        (0.0, math.nan, math.nan, "0"),
    ],
)
def test_an_interval_has_two_digits_of_its_half_width(value, low, high, text):
    assert difference(of(value, low, high), "cubic") == text


def test_what_is_missing_is_told():
    assert difference(of(1.0, 0.5, 1.5, lacking=3), "cubic") == "no value under 3 of 8 seeds"
    assert difference(of(None, 0, 0), "cubic") == "-"
    assert difference(judge([1.0, 2.0], [1.0, 2.0], [1.0, 2.0], ""), "cubic") == "", "a fact is not compared"


def test_a_row_in_words():
    found = judge([3.0, 3.0, 3.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0])
    assert (number(found, "candidate"), label(found), place(found)) == ("3", "Number (%)", "path")
    assert sentence(found) == "Number: 3 %, and 1 % with CUBIC and 2 % with Reno in its place (path)."
    assert told(found) == "worse"
    assert told(judge([1.0, 1.0], [3.0, 3.0], [2.0, 2.0])) == "as good, better"
    assert number(judge([math.nan], [1.0], [1.0]), "candidate") == "-"
