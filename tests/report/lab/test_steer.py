"""Figures without a mouse: by keys, and by buttons on a screen that is touched."""

import json

from tests.helpers.lab import NEEDS, STATUS, press

pytestmark = NEEDS

PLOTS = "document.querySelectorAll('#figures .plot')"
TOLD = f"[...{PLOTS}].map(one => [...one.querySelectorAll('.u-value')].some(value => value.textContent))"
"""Whether the legend of each figure has values."""


def test_keys_point_and_zoom_in_every_figure(page):
    press(page, "Tab")
    page.run(f"{PLOTS}[1].focus()")
    assert page.run("document.activeElement.getAttribute('aria-label')").startswith("Congestion window. Keys: arrows")
    assert page.run("getComputedStyle(document.activeElement, '::after').content").startswith('"Keys: arrows')
    assert not any(page.run(TOLD))
    press(page, "ArrowRight")
    assert all(page.run(TOLD))
    note = "document.querySelector('#figures .panel .source').textContent"
    whole = page.run(note)
    press(page, "+")
    press(page, "+")
    # A quarter of the run around the pointer, which began in the middle.
    page.until(f"{STATUS}.includes('in full detail')")
    told = page.run(STATUS).split()
    assert 6 < float(told[6]) - float(told[3]) < 9
    page.until(f"{note} !== {json.dumps(whole)}")
    press(page, "Escape")
    page.until(f"{note} === {json.dumps(whole)}")
    off = f"{PLOTS}[1].querySelectorAll('.u-series.u-off').length"
    press(page, "1")
    assert page.run(off) == 1
    press(page, "1")
    assert page.run(off) == 0
    assert page.errors == []


def test_fingers_zoom_by_buttons(page):
    shown = "[...document.querySelectorAll('#figures .fingers')].filter(one => one.offsetWidth).length"
    assert page.run(shown) == 0
    page.size(390, 800, phone=True)
    page.send("Emulation.setTouchEmulationEnabled", enabled=True)
    try:
        assert page.run(shown) == page.run(f"{PLOTS}.length")
        page.run("document.querySelector('#figures .fingers button').click()")
        page.until(f"{STATUS}.includes('in full detail')")
        page.run("document.querySelectorAll('#figures .fingers button')[2].click()")
    finally:
        page.send("Emulation.setTouchEmulationEnabled", enabled=False)
    assert page.errors == []
