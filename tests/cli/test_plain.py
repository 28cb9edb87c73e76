"""The command line without Cyclopts and Rich behaves as the command line with them does."""

import io
import random
import subprocess
import sys
from importlib import import_module

import pytest
from cyclopts import CycloptsError

from ackclock.base.console import PipeConsole
from ackclock.base.shown import Shown
from ackclock.cli import front, grid, parser
from ackclock.cli.listed import COMMANDS, option_of
from ackclock.cli.plain import FLAG, LISTS, READERS, plain

pytestmark = pytest.mark.slow

WORDS = [
    "x.toml", "run", "a=b", "bottleneck.rate=2Mbps", "flows[0].cc=reno", "[1, 2]", '["a", "b"]', '{"a": 1}', "a,b", "1",
    "0", "17", "007", "1e3", "1.5", "0x10", "1_000", "+5", " 5", "5 ", "\u0665", "123456789012345678", "9" * 40, "true",
    "false", "None", "null", "none", "", " ", "-", "--", "-1", "-h", "-x", "--help", "--version", "--nothing",
    "--no-json", "--json=true", "--seed=3", "--SEED", "--pcap_ipv6", "\u00e9\u4e2d", "a b", "'quoted'", "~", "$HOME",
    "@file", "..",
]  # fmt: skip


def functions():
    for name, (place, _) in COMMANDS.items():
        module, _, attribute = place.partition(":")
        if attribute != "app":
            yield name, getattr(import_module(f"ackclock.cli.{module}"), attribute)


PLAIN = {
    name: function
    for name, function in functions()
    if all(type_ in (FLAG, *LISTS, *READERS) for key, type_ in function.__annotations__.items() if key != "return")
}


def line(name, function, draw):
    """A line of a command: arguments, options and their values, most of them sound."""
    code = function.__code__
    given = [draw.choice(WORDS[:13]) for _ in range(draw.choice([code.co_posonlyargcount] * 4 + [0, 1, 2, 3]))]
    parts = [[one] for one in given]
    options = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    needed = [one for one in options if one not in (function.__kwdefaults__ or {})]
    for one in needed + (draw.choices(options, k=draw.randrange(4)) if options else []):
        type_ = function.__annotations__[one]
        value = draw.choice(WORDS if draw.random() < 0.5 else WORDS[:13])
        if "int" in type_ and draw.random() < 0.8:
            value = str(draw.randrange(100))
        parts.append([f"--{option_of(one)}"] + [value] * (type_ != FLAG))
    if draw.random() < 0.2:
        parts.append([draw.choice(WORDS)])
    draw.shuffle(parts)
    return [name, *(word for part in parts for word in part)]


def by_the_library(words):
    """The function, arguments and options of a line; None if it is wrong or asks for help."""
    parser.command(words[0])
    try:
        function, bound, _ = parser.app.parse_args(words, print_error=False, exit_on_error=False)
    except CycloptsError:
        return None
    return function, bound.args, bound.kwargs


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_line_calls_what_the_library_calls(name):
    draw = random.Random(f"lines of {name}")
    accepted = 0
    for _ in range(120):
        words = line(name, PLAIN[name], draw)
        found = plain(words)
        if found is not None:
            accepted += 1
            function, arguments, options = found
            told = by_the_library(words)
            assert told is not None, words
            assert (function, tuple(arguments), options) == (told[0], tuple(told[1]), told[2]), words
            types = [*map(type, arguments), *(type(options[one]) for one in sorted(options))]
            assert types == [*map(type, told[1]), *(type(told[2][one]) for one in sorted(told[2]))], words
    assert accepted >= 10


def test_the_commands_that_are_used_most_have_plain_lines():
    assert {"run", "check", "list", "schema", "explain", "help", "ls", "migrate", "reproduce"} <= PLAIN.keys()


@pytest.mark.parametrize(
    "words",
    [
        [], ["--help"], ["--version"], ["run"], ["run", "x.toml", "--help"], ["run", "--version"],
        ["run", "x.toml", "-h"],
        ["run", "x.toml", "--seed"], ["run", "x.toml", "--seed", "1.0"], ["run", "x.toml", "--seed=1"],
        ["run", "x.toml", "--json", "--json"], ["run", "x.toml", "--seeds", "-1"], ["run", "a", "b"], ["nothing"],
        ["serve", "folder"], ["learn", "train"], ["lab"],
    ],
)  # fmt: skip
def test_other_lines_are_for_the_library(words):
    assert plain(words) is None


