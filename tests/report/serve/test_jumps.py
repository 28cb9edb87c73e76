"""The line above the graphs of a store: one flow in all of them, jumps from graph to graph, and the end of a zoom."""

import json

import pytest

from tests.helpers.browser import Browser, needs_browser
from tests.helpers.serving import asked
from tests.helpers.zooming import SEQUENCE, zoom

JUMPS = "document.querySelector('#jumps')"

CHOOSE = """(name => { const one = document.querySelector('#jumps select'); one.value = name;
  one.dispatchEvent(new Event('change')) })"""


def labels(figures, title):
    return {series["label"] for figure in figures if figure["title"] == title for series in figure["series"]}


def test_one_flow_is_in_all_graphs(served, runs):
    whole = served.json(f"/api/lines?runs={runs[0]}")
    assert whole["flows"] == ["one", "two", "film"]
    for flow in ("one", "two"):
        figures = served.json(f"/api/lines?runs={runs[0]}&flow={flow}")["figures"]
        for title in ("Congestion window", "Round-trip time"):
            flows = {
                label.rpartition(" ")[0] for label in labels(figures, title) if label.split(" ")[0] in whole["flows"]
            }
            assert {name.split(" ")[0] for name in flows} == {flow}, title
        assert f"{flow}" in labels(figures, "Goodput")
        assert not labels(figures, "Goodput") & {*whole["flows"]} - {flow}
    # The time-sequence graph is of the flow, too.
    offsets = [
        next(
            one
            for one in served.json(f"/api/lines?runs={runs[0]}&flow={flow}")["figures"]
            if one["title"].startswith("Time-")
        )
        for flow in ("one", "two")
    ]
    assert offsets[0]["series"] != offsets[1]["series"]


def test_a_flow_that_no_run_has_is_refused(folder, runs):
    status, body = asked(folder, f"/api/lines?runs={runs[0]}&flow=nobody")
    assert status == 404
    assert json.loads(body)["error"] == "no flow 'nobody' in these runs"


@needs_browser
@pytest.mark.slow
def test_jumps_lead_from_graph_to_graph_at_the_same_moment(served):
    with Browser() as page:
        page.size(1100, 700)
        page.open(served.address)
        page.until("document.querySelectorAll('#lines canvas').length >= 5")
        titles = page.run("[...document.querySelectorAll('#lines h4')].map(one => one.textContent)")
        links = f"[...{JUMPS}.querySelectorAll('a')]"
        assert page.run(f"{links}.map(one => one.textContent)") == titles
        whole = f"{JUMPS}.querySelector('button')"
        assert page.run(f"{whole}.disabled")
        zoom(page, SEQUENCE, 0.3, 0.5)
        page.until(f"!{whole}.disabled")
        stretch = page.run(f"{JUMPS}.querySelector('output').textContent")
        start, end = (float(part.removesuffix(" s")) for part in stretch.split(" to "))
        assert 0.5 < start < 1.2 < end < 2
        # The window of the same stretch of time comes into view, below the line of links.
        for title in ("Congestion window", "Time-sequence graph"):
            page.run(f"{links}.find(one => one.textContent === {title!r}).click()")
            page.settle()
            place = f"[...document.querySelectorAll('.panel')].find(one => one.textContent.startsWith({title!r}))"
            top, bottom = page.run(f"(box => [box.top, box.bottom])({place}.getBoundingClientRect())")
            assert bottom > 150, title
            assert top < 600, title
            bar = page.run(f"{JUMPS}.getBoundingClientRect().top")
            assert bar >= 0, title
        assert page.run("location.hash") == ""
        page.run(f"{whole}.click()")
        page.until(f"{whole}.disabled")
        assert page.run(f"{JUMPS}.querySelector('output').textContent") == ""
        assert page.errors == []


@needs_browser
@pytest.mark.slow
def test_a_flow_is_chosen_on_the_page(served):
    with Browser() as page:
        page.size(1100, 900)
        page.open(served.address)
        page.until("document.querySelectorAll('#lines canvas').length >= 5")
        options = page.run(f"[...{JUMPS}.querySelectorAll('option')].map(one => one.textContent)")
        assert options == ["all", "one", "two", "film"]
        drawn = (
            "[...new Set([...document.querySelectorAll('#lines .panel')].filter(one => "
            "one.textContent.startsWith('Congestion')).flatMap(one => [...one.querySelectorAll('.u-label')].map("
            "label => label.textContent)).filter(text => / cwnd$/.test(text)))]"
        )
        page.run(f"{CHOOSE}('=two')")
        page.until(f"{drawn}.every(text => text.includes('two')) && {drawn}.length === 2")
        page.run("document.querySelector('#clear').click()")
        page.until(f"{JUMPS}.hidden")
        page.run("document.querySelectorAll('#runs input')[0].click()")
        page.until(f"{drawn}.length === 1")
        assert page.run(drawn) == ["two cwnd"]
        page.run(f"{CHOOSE}('')")
        page.until(f"{drawn}.length === 3")
        assert page.errors == []
