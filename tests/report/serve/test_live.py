"""The live graph of an emulated network: what it draws, how it follows, and who may see it."""

import json
import threading
import urllib.error
import urllib.request

import numpy as np
import pytest

from ackclock.report.serve.live import live_figures, shown_live
from tests.helpers.browser import DRAWN, Browser, needs_browser

LINKS = ["bottleneck", "bottleneck.reverse", "unused"]


def looks(count):
    """Looks every tenth of a second: 1.5 kB a look forward, and a tenth of it back, a queue that grows, a late drop."""
    times = 0.1 * np.arange(1, count + 1)
    counts = np.zeros((count, len(LINKS), 5), dtype=np.int64)
    at = np.arange(1, count + 1)
    counts[:, 0] = np.stack([1500 * at, at, np.maximum(at - count // 2, 0), at % 20, 1500 * (at % 20)], axis=1)
    counts[:, 1] = np.stack([150 * at, at, 0 * at, 0 * at, 0 * at], axis=1)
    return times, counts


def series(figures, title):
    (figure,) = [one for one in figures if one["title"] == title]
    return {one["label"]: one for one in figure["series"]}


def test_the_figures_are_rates_queues_and_drops_of_links_that_carry_something():
    figures = live_figures(LINKS, *looks(50))
    assert [one["title"] for one in figures] == ["Rate", "Queue", "Drops"]
    rates = series(figures, "Rate")
    assert [*rates] == LINKS[:2]
    # 1500 bytes in a tenth of a second are 0.12 Mbit/s.
    assert rates["bottleneck"]["y"] == pytest.approx([0.12] * 50)
    assert rates["bottleneck.reverse"]["y"] == pytest.approx([0.012] * 50)
    assert series(figures, "Queue")["bottleneck"]["y"] == [at % 20 for at in range(1, 51)]
    drops = series(figures, "Drops")["bottleneck"]["y"]
    assert drops[0] == 0
    assert drops[-1] == pytest.approx(10)
    assert {tuple(one["x_range"]) for one in figures} == {(0.1, 5.0)}


def test_long_looks_are_thinned_and_a_single_one_is_no_line():
    assert live_figures(LINKS, *looks(1)) == []
    assert live_figures(LINKS, np.empty(0), np.empty((0, 3, 5), dtype=np.int64)) == []
    rates = series(live_figures(LINKS, *looks(9000)), "Rate")
    assert len(rates["bottleneck"]["x"]) <= 1200


def test_most_links_are_left_out():
    names = [f"link {number}" for number in range(20)]
    counts = np.zeros((3, 20, 5), dtype=np.int64)
    counts[:, :, 0] = np.arange(1, 4)[:, None] * np.arange(20)
    rates = series(live_figures(names, np.array([0.1, 0.2, 0.3]), counts), "Rate")
    assert [*rates] == names[14:]


@pytest.fixture
def page():
    """The address of a page, and the number of looks that it has so far."""
    seen = [2]
    addresses = []
    with shown_live(LINKS, lambda: looks(seen[0]), port=0, token="t" * 32, ready=addresses.append):
        yield addresses[0], seen
    assert not [one for one in threading.enumerate() if one.name == "ackclock-live"]


def test_the_page_answers_those_who_have_its_token(page):
    address, _ = page
    assert address.startswith("http://127.0.0.1:")
    plain = address.partition("?")[0]
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{plain}api/live")
    request = urllib.request.Request(f"{plain}api/live", headers={"Authorization": f"Bearer {'t' * 32}"})
    with urllib.request.urlopen(request) as answer:
        figures = json.loads(answer.read())["figures"]
    assert [one["title"] for one in figures] == ["Rate", "Queue", "Drops"]


@needs_browser
def test_the_page_follows_and_keeps_a_zoom(page):
    address, seen = page
    seen[0] = 40
    with Browser() as browser:
        browser.size(1000, 800)
        browser.open(address)
        browser.until("document.querySelectorAll('#lines canvas').length === 3")
        assert all(browser.run(DRAWN)[:2])
        links = "[...document.querySelectorAll('#jumps a')].map(one => one.textContent)"
        assert browser.run(links) == ["Rate", "Queue", "Drops"]
        assert browser.run("document.querySelector('#jumps select')") is None
        browser.run("window.canvas = document.querySelector('#lines canvas')")
        before = browser.run("canvas.toDataURL()")
        seen[0] = 400
        browser.until(f"canvas.toDataURL() !== {json.dumps(before)}")
        # The plots are those of before, with more in them.
        assert browser.run("document.contains(canvas)")
        left, top, width = browser.run(
            "(box => [box.left, box.top + box.height / 2, box.width])"
            "(document.querySelector('.u-over').getBoundingClientRect())"
        )
        browser.hover(left + 0.5 * width, top)
        browser.mouse("mousePressed", left + 0.5 * width, top)
        browser.mouse("mouseMoved", left + 0.75 * width, top)
        browser.mouse("mouseReleased", left + 0.75 * width, top)
        stretch = "document.querySelector('#jumps output').textContent"
        shown = browser.until(stretch)
        start, end = (float(part.removesuffix(" s")) for part in shown.split(" to "))
        assert (start, end) == pytest.approx((20, 30), abs=0.5)
        now = browser.run("canvas.toDataURL()")
        seen[0] = 440
        browser.until("performance.getEntriesByType('resource').filter(one => /live$/.test(one.name)).length > 5")
        assert browser.run(stretch) == shown
        assert browser.run("canvas.toDataURL()") == now
        browser.run("document.querySelector('#jumps button').click()")
        browser.until(f"!{stretch}")
        assert browser.errors == []
