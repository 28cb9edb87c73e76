"""Verdicts from intervals."""

import math
from dataclasses import replace

import pytest

from ackclock.stats import Estimate
from ackclock.studies.framework import Claim, assess, combined, judge, load_claims

VALUE = Claim("v", "a value", "somewhere", 10.0, "value", "%", tolerance=2.0)
ABOVE = Claim("a", "a rise", "somewhere", 4.0, "above", "%")
BELOW = Claim("b", "a fall", "somewhere", "fewer", "below", bound=1.0)


def estimate(value, half):
    return Estimate(value, value - half, value + half, 30)


@pytest.mark.parametrize(
    ("claim", "value", "half", "verdict"),
    [
        (VALUE, 11, 1, "reproduced"),
        (VALUE, 12, 1, "reproduced"),
        (VALUE, 12.1, 1, "not reproduced"),
        (VALUE, 7.9, 5, "inconclusive"),
        (VALUE, 10, 2.1, "inconclusive"),
        (VALUE, 15, 2.9, "not reproduced"),
        (VALUE, 15, 3, "inconclusive"),
        (VALUE, 5, 2.9, "not reproduced"),
        (VALUE, 14, 2, "not reproduced"),
        (ABOVE, 1, 0.9, "reproduced"),
        (ABOVE, 1, 1, "inconclusive"),
        (ABOVE, -1, 1, "not reproduced"),
        (ABOVE, 0, 0, "not reproduced"),
        (ABOVE, -0.9, 1, "inconclusive"),
        (ABOVE, -4, 1, "not reproduced"),
        (BELOW, 0, 0.9, "reproduced"),
        (BELOW, 0.5, 0.6, "inconclusive"),
        (BELOW, 0.9, 0, "reproduced"),
        (BELOW, 1, 0, "not reproduced"),
        (BELOW, 0, 1, "inconclusive"),
        (BELOW, 2, 1, "not reproduced"),
        (BELOW, 4, 1, "not reproduced"),
    ],
)
def test_verdicts(claim, value, half, verdict):
    assert judge(claim, estimate(value, half))[0] == verdict


def test_what_is_not_measured_is_not_testable():
    assert judge(VALUE, None)[0] == "not testable"
    assert judge(ABOVE, Estimate(5, math.nan, math.nan, 1))[0] == "not testable"


def test_a_withdrawn_claim_stays_withdrawn_whatever_is_measured():
    withdrawn = Claim("w", "s", "somewhere", 10.0, "value", tolerance=1.0, status="withdrawn")
    assert judge(withdrawn, estimate(10, 0.1))[0] == "withdrawn"
    assert judge(withdrawn, None)[0] == "withdrawn"


def test_an_illustration_is_measured_and_counts_for_nothing():
    shown = Claim("i", "s", "somewhere", "a rise", "above", status="illustration")
    result = assess(shown, {"main": estimate(3, 1), "other": estimate(-3, 1)}, "main")
    assert result.verdict == judge(shown, None)[0] == "illustration"
    assert result.holds_under == ["main"]


def test_a_lopsided_interval_within_the_band_is_as_narrow_as_the_band():
    assert judge(VALUE, Estimate(8.1, 8, 12, 30))[0] == "reproduced"
    assert judge(VALUE, Estimate(8.1, 7.9, 12, 30))[0] == "inconclusive"


def test_the_main_reading_decides_and_the_others_are_shown():
    result = assess(ABOVE, {"main": estimate(-1, 0.5), "other": estimate(3, 1)}, "main")
    assert result.verdict == "not reproduced"
    assert result.holds_under == ["other"]
    document = result.document()
    assert document["measured"] == -1
    assert document["ci"] == [-1.5, -0.5]
    assert [row["verdict"] for row in document["readings"]] == ["not reproduced", "reproduced"]


def test_readings_have_kinds():
    measured = {"main": estimate(3, 1), "as a median": estimate(3, 1)}
    result = assess(ABOVE, measured, "main", {"main": "assumption", "as a median": "definition"}.__getitem__)
    assert [row["kind"] for row in result.document()["readings"]] == ["assumption", "definition"]
    assert [row["kind"] for row in assess(ABOVE, measured, "main").document()["readings"]] == ["assumption"] * 2


