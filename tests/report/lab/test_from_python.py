"""A run of Python, opened in the laboratory."""

import re

import pytest

import ackclock
from ackclock.report.lab import LabError, fragment
from tests.helpers.browser import needs_browser
from tests.helpers.lab import NUMBERS, SHORT, TEXT, opened
from tests.helpers.node import needs_engine, needs_same_engine

UMLAUTS = SHORT.replace('"one"', '"größer"')


@needs_browser
@needs_engine
class TestPage:
    @needs_same_engine
    @pytest.mark.parametrize("text", [SHORT, UMLAUTS])
    def test_a_link_of_python_opens_the_scenario_and_the_seed(self, page, address, text):
        opened(page, address + fragment(text, 7))
        assert page.run(TEXT) == text
        assert page.run("document.getElementById('seed').value") == "7"
        assert page.run("document.getElementById('notice').hidden")

    @needs_same_engine
    def test_a_result_opens_with_its_numbers(self, page, monkeypatch):
        asked = []
        monkeypatch.setattr("webbrowser.open", asked.append)
        result = ackclock.run(SHORT, seed=5, overrides={"bottleneck.rate": "3Mbps"})
        given = result.open_in_lab()
        assert asked == [given]
        page.requests.clear()
        opened(page, given)
        goodput = next(value for of, measure, value in page.run(NUMBERS) if measure == "goodput (Mbit/s)")
        assert float(goodput) == pytest.approx(result.flows["goodput_bps"][0] / 1e6, rel=1e-3)
        assert result.meta["scenario_hash"] in page.run("document.querySelector('#take p.source').textContent")
        # This server is that of the process, and not the one of the other tests.
        own = given.partition("#")[0]
        assert all(one.startswith((own, f"blob:{own}")) for one in page.requests)
        page.requests.clear()


@needs_engine
def test_without_a_browser_the_address_is_returned(monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda _: pytest.fail("a browser was opened"))
    result = ackclock.run(SHORT)
    address = result.open_in_lab(browser=False)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#1[\w-]+", address)
    assert len(address) < 500
    monkeypatch.setattr("ackclock.report.lab.process.LONGEST", 50)
    with pytest.raises(LabError, match=r"an address of \d+ characters, and browsers accept 50"):
        result.open_in_lab(browser=False)


def test_a_result_of_a_store_has_no_scenario(tmp_path):
    ackclock.sweep(SHORT, out=tmp_path / "s").close()
    with ackclock.open(tmp_path / "s") as store, pytest.raises(ValueError, match="does not have its scenario"):
        store.result(store.runs["run"][0]).open_in_lab()
