"""A designer of tables: a design with ranges, a search that goes on where it stopped, its check and its page."""

import re

import pytest

from tests.helpers.browser import Browser, needs_browser
from tests.helpers.terminal import Terminal
from tests.uses.pages import all_drawn, looked_at, opened, words

DESIGN = """\
name = "office"
duration = "2s"

[bottleneck]
rate = "1Mbps..2Mbps"
delay = "20ms..40ms"
queue = "unlimited"

[[flows]]
name = "sender"
count = "1..3"
stack = "rfc"
delayed_ack = "0s"
receive_buffer = "200kB"
app = { kind = "onoff", on = { kind = "exponential", mean = "1s" }, off = { kind = "exponential", mean = "500ms" } }
"""

LEARN = (
    "ackclock learn office.toml --delta 1 --out office.dna --quick --specimens 4 --validation 3 --rules 8 --patience 1"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("designer")


@pytest.fixture(scope="module")
def learned(folder):
    """Output of the search, of its check and of the making of its page."""
    with Terminal(folder) as shell:
        shell.write("office.toml", DESIGN)
        yield (
            shell.run(LEARN),
            shell.run("ackclock learn check office.dna"),
            shell.run("ackclock learn page office.dna --networks 2"),
        )


def test_a_designer_gets_a_table_that_its_log_gives_again(learned, folder):
    searched, checked, _ = map(words, learned)
    assert "the search has ended" in searched
    assert "ackclock learn page office.dna" in searched
    assert re.search(r"office\.dna: \d+ decisions give this table, and \d+ scores are the same again", checked)
    assert (folder / "office.learn.jsonl").stat().st_size > 1000


@needs_browser
def test_a_designer_reads_the_page_of_a_table(learned, folder):
    with Browser() as page:
        page.offline()
        headings = opened(page, folder / "office.html")
        assert len(headings) >= 3
        text = page.run("document.body.innerText")
        assert "CUBIC" in text
        assert all_drawn(page)
        looked_at(page, "table-designer")
        assert page.errors == []


def test_a_designer_uses_the_table_in_a_scenario_and_is_told_of_a_wrong_range(learned, folder):
    with Terminal(folder) as shell:
        cc = """--set 'flows[0].cc={ kind = "remycc", table = "office.dna" }'"""
        plain = "--set bottleneck.rate=1.5Mbps --set bottleneck.delay=30ms --set flows.sender.count=2"
        document = shell.json(f"ackclock run office.toml {plain} {cc} --json")
        assert document["flows"][0]["cc"] == "remycc"
        assert document["flows"][0]["goodput_bps"] > 0
        shell.write("wrong.toml", DESIGN.replace("1Mbps..2Mbps", "2Mbps..1Mbps"))
        told = words(shell.run("ackclock learn wrong.toml --delta 1 --out wrong.dna --quick", status=2))
        assert "bottleneck.rate" in told
        assert not (folder / "wrong.dna").exists()
