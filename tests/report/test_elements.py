"""The elements of a report: heat maps, filters, colours and refusals."""

import re

import pytest

from ackclock.plot.contrast import GRAPHICS, contrast
from ackclock.plot.palette import DARK
from ackclock.report import Choice, HeatMap, Plot, Series
from ackclock.report.colours import CONTRAST, DARK_PAGE, on_dark, readable_on
from ackclock.report.figures import linear_ticks
from ackclock.report.filters import filtered_table
from ackclock.stats import Estimate


class TestElements:
    def test_colours_are_seen_on_the_dark_page(self):
        for colour in ("#0000ff", "#800066", "#000", "#0072b2"):
            assert contrast(on_dark(colour), DARK_PAGE) >= (GRAPHICS if colour in DARK else CONTRAST)
        assert on_dark("#f0e442") == "#f0e442"
        assert (readable_on("#ffffff"), readable_on("#08519c")) == ("#000000", "#ffffff")

    def test_a_heat_map_says_what_is_sure(self):
        sure, unsure = Estimate(5, 4, 6, 9), Estimate(-5, -6, 1, 9)
        html = HeatMap("x", "y", ["1", "2"], ["3"], {(0, 0): sure, (1, 0): unsure}, "%", diverging=True).html("f")
        assert ">+5<" in html
        assert ">(-5)<" in html
        assert "95 % interval -6 to 1" in html
        assert HeatMap("x", "y", ["1", "2"], ["3"], {(0, 0): sure}).html("f").count('class="none"') == 1

    def test_colours_are_symmetric_around_a_middle_that_is_not_zero(self):
        cells = {
            (0, 0): Estimate(50.0, 50.0, 50.0, 2),
            (1, 0): Estimate(90.0, 90.0, 90.0, 2),
            (2, 0): Estimate(20.0, 20.0, 20.0, 2),
        }
        html = HeatMap("x", "y", ["1", "2", "3"], ["3"], cells, "%", middle=50.0).html("f")
        assert re.findall(r"background:(#[0-9a-f]{6})", html)[:2] == ["#ffffff", "#2166ac"]
        # A number has no sign, and none is in parentheses.
        assert re.findall(r">([^<>]+)</td>", html) == ["50", "90", "20"]

    def test_a_dense_map_has_the_same_cells(self):
        cells = {(0, 0): Estimate(1.0, 1.0, 1.0, 2)}
        plain, dense = (HeatMap("x", "y", ["1"], ["3"], cells, dense=one).html("f") for one in (False, True))
        assert 'class="heat dense scroll"' in dense
        assert 'class="heat scroll"' in plain
        assert dense[dense.index("<table>") :] == plain[plain.index("<table>") :]

    def test_a_heat_map_is_blue_above_zero_and_grows_upwards(self):
        cells = {(0, 0): Estimate(-8, -9, -7, 9), (0, 1): Estimate(8, 7, 9, 9)}
        html = HeatMap("x", "y", ["1"], ["low", "high"], cells, diverging=True).html("f")
        assert re.findall(r'row">(\w+)</th><td style="background:(#\w+);', html) == [
            ("high", "#2166ac"), ("low", "#b2182b"),
        ]  # fmt: skip

    def test_a_filter_has_a_list_for_what_differs(self):
        html = filtered_table(["a"], [[1], [2]], {"k<": ["x", "y"], "same": [1, 1]}, what="rows")
        assert "k&lt; <select>" in html
        assert "same" not in html
        assert html.count("<tr data-of=") == 2
        with pytest.raises(ValueError, match="k: 1 values for 2 rows"):
            filtered_table(["a"], [[1], [2]], {"k": ["x"]}, what="rows")

    def test_what_cannot_be_drawn_is_refused(self):
        with pytest.raises(ValueError, match="nothing to choose from"):
            Choice("t", "w", []).html("f")
        with pytest.raises(ValueError, match="no place for 0"):
            Plot("t", "x", "y", [Series("s", [0, 1], [1, 2], "#000")], x_log=True).html("f")


@pytest.mark.parametrize(
    "values",
    [[0.0], [1e12], [0.1, 0.1 + 1e-17], [1e16, 1e16 + 2], [1e308, -1e308], [5e-324], [0.0, 5e-324], [1e17, 1e17 + 1e5]],
    ids=str,
)
def test_ticks_are_different_numbers_around_all_values(values):
    ticks = linear_ticks(values)
    assert ticks == sorted(set(ticks))
    assert 3 <= len(ticks) <= 12
    lowest, highest = max(min(values), -1e300), min(max(values), 1e300)
    assert ticks[0] <= lowest + 1e-11 * abs(lowest)
    assert ticks[-1] >= highest - 1e-11 * abs(highest)
