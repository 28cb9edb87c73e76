"""The page of a store in a browser."""

import pytest

import ackclock
from tests.helpers.browser import Browser, needs_browser
from tests.helpers.scenarios import PROBED
from tests.helpers.serving import Served


@needs_browser
def test_runs_are_chosen_and_overlaid_in_a_browser(served):
    with Browser() as page:
        page.size(390, 800, phone=True)
        page.open(served.address)
        page.until("document.querySelectorAll('#runs input').length === 4")
        page.run("[0, 3].forEach(at => document.querySelectorAll('#runs input')[at].click())")
        page.until("document.querySelectorAll('#bars meter').length === 2")
        page.until("document.querySelectorAll('#lines canvas').length >= 5")
        labels = page.run("[...document.querySelectorAll('#lines .u-label')].map(one => one.textContent)")
        assert {"1: one cwnd", "2: one cwnd"} <= {*labels}
        every = served.json("/api/runs")["runs"]
        chosen = f"runs={every[0]['run']},{every[3]['run']}"
        values = served.json(f"/api/bars?{chosen}&of=flows.goodput_bps")["values"]
        told = page.run("[...document.querySelectorAll('#bars .bar-row')].map(one => [...one.querySelectorAll('span')]"
                        ".map(one => one.textContent))")  # fmt: skip
        assert told == [
            [f"{place}: {run['values'][0]}, seed {run['seed']}", f"{float(f'{value:.5g}'):,.0f} bps"]
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


@needs_browser
def test_no_more_runs_can_be_chosen_than_are_drawn(tmp_path):
    ackclock.sweep(PROBED, seeds=13, out=tmp_path / "s", overrides={"duration": "1s"}, tables=["flows"]).close()
    one = Served(tmp_path / "s")
    try:
        with Browser() as page:
            page.open(one.address)
            page.until("document.querySelectorAll('#runs input').length === 13")
            page.run("document.querySelectorAll('#runs input').forEach(one => one.click())")
            page.until("document.querySelectorAll('#bars meter').length === 12")
            assert page.run("document.querySelector('#chosen').textContent") == "12 chosen of 13; at most 12 together."
            assert page.run("[...document.querySelectorAll('#runs input')].map(one => one.checked)") == [True] * 12 + [
                False
            ]
            page.until(
                "document.querySelector('#lines').textContent === 'Nothing of these runs was recorded over time.'"
            )
            assert page.errors == []
    finally:
        one.end()
