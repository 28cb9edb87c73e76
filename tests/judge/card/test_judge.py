"""Verdicts from numbers by hand: the rule, harm, and what happens where numbers are missing."""

import dataclasses
import math

import pytest

from ackclock.judge.card.candidate import BESIDE, Candidate
from ackclock.judge.card.card import Card
from ackclock.judge.card.judge import AS_GOOD, BETWEEN, FACT, NOT_SHOWN, WORSE, Judged, beside, verdict_of
from ackclock.judge.card.perform import Plan
from ackclock.judge.card.section import Row
from ackclock.results.fairness import bounded_harm
from tests.judge.card.made import cell, judge, row

NAN = math.nan


def test_a_difference_that_every_seed_has_is_worse():
    found = judge([3.0, 3.1, 3.2], [1.0, 1.1, 1.3], [2.0, 2.2, 2.1])
    assert found.verdict == WORSE
    # The same numbers where more is better.
    assert judge([3.0, 3.1, 3.2], [1.0, 1.1, 1.3], [2.0, 2.2, 2.1], "higher").verdict == AS_GOOD


def test_worse_than_cubic_alone_is_between():
    assert judge([3.0, 3.1, 3.2], [1.0, 1.1, 1.3], [4.0, 4.2, 4.1]).verdict == BETWEEN
    assert judge([3.0, 3.1, 3.2], [4.0, 4.2, 4.1], [1.0, 1.1, 1.3]).verdict == AS_GOOD, "worse than Reno alone"


def test_an_interval_with_zero_in_it_is_as_good():
    # Mean difference 0.5, standard error 0.5, 2 degrees of freedom: the interval is 0.5 +- 2.15.
    found = judge([1.0, 1.0, 2.5], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0])
    assert found.beside["cubic"].difference.low == pytest.approx(0.5 - 4.302653 * 0.5)
    assert found.verdict == AS_GOOD
    assert not found.better


def test_the_same_numbers_are_as_good_and_not_better():
    found = judge([1.0, 2.0], [1.0, 2.0], [3.0, 5.0])
    assert (found.verdict, found.better) == (AS_GOOD, False)
    assert (found.beside["cubic"].difference.low, found.beside["cubic"].difference.high) == (0, 0)


def test_better_is_the_other_side_of_zero():
    assert judge([1.0, 1.1, 1.2], [3.0, 3.2, 3.1], [3.0, 3.2, 3.1]).better
    assert not judge([1.0, 1.1, 1.2], [3.0, 3.2, 3.1], [3.0, 3.2, 3.1], "higher").better


def test_a_number_that_the_candidate_lacks_counts_as_worse():
    found = judge([1.0, NAN, 1.0], [2.0, 2.0, 2.1], [2.0, 2.0, 2.1])
    assert found.beside["cubic"].lacking == 1
    assert found.verdict == WORSE
    # A seed under which the other algorithm has no number says nothing.
    assert judge([1.0, NAN, 1.0], [2.0, NAN, 2.1], [2.0, NAN, 2.1]).verdict == AS_GOOD
    assert judge([NAN, NAN], [NAN, NAN], [NAN, NAN]).verdict == AS_GOOD


def test_one_seed_has_no_interval_and_no_verdict_against_the_candidate():
    assert verdict_of({who: beside([9.0], [1.0], "lower") for who in BESIDE}) == AS_GOOD


def test_facts_and_reasons_have_no_verdict():
    assert judge([1.0, 2.0], [5.0, 6.0], [7.0, 8.0], "").verdict == FACT
    one = row()
    assert Judged(cell(one), one, reason="the backend has no packets").verdict == NOT_SHOWN


@pytest.mark.parametrize(
    ("together", "alone", "better", "harm"),
    [
        (3.0, 10.0, "higher", 0.7),
        (10.0, 10.0, "higher", 0.0),
        (15.0, 10.0, "higher", -0.5),
        (50.0, 10.0, "higher", -1.0),
        (0.0, 10.0, "higher", 1.0),
        (4.0, 1.0, "lower", 0.75),
        (1.0, 0.0, "lower", 1.0),
        (0.0, 0.0, "lower", 0.0),
        (0.0, 1.0, "lower", -1.0),
        (1.0, 1.5, "lower", -0.5),
        (1.0, 9.0, "lower", -1.0),
    ],
)
def test_harm_by_hand(together, alone, better, harm):
    assert bounded_harm(together, alone, more_is_better=better == "higher") == pytest.approx(harm)


