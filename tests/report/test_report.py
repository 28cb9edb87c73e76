"""The report: one file that loads nothing, says what it was given, and cannot be broken by a label."""

import re
import shutil
import subprocess

import numpy as np
import pytest

from ackclock.plot.palette import VARIANTS, colour_of
from ackclock.report import (
    Choice,
    Cloud,
    Clouds,
    HeatMap,
    Intervals,
    Panels,
    Plot,
    Reference,
    Report,
    Row,
    Series,
)
from ackclock.report.figures import linear_ticks
from ackclock.report.filters import filtered_table
from ackclock.report.tables import cell_text, html_table
from ackclock.stats import Estimate, mean
from ackclock.studies.framework import Claim, NullReading, assess, with_null
from tests.helpers.pages import BAD, Page

NASTY = "</script><script>alert('x')</script> & \"quoted\" <b>"


def full_report():
    report = Report("A title", subtitle="a subtitle", command="ackclock reproduce it")
    claims = [Claim("c", f"claim {NASTY}", "a source", -2.24, "below", "%", note="a note")]
    report.add_claims([assess(claims[0], {"main": mean([-3, -2, -2.5])}, "main").document()])
    series = [Series(NASTY, [2, 1], [20, np.nan], colour_of(0), "step"), Series("p", [1], [3], colour_of(1), "points")]
    report.add_figure(Plot("cwnd", "time (s)", "kB", series, "a caption", "ackclock run x", seed=7))
    rows = [
        Row("main", "NewReno", mean([1.0, 2.0, 3.0]), colour_of(0)),
        Row("main", "one run", mean([2.0]), colour_of(1)),
    ]
    report.add_figure(Intervals("rates", "kbit/s", rows, references=[Reference(2.5, "published")]))
    report.add_table("numbers", ["name", "n"], [["a", 1], [NASTY, 12345]], caption="a table")
    report.add_text("# Heading\n\nText with <script>alert(1)</script>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    return report


def test_the_contents_lead_to_every_section():
    report = Report("A title")
    report.open_with("## The question\n\nWhy?")
    for title in ("one", "<two>", "three"):
        report.add_table(title, ["n"], [[1]])
    assert "<nav" not in report.html()
    report.add_text("## four\n\n### deeper")
    html = report.html()
    contents = re.search("<nav.*?</nav>", html, re.DOTALL)[0]
    listed = re.findall('<a href="#(.*?)">(.*?)</a>', contents)
    assert [title for _, title in listed] == ["one", "&lt;two&gt;", "three", "four"]
    assert [(anchor, title) for anchor, title in re.findall('<h2 id="(.*?)">(.*?)</h2>', html)] == listed
    assert html.index("Why?") < html.index("<nav") < html.index('id="section-1"')


def test_nothing_is_loaded():
    html = full_report().html()
    page = Page(html)
    assert page.loads == []
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    css = html[html.index("<style>") : html.index("</style>")]
    assert "url(" not in css
    assert "@import" not in css
    policy = re.search('http-equiv="Content-Security-Policy" content="([^"]*)"', html)[1]
    assert dict(one.split(maxsplit=1) for one in policy.split(";")) == {
        "default-src": "'none'", "style-src": "'unsafe-inline'", "script-src": "'unsafe-inline'", "img-src": "data:",
    }  # fmt: skip


def test_everything_given_is_there():
    page = Page(full_report().html())
    for words in (
        "A title", "a subtitle", "ackclock reproduce it", "1 reproduced", "published -2.24 %", "measured -2.5 [",
        "a note", "a source", "a caption", "ackclock run x", "Seed 7", "12,345", "a table", "no interval", "Heading",
        "published: 2.5",
    ):  # fmt: skip
        assert words in page.words, words
    assert page.tags.count("h1") == 1


def test_labels_cannot_become_markup():
    html = full_report().html()
    page = Page(html)
    assert html.count("<script") == 2  # the data of the plot, and the page's own
    assert page.words.count("alert('x')") == 2
    assert page.plots[0]["series"][0]["label"] == NASTY


SURE = Estimate(5, 4, 6, 9)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Plot(BAD, BAD, BAD, [Series(BAD, [1], [1], "#000")], BAD, BAD),
        lambda: Intervals(BAD, BAD, [Row(BAD, BAD, SURE, "#000")], BAD, BAD, references=[Reference(5, BAD)]),
        lambda: Choice(BAD, BAD, [(BAD, HeatMap(BAD, BAD, [BAD], [BAD], {(0, 0): SURE}, BAD))], BAD, BAD),
        lambda: Choice(BAD, BAD, [(BAD, Panels([Plot(BAD, BAD, BAD, [Series(BAD, [1], [1], "#000")], BAD)]))] * 2),
        lambda: Choice(BAD, BAD, [(BAD, Clouds(BAD, BAD, BAD, [Cloud(BAD, [1, 2], [1, 2], "#000")]))]),
    ],
    ids=["plot", "intervals", "heat", "panels", "clouds"],
)
def test_no_text_of_a_figure_becomes_markup(make):
    report = Report(BAD, subtitle=BAD, command=BAD)
    report.add_figure(make())
    report.add_table(BAD, [BAD], [[BAD]], caption=BAD)
    table = filtered_table([BAD], [[BAD], ["b"]], {BAD: [BAD, "b"]}, what=BAD, links={(0, 0): BAD})
    report.add_html(BAD, table, folded=True)
    page = Page(report.html())
    assert "x-bad" not in page.tags
    assert page.words.count(BAD) > 8


