"""The report of a store in a browser."""

import itertools
import json

import numpy as np
import pytest

from ackclock.report import Intervals, Plot, Report, Row, Series
from ackclock.report.experiment.traces import panels
from ackclock.report.packing import packed
from ackclock.stats import Estimate
from tests.helpers.browser import DRAWN, Browser, needs_browser
from tests.helpers.tables import sequence_of

NEXT = """document.querySelectorAll(".choice select").forEach((one) => {
  one.selectedIndex = (one.selectedIndex + 1) % one.options.length;
  one.dispatchEvent(new Event("change"));
})"""


SMALLEST = """Math.min(...[...document.querySelectorAll("main *")].filter((one) => one.offsetParent &&
  [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())).map((one) =>
  parseFloat(getComputedStyle(one).fontSize)))"""


LEGEND = """(() => {
  for (const wide of document.querySelectorAll(".uplot")) {
    const names = [...wide.querySelectorAll(".u-label")].map((one) => one.textContent);
    const marks = [...wide.querySelectorAll(".u-marker")].map((one) => one.style.border);
    if (names.includes("one ssthresh")) return Object.fromEntries(names.map((name, at) => [name, marks[at]]));
  }
})()"""
"""The marks of the legend of the congestion window, by their names."""


PIXELS = """(() => {
  const one = document.querySelector("#small canvas");
  const data = one.getContext("2d").getImageData(0, 0, one.width, one.height).data;
  let full = 0, pale = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] < 200 || Math.abs(data[at + 1] - GREEN) > 30) continue;
    data[at + 3] > 200 ? full++ : data[at + 3] > 20 && pale++;
  }
  return [full, pale];
})()"""
"""Pixels of that colour of the plot that was drawn last, full and pale."""


LISTEN = """(() => {
  window.written = new Map();
  const own = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    if (!written.has(this.canvas)) written.set(this.canvas, []);
    written.get(this.canvas).push(text);
    return own.call(this, text, ...place);
  };
})()"""
"""Records the texts that are written on plots from now on."""


AXES = """(() => {
  const found = [...document.querySelectorAll(".uplot canvas")].filter((one) => one.offsetParent).map((one) =>
    written.get(one));
  written.clear();
  return found;
})()"""
"""The texts of each visible plot: the label of x, its numbers, the label of y, its numbers."""


SVG_SMALLEST = """Math.min(...[...document.querySelectorAll("svg text")].map((one) =>
  parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a).filter((size) => size > 0))"""


@pytest.fixture(scope="module")
def browser():
    with Browser() as one:
        one.offline()
        yield one


@pytest.fixture
def page(browser, made):
    browser.errors.clear()
    browser.requests.clear()
    browser.dark(False)
    browser.size(1100, 900)
    browser.open(made / "report.html")
    yield browser
    assert browser.errors == []
    assert browser.requests == []


