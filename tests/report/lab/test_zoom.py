"""The figures of the laboratory under the pointer, and zoomed to single packets."""

import json

import pytest

from ackclock import _core
from ackclock.base.table import Table
from tests.helpers.browser import DRAWN
from tests.helpers.lab import NEEDS, STATUS
from tests.helpers.node import needs_same_engine
from tests.helpers.zooming import zoom

pytestmark = [*NEEDS, needs_same_engine]

PANEL = "document.querySelector('#figures .panel[id*=round-trip]')"

LEGENDS = """[...document.querySelectorAll('#figures .panel')].map(one =>
  [...one.querySelectorAll('.u-value')].map(value => value.textContent))"""

LINES = """[...document.querySelectorAll('#figures .panel')].map(one => {
  const line = one.querySelector('.u-cursor-x').getBoundingClientRect();
  const plot = one.querySelector('.u-over').getBoundingClientRect();
  return (line.left - plot.left) / plot.width;
})"""

SWEPT = """(async () => {
  const panel = %s;
  const over = panel.querySelector('.u-over');
  const box = over.getBoundingClientRect();
  const seen = [];
  for (let x = 0; x < box.width; x += 1) {
    over.dispatchEvent(new MouseEvent('mousemove', {clientX: box.left + x, clientY: box.top + 20, bubbles: true}));
    if (x %% 20 === 0) await new Promise(done => requestAnimationFrame(done));
    seen.push([...panel.querySelectorAll('.u-value')].map(one => one.textContent).join(' '));
  }
  return [...new Set(seen)];
})()"""
"""The values of the legend at each pixel of a panel."""


def test_all_figures_show_the_same_instant(page):
    page.run(f"{PANEL}.scrollIntoView({{block: 'center'}})")
    page.settle()
    left, top, width = page.run(
        "(box => [box.left, box.top + box.height / 2, box.width])"
        f"({PANEL}.querySelector('.u-over').getBoundingClientRect())"
    )
    for part in (0.3, 0.8):
        page.hover(left + part * width, top)
        assert page.run(LINES) == pytest.approx([part] * 5, abs=0.004)
        times = [float(values[0]) for values in page.run(LEGENDS)]
        # Each figure shows its record that is nearest to the instant. Means of goodput are of 250 ms.
        assert times == pytest.approx([30 * part] * 5, abs=0.3)


def test_a_zoom_is_sharp_down_to_a_packet(page):
    zoom(page, PANEL, 0.5, 0.55)
    page.until(f"{STATUS}.includes('full detail')")
    first = page.run(STATUS)
    zoom(page, PANEL, 0.4, 0.5)
    page.until(f"{STATUS}.includes('full detail') && {STATUS} !== {json.dumps(first)}")
    page.settle()
    # 150 ms, in which an ACK of two packets arrives every 2.4 ms. The record of the whole run has a row every 10 ms.
    seen = page.run(SWEPT % PANEL)
    every = [("probes.window", "true"), ("probes.queues", "false"), ("probes.interval", "0ns")]
    _, tables = _core.run(page.run("ackclock.GALLERY.bufferbloat"), "toml", every, 1)
    window = Table(tables["window"])
    ours = {
        f"{float(f'{time:.6g}'):g} {float(f'{rtt:.5g}'):g}"
        for time, rtt in zip(window["time_s"], window["latest_rtt_ms"], strict=True)
    }
    low, high = (float(seen[at].split()[0]) for at in (0, -1))
    within = {one for one in ours if low <= float(one.split()[0]) <= high}
    assert set(seen) == within
    assert 40 < len(within) < 80
    assert all(page.run(DRAWN))