def test_plot_data_is_in_order_of_x_with_gaps_as_null():
    series = Page(full_report().html()).plots[0]["series"]
    assert series[0]["x"] == [1, 2]
    assert series[0]["y"] == [None, 20]
    assert series[0]["kind"] == "step"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Series("s", [1, 2], [1], "#000").data(), "1 values of y for 2"),
        (lambda: Series("s", [1], [1], "#000", "interval").data(), "low and high"),
        (lambda: Series("s", [np.nan], [1], "#000").data(), "NaN"),
        (lambda: Plot("t", "x", "y", []).html("f"), "no series"),
        (lambda: Intervals("t", "x", []).html("f"), "no rows"),
        (lambda: html_table(["a"], [[1, 2]]), "2 cells"),
        (lambda: colour_of(7), "colour 7 of 7"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize("values", [[803.4, 785.4, 836.26], [-2.24, 4.09], [0, 0], [5], [1e-6, 3e-6], [-7, -7]])
def test_ticks_are_round_and_enclose_the_values(values):
    ticks = linear_ticks(values)
    assert ticks[0] <= min(values)
    assert ticks[-1] >= max(values)
    assert 3 <= len(ticks) <= 8
    steps = np.diff(ticks)
    assert np.allclose(steps, steps[0])


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, "-"),
        (True, "yes"),
        (1234567, "1,234,567"),
        (0.12345, "0.1235"),
        (12345.6, "12,346"),
        (float("nan"), "-"),
        ("a", "a"),
    ],
)
def test_cells(cell, text):
    assert cell_text(cell) == text


def test_colours_are_distinct():
    assert len(set(VARIANTS.values())) == len(VARIANTS)
    assert [colour_of(index) for index in range(7)] == list(VARIANTS.values())


def test_an_interval_is_drawn_where_it_lies():
    rows = [Row("g", "l", Estimate(50, 25, 75, 9), "#000"), Row("g", "ends", Estimate(50, 0, 100, 9), "#000")]
    html = Intervals("t", "x", rows).html("f")
    assert 'style="left:25.000%;right:calc(100% - 75.000%)' in html


def test_writing_leaves_one_file(tmp_path):
    full_report().write(tmp_path / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")
def test_a_browser_draws_the_plots(tmp_path):
    path = tmp_path / "report.html"
    full_report().write(path)
    quiet = "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync"
    browser = ["chromium", *quiet.split(), "--disable-component-update", f"--user-data-dir={tmp_path / 'profile'}"]
    command = [*browser, "--virtual-time-budget=2000", "--dump-dom", path.as_uri()]
    drawn = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout
    assert drawn.count("<canvas") == 1
    assert drawn.count('class="u-series"') == 3  # time and two lines in the legend


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "The cause is unexplained."),
        ({"because": "The queue is short."}, "Cause argued: The queue is short."),
        (
            {"because": "The queue is short.", "turned_by": "long"},
            "Cause shown: The queue is short. It is shown by the reading “long”.",
        ),
    ],
)
def test_a_claim_that_fails_says_what_is_known_of_why(fields, words):
    claim = Claim("c", "it falls", "a source", -2.0, "below", "%", **fields)
    result = assess(claim, {"main": mean([3, 2, 2.5]), "long": mean([-3, -2, -2.5])}, "main")
    report = Report("Claims")
    report.add_claims([result.document()])
    assert words in Page(report.html()).words


def test_a_claim_that_holds_without_its_mechanism_is_shown_as_an_illustration():
    claim = Claim("c", "it falls", "a source", -2.0, "below", "%")
    measured = mean([-3, -2, -2.5])
    result = with_null(assess(claim, {"main": measured}, "main"), NullReading("queue off", measured, "reproduced"))
    report = Report("Claims")
    report.add_claims([result.document()])
    words = Page(report.html()).words
    assert "1 illustration" in words
    assert "With the mechanism removed (queue off) the claim holds: -2.5 %." in words
