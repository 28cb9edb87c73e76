"""Figures and tables that a page saves as files."""

import csv
import io
import re
import shutil
import subprocess
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest
from markupsafe import Markup
from matplotlib import image

from ackclock.report import Cloud, Clouds, HeatMap, Intervals, Plot, Report, Row, Series
from ackclock.report.figures import Lane
from ackclock.report.filters import filtered_table
from ackclock.stats import Estimate
from tests.helpers.browser import Browser, needs_browser

SVG = "{http://www.w3.org/2000/svg}"
AWKWARD = 'a "b" & <c>, 50 % of x_1'
BLUE, GREEN, ORANGE = "#0072b2", "#009e73", "#e69f00"
LINE_X, LINE_Y = [0, 2, 5, 10], [1, 9, 3, 7]

pytestmark = needs_browser


def figures():
    line = Series(AWKWARD, LINE_X, LINE_Y, BLUE)
    dots = Series("dots", [1, 4], [2, 8], GREEN, "points", marker="s")
    steps = Series("steps", [0, 5, 10], [4, 6, 6], ORANGE, "step", filled=True)
    nothing = np.full(2, np.nan)
    lost = Series("lost", [3, 7], nothing, "#5b6470", "marks", marker="v", lane=[0, 1], count=2)
    down = Series("down", [4, 8], nothing, "#5b6470", "spans", to=[5, np.nan], lane=[0, 1], count=2)
    lanes = [Lane("one", "#cc79a7"), Lane("two", "#d55e00")]
    yield Plot("A plot \N{GREEK SMALL LETTER ALPHA}", "time (s)", "kB", [line, dots, steps, lost, down], lanes=lanes)
    rows = [Row("group", "first", Estimate(2, 1, 3, 9), BLUE), Row("group", "second", Estimate(6, 5, 9, 9), GREEN)]
    yield Intervals("Some intervals", "Mbit/s", rows)
    generator = np.random.default_rng(1)
    points = [generator.uniform(5, 20, 40), generator.uniform(1, 2, 40)]
    yield Clouds("Some clouds", "delay (ms)", "Mbit/s", [Cloud("reno", *points, ORANGE, published=(8, 1.5))])


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A browser, and the folder with a report of a figure of each kind, which it saves to."""
    folder = tmp_path_factory.mktemp("saving")
    report = Report("saved")
    for figure in figures():
        report.add_figure(figure)
    cells = {(0, 0): Estimate(5, 4, 6, 9), (1, 0): Estimate(1234, 1000, 1400, 9), (0, 1): Estimate(1, 0, 2, 9)}
    heat = HeatMap("rate", "queue", ["10", "20"], ["low", "high"], cells, "%").html("heat")
    report.add_html("A heat map", heat)
    rows = [[AWKWARD, 1234567, 0.25, None], ["x\\y", -3, 1.5, 2.0], ["plain", 4, 2.5, 3.0]]
    table = filtered_table(["name", "count", "share", "rest"], rows, {"kind": ["k", "l", "k"]}, what="rows")
    report.add_html("A table", table)
    folded = "<tr><th>a</th></tr><tr><td>1</td></tr>"
    report.add_html("A folded table", Markup(f"<p>text</p><table>{folded}</table>"), folded=True)
    report.add_html("Its caption is its name", Markup(f"<table><caption>Its caption</caption>{folded}</table>"))
    plot = Plot("folded", "x", "y", [Series("s", [0, 1], [0, 0], BLUE)]).html("folded")
    report.add_html("Parts", Markup(f"<details id='part'><summary>more</summary>{plot}</details>"))
    report.write(folder / "report.html")
    with Browser() as browser:
        browser.offline()
        browser.size(1000, 800)
        browser.dark(True)
        browser.download_to(folder)
        browser.folder = folder
        yield browser


@pytest.fixture
def page(browser):
    """The report, opened anew: Chromium saves about ten files of a page that nobody touches."""
    browser.open(browser.folder / "report.html")
    yield browser
    assert browser.errors == []
    assert browser.requests == []


def save(page, name, form):
    """Clicks a button, and gives the file's content."""
    title = name.replace("-", " ")
    heading = f"[...document.querySelectorAll('h2')].find(one => one.textContent.toLowerCase().startsWith('{title}'))"
    button = f"[...{heading}.parentElement.querySelectorAll('.save button')].find(one => one.textContent === '{form}')"
    page.run(f"{button}.click()")
    return page.saved(f"{name}.{'tex' if form == 'LaTeX' else form.lower()}")