@needs_browser
class TestReport:
    def test_every_figure_is_drawn(self, page):
        plots = page.run("document.querySelectorAll('script[data-plot]').length")
        # Figures that no choice shows, and those in folded parts, have not been drawn.
        unseen = "document.querySelectorAll('[hidden] canvas, details:not([open]) canvas').length"
        assert page.run(unseen) == 0 < page.run("document.querySelectorAll('canvas').length")
        folded = "document.querySelectorAll('details:not([open]) script[data-plot]').length"
        assert page.run(folded) > 0
        page.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        page.settle()
        longest = page.run("Math.max(...[...document.querySelectorAll('.choice select')].map(one => one.length))")
        assert longest > 1
        for _ in range(longest):
            colours = page.run(DRAWN)
            assert len(colours) > 10
            assert all(colours), colours
            page.run(NEXT)
            page.settle()
        assert page.run("document.querySelectorAll('canvas').length") == plots
        assert page.run("document.querySelectorAll('svg polygon').length") > 0
        assert page.run("[...document.querySelectorAll('.heat td[style]')].length") > 8

    def test_filters_leave_rows_out(self, page):
        box = "document.querySelector('.points .filtered')"
        shown = f"[...{box}.querySelectorAll('tbody tr')].filter(one => one.offsetParent).length"
        assert page.run(shown) == 12
        choose = (
            f"(() => {{ const one = {box}.querySelectorAll('select')[0]; one.selectedIndex = 2; "
            "one.dispatchEvent(new Event('change')); return one.options[2].text })()"
        )
        assert page.run(choose) == "cubic"
        assert page.run(shown) == 6
        assert page.run(f"{box}.querySelector('output').textContent") == "6 of 12"
        rows = (
            f"[...{box}.querySelectorAll('tbody tr')].filter(one => one.offsetParent).map(one => [1, 2, 3].map(at => "
        )
        rows += "one.cells[at].textContent))"
        assert {row[0] for row in page.run(rows)} == {"cubic"}
        page.run(choose.replace("[0]", "[2]", 1).replace("= 2", "= 1"))
        assert page.run(rows) == [["cubic", f"{rate} Mbit/s", "1 BDP"] for rate in (2, 5, 10)]
        assert page.run(f"{box}.querySelector('output').textContent") == "3 of 12"

    def test_hovering_tells_the_values(self, page):
        values = "[...document.querySelectorAll('.uplot')[0].querySelectorAll('.u-value')].map(one => one.textContent)"
        page.run("document.querySelectorAll('.uplot')[0].scrollIntoView({block: 'center'})")
        place = page.run(
            "(() => { const box = document.querySelector('.u-over').getBoundingClientRect(); "
            "return [box.left + 8, box.top + box.height / 2] })()"
        )
        page.hover(*place)
        rate, *means = page.run(values)
        assert rate == "2"
        assert len(means) == 2
        assert all(0 < float(one) < 2 for one in means)

    def test_steps_end_at_a_gap_and_an_area_is_below_them(self, browser, tmp_path):
        browser.errors.clear()
        browser.size(1000, 800)
        report = Report("steps", command="")
        steps = Series("steps", [0, 1, 2, 3, 4], [1, np.nan, 2, 2, 2], "#0000ff", "step", filled=True)
        other = Series("other", [0.5, 1.5], [0, 0], "#ff0000")
        report.add_figure(Plot("t", "x", "y", [steps, other]))
        report.write(tmp_path / "steps.html")
        browser.open(tmp_path / "steps.html")
        # The part of the pixels of a column above the other line that is blue.
        script = """(() => {
          const plot = document.querySelector("canvas");
          const box = document.querySelector(".u-over");
          const copy = Object.assign(document.createElement("canvas"), { width: plot.width, height: plot.height });
          const context = copy.getContext("2d", { willReadFrequently: true });
          context.drawImage(plot, 0, 0);
          const ratio = plot.width / plot.clientWidth;
          const left = (box.offsetLeft + %s * box.clientWidth) * ratio;
          const data = context.getImageData(left, box.offsetTop * ratio, 1, 0.9 * box.clientHeight * ratio);
          let blue = 0;
          for (let at = 0; at < data.data.length; at += 4)
            if (data.data[at + 3] && data.data[at + 2] > data.data[at] + 20) blue++;
          return blue / (0.9 * box.clientHeight * ratio);
        })()"""
        filled = [browser.run(script % place) for place in (0.1, 0.2, 0.3, 0.45, 0.6, 0.95)]
        # The axis ends at 2.1: 1 is half way up, 2 almost at the top. The lowest tenth is left out.
        for found, expected in zip(filled, (0.42, 0.42, 0, 0, 0.94, 0.94), strict=True):
            assert abs(found - expected) < 0.03, filled
        values = "[...document.querySelectorAll('.u-value')].slice(1).map(one => one.textContent)"
        told = []
        for place in (0.13, 0.38, 0.8):
            at = browser.run(
                "(() => { const box = document.querySelector('.u-over').getBoundingClientRect(); "
                f"return [box.left + {place} * box.width, box.top + box.height / 2] }})()"
            )
            browser.hover(*at)
            told.append(browser.run(values))
        assert told == [["1", "0"], ["-", "0"], ["2", "0"]]
        assert browser.errors == []

    def test_a_phone_needs_no_scrolling_sideways(self, page):
        page.size(390, 800, phone=True)
        page.settle()
        for dark in (False, True):
            page.dark(dark)
            page.settle()
            assert page.run("document.documentElement.scrollWidth") <= 390
            assert page.run(SMALLEST) >= 11
            assert page.run(SVG_SMALLEST) >= 9.5
            assert page.run("getComputedStyle(document.body).backgroundColor") == (
                "rgb(20, 23, 27)" if dark else "rgb(255, 255, 255)"
            )
            assert all(page.run(DRAWN))

    def test_drawing_anew_keeps_the_range(self, page):
        page.run(LISTEN)
        seen = []
        for dark in (True, False, True, False):
            page.dark(dark)
            page.settle()
            seen.append(page.run(AXES))
        assert seen[0][0]
        assert all(one == seen[0] for one in seen)

    @staticmethod
    def is_number(text):
        return text.replace(".", "").isdigit()

    def test_panels_have_one_range_and_zoom_together(self, page):
        def ranges():
            page.dark(True)
            page.settle()
            page.run("written.clear()")
            page.dark(False)
            page.settle()
            panels = [itertools.takewhile(self.is_number, one[1:]) for one in page.run(AXES) if one[0] == "time (s)"]
            return [[float(one) for one in panel] for panel in panels]

        page.run("document.querySelector('[data-sync]').scrollIntoView()")
        page.run(LISTEN)
        whole = ranges()
        assert len(whole) > 5
        assert min(whole[0]) == 0
        assert max(whole[0]) == 3
        assert all(one == whole[0] for one in whole)
        left, middle, width = page.run(
            "(() => { const box = document.querySelector('[data-sync] .u-over').getBoundingClientRect(); "
            "return [box.left, box.top + box.height / 2, box.width] })()"
        )
        page.hover(left + 0.3 * width, middle)
        page.mouse("mousePressed", left + 0.3 * width, middle)
        page.mouse("mouseMoved", left + 0.6 * width, middle)
        page.mouse("mouseReleased", left + 0.6 * width, middle)
        for _ in range(2):
            zoomed = ranges()
            assert all(0.8 < min(one) < max(one) < 1.9 for one in zoomed), zoomed
        for clicks in (1, 2):
            page.mouse("mousePressed", left + 0.5 * width, middle, clicks)
            page.mouse("mouseReleased", left + 0.5 * width, middle, clicks)
        assert ranges() == whole

    def test_a_zoomed_sequence_graph_has_every_segment(self, browser, tmp_path):
        """20,000 segments are in the file, and a zoom to a few of them shows each, over the whole height."""
        (plot,) = panels(sequence_of(20_000), 300, 60_000)
        report = Report("sequence")
        report.add_figure(plot)
        report.write(tmp_path / "report.html")
        assert len((tmp_path / "report.html").read_bytes()) < 350_000
        browser.errors.clear()
        browser.size(1000, 800)
        browser.open(tmp_path / "report.html")
        browser.run("""(() => {
          const { fillRect, clearRect } = CanvasRenderingContext2D.prototype;
          CanvasRenderingContext2D.prototype.clearRect = function (...given) {
            window.dots = [];
            return clearRect.apply(this, given);
          };
          CanvasRenderingContext2D.prototype.fillRect = function (...given) {
            dots.push(given);
            return fillRect.apply(this, given);
          };
        })()""")
        for left, right in ((0.5, 0.6), (0.5, 0.55), (0.5, 0.54)):
            begin, middle, width = browser.run(
                "(() => { const box = document.querySelector('.u-over').getBoundingClientRect(); "
                "return [box.left, box.top + box.height / 2, box.width] })()"
            )
            browser.hover(begin + left * width, middle)
            browser.mouse("mousePressed", begin + left * width, middle)
            browser.mouse("mouseMoved", begin + right * width, middle)
            browser.mouse("mouseReleased", begin + right * width, middle)
        dots = np.array(browser.run("dots"), dtype=float)
        # 20 s, and then a tenth, a twentieth and a twenty-fifth: 4 ms, with a segment each.
        across, up = dots[:, 0], dots[:, 1]
        inside = (across > 94) & (across < 940)
        assert 3 <= inside.sum() <= 6
        assert np.ptp(np.diff(across)) < 1.5
        assert np.ptp(up[inside]) > 150
        assert browser.errors == []

    def test_a_legend_tells_lines_of_one_colour_apart(self, page):
        marks = page.run(LEGEND)
        assert "2px solid" in marks["one cwnd"]
        assert "2px dotted" in marks["one ssthresh"]
        assert "1px solid" in marks["one in flight"]

    def test_intervals_and_wide_tables_fit_a_phone(self, browser, tmp_path):
        report = Report("t")
        report.add_figure(Intervals("t", "x", [Row("group", "a label of some words", Estimate(5, 4, 6, 9), "#000")]))
        report.add_table("wide", [f"column {n}" for n in range(20)], [list(range(20))])
        report.write(tmp_path / "report.html")
        browser.size(390, 800, phone=True)
        browser.open(tmp_path / "report.html")
        assert browser.run("document.documentElement.scrollWidth") <= 390
        assert browser.run("document.querySelector('.track').clientWidth") > 250
        assert browser.run("(one => one.scrollWidth > one.clientWidth)(document.querySelector('.scroll'))")

    def test_panels_share_their_time(self, page):
        page.run("document.querySelector('[data-sync]').scrollIntoView()")
        place = page.run(
            "(() => { const box = document.querySelector('[data-sync] .u-over').getBoundingClientRect(); "
            "return [box.left + box.width / 2, box.top + box.height / 2] })()"
        )
        page.hover(*place)
        times = page.run(
            "[...document.querySelectorAll('[data-sync]')][0].querySelectorAll('.uplot').length && "
            "[...[...document.querySelectorAll('[data-sync]')][0].querySelectorAll('.uplot')].map(one => "
            "parseFloat(one.querySelector('.u-value').textContent))"
        )
        # One whose own time has ended by then shows none.
        times = [one for one in times if one is not None]
        assert len(times) >= 5
        assert max(times) - min(times) < 0.5