def test_harm_of_what_has_no_value_has_none():
    assert math.isnan(bounded_harm(NAN, 1.0, more_is_better=True))
    assert math.isnan(bounded_harm(1.0, NAN, more_is_better=False))


def test_less_harm_is_better_whatever_the_number():
    assert Row("Harm", "goodput", "%", "higher", harm=("rival",)).direction == "lower"
    assert Row("Harm", "retransmitted", "%", "lower", harm=("rival",)).direction == "lower"


def made(*rows):
    parts = [rows[0].cell.section]
    plan = Plan(tuple(one.cell for one in rows), (), (1, 2, 3), 0, 0.0, (), False, {})
    return Card(Candidate("mine"), tuple(parts), plan, rows, quick=True)


def test_the_rows_that_stand_out_are_the_farthest_one_for_each_scenario():
    near = judge([2.0, 2.1, 2.0], [1.0, 1.0, 1.1], [1.5, 1.5, 1.4], scenario="near")
    far = judge([9.0, 9.1, 9.0], [1.0, 1.0, 1.1], [1.5, 1.5, 1.4], scenario="far")
    nearer = judge([4.0, 4.1, 4.0], [1.0, 1.0, 1.1], [1.5, 1.5, 1.4], scenario="far")
    good = judge([1.0, 1.0, 1.0], [9.0, 9.0, 9.1], [9.5, 9.5, 9.4], scenario="good")
    assert [one.values["candidate"][0] for one in made(near, nearer, good, far).standing_out()] == [9.0, 2.0]
    # 9.03 beside 1.47, the nearer of the two.
    assert far.distance == pytest.approx(1 - 4.4 / 27.1)


def test_the_distance_of_harm_is_its_difference():
    one = row(harm=("rival",))
    values = {"candidate": [90.0, 90.0], "cubic": [50.0, 50.0], "reno": [60.0, 60.0]}
    compared = {who: beside(values["candidate"], values[who], "lower") for who in BESIDE}
    assert Judged(cell(one), one, values, compared).distance == pytest.approx(0.3)


def test_the_distance_is_from_the_nearest_that_is_better():
    between = judge([3.0, 3.1, 3.2], [1.0, 1.1, 1.3], [3.1, 3.2, 3.1])
    assert between.distance == pytest.approx(1 - 3.4 / 9.3), "Reno is nearer, and not better"
    assert judge([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]).distance == 0
    assert judge([1.0, 1.0], [0.0, 0.0], [0.0, 0.0]).distance == 1
    assert judge([NAN, NAN], [5.0, 5.0], [5.0, 5.0]).distance == 1


def test_the_level_of_a_failure_includes_what_is_worse():
    worse = judge([3.0, 3.1, 3.2], [1.0, 1.1, 1.3], [2.0, 2.2, 2.1])
    between = judge([3.0, 3.1, 3.2], [1.0, 1.1, 1.3], [4.0, 4.2, 4.1])
    fact = judge([1.0, 2.0], [5.0, 6.0], [7.0, 8.0], "")
    unshown = Judged(cell(row()), row(), reason="why")
    assert made(worse).fails("worse")
    assert made(worse).fails("between")
    assert made(between).fails("between")
    assert not made(between).fails("worse")
    assert not made(worse).fails(None)
    assert not made(fact, unshown).fails("between")


def test_the_summary_counts_parts_that_cannot_be_shown():
    found = judge([1.0, 1.0], [1.0, 1.0], [1.0, 1.0])
    card = made(found)
    assert card.summary == {"as good": 1, "between": 0, "worse": 0, "fact": 0, "not shown": 0}
    unshown = dataclasses.replace(card.sections[0], unshown=("one", "two"))
    assert dataclasses.replace(card, sections=(unshown,)).summary["not shown"] == 2
