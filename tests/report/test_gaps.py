"""Data that is missing in a table is missing in a figure: in reports, in a store's page and in matplotlib."""

import io
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import ackclock
from ackclock.report import Report, Series
from ackclock.report.experiment.traces import panels, thin
from tests.helpers.browser import Browser, needs_browser
from tests.helpers.gaps import BARE, GAPS, LONG, covered, drawn_columns, told
from tests.helpers.serving import Served

mpl.use("Agg")

SHOWN = {
    "cwnd": ("Congestion window", "ends cwnd"),
    "ssthresh": ("Congestion window", "ends ssthresh"),
    "sojourn": ("Sojourn time in the queue", "bottleneck mean"),
    "jain": ("Jain's fairness index of the goodputs", "Jain's index"),
    "stalled": ("DASH: media in the buffer", "tv: stalled"),
}
"""The panel and the series of what the tables say."""

MARGINS = dict.fromkeys(SHOWN, 0.03) | {"jain": 0.13}
"""Seconds around the ends of a gap that are not looked at. The index is of a hundredth of the run."""


@pytest.fixture(scope="module")
def result():
    return ackclock.run(GAPS)


def test_the_run_has_gaps_of_each_kind(result):
    """The gaps that the tests below look for exist, and are long enough to be seen."""
    end = result.meta["duration_s"]
    for what in SHOWN:
        spans = told(result, what)
        assert spans, what
        edges = [0.0, *(time for span in spans for time in span), end]
        assert max(np.diff(edges)[::2]) > LONG, what
        assert max(stop - begin for begin, stop in spans) > LONG, what
    # Between two of them, a line could go on.
    assert min(len(told(result, what)) for what in ("sojourn", "stalled")) > 1


def differing(columns, expected):
    """Columns that are drawn where nothing is, or bare where something is."""
    wrong = [at for at, (one, must) in enumerate(zip(columns, expected, strict=True)) if must not in (None, one)]
    assert {*filter(lambda one: one is not None, expected)} == {True, False}
    return wrong


def alone(result, most, what):
    """A panel with the series of `what` alone, in blue, over the whole run."""
    title, label = SHOWN[what]
    (plot,) = [one for one in panels(result, most, competing=[["ends", "late"]]) if one.title == title]
    (series,) = [one for one in plot.series if one.label == label]
    whole = Series("the run", [0, result.meta["duration_s"]], [0, 0], "#909090")
    return replace(plot, series=[whole, replace(series, dash=(), colour="#0000ff", faint=False)], lanes=())


@needs_browser
@pytest.mark.parametrize("most", [800, 120])
def test_a_report_draws_the_gaps_of_the_tables(result, tmp_path, most):
    figures = {what: alone(result, most, what) for what in SHOWN}
    report = Report("gaps", command="")
    for plot in figures.values():
        report.add_figure(plot)
    report.write(tmp_path / "gaps.html")
    with Browser() as page:
        page.size(1200, 900)
        page.open(tmp_path / "gaps.html")
        for at, what in enumerate(figures):
            columns = drawn_columns(page, f"document.querySelectorAll('.uplot')[{at}]", "#0000ff")
            # A thinned line keeps the ends of a gap to a part of the axis.
            margin = max(MARGINS[what], 0.03 if most > 500 else 0.1)
            assert differing(columns, covered(told(result, what), 0, result.meta["duration_s"], margin=margin)) == [], (
                what
            )
        assert page.errors == []


@needs_browser
def test_the_page_of_a_store_draws_the_gaps_of_the_tables(tmp_path):
    ackclock.sweep(GAPS, seeds=1, out=tmp_path / "store").close()
    with ackclock.open(tmp_path / "store") as store:
        (run,) = [row["run"] for row in store.runs.rows()]
        result = store.result(run)
    served = Served(tmp_path / "store")
    try:
        with Browser() as page:
            page.size(1200, 900)
            page.open(served.address)
            page.until("document.querySelectorAll('#lines canvas').length >= 5")
            figures = served.json(f"/api/lines?runs={run}")["figures"]
            at = next(at for at, one in enumerate(figures) if one["title"] == SHOWN["sojourn"][0])
            # Both lines of the panel have the gaps of the table, and one colour.
            (colour,) = {one["colour"] for one in figures[at]["series"]}
            place = f"document.querySelectorAll('#lines .uplot')[{at}]"
            page.run(f"{place}.scrollIntoView()")
            columns = drawn_columns(page, place, colour)
            assert differing(columns, covered(told(result, "sojourn"), 0, 14)) == []
            assert page.errors == []
    finally:
        served.end()


@pytest.mark.parametrize("what", ["cwnd", "ssthresh", "sojourn", "jain", "stalled"])
def test_matplotlib_draws_the_gaps_of_the_tables(result, what):
    draw = {
        "cwnd": lambda: result.plot.cwnd("ends", events=False),
        "ssthresh": lambda: result.plot.cwnd("ends", events=False),
        "sojourn": result.plot.wait,
        "jain": lambda: result.plot.jain(["ends", "late"]),
        "stalled": result.plot.dash_buffer,
    }
    axes = draw[what]()
    try:
        columns, (start, end) = pixels(axes, what)
    finally:
        plt.close("all")
    assert differing(columns, covered(told(result, what), start, end, margin=MARGINS[what])) == []


def pixels(axes, what):
    """Whether the artist of `what` is in each column of axes, and the times at the ends."""
    labels = {"cwnd": "ends", "ssthresh": "_ends ssthresh"}
    wanted = [one for one in axes.lines if labels.get(what) in (None, one.get_label())]
    if what == "stalled":
        wanted = [*axes.patches]
    assert wanted, what
    for one in [*axes.lines, *axes.collections, *axes.patches, *axes.texts, axes.get_legend()]:
        if one is not None:
            one.set_visible(one in wanted)
    for one in wanted:
        one.set(color="#0000ff", alpha=1, linestyle="solid", linewidth=1)
    axes.xaxis.set_visible(False)
    axes.yaxis.set_visible(False)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_xlim(0, 14)
    axes.figure.set_dpi(300)
    written = io.BytesIO()
    axes.figure.savefig(written, format="rgba", dpi=300)
    width, height = (int(one) for one in axes.figure.get_size_inches() * 300)
    image = np.frombuffer(written.getvalue(), dtype=np.uint8).reshape(-1, width, 4)
    assert len(image) == height
    blue = ((image[..., 2] > 150) & (image[..., 0] < 120)).any(axis=0)
    box = axes.get_window_extent()
    places = box.x0 + (np.arange(BARE) + 0.5) * box.width / BARE
    return blue[places.astype(int)], axes.get_xlim()


def test_thinning_keeps_the_ends_of_a_gap():
    x = np.arange(10_000.0)
    y = np.sin(x)
    y[5001:5012] = np.nan
    y[7000:7400] = np.nan
    kept = thin(x, y, 300)
    assert len(kept) <= 300
    # The gaps begin where they begin, and end where they end; the first is inside one part.
    for begin, end in ((5001, 5012), (7000, 7400)):
        assert {begin, end} <= {*kept}
        inside = [at for at in kept if begin <= at < end]
        assert inside
        assert np.isnan(y[inside]).all()
