"""Inputs that no program wrote: nested without end, huge numbers, other types, control characters. One message each."""

import json

import pytest

from ackclock.cli import main
from ackclock.judge.worst.written import NAME

DEEP = 200_000
LONG = "9" * 5000
CONTROL = "\x1b[2J\x07\u202e"

SCENARIO = {
    "duration": "2s",
    "bottleneck": {"rate": "2Mbps", "delay": "10ms", "queue": "20kB"},
    "flows": [{"name": "call", "app": {"kind": "call", "control": "nada"}}],
}


def trace(text):
    """A scenario in JSON with a call of a recorded video."""
    return json.dumps(SCENARIO).replace('"control": "nada"', f'"control": "nada", "trace": {text}')


TRACES = {
    "nested": "[" * DEEP + "]" * DEEP,
    "nested tables": '{"a":' * DEEP + "1" + "}" * DEEP,
    "nested sizes": '[{"rate": "1Mbps", "sizes": ' + "[" * DEEP + "]" * DEEP + "}]",
    "a long number": LONG,
    "long sizes": f'[{{"rate": "1Mbps", "sizes": [{LONG}]}}]',
    "huge sizes": '[{"rate": "1Mbps", "sizes": [1e999]}]',
    "a size with a long number": f'[{{"rate": "1Mbps", "sizes": ["{LONG}kB"]}}]',
    "a rate with a long number": f'[{{"rate": "{LONG}Mbps", "sizes": ["1kB"]}}]',
    "a huge rate": '[{"rate": "1e300Mbps", "sizes": ["1kB"]}]',
    "no number": '[{"rate": NaN, "sizes": [-1]}]',
    "types": '[{"rate": ["1Mbps"], "sizes": {"a": 1}}, 5, null, "x"]',
    "members that stand twice": '[{"rate": "1Mbps", "rate": "2Mbps", "sizes": ["1kB"]}]',
    "control characters": json.dumps([{"rate": CONTROL, "sizes": [CONTROL], CONTROL: 1}]),
    "half a character": '"\\ud800"',
}


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """Runs a command that has to refuse what it is given, and returns what it says."""
    monkeypatch.chdir(tmp_path)

    def refused(*words):
        before = sorted(tmp_path.rglob("*"))
        assert main(list(words)) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "Traceback" not in err
        lines = err.splitlines()
        assert 1 <= len(lines) <= 21
        assert all(line.startswith("ackclock: ") and line.isprintable() for line in lines)
        assert sorted(tmp_path.rglob("*")) == before, "nothing is left"
        return err

    return refused


@pytest.mark.parametrize("text", TRACES.values(), ids=TRACES)
def test_the_trace_of_a_call(refused, tmp_path, text):
    (tmp_path / "x.json").write_text(trace(text), encoding="utf-8")
    assert "x.json" in refused("run", "x.json", "--out", "out")


@pytest.mark.parametrize(
    "line",
    [
        f"{json.dumps(CONTROL)} = 1",
        f"{'.'.join('a' * DEEP)} = 1",
        f"[{'.'.join('a' * DEEP)}]",
        f"losses = {'[' * DEEP}",
        f"seed = {LONG}",
        f'duration = "{LONG}s"',
    ],
    ids=["control characters", "keys", "a table", "lists", "a seed", "a duration"],
)
def test_a_scenario_like_those_of_worst(refused, tmp_path, line):
    (tmp_path / f"{NAME}.toml").write_text(f"{line}\n", encoding="utf-8")
    assert f"{NAME}.toml" in refused("run", f"{NAME}.toml", "--out", "out")


NUMBERS = ["nan", "inf", "-1", "1e999", LONG, "\x1b[2J", "[" * DEEP]
COMMANDS = {
    ("worst", "reno", "--budget", "32"): ("rate", "rtt", "buffer", "fade", "jitter", "duration", "losses", "seed"),
    ("matrix", "reno", "--network", "2Mbps,10ms,2bdp"): ("duration", "warm-up", "seeds", "seed"),
    ("card", "reno", "--quick"): ("section", "seeds", "seed", "field"),
    ("suite", "tcpeval", "reno"): ("test", "seeds", "seed", "field"),
    ("suite", "bbr", "1"): ("seeds", "seed", "set", "bbr-version"),
    ("suite", "rmcat", "pause"): ("seeds", "seed", "set", "control"),
}


@pytest.mark.parametrize(
    ("words", "option"), [(words, option) for words, options in COMMANDS.items() for option in options], ids=str
)
def test_the_options_of_the_commands_that_judge(refused, words, option):
    for value in NUMBERS:
        told = refused(*words, f"--{option}={value}", "--out", "out")
        # Python's form of an escape, or Rust's.
        assert value.isprintable() or "\\x1b[2J" in told or "\\u{1b}[2J" in told


@pytest.mark.parametrize("place", range(3), ids=["rate", "rtt", "buffer"])
def test_the_networks_of_a_matrix(refused, place):
    for value in (*NUMBERS, ""):
        parts = ["2Mbps", "10ms", "2bdp"]
        unit = parts[place].lstrip("0123456789")
        parts[place] = value if value in ("", NUMBERS[-1], NUMBERS[-2]) else value + unit
        refused("matrix", "reno", "--duration", "5", f"--network={','.join(parts)}", "--out", "out")


@pytest.mark.parametrize("command", [("matrix",), ("worst",), ("card",), ("suite", "tcpeval"), ("suite", "bbr")])
def test_names(refused, command):
    told = refused(*command, CONTROL, "--out", "out")
    assert "\\x1b[2J\\x07\\u202e" in told


@pytest.mark.parametrize(
    "store",
    ["[" * DEEP, LONG, '{"format": 1e999}', '{"sweeps": [{}]}', f'"{CONTROL}"', "\0"],
    ids=["nested", "a long number", "a huge number", "types", "control characters", "nothing"],
)
def test_the_store_of_a_matrix(tmp_path, monkeypatch, capsys, store):
    monkeypatch.chdir(tmp_path)
    runs = tmp_path / "out" / "runs"
    runs.mkdir(parents=True)
    (runs / "ackclock-store.json").write_text(store, encoding="utf-8")
    words = ("matrix", "reno", "--network", "2Mbps,10ms,2bdp", "--duration", "5", "--seeds", "1", "--threads", "1")
    assert main([*words, "--out", "out"]) == 2
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert "ackclock-store.json" in err
    assert err.replace("\n", "").isprintable()
    assert (runs / "ackclock-store.json").read_text(encoding="utf-8") == store


def test_a_whole_number_without_end_is_no_value_of_a_sweep(refused, tmp_path):
    (tmp_path / "x.json").write_text(json.dumps(SCENARIO), encoding="utf-8")
    assert len(refused("sweep", "x.json", "--vary", f"flows[0].mss={LONG},1", "--out", "out")) < 5000
    (tmp_path / "points.csv").write_text(f"flows[0].mss\n{LONG}\n", encoding="utf-8")
    refused("sweep", "x.json", "--points", "points.csv", "--out", "out")


def test_half_of_a_character_in_a_baseline(refused, tmp_path):
    (tmp_path / "x.json").write_text(json.dumps(SCENARIO), encoding="utf-8")
    (tmp_path / "gate.json").write_text('{"scenarios": {"x": {"\\ud800": "\\ud800"}}}', encoding="utf-8")
    assert "half of a character" in refused("gate", "x.json", "--baseline", "gate.json")
