"""The page of a store in a browser."""

import csv
import io
import json
import re
import shutil

import numpy as np
import pytest

import ackclock
from ackclock.report import Report
from tests.helpers.browser import Browser, needs_browser
from tests.helpers.scenarios import PROBED
from tests.helpers.serving import Served
from tests.helpers.stores import CC_GRID
from tests.helpers.zooming import SEQUENCE, zoom

pytestmark = [pytest.mark.slow, needs_browser]

NAMES = (
    "[...document.querySelectorAll('#runs tbody tr')].filter(one => one.querySelector('input').checked)"
    ".map(one => one.lastChild.textContent)"
)
"""The keys of the chosen runs."""

ASKED = "performance.getEntriesByType('resource').map(one => one.name).filter(one => /WHAT/.test(one))"
"""The addresses that the page has asked for, with a pattern instead of WHAT."""

COUNT = """(() => {
  window.dots = new Map();
  const { fillRect, clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...given) {
    dots.set(this.canvas, 0);
    return clearRect.apply(this, given);
  };
  CanvasRenderingContext2D.prototype.fillRect = function (...given) {
    dots.set(this.canvas, (dots.get(this.canvas) ?? 0) + 1);
    return fillRect.apply(this, given);
  };
})()"""
"""Counts the rectangles, which are sent segments, of each canvas since it was drawn last."""


def test_the_page_opens_with_the_first_seed_of_each_setting(served, runs):
    every = served.json("/api/runs")["runs"]
    first = [run for run in every if run["seed"] == 1]
    assert sorted(run["values"] for run in first) == [["cubic"], ["reno"]]
    with Browser() as page:
        page.open(served.address)
        page.until("document.querySelectorAll('#lines canvas').length >= 5")
        assert sorted(page.run(NAMES)) == sorted(run["run"] for run in first)
        labels = page.run("[...document.querySelectorAll('#lines .u-label')].map(one => one.textContent)")
        assert {"1: one cwnd", "2: one cwnd", "loss detected"} <= {one.partition(" (")[0] for one in labels}
        # While nothing is pointed at, a legend has no value, and no dashes in its place.
        assert {*page.run("[...document.querySelectorAll('#lines .u-value')].map(one => one.textContent)")} == {""}
        assert page.errors == []


def test_runs_are_chosen_and_overlaid_in_a_browser(served):
    with Browser() as page:
        page.size(390, 800, phone=True)
        page.open(served.address)
        page.until("document.querySelectorAll('#runs input').length === 4")
        page.run("document.querySelector('#clear').click()")
        page.run("[0, 3].forEach(at => document.querySelectorAll('#runs input')[at].click())")
        page.until("document.querySelectorAll('#bars meter').length === 2")
        page.until("document.querySelectorAll('#lines canvas').length >= 5")
        labels = page.run("[...document.querySelectorAll('#lines .u-label')].map(one => one.textContent)")
        assert {"1: one cwnd", "2: one cwnd"} <= {*labels}
        every = served.json("/api/runs")["runs"]
        chosen = f"runs={every[0]['run']},{every[3]['run']}"
        page.run("(() => { const one = document.querySelector('#measure'); one.value = 'flows.goodput_bps'; "
                 "one.dispatchEvent(new Event('change')) })()")  # fmt: skip
        values = served.json(f"/api/bars?{chosen}&of=flows.goodput_bps")["values"]
        page.until("document.querySelector('#bars thead').textContent === 'runGoodput per flow (Mbit/s)'")
        told = page.run("[...document.querySelectorAll('#bars tbody tr')].map(one => [one.cells[0].textContent, "
                        "one.cells[2].textContent])")  # fmt: skip
        assert told == [
            [f"{place}: {run['values'][0]}, seed {run['seed']}", f"{value:.5g}"]
            for place, run, value in zip((1, 2), (every[0], every[3]), values, strict=True)
        ]
        lengths = page.run("[...document.querySelectorAll('#bars meter')].map(one => one.value / one.max)")
        assert lengths == pytest.approx([value / max(values) for value in values])
        addresses = page.run("[...document.querySelectorAll('#data a')].map(one => one.getAttribute('href'))")
        assert len(addresses) > 10
        assert all(address.endswith(f"?{chosen}") for address in addresses)
        assert f"data/window.csv?{chosen}" in addresses
        assert page.run("document.documentElement.scrollWidth") <= 390
        page.run(
            "(() => { const one = document.querySelector('#filters select'); one.selectedIndex = 1; "
            "one.dispatchEvent(new Event('change')) })()"
        )
        assert page.run("document.querySelectorAll('#runs input').length") == 2
        # Runs that the filter hides stay chosen.
        assert page.run("document.querySelectorAll('#runs input:checked').length") == 1
        assert "2 chosen of 4" in page.run("document.querySelector('#chosen').textContent")
        page.run(
            "(() => { const one = document.querySelector('#measure'); one.value = 'flows.nonsense'; "
            "one.dispatchEvent(new Event('change')) })()"
        )
        assert "flows" in page.until("document.querySelector('#bars .error')?.textContent")
        page.run("document.querySelector('#clear').click()")
        page.until("document.querySelectorAll('canvas').length === 0")
        assert page.run("document.querySelectorAll('#runs input:checked').length") == 0
        assert page.run("document.querySelector('#bars').textContent") == "Choose runs above."
        page.errors[:] = [one for one in page.errors if "409" not in one]  # the refusal of that measure
        own = f"http://127.0.0.1:{served.port}/"
        assert all(address.startswith(own) for address in page.requests)
        assert page.errors == []