def test_the_document_has_the_promised_keys():
    document = assess(VALUE, {}, "main").document()
    assert {"id", "statement", "published", "measured", "ci", "verdict"} <= document.keys()
    assert (document["measured"], document["ci"], document["verdict"]) == (None, [None, None], "not testable")


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        (["reproduced", "reproduced"], "reproduced"),
        (["not reproduced"], "not reproduced"),
        (["reproduced", "not reproduced"], "split"),
        (["reproduced", "inconclusive"], "inconclusive"),
        (["not testable", "inconclusive", "reproduced"], "not testable"),
    ],
)
def test_readings_of_the_same_rank_decide_together(verdicts, verdict):
    assert combined(verdicts) == combined(verdicts[::-1]) == verdict


def test_the_readings_that_decide_are_told_apart():
    measured = {"printed": estimate(3, 1), "kernel": estimate(-3, 1), "other": estimate(-3, 1)}
    result = assess(ABOVE, measured, ("printed", "kernel"))
    assert (result.verdict, result.measured, result.cause) == ("split", measured["printed"], None)
    assert "reproduced under “printed”; not reproduced under “kernel”" in result.reason
    (beside,) = result.document()["beside"]
    assert (beside["reading"], beside["measured"], beside["verdict"]) == ("kernel", -3, "not reproduced")
    assert assess(ABOVE, measured, "printed").document()["beside"] == []
    assert assess(ABOVE, measured, ("kernel", "other")).verdict == "not reproduced"
    withdrawn = replace(ABOVE, status="withdrawn")
    assert assess(withdrawn, measured, ("printed", "kernel")).verdict == "withdrawn"


def test_a_split_claim_on_record_is_a_regression():
    measured = {"printed": estimate(3, 1), "kernel": estimate(-3, 1)}
    assert assess(replace(ABOVE, recorded="reproduced"), measured, ("printed", "kernel")).regressed


@pytest.mark.parametrize(
    ("fields", "turned", "cause"),
    [
        ({}, 3, "unexplained"),
        ({"because": "The queue is short."}, 3, "argued"),
        ({"because": "The queue is short.", "turned_by": "long queue"}, 3, "shown"),
        ({"because": "The queue is short.", "turned_by": "long queue"}, -3, "argued"),
        ({"because": "The queue is short.", "turned_by": "no such reading"}, 3, "argued"),
    ],
)
def test_a_cause_is_shown_by_the_reading_that_turns_the_verdict(fields, turned, cause):
    measured = {"main": estimate(-3, 1), "long queue": estimate(turned, 1)}
    result = assess(replace(ABOVE, **fields), measured, "main")
    assert result.cause == result.document()["cause"] == cause
    assert assess(replace(ABOVE, **fields), {"main": estimate(3, 1)}, "main").cause is None


def test_a_reading_that_shows_a_cause_needs_the_cause():
    with pytest.raises(ValueError, match="turned_by needs the cause"):
        replace(ABOVE, turned_by="long queue")


@pytest.mark.parametrize(
    ("recorded", "value", "regressed"),
    [
        ("reproduced", -1, True),
        ("reproduced", 0, True),
        ("reproduced", 1, False),
        ("not reproduced", -1, False),
        (None, -1, False),
    ],
)
def test_a_regression_is_a_claim_on_record_that_fails(recorded, value, regressed):
    claim = Claim("a", "a rise", "somewhere", 4.0, "above", recorded=recorded)
    assert assess(claim, {"main": estimate(value, 0.5)}, "main").regressed is regressed


TOML = """
[[claims]]
id = "x"
statement = "s"
source = "p"
published = 1.0
expect = "value"
tolerance = 0.1
"""


def test_claims_are_data():
    assert load_claims(TOML)["x"] == Claim("x", "s", "p", 1.0, "value", tolerance=0.1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TOML + TOML, "same id"),
        (TOML.replace('"value"', '"near"'), "expect"),
        (TOML.replace("published = 1.0", 'published = "more"'), "published number"),
        (TOML.replace("tolerance = 0.1", ""), "tolerance"),
        (TOML + 'status = "denied"', "status"),
        (TOML + 'recorded = "maybe"', "recorded"),
    ],
)
def test_claims_that_make_no_sense_are_refused(text, words):
    with pytest.raises(ValueError, match=words):
        load_claims(text)