def texts_of(svg):
    return [one.text for one in svg.iter(f"{SVG}text")]


def paths_of(svg, **attributes):
    return [
        np.array(re.findall(r"-?[\d.]+", one.get("d")), dtype=float).reshape(-1, 2)
        for one in svg.iter(f"{SVG}path")
        if all(one.get(name.replace("_", "-")) == value for name, value in attributes.items())
    ]


def content_of(pdf):
    """The operators of a page, after the table of objects has been checked."""
    start = int(re.search(rb"startxref\n(\d+)\n%%EOF\n$", pdf)[1])
    assert pdf[start:].startswith(b"xref\n0 9\n")
    for number, place in enumerate(re.findall(rb"(\d{10}) 00000 n \n", pdf[start:]), 1):
        assert pdf[int(place) :].startswith(b"%d 0 obj\n" % number)
    length = int(re.search(rb"/Length (\d+)", pdf)[1])
    begin = pdf.index(b"stream\n") + len(b"stream\n")
    assert pdf[begin + length :].startswith(b"\nendstream")
    return zlib.decompress(pdf[begin : begin + length]).decode("ascii")


class TestPlots:
    def test_svg_has_the_lines_and_the_names(self, page):
        svg = ElementTree.fromstring(save(page, "a-plot", "SVG"))
        assert svg.find(f"{SVG}title").text == "A plot \N{GREEK SMALL LETTER ALPHA}"
        texts = texts_of(svg)
        assert {"time (s)", "kB", AWKWARD, "dots", "steps", "lost (2)", "down (2)", "row 1: one", "row 2: two"} <= {
            *texts
        }
        assert "--" not in " ".join(texts)
        # Pixels are an affine image of the data, upside down.
        line = next(path for path in paths_of(svg, stroke=BLUE, stroke_width="2") if len(path) == len(LINE_X))
        for data, pixels, sign in ((LINE_X, line[:, 0], 1), (LINE_Y, line[:, 1], -1)):
            slope, begin = np.polyfit(data, pixels, 1)
            assert sign * slope > 10
            np.testing.assert_allclose(np.polyval((slope, begin), data), pixels, atol=0.6)
        # A square is four corners around its point, and the point is on the scale of the line.
        square = next(path for path in paths_of(svg, fill=GREEN) if len(path) == 4)
        slope, begin = np.polyfit(LINE_Y, line[:, 1], 1)
        assert square[:, 1].mean() == pytest.approx(begin + 2 * slope, abs=1)
        # Events are in their rows, in the colours of these; the last square of a colour is in the legend.
        marks = {colour: paths_of(svg, fill=colour)[-2] for colour in ("#cc79a7", "#d55e00")}
        assert marks["#d55e00"][:, 1].mean() - marks["#cc79a7"][:, 1].mean() == pytest.approx(11, abs=0.1)

    def test_pdf_has_the_same_vectors_in_helvetica(self, page):
        svg = ElementTree.fromstring(save(page, "a-plot", "SVG"))
        pdf = save(page, "a-plot", "PDF")
        content = content_of(pdf)
        assert re.findall(rb"/BaseFont /(\S+)", pdf) == [b"Helvetica", b"Helvetica-Bold", b"Symbol"]
        assert b"/Image" not in pdf
        shown = "".join(bytes.fromhex(one).decode("cp1252") for one in re.findall(r"<([0-9a-f]+)> Tj", content))
        assert AWKWARD in shown
        assert sorted(shown) == sorted("".join(texts_of(svg)))
        line = next(path for path in paths_of(svg, stroke=BLUE, stroke_width="2") if len(path) == len(LINE_X))
        drawn = " ".join(f"{x:g} {y:g} {operator}" for (x, y), operator in zip(np.round(line, 2), "mlll", strict=True))
        assert drawn in content
        width, height = (float(svg.get(name)) for name in ("width", "height"))
        assert f"[0 0 {0.75 * width:g} {0.75 * height:g}]".encode() in pdf

    @pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="needs pdftoppm")
    def test_pdf_and_png_are_one_picture(self, page):
        png = image.imread(io.BytesIO(save(page, "a-plot", "PNG")))
        save(page, "a-plot", "PDF")
        command = ["pdftoppm", "-r", "192", "-png", "-singlefile", page.folder / "a-plot.pdf", page.folder / "drawn"]
        subprocess.run(command, check=True)
        drawn = image.imread(page.folder / "drawn.png")
        assert abs(np.array(png.shape[:2]) - drawn.shape[:2]).max() <= 2
        # The inside of the axes, where no text is; edges of lines are blurred in two ways.
        first, second = (one[20:580, 180:1400, :3].reshape(28, 20, 61, 20, 3).mean(axis=(1, 3)) for one in (png, drawn))
        assert np.abs(first - second).max() < 0.1
        assert np.ptp(first) > 0.3
        assert png[0, 0, :3].tolist() == [1, 1, 1]  # paper is white, although the page is dark

    def test_what_is_hidden_or_out_of_view_is_not_saved(self, page):
        page.run(
            "[...document.querySelectorAll('.u-series')].find(one => one.textContent.includes('dots'))"
            ".querySelector('th').click()"
        )
        page.settle()
        svg = ElementTree.fromstring(save(page, "a-plot", "SVG"))
        assert "dots" not in texts_of(svg)
        assert not paths_of(svg, fill=GREEN)
        box = page.run(
            "(() => { const box = document.querySelector('.u-over').getBoundingClientRect(); "
            "return [box.left, box.top + box.height / 2, box.width] })()"
        )
        left, middle, width = box
        page.hover(left + 0.5 * width, middle)
        page.mouse("mousePressed", left + 0.5 * width, middle)
        page.mouse("mouseMoved", left + 0.8 * width, middle)
        page.mouse("mouseReleased", left + 0.8 * width, middle)
        svg = ElementTree.fromstring(save(page, "a-plot", "SVG"))
        numbers = [float(one) for one in texts_of(svg) if re.fullmatch(r"[\d.]+", one or "")]
        below = [one for one in numbers if one >= 4.9]
        assert min(below) >= 5
        assert max(below) <= 8.1