def test_no_more_runs_can_be_chosen_than_are_drawn(tmp_path):
    ackclock.sweep(PROBED, seeds=13, out=tmp_path / "s", overrides={"duration": "1s"}, tables=["flows"]).close()
    one = Served(tmp_path / "s")
    try:
        with Browser() as page:
            page.open(one.address)
            page.until("document.querySelectorAll('#runs input').length === 13")
            page.run("document.querySelector('#clear').click()")
            page.run("document.querySelectorAll('#runs input').forEach(one => one.click())")
            page.until("document.querySelectorAll('#bars meter').length === 12")
            assert page.run("document.querySelector('#chosen').textContent") == "12 chosen of 13; at most 12 together."
            assert page.run("[...document.querySelectorAll('#runs input')].map(one => one.checked)") == [True] * 12 + [
                False
            ]
            page.until(
                "document.querySelector('#lines').textContent.startsWith('Nothing of these runs was recorded over')"
            )
            assert page.errors == []
    finally:
        one.end()


def test_a_report_draws_what_serve_draws(served, runs, tmp_path):
    """One figure looks the same on both pages, to the pixel: both are drawn by one module."""
    (figure, *_) = served.json(f"/api/lines?runs={runs[0]}")["figures"]
    draw = (
        "(() => { const place = document.createElement('div'); document.body.append(place); "
        "place.style.cssText = 'position: fixed; top: 0; left: 0; width: 600px'; "
        f"window.drawn = ackclock.plot(place, {json.dumps(figure)}); "
        "window.canvas = place.querySelector('canvas'); })()"
    )
    Report("empty").write(tmp_path / "report.html")
    pictures = []
    with Browser() as page:
        for address in (served.address, tmp_path / "report.html"):
            page.size(1000, 800)
            page.open(address)
            page.run(draw)
            page.settle()
            pictures.append(page.run("canvas.toDataURL()"))
        assert page.errors == []
    assert len(pictures[0]) > 10_000
    assert pictures[0] == pictures[1]


def test_zooming_fetches_every_segment_of_the_stretch(tmp_path):
    """Twenty seconds have more segments than the page is sent at once; a tenth of a second has all of its own."""
    fast = {"bottleneck.rate": "20Mbps", "duration": "20s", "probes.queues": "false", "probes.rates": "false"}
    ackclock.sweep(PROBED, out=tmp_path / "s", overrides=fast).close()
    with ackclock.open(tmp_path / "s") as store:
        table = store.result(store.runs["run"][0]).packets
    mine = (table["flow"] == "one") & (table["side"] == "source") & (table["event"] == "sent") & (table["len"] > 0)
    times = table["time_s"][mine & ~table["retransmission"].astype(bool)]
    assert len(times) > 20_000
    one = Served(tmp_path / "s")
    try:
        with Browser() as page:
            page.size(1100, 900)
            page.open(one.address)
            page.until("document.querySelectorAll('#lines canvas').length >= 3")
            page.run(COUNT)
            zoom(page, SEQUENCE, 0.5, 0.6)
            zoom(page, SEQUENCE, 0.4, 0.5)
            dots = f"dots.get({SEQUENCE}.querySelector('canvas'))"
            note = f"{SEQUENCE}.querySelector('.source').textContent"
            # The page may have asked for the first stretch, too, before the second zoom.
            asked = f"{ASKED.replace('WHAT', 'from=')}.map((one) => /from=([\\d.]+)&to=([\\d.]+)/.exec(one))"
            page.until(f"{asked}.some((one) => one[2] - one[1] < 1)")
            page.until(f"!{note}.includes('points are drawn')")
            page.settle()
            address = page.run(f"{ASKED.replace('WHAT', 'from=')}.pop()")
            start, end = (float(one) for one in re.search(r"from=([\d.]+)&to=([\d.]+)", address).groups())
            assert end - start == pytest.approx(0.2, rel=0.05)
            inside = int(((times >= start) & (times <= end)).sum())
            assert inside > 150
            # One more on each side; segments of one moment at one place of the screen are one dot.
            assert 0.9 * inside <= page.run(dots) <= inside + 2
            over = f"{SEQUENCE}.querySelector('.u-over').getBoundingClientRect()"
            left, top = page.run(f"(box => [box.left + 20, box.top + 20])({over})")
            for clicks in (1, 2):
                page.mouse("mousePressed", left, top, clicks)
                page.mouse("mouseReleased", left, top, clicks)
            page.until(f"{note}.includes('points are drawn')")
            assert page.errors == []
    finally:
        one.end()


