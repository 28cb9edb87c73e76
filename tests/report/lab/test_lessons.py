"""The six lessons of the laboratory: a prediction, a run, and an explanation with the reader's numbers."""

import json

import pytest

from ackclock import _core
from ackclock.base.table import Table
from tests.helpers.browser import DRAWN
from tests.helpers.lab import NEEDS, STATUS, TEXT, after, opened, turned
from tests.helpers.node import needs_same_engine

pytestmark = NEEDS

LESSONS = {
    "slow-start": (
        {"rate": 14, "rtt": 60},
        0.4,
        ["60 ms = 105 kB", "70 packets", "4 round trips: 0.24 s", "had 10, 19, 38, 78 segments"],
    ),
    "fairness": ({"rate": 8, "other": 80}, 25, ["40 and 80 ms"]),
    "buffers": ({"buffer": 3, "rtt": 50}, 100, ["3 BDP", "takes 150 ms"]),
    "loss": ({"loss": 0.5, "rate": 12}, 5, ["One packet of 200", "Mathis"]),
    "aqm": ({"count": 3, "rtt": 30}, 10, ["240 ms", "Your 3 downloads"]),
    "own": ({"a": 2, "b": 0.7}, 60, ["6.67 for yours", "your b of 0.7"]),
}
"""For each lesson: numbers of the reader, a prediction, and what the explanation makes of the numbers."""

INPUTS = "[...document.querySelectorAll('#lesson input')]"
ROWS = "[...document.querySelectorAll('#lesson tbody tr')].map(row => [...row.cells].map(one => one.textContent))"
WORDS = "[...document.querySelectorAll('#lesson > div > p')].map(one => one.textContent).join(' ')"
EXPLAINED = "document.getElementById('lesson').dataset.explained"


def answered(page, guess, **numbers):
    """Fills in the form of the lesson that is open, and sends it."""
    names = page.run("[...document.querySelectorAll('#lesson form span')].map(one => one.textContent)")
    assert len(names) == len(numbers) + 1
    for at, value in enumerate([*numbers.values(), guess]):
        page.run(f"{INPUTS}[{at}].value = {json.dumps(str(value))}")
    page.run("document.querySelector('#lesson form').requestSubmit()")


def fields(page, name):
    """The numbers of a lesson that a reader finds."""
    lesson = f"ackclock.LESSONS.find(one => one.id === '{name}')"
    return page.run(f"Object.fromEntries({lesson}.fields.map(one => [one.name, one.value]))")


def hidden(page, name):
    return page.run(f"document.getElementById('{name}').hidden")


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_asks_runs_and_explains(page, address, name):
    numbers, guess, words = LESSONS[name]
    opened(page, f"{address}#lesson-{name}")
    assert page.run(STATUS) == "The run begins after your prediction."
    assert hidden(page, "experiment")
    before = page.run("document.body.dataset.ran ?? '0'")
    answered(page, guess, **fields(page, name) | numbers)
    page.until(f"{EXPLAINED} === '{name}' && document.body.dataset.ran > {before}")
    assert not hidden(page, "experiment")
    assert all(page.run(DRAWN))
    rows = page.run(ROWS)
    assert rows[0][0] == "your prediction"
    assert float(rows[0][1].split(" ")[0]) == guess
    assert all(float(value.split(" ")[0].replace(",", "")) >= 0 for _, value in rows), rows
    told = page.run(WORDS)
    assert all(one in told for one in words), told
    assert "NaN" not in told
    assert "\N{EN DASH}" not in told, told
    # The numbers are in the link, which opens the same lesson and waits for a prediction.
    link = page.run("location.hash")
    assert link.startswith(f"#lesson-{name}?")
    opened(page, address + link)
    assert hidden(page, "experiment")
    values = page.run(f"{INPUTS}.map(one => one.value)")
    assert values == [str(one) for one in (fields(page, name) | numbers).values()] + [""]


def test_there_are_six_with_links(page):
    links = page.run("[...document.querySelectorAll('#lessons a')].map(one => one.getAttribute('href'))")
    assert links == [f"#lesson-{name}" for name in LESSONS]
    page.run("document.querySelector('#lessons a').click()")
    page.until("document.getElementById('experiment').hidden")
    assert page.run("document.getElementById('lesson').hidden") is False
    # An experiment closes the lesson.
    after(page, "(() => { const one = document.getElementById('scenario'); one.value = 'aqm'; "
                "one.dispatchEvent(new Event('change')) })()")  # fmt: skip
    assert hidden(page, "lesson")
    assert not hidden(page, "experiment")


@pytest.mark.parametrize("guess", ["", "soon", "-1", "1e9"])
def test_what_is_no_prediction_is_said(page, address, guess):
    opened(page, f"{address}#lesson-buffers")
    answered(page, guess, rate=10, rtt="none", buffer=4)
    problem = page.run("document.querySelector('#lesson [role=alert]').textContent")
    assert "Round-trip time: accepted: a number from 10 to 200 ms." in problem
    assert "Longest time in the queue: accepted: a number from 0 to 10000 ms." in problem
    assert page.run("document.activeElement.closest('label').textContent") == "Round-trip time (ms)"
    assert hidden(page, "experiment")


def test_another_experiment_has_no_explanation_of_the_lesson(page, address):
    opened(page, f"{address}#lesson-buffers")
    answered(page, 100, rate=10, rtt=40, buffer=2)
    page.until(f"{EXPLAINED} === 'buffers'")
    told = page.run(WORDS)
    after(page, turned("Rate of the link", "5Mbps"))
    assert page.run(WORDS) == told
    assert page.run("location.hash").startswith("#1")


@needs_same_engine
def test_the_numbers_are_those_of_the_native_engine(page, address):
    opened(page, f"{address}#lesson-buffers")
    answered(page, 100, rate=10, rtt=40, buffer=2)
    page.until(f"{EXPLAINED} === 'buffers'")
    links = Table(_core.run(page.run(TEXT), "toml", [], 1)[1]["links"]).to_pandas().set_index("link")
    longest = links.loc["bottleneck", "queue_delay_max_ms"]
    rows = {what: float(value.split(" ")[0]) for what, value in page.run(ROWS)}
    assert rows["the run"] == pytest.approx(longest, rel=5e-3)
    assert rows["theory: a full buffer"] == 80
    # A full buffer is what theory says, within a packet and the rounding of the buffer to whole packets.
    assert longest == pytest.approx(80, abs=3)