class TestOtherFigures:
    def test_a_heat_map_keeps_its_cells(self, page):
        svg = ElementTree.fromstring(save(page, "a-heat-map", "SVG"))
        told = page.run(
            "[...document.querySelectorAll('.heat td[style]')].map(one => [one.textContent, one.style.background])"
        )
        texts = texts_of(svg)
        for text, colour in told:
            assert text in texts
            channels = [int(one) for one in re.findall(r"\d+", colour)]
            (box,) = paths_of(svg, fill="#" + "".join(f"{one:02x}" for one in channels))
            place = next(one for one in svg.iter(f"{SVG}text") if one.text == text)
            assert box[:, 0].min() < float(place.get("x")) < box[:, 0].max()
            assert box[:, 1].min() < float(place.get("y")) < box[:, 1].max()
        assert "queue \N{UPWARDS ARROW}, rate \N{RIGHTWARDS ARROW}" in texts
        content = content_of(save(page, "a-heat-map", "PDF"))
        assert "/F2 " in content
        assert "<ad>" in content

    def test_intervals_keep_their_places(self, page):
        svg = ElementTree.fromstring(save(page, "some-intervals", "SVG"))
        assert {"group", "first", "second", "Mbit/s"} <= {*texts_of(svg)}
        ticks = [
            one for one in svg.iter(f"{SVG}text") if re.fullmatch(r"\d+", one.text) and one.get("text-anchor") is None
        ]
        bars = {colour: next(one for one in paths_of(svg, fill=colour) if len(one) == 4) for colour in (BLUE, GREEN)}
        # The bars go from 1 to 3 and from 5 to 9, on one scale.
        (a, b), (c, d) = ((bar[:, 0].min(), bar[:, 0].max()) for bar in bars.values())
        slope, begin = np.polyfit([1, 3, 5, 9], [a, b, c, d], 1)
        np.testing.assert_allclose([a, b, c, d], slope * np.array([1, 3, 5, 9]) + begin, atol=0.5)
        assert slope > 10
        assert len(ticks) >= 2
        content_of(save(page, "some-intervals", "PDF"))

    def test_clouds_keep_their_ellipse(self, page):
        svg = ElementTree.fromstring(save(page, "some-clouds", "SVG"))
        shown = page.run("document.querySelector('.clouds polygon').getAttribute('points')")
        points = np.array(re.findall(r"[\d.]+", shown), dtype=float).reshape(-1, 2)
        saved = next(path for path in paths_of(svg, fill=ORANGE) if len(path) == len(points))
        for axis in (0, 1):
            fit = np.polyfit(points[:, axis], saved[:, axis], 1)
            assert fit[0] > 0
            np.testing.assert_allclose(np.polyval(fit, points[:, axis]), saved[:, axis], atol=0.2)
        assert {"reno", "delay (ms)", "Mbit/s"} <= {*texts_of(svg)}
        # The area is pale, and its outline is not.
        content = content_of(save(page, "some-clouds", "PDF"))
        pdf = (page.folder / "some-clouds.pdf").read_bytes().decode("latin-1")
        states = dict(re.findall(r"/A(\d+) << /(c[aA]|C[aA]) [\d.]+ >>", pdf))
        alphas = {number: float(alpha) for number, alpha in re.findall(r"/A(\d+) << /\w+ ([\d.]+) >>", pdf)}
        before = content[: content.index(" l h B")]
        set_before = {states[number]: alphas[number] for number in re.findall(r"/A(\d+) gs", before)}
        assert set_before == {"ca": 0.15, "CA": 1}