def test_the_page_follows_a_sweep_and_keeps_what_was_chosen(tmp_path):
    out = tmp_path / "store"
    ackclock.sweep(PROBED, CC_GRID, seeds=1, out=out).close()
    one = Served(out)
    try:
        with Browser() as page:
            page.size(1100, 900)
            page.open(one.address)
            page.until("document.querySelectorAll('#lines canvas').length >= 5")
            page.run("document.querySelectorAll('#runs input')[1].click()")
            page.until("document.querySelectorAll('#bars meter').length === 1")
            page.until("[...document.querySelectorAll('#lines .u-label')].some(one => one.textContent === 'one cwnd')")
            zoom(page, SEQUENCE, 0.2, 0.4)
            stretches = f"{ASKED.replace('WHAT', 'from=')}.length"
            page.until(f"{stretches} === 1")
            page.run("window.before = [...document.querySelectorAll('canvas')]")
            page.run(f"window.place = {SEQUENCE}.getBoundingClientRect().top")
            # What the page asks for from now on, as soon as it asks.
            page.run("window.calls = []; window.own = fetch; window.fetch = (one) => (calls.push(one), own(one))")
            chosen = page.run(NAMES)
            assert len(chosen) == 1
            assert page.run("scrollY") > 300
            ackclock.sweep(PROBED, CC_GRID, seeds=3, out=out).close()
            page.until("document.querySelectorAll('#runs tbody tr').length === 6")
            assert page.run("document.querySelector('#state').textContent") == "6 of 6 runs have finished."
            assert page.run(NAMES) == chosen
            assert page.run("document.querySelector('#chosen').textContent") == "1 chosen of 6; at most 12 together."
            # Figures are those of before, with their zoom, and nothing was fetched for them.
            assert page.run("[...document.querySelectorAll('canvas')].every((one, at) => one === before[at])")
            assert page.run(f"{SEQUENCE}.getBoundingClientRect().top - place") == pytest.approx(0, abs=1)
            calls = page.run("calls")
            assert calls
            assert all(one.startswith(("api/runs?known=", "api/question?")) for one in calls)
            # A further run keeps the zoom: the lines of all time come, and those of the stretch.
            page.run("document.querySelectorAll('#runs input:not(:checked)')[0].click()")
            page.until(
                "[...document.querySelectorAll('#lines .u-label')].some(one => one.textContent === '2: one cwnd')"
            )
            page.until(
                "performance.getEntriesByType('resource').filter(one => one.name.includes('from=')).length === 2"
            )
            assert page.errors == []
    finally:
        one.end()


def test_what_is_chosen_for_nobody_grows_with_the_sweep(tmp_path):
    ackclock.sweep(PROBED, CC_GRID, seeds=1, out=tmp_path / "whole").close()
    out = tmp_path / "store"
    ackclock.sweep(PROBED, {"flows[0].cc": ["reno"]}, seeds=1, out=out).close()
    one = Served(out)
    try:
        with Browser() as page:
            page.open(one.address)
            page.until("document.querySelectorAll('#bars meter').length === 1")
            shutil.copytree(tmp_path / "whole", out, dirs_exist_ok=True)
            page.until("document.querySelectorAll('#bars meter').length === 2")
            assert len(page.run(NAMES)) == 2
    finally:
        one.end()


def test_tables_and_figures_of_the_page_are_saved(served, tmp_path):
    with Browser() as page:
        page.download_to(tmp_path)
        page.open(served.address)
        page.until("document.querySelectorAll('#lines canvas').length >= 5")
        page.until("document.querySelectorAll('#bars .number').length > 0")
        page.run("document.querySelector('#runs ~ .save button').click()")
        rows = list(csv.reader(io.StringIO(page.saved("runs.csv").decode(), newline="")))
        every = served.json("/api/runs")["runs"]
        assert rows == [["Congestion control of one", "seed", "run"]] + [
            [*run["values"], str(run["seed"]), run["run"]] for run in every
        ]
        page.run("document.querySelector('#bars .save button').click()")
        rows = list(csv.reader(io.StringIO(page.saved("one-number-of-each-run.csv").decode(), newline="")))
        chosen = ",".join(page.run(NAMES))
        values = served.json(f"/api/bars?runs={chosen}")["values"]
        np.testing.assert_allclose([float(row[1]) for row in rows[1:]], values, rtol=1e-12)
        page.run("[...document.querySelectorAll('#lines .panel')][0].querySelectorAll('.save button')[1].click()")
        svg = page.saved("congestion-window.svg").decode()
        assert "2: one cwnd" in svg
        assert page.errors == []