@pytest.mark.parametrize("words", [["run", "x.toml"], ["run", "--json", "x.toml", "--set", "a=1", "--set", "b=2"]])
def test_usual_lines_are_plain(words):
    assert plain(words) is not None


class Pipe(io.StringIO):
    encoding = "utf-8"


class Terminal(Pipe):
    def isatty(self):
        return True


def written(kind, action, width=None, **variables):
    """Output of an action to a pipe or to a terminal of `width` columns; `variables` are of the environment."""
    stream = kind()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
            patch.delenv(name, raising=False)
        given = {"TERM": "xterm-256color"} | ({} if width is None else {"COLUMNS": str(width)}) | variables
        for name, value in given.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdout", Shown(stream))
        action()
    return stream.getvalue()


@pytest.mark.parametrize("kind", [Terminal, Pipe])
@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["--version"]])
def test_help_and_version_are_those_of_the_library(kind, words, monkeypatch):
    version = "ackclock 0.1.0, revision 0123456789ab+, engine 01234567"
    monkeypatch.setattr("ackclock.base.build.described", lambda: version)
    monkeypatch.setattr(parser.app, "version", version)

    def by_the_library():
        monkeypatch.setattr(parser.app, "console", PipeConsole())
        parser.app(words)

    def ours():
        assert front.show(words)

    for width in [*range(front.LEAST_WIDTH, 130), 160, 300]:
        assert written(kind, ours, width) == written(kind, by_the_library, width), width


@pytest.mark.parametrize(
    ("words", "width", "variables"),
    [
        (["--help"], 59, {}),
        (["--version"], 30, {}),
        (["--help"], 100, {"NO_COLOR": "1"}),
        (["--help"], 100, {"FORCE_COLOR": ""}),
        (["--help"], 100, {"TTY_COMPATIBLE": "0"}),
        (["--help"], 100, {"TERM": "dumb"}),
        (["--help", "--version"], 100, {}),
        (["--nothing"], 100, {}),
    ],
)
def test_what_is_out_of_the_ordinary_is_for_the_library(words, width, variables):
    answers = []
    assert written(Terminal, lambda: answers.append(front.show(words)), width, **variables) == ""
    assert answers == [False]


CELLS = [
    "bottleneck", "1.5", "12,345", "-", "reno-rfc5681", "a b  c", "", "x" * 40, "[bold]text[/bold]", "1.0 [0.9, 1.1]",
    "back\\slash", ":smile:", "10:20", "two\nlines", "tab\there", "\u00e9t\u00e9", "\u4e2d\u6587", " blank", "blank ",
    "\x1b[31mred", "a/b", "100 %", "-3.25", "+7", "#", "\ud800", "word " * 12,
]  # fmt: skip


def table(draw):
    """A title, columns and rows; most texts are plain."""
    plain_only = draw.random() < 0.6
    pool = [one for one in CELLS if grid._is_literal(one) and one] if plain_only else CELLS
    columns = [draw.choice(pool) for _ in range(draw.randrange(1, 7))]
    rows = [[draw.choice(pool) for _ in columns] for _ in range(draw.randrange(4))]
    return draw.choice(["flows", "", "a longer title of a table", draw.choice(pool)]), columns, rows


@pytest.mark.parametrize("kind", [Terminal, Pipe])
def test_tables_are_those_of_the_library(kind, monkeypatch):
    draw = random.Random("tables")
    drawn = []
    ours = grid._drawn
    monkeypatch.setattr(grid, "_drawn", lambda *given: drawn.append(1) or ours(*given))
    for _ in range(200):
        given = table(draw)
        width = draw.choice([None, 40, 80, 200])
        mine = written(kind, lambda: grid.print_table(*given), width)  # noqa: B023
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(grid, "_is_simple", lambda *_: False)
            theirs = written(kind, lambda: grid.print_table(*given), width)  # noqa: B023
        assert mine == theirs, (given, width)
    assert len(drawn) > 25


def imported(*words):
    """The modules that a line imports."""
    code = "import sys; from ackclock import _entry; status = _entry.main(); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


LARGE = {"numpy", "cyclopts", "rich", "attrs", "logging", "dataclasses", "inspect", "concurrent.futures", "subprocess"}


def test_a_short_run_imports_nothing_large(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(TINY, encoding="utf-8")
    for words in (["run", str(path)], ["run", str(path), "--json"], ["run", str(path), "--seed", "3"], ["--help"]):
        assert imported(*words) & LARGE == set(), words


TINY = """
duration = "100ms"
[bottleneck]
rate = "2Mbps"
delay = "10ms"
queue = "8 packets"
[[flows]]
name = "one"
app = "bulk"
"""
