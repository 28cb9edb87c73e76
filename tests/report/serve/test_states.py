"""Messages of the page of a store while the page waits, and when something goes wrong."""

import shutil

import pytest

import ackclock
from tests.helpers.browser import Browser, needs_browser
from tests.helpers.contrasts import pale
from tests.helpers.scenarios import PROBED
from tests.helpers.serving import Served
from tests.helpers.stores import CC_GRID

pytestmark = [pytest.mark.slow, needs_browser]

STATE = "document.getElementById('state').textContent"
WAITS = "document.getElementById('waits').innerText.trim()"
FAILED = "document.getElementById('failed').textContent"
OPENED = "!document.getElementById('opened').hidden"

HOLD = """(() => {
  const own = fetch;
  window.held = [];
  window.fetch = (address) => address.startsWith('api/WHAT')
    ? new Promise((resolve, reject) => held.push(() => own(address).then(resolve, reject))) : own(address);
})()"""
"""Holds the requests that begin like this back, until the test lets them go."""


def holding(page, what):
    page.send("Page.addScriptToEvaluateOnNewDocument", source=HOLD.replace("WHAT", what))


def test_it_says_what_it_reads(served):
    with Browser() as page:
        holding(page, "runs")
        page.open(served.address)
        assert page.run(STATE) == "Reading the store."
        assert page.run(WAITS) == "Reading the list of runs."
        assert page.run("document.querySelector('#waits progress').getBoundingClientRect().width") > 50
        # No headings of what is not there yet.
        assert not page.run(OPENED)
        page.until(f"/so far/.test({WAITS})")
        page.run("held.forEach(one => one())")
        page.until(OPENED)
        assert page.run(STATE) == "4 of 4 runs have finished."
        page.until(f"!{WAITS}")
        assert page.errors == []


def test_it_says_that_means_are_computed(served):
    with Browser() as page:
        holding(page, "question")
        page.open(served.address)
        page.until("window.held.length")
        assert page.run(WAITS) == "Computing the means and intervals of 4 runs."
        page.run("held.forEach(one => one())")
        page.until("!document.getElementById('question').hidden")
        assert page.errors == []


def test_it_says_that_lines_are_read(served):
    with Browser() as page:
        holding(page, "lines")
        page.open(served.address)
        page.until("window.held.length")
        assert "Reading what the runs recorded over time." in page.run("document.getElementById('time').innerText")
        page.run("held.forEach(one => one())")
        page.until("document.querySelectorAll('#lines canvas').length >= 5")
        assert "Reading" not in page.run("document.getElementById('time').innerText")
        assert page.errors == []


def test_a_server_that_has_ended(tmp_path):
    ackclock.sweep(PROBED, CC_GRID, seeds=1, out=tmp_path / "s").close()
    one = Served(tmp_path / "s")
    with Browser() as page:
        page.open(one.address)
        page.until(f"/finished/.test({STATE})")
        one.end()
        told = page.until(FAILED)
        assert told.startswith("The server does not answer. It may have ended: start `ackclock serve` again")
        assert page.run(STATE) == "The page shows what it has read before."
        assert page.run(OPENED)


def test_a_store_that_is_damaged_and_whole_again(tmp_path):
    ackclock.sweep(PROBED, CC_GRID, seeds=1, out=tmp_path / "s").close()
    one = Served(tmp_path / "s")
    try:
        (tmp_path / "s").rename(tmp_path / "away")
        with Browser() as page:
            page.open(one.address)
            assert "no such folder" in page.until(FAILED)
            assert page.run(STATE) == "The store is not read."
            assert not page.run(OPENED)
            shutil.move(tmp_path / "away", tmp_path / "s")
            page.run("document.querySelector('#failed button').click()")
            page.until(OPENED)
            assert page.run(FAILED) == ""
    finally:
        one.end()


def test_a_token_that_the_server_does_not_know_any_more(served):
    with Browser() as page:
        page.open(served.address)
        page.until(f"/finished/.test({STATE})")
        page.send("Network.clearBrowserCookies")
        told = page.until(FAILED)
        assert told.startswith("The server refuses this page: the token is missing or wrong: open the address that")


def test_a_measure_of_which_the_server_fails_is_tried_again(served):
    broken = """(() => {
      const own = fetch;
      window.broken = true;
      window.fetch = (address) => broken && address.startsWith('api/bars')
        ? Promise.resolve(new Response('Internal Server Error', { status: 500 })) : own(address);
    })()"""
    with Browser() as page:
        page.send("Page.addScriptToEvaluateOnNewDocument", source=broken)
        page.open(served.address)
        told = page.until("document.querySelector('#bars .error')?.textContent")
        assert told == "The server failed with status 500. The terminal of `ackclock serve` says why."
        page.run("(window.broken = false, document.querySelector('#bars button').click())")
        page.until("document.querySelectorAll('#bars meter').length === 2")
        assert page.errors == []


@pytest.mark.parametrize("dark", [False, True])
def test_texts_can_be_read(served, dark):
    with Browser() as page:
        page.dark(dark)
        page.open(served.address)
        page.until("document.querySelectorAll('#lines canvas').length >= 5")
        page.until("document.querySelectorAll('#bars meter').length > 0")
        assert pale(page) == []