class TestFoldedParts:
    def test_a_plot_is_drawn_when_its_part_is_opened(self, page):
        assert page.run("document.querySelectorAll('#part canvas').length") == 0
        page.run("document.querySelector('#part').open = true")
        page.until("document.querySelectorAll('#part canvas').length === 1")
        page.settle()
        assert page.run("document.querySelector('#part canvas').clientWidth") > 500
        page.run("[...document.querySelectorAll('#part .save button')][1].click()")
        svg = ElementTree.fromstring(page.saved("folded.svg"))
        # A line at zero alone has room above it.
        assert {"0", "0.05"} <= {*texts_of(svg)}

    def test_a_table_has_the_name_of_its_part_or_its_caption(self, page):
        for place, name in (("summary ~ table", "a-folded-table"), ("table:has(caption)", "its-caption")):
            page.run(
                f"document.querySelector('section:not(:has(.heat)) {place}').nextElementSibling.firstChild.click()"
            )
            assert page.saved(f"{name}.csv") == b"a\r\n1\r\n"


class TestTables:
    def test_csv_equals_the_table(self, page):
        rows = list(csv.reader(io.StringIO(save(page, "a-table", "CSV").decode(), newline="")))
        assert rows == [
            ["name", "count", "share", "rest"],
            [AWKWARD, "1234567", "0.25", ""],
            ["x\\y", "-3", "1.5", "2"],
            ["plain", "4", "2.5", "3"],
        ]

    def test_rows_that_are_filtered_out_are_left_out(self, page):
        page.run(
            "(() => { const one = document.querySelector('.filtered select'); one.selectedIndex = 2; "
            "one.dispatchEvent(new Event('change')) })()"
        )
        rows = list(csv.reader(io.StringIO(save(page, "a-table", "CSV").decode(), newline="")))
        assert [row[0] for row in rows] == ["name", "x\\y"]

    def test_latex_escapes_what_is_special(self, page):
        lines = save(page, "a-table", "LaTeX").decode().splitlines()
        assert lines[1:4] == [r"\begin{tabular}{lrrr}", r"\toprule", r"name & count & share & rest \\"]
        assert lines[5] == r'a "b" \& \textless{}c\textgreater{}, 50 \% of x\_1 & 1234567 & 0.25 &  \\'
        assert lines[6] == r"x\textbackslash{}y & -3 & 1.5 & 2 \\"
        assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]
