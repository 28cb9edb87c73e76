"""The picture with the published numbers beside ours."""

import math

import pytest

from ackclock.stats import Estimate
from ackclock.studies.framework import Claim, assess
from ackclock.studies.framework.published import side_by_side


def claim(name, published, expect="value", unit="%", tolerance=2.0):
    return Claim(name, f"{name} is so", "a paper", published, expect, unit, tolerance=tolerance)


def judged(one, value=5.0):
    measured = {} if value is None else {"main": Estimate(value, value - 1, value + 1, 9)}
    return assess(one, measured, "main")


def test_every_claim_with_both_numbers_is_in_the_figure_of_its_unit():
    claims = [
        judged(claim("first", 4.0)),
        judged(claim("words", "more", "above")),
        judged(claim("rate", 800.0, unit="kbit/s"), 700.0),
        judged(claim("unmeasured", 3.0), None),
        judged(claim("direction", -6.6, "below"), -3.0),
    ]
    percent, rates = side_by_side(claims, "ackclock reproduce it")
    assert (percent.x_label, rates.x_label) == ("Published and measured (%)", "Published and measured (kbit/s)")
    assert percent.title != rates.title
    rows = [(row.group, row.label, row.estimate.value) for row in percent.rows]
    assert rows == [
        ("first is so", "published", 4.0),
        ("first is so", "measured", 5.0),
        ("direction is so", "published", -6.6),
        ("direction is so", "measured", -3.0),
    ]
    band, direction = percent.rows[0].estimate, percent.rows[2].estimate
    assert (band.low, band.high) == pytest.approx((2.0, 6.0))
    assert math.isnan(direction.low)
    assert "no interval" in percent.html("figure")


def test_without_numbers_there_is_no_figure():
    assert side_by_side([judged(claim("words", "more", "above"))], "") == []
