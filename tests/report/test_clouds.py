"""Clouds of points: the ellipse of one standard deviation, and where things lie in the drawing."""

import re

import numpy as np
import pytest

from ackclock.plot.cloud import ellipse
from ackclock.report import Cloud, Clouds
from ackclock.report.clouds import log_ticks, moved_apart


def drawn(*clouds):
    return Clouds("a <title>", "delay (ms)", "Mbit/s", clouds).html("figure-1")


def dots(html):
    return [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', html)]


def test_the_ellipse_is_of_one_standard_deviation():
    # Four points at the corners of a rectangle: variances of 4 and 1, and no covariance.
    x, y = ellipse([1, 5, 1, 5], [2, 2, 4, 4])
    assert (x.min(), x.max()) == (pytest.approx(1), pytest.approx(5))
    assert (y.min(), y.max()) == (pytest.approx(2), pytest.approx(4))
    assert ((x - 3) ** 2 / 4 + (y - 3) ** 2) == pytest.approx(np.ones_like(x))


def test_an_ellipse_leans_as_its_points_do():
    x, y = ellipse([0, 1, 2], [0, 1, 2])
    assert y == pytest.approx(x)
    assert ellipse([1], [1])[0].size == 0


def test_more_delay_is_further_left_and_more_throughput_further_up():
    html = drawn(Cloud("slow", [100, 100], [1, 1], "#0072b2"), Cloud("fast", [1, 1], [2, 2], "#e69f00"))
    (slow, fast) = dots(html)
    assert slow[0] < fast[0]
    assert slow[1] > fast[1]


def test_a_decade_is_as_wide_as_the_next():
    html = drawn(*(Cloud(str(x), [x, x], [1, 1], "#0072b2") for x in (1, 10, 100)))
    (first, second, third) = (x for x, _ in dots(html))
    assert first - second == pytest.approx(second - third, abs=0.2)


def test_a_dot_is_the_median_and_a_cross_is_what_was_published():
    with_cross = drawn(Cloud("a", [1, 2, 90], [1, 1, 1], "#0072b2", (50.0, 3.0)), Cloud("b", [2, 2], [1, 1], "#e69f00"))
    (one, other) = dots(with_cross)
    assert one == other
    assert with_cross.count("<path") == 1


def test_what_cannot_be_drawn_is_refused():
    for x, y in (([0, 1], [1, 1]), ([1], [1, 2]), ([], []), ([1, np.nan], [1, 1])):
        with pytest.raises(ValueError, match="cloud 'it'"):
            drawn(Cloud("it", x, y, "#0072b2"))
    with pytest.raises(ValueError, match="no clouds"):
        drawn()


def test_labels_are_text_and_do_not_cover_one_another():
    html = drawn(*(Cloud(f"<{name}>", [5, 6], [1, 1], "#0072b2") for name in "abc"))
    assert "&lt;a&gt;" in html
    assert "<a>" not in html
    heights = sorted(moved_apart([(10, 50.0), (12, 52.0), (11, 51.0), (500, 50.0)])[:3])
    assert np.diff(heights) == pytest.approx([20, 20])
    assert moved_apart([(10, 50.0), (500, 50.0)]) == [50.0, 50.0]


def test_ticks_enclose_what_they_are_for():
    assert log_ticks([1.2, 40]) == [1, 2, 5, 10, 20, 50]
    assert log_ticks([2, 2]) == [2, 5]