@needs_browser
class TestPlots:
    @staticmethod
    def draw(page, series, **options):
        """A plot at the end of the page, and in sight."""
        lines = [{"colour": "#ff0000", "dark": "#ff8080", "kind": "line", "marker": "o"} | one for one in series]
        figure = {"title": "small", "x_label": "x", "y_label": "y", "from_zero": True, "series": lines} | options
        page.run(
            "document.querySelector('main').append(Object.assign(document.createElement('div'), {id: 'small'})), "
            f"ackclock.plot(document.querySelector('#small'), {json.dumps(figure)})"
        )
        # uPlot takes its height after the script.
        page.settle()
        page.run("document.querySelector('#small').scrollIntoView()")
        page.settle()

    @staticmethod
    def hovered(page, across):
        """The legend with the mouse at this part of the plot's width: name to value."""
        left, top, width, height = page.run(
            "(() => { const box = document.querySelector('#small .u-over').getBoundingClientRect(); "
            "return [box.left, box.top, box.width, box.height] })()"
        )
        page.hover(left + across * width, top + height / 2)
        names, values = (
            page.run(f"[...document.querySelectorAll('#small .u-{what}')].map(one => one.textContent)")
            for what in ("label", "value")
        )
        return dict(zip(names, values, strict=True))

    def test_hovering_tells_what_holds_there(self, page):
        """A step has its last value where it has no point; other lines have that of the nearest point."""
        far = {"x": [0, 10], "y": [1, 9]}
        often = {"label": "often", "x": list(range(11)), "y": [4] * 11}
        self.draw(page, [far | {"label": "step", "kind": "step"}, far | {"label": "line"}, often])
        assert self.hovered(page, 0.7) == {"x": "7", "step": "1", "line": "9", "often": "4"}
        assert self.hovered(page, 0.3) == {"x": "3", "step": "1", "line": "1", "often": "4"}
        assert self.hovered(page, 0.99) == {"x": "10", "step": "9", "line": "9", "often": "4"}

    def test_packed_columns_are_what_was_packed(self, page):
        values = [12.345, -3.25, 0, -1_234_567, 999_999.5]
        packs = {"x": packed(range(5), 1), "y": packed(values, 1000)}
        self.draw(page, [packs | {"label": "packed"}, {"label": "plain", "x": list(range(5)), "y": values}])
        for place, value in enumerate(values):
            found = self.hovered(page, 0.01 + 0.245 * place)
            assert found["packed"] == found["plain"]
            assert float(found["packed"]) == float(f"{value:.5g}")

    def test_a_logarithmic_axis_has_its_own_numbers(self, page):
        page.run(LISTEN)
        self.draw(page, [{"label": "s", "x": [1, 10, 100], "y": [3, 2, 1]}], x_log=True)
        written = page.run(AXES)[-1]
        assert written[written.index("x") + 1 : written.index("y")] == ["1", "10", "100"]
        assert self.hovered(page, 0.5) == {"x": "10", "s": "2"}
        assert self.hovered(page, 0.99) == {"x": "100", "s": "1"}

    @pytest.mark.parametrize("dark", [False, True])
    @pytest.mark.parametrize("kind", ["line", "points", "band", "interval"])
    def test_every_kind_is_drawn_in_its_colour(self, page, kind, dark):
        page.dark(dark)
        self.draw(
            page, [{"label": "s", "kind": kind, "x": [0, 5, 10], "y": [5, 5, 5], "low": [1, 1, 1], "high": [9, 9, 9]}]
        )
        full, pale = page.run(PIXELS.replace("GREEN", "128" if dark else "0"))
        width, height = page.run("(box => [box.width, box.height])(document.querySelector('#small .u-over'"
                                 ").getBoundingClientRect())")  # fmt: skip
        if kind == "band":
            assert 0.5 * width * height < pale < 0.9 * width * height
            assert full > width  # the line, and marks on it
        else:
            assert pale < 0.02 * width * height
            # A line goes from one side to the other; marks are three of nine pixels, whiskers three of half the width.
            least, most = {"line": (1.5, 2.5), "points": (0.1, 0.5), "interval": (2, 8)}[kind]
            assert least * width < full < most * width

    def test_numbers_of_axes_are_what_they_stand_for(self, page):
        page.run(LISTEN)
        self.draw(page, [{"label": "s", "x": [0, 1e6], "y": [0, 0.0225]}])
        written = page.run(AXES)[-1]
        across, up = (written[written.index("x") + 1 : written.index("y")], written[written.index("y") + 1 :])
        steps = np.diff([float(one) for one in up])
        assert len(up) > 4
        assert np.allclose(steps, steps[0], rtol=1e-9), up
        assert "1,000,000" in across
