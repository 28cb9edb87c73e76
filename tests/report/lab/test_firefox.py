"""The laboratory in Firefox: the same link, the same numbers."""

import json

import pytest

from tests.helpers.firefox import Firefox, needs_firefox
from tests.helpers.lab import DIGESTS, NEEDS, NUMBERS, STATUS, TEXT, after, turned

pytestmark = [*NEEDS, needs_firefox]

MISTAKES = "[...document.querySelectorAll('#mistakes li')].map(one => one.textContent)"


@pytest.fixture(scope="module")
def firefox():
    with Firefox() as one:
        yield one


def opened(firefox, address):
    firefox.open("about:blank")
    firefox.open(address)
    firefox.until(f"document.body.dataset.ran || !/^(Running|Loading|$)/.test({STATUS})")


def test_a_link_made_in_chromium_opens_with_the_same_bytes(page, firefox):
    after(page, turned("Buffer", "30 packets"))
    page.until("location.hash.length > 2")
    opened(firefox, page.run("location.href"))
    for what in (TEXT, NUMBERS, DIGESTS):
        assert firefox.run(what) == page.run(what)
    assert firefox.run("document.querySelectorAll('#figures canvas').length") == 5
    assert firefox.run("document.getElementById('notice').hidden")


def test_mistakes_of_a_program_have_their_line(page, firefox, address):
    """Engines of JavaScript write traces in forms of their own."""
    lines = {
        "increase(flow) {\n  return flow.cwn.x;\n}": 3,
        "increase(flow) {\n  return 1 +;\n}": 3,
        "reduction(flow) {\n  return 7;\n}": 2,
    }
    text = page.run("ackclock.GALLERY['your-own']").replace('"30s"', '"4s"')
    about = {"version": "0", "engine": "0"}
    for body, line in lines.items():
        code = f'ackclock.congestion_control("mine", class extends ackclock.WindowRules {{\n{body}\n}});\n'
        state = {"base": "", "texts": [text], "seed": 1, "view": "over", "code": code}
        link = page.run(f"ackclock.write({json.dumps(state)}, {{}}, {json.dumps(about)})")
        opened(firefox, address + link)
        firefox.run("document.getElementById('trust').click()")
        (shown,) = firefox.until(f"(all => all.length ? all : null)({MISTAKES})")
        assert shown.startswith(f"line {line}: "), shown


def test_a_lesson_explains(firefox, address):
    opened(firefox, f"{address}#lesson-buffers")
    firefox.run("[...document.querySelectorAll('#lesson input')].at(-1).value = '100'")
    firefox.run("document.querySelector('#lesson form').requestSubmit()")
    firefox.until("document.getElementById('lesson').dataset.explained === 'buffers'")
    assert "160 ms when it is full" in firefox.run("document.getElementById('lesson').textContent")
