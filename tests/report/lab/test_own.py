"""A congestion control that the reader writes in the page."""

from threading import Thread

import pytest

from ackclock.report.lab import Server
from tests.helpers.lab import NEEDS, NUMBERS, SHORT, STATUS, TEXT, after, link, opened, turned, write

pytestmark = NEEDS

PROGRAM = "[...document.querySelectorAll('#program .cm-line')].map(one => one.textContent).join('\\n')"
MISTAKES = "[...document.querySelectorAll('#mistakes li')].map(one => one.textContent)"
FIGURES = "document.querySelectorAll('#figures canvas').length"


def program(body, name="mine"):
    return f'ackclock.congestion_control("{name}", class extends ackclock.WindowRules {{\n{body}\n}});\n'


def goodput(page):
    rows = page.run(NUMBERS)
    return {of: float(value) for of, measure, value in rows if measure == "goodput (Mbit/s)"}


@pytest.fixture
def own(page, address):
    opened(page, f"{address}#your-own")
    after(page, turned("Duration", "5s"))
    return page


def test_the_template_runs_against_cubic_and_bbr_at_once(own):
    assert "class extends ackclock.WindowRules" in own.run(PROGRAM)
    before = goodput(own)
    assert before.keys() == {"mine", "cubic", "bbr"}
    write(own, program("increase(flow) { return 20; }\nreduction(flow) { return 0.9; }"), "program")
    ran = own.run("document.body.dataset.ran")
    own.until(f"document.body.dataset.ran > {ran}")
    assert goodput(own)["mine"] > 1.5 * before["mine"]
    assert own.run(MISTAKES) == []


def test_somebody_begins_with_the_template(page):
    page.run("document.getElementById('own').open = true")
    after(page, "document.getElementById('template').click()")
    assert goodput(page).keys() == {"mine", "cubic", "bbr"}
    assert page.run("document.getElementById('scenario').value") == "your-own"
    # Another experiment has no program.
    after(page, "(() => { const one = document.getElementById('scenario'); one.value = 'aqm'; "
                "one.dispatchEvent(new Event('change')) })()")  # fmt: skip
    assert page.run("document.getElementById('written').hidden")


@pytest.mark.parametrize(
    ("body", "words", "line"),
    [
        ("increase(flow) {\n  return flow.cwn.x;\n}", "in increase: TypeError", 3),
        ("increase(flow) {\n  return 1 +;\n}", "SyntaxError", 3),
        ("reduction(flow) {\n  return 7;\n}", "it returns 7: accepted: a number from 0 to 1", 2),
        ("}); nothing.at.all(); class x({", "SyntaxError", 2),
        ("start(flow) { return 10 }\n}); missing(); (class {", "missing is not defined", 3),
        ("increases() { return 1; }", "did you mean increase?", None),
    ],
)
def test_mistakes_have_their_line(own, body, words, line):
    write(own, program(body), "program")
    (shown,) = own.until(f"(all => all.length ? all : null)({MISTAKES})")
    assert words in shown
    if line is not None:
        assert shown.startswith(f"line {line}: ")
        own.run("document.querySelector('#mistakes button').click()")
        assert own.run("document.activeElement.closest('#program') !== null")
    assert "has a mistake" in own.run(STATUS)
    # The last run stays in view, and a program without the mistake runs.
    assert own.run(FIGURES) > 0
    ran = own.run("document.body.dataset.ran")
    write(own, program("increase() { return 2; }"), "program")
    own.until(f"document.body.dataset.ran > {ran}")
    assert own.run(MISTAKES) == []
    own.errors.clear()


def test_a_program_that_does_not_end_is_stopped(own):
    for body in ("increase(flow) { while (true) {} }", "}); while (true) {} (class {"):
        write(own, program(body), "program")
        own.until(f"{MISTAKES}.some(one => one.includes('has not ended within'))")
        ran = own.run("document.body.dataset.ran")
        write(own, program("increase() { return 2; }"), "program")
        own.until(f"document.body.dataset.ran > {ran}")


def test_seeds_and_a_variant_use_the_program_too(own):
    write(own, SHORT.replace('app = "bulk"', 'app = "bulk"\ncc = "mine"'))
    own.until(f"{TEXT}.includes('start_jitter')")
    own.until("document.querySelectorAll('#numbers tbody tr').length == 9")
    after(own, "document.getElementById('compare').click()")
    after(own, turned("Congestion control of one", "reno", "change"))
    own.run("document.getElementById('seeds').click()")
    own.until("document.querySelectorAll('#means tbody tr').length > 0")
    rows = own.run(NUMBERS.replace("#numbers", "#means"))
    # The template is Reno.
    assert {row[-1] for row in rows if row[0] == "one"} == {"no clear difference"}
    assert next(row for row in rows if row[:2] == ["one", "goodput (Mbit/s)"])[4] == "0"


class TestLinks:
    CODE = program("increase() { return 3; }")

    def test_a_program_of_somebody_else_waits_until_it_is_allowed(self, page, address):
        text = SHORT + 'cc = "mine"\n'
        opened(page, address + link(page, texts=[text], code=self.CODE))
        assert "has a program of somebody else" in page.run(STATUS)
        assert page.run(PROGRAM) == self.CODE
        assert page.run(FIGURES) == 0
        after(page, "document.getElementById('trust').click()")
        assert goodput(page).keys() == {"one"}
        assert page.run("document.getElementById('trust').hidden")

    def test_the_link_has_the_program(self, own, address):
        write(own, self.CODE, "program")
        ran = own.run("document.body.dataset.ran")
        own.until(f"document.body.dataset.ran > {ran}")
        numbers, given = own.run(NUMBERS), own.run("location.href")
        assert len(given) < 500
        opened(own, given)
        after(own, "document.getElementById('trust').click()")
        assert own.run(NUMBERS) == numbers

    def test_a_program_asks_no_other_server(self, own):
        with Server(0) as other:
            thread = Thread(target=other.serve_forever)
            thread.start()
            script = f"{other.address}worker.js"
            reach = (
                f"(() => {{ try {{ importScripts('{script}'); return 'loaded' }} catch (e) {{ return e.name }} }})()"
            )
            write(own, f"var told = {reach};\n" + program("increase() { throw new Error(told); }"), "program")
            (shown,) = own.until(f"(all => all.length ? all : null)({MISTAKES})")
            other.shutdown()
            thread.join()
        assert "NetworkError" in shown
        own.errors.clear()
        own.requests[:] = [one for one in own.requests if one != script]
