"""Output of texts that others wrote: it contains nothing that a terminal obeys."""

from __future__ import annotations

import io
import sys

import pytest
from rich.text import Text

from ackclock.base.console import PipeConsole
from ackclock.base.progress import bar
from ackclock.base.shown import Shown, one_line, printable, shown_streams
from ackclock.cli import main
from ackclock.cli.output import complain, print_json, print_table, say

BAD = "\x1b[2J\x9b\x07\r\u202e\u200b\ud800\U000e0001"
ESCAPED = "\\x1b[2J\\x9b\\x07\\r\\u202e\\u200b\\ud800\\U000e0001".replace("\\r", "\\x0d")


def test_a_text_keeps_what_is_printable():
    assert printable("5 µs ± 1 — naïve 日本\n\tx") == "5 µs ± 1 — naïve 日本\n\tx"
    assert printable(BAD) == ESCAPED
    assert printable(printable(BAD)) == ESCAPED
    assert one_line(f"a\nb\t{BAD}") == f"a\\nb\\t{ESCAPED}"


def test_every_way_to_print_passes_the_streams(capsys):
    with shown_streams():
        say(BAD)
        complain(BAD)
        sys.stderr.write(f"{BAD}\n")
        print_table(BAD, [BAD], [[BAD]])
        print_json({BAD: BAD})
        sys.stderr.writelines([BAD, "\n"])
        PipeConsole().print(Text(BAD))
    told = capsys.readouterr()
    for text in (told.out, told.err):
        assert text.replace("\n", "").isprintable()
    assert told.out.count(ESCAPED) == 4
    assert told.err == f"ackclock: {ESCAPED}\n{ESCAPED}\n{ESCAPED}\n"


def test_a_table_is_as_wide_as_what_it_shows(capsys):
    with shown_streams():
        print_table("", ["a", "b"], [["\x1b" * 10, "x"], ["y", "z"]])
    lines = capsys.readouterr().out.splitlines()
    assert lines[3].split() == ["\\x1b" * 10, "x"]
    assert lines[3].index("x", 40) == lines[4].index("z")


def test_a_stream_is_the_other_stream_in_all_else():
    stream = io.StringIO()
    shown = Shown(stream)
    assert shown.write("\x1b") == 1
    assert stream.getvalue() == "\\x1b"
    assert shown.isatty() is stream.isatty()
    before = sys.stdout
    with shown_streams():
        inside = sys.stdout
        with shown_streams():
            assert sys.stdout is inside, "one is enough"
    assert sys.stdout is before


def test_a_bar_draws_itself_and_no_label_of_others(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stream)
    times = iter([0.0, 1.0])
    with shown_streams(), bar("\x1b]0;title\x07", lambda: next(times)) as report:
        report(0.5)
    assert "\\x1b]0;title\\x07" in stream.getvalue()
    assert "\x1b]0" not in stream.getvalue()
    assert "\x1b[" in stream.getvalue(), "the bar moves the cursor"


@pytest.mark.parametrize("command", [["run", "\x1b[2J.toml"], ["ls", "\x1b[2J"], ["\x1b[2J"], ["list", "\x1b[2J"]])
def test_messages_of_commands(command, capsys):
    assert main(command) == 2
    told = capsys.readouterr()
    assert (told.out + told.err).replace("\n", "").isprintable()
    assert "\\x1b[2J" in told.err
