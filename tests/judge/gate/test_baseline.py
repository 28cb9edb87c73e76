"""The file of a baseline: what it says, how it changes, and what is refused."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock.judge import gate
from tests.judge.gate.parts import GOODPUT, MADE, entry


def baseline(**changed):
    return gate.Baseline({"web": entry([[1.5, 2.5], [3, 4]]), "bulk": entry([[0.1, 7e9]])} | changed)


def saved(tmp_path, text):
    path = tmp_path / "gate.json"
    path.write_text(text, encoding="utf-8")
    return path


finite = st.floats(-1e299, 1e299)


@given(st.lists(st.lists(finite, min_size=3, max_size=3), min_size=1, max_size=1), st.text(min_size=1), st.text())
def test_a_file_keeps_everything(tmp_path_factory, rows, reason, algorithm):
    made = replace(MADE, backend="linux:6.12.1", kernel="abc", algorithms={algorithm: "0f"})
    one = entry(rows, made=made, reason=reason + "x", seeds=(0, 5, 2**64 - 1))
    path = tmp_path_factory.mktemp("kept") / "gate.json"
    before = gate.Baseline({"one": one}, level=0.97, first=9)
    before.write(path)
    assert gate.Baseline.read(path) == before


def test_a_changed_value_changes_one_line(tmp_path):
    first = baseline().text().splitlines()
    second = baseline(bulk=entry([[0.1, 7.5e9]])).text().splitlines()
    assert len(first) == len(second)
    assert sum(a != b for a, b in zip(first, second, strict=True)) == 1


def test_the_order_of_scenarios_changes_nothing():
    one = baseline()
    assert gate.Baseline(dict(reversed(one.scenarios.items()))).text() == one.text()


def damaged(change):
    document = json.loads(baseline().text())
    change(document)
    return json.dumps(document)


def bulk(document):
    return document["scenarios"]["bulk"]


def measure(document):
    return bulk(document)["measures"][GOODPUT.measure]


PATH = "scenarios.bulk.measures.sum(flows.goodput_bps)"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda one: one.update(version=2), "version 2 of the form; this ackclock"),
        (lambda one: one.update(format="other"), 'not a baseline of a gate, which has "format": "ackclock gate"'),
        (lambda one: one.pop("level"), "level: missing"),
        (lambda one: one.update(level=1), "level: 1; expected a number from 0.95 to below 1"),
        (lambda one: one.update(first=2), "first: 2; expected a whole number from 6 to 200"),
        (lambda one: one.update(scenarios=[]), "scenarios: expected a table"),
        (lambda one: one.update(extra=1), "extra: unknown; accepted: format, version"),
        (lambda one: bulk(one).pop("hash"), "scenarios.bulk.hash: missing"),
        (lambda one: bulk(one).update(seeds=[1, 1]), "scenarios.bulk.seeds: expected 1 to 200 different"),
        (lambda one: bulk(one).update(seeds=[1]), f"{PATH}.values: 2 values for 1 seeds; the file is damaged"),
        (lambda one: bulk(one).update(measures={}), "scenarios.bulk.measures: expected at least one measure"),
        (lambda one: bulk(one).update(made=3), "scenarios.bulk.made: expected a table"),
        (lambda one: bulk(one).update(reason=""), 'scenarios.bulk.reason: ""; expected a text'),
        (lambda one: measure(one).update(values=[1, "2"]), f"{PATH}.values: expected a list of numbers"),
        (lambda one: measure(one).update(values=[1, float("nan")]), f"{PATH}.values: expected a list of numbers"),
        (lambda one: measure(one).update(direction="high"), 'did you mean "higher"?'),
        (lambda one: measure(one).update(relative=-1), f"{PATH}.relative: -1; expected a number of at least 0"),
        (lambda one: measure(one).update(unit="s"), f'{PATH}.unit: "s"; this ackclock has "bps"'),
        (
            lambda one: bulk(one)["measures"].update({"sum(flow.goodput_bps)": measure(one)}),
            "there is no table flow, did you mean flows?",
        ),
    ],
)
def test_a_damaged_file_is_refused_with_the_place(tmp_path, change, told):
    with pytest.raises(gate.GateError) as error:
        gate.Baseline.read(saved(tmp_path, damaged(change)))
    assert told in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'gate.json'}: ")


def test_several_problems_are_told_at_once(tmp_path):
    def change(document):
        document["level"] = 2
        measure(document)["direction"] = "up"
        bulk(document)["seeds"] = "1-20"

    with pytest.raises(gate.GateError) as error:
        gate.Baseline.read(saved(tmp_path, damaged(change)))
    assert [line.split(": ")[1] for line in str(error.value).splitlines()] == [
        "level",
        "scenarios.bulk.seeds",
        f"{PATH}.direction",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "line 1: not JSON"),
        (baseline().text()[:-40], "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        (f'{{"format": {"1" * 5000}}}', "a number is too long"),
        (baseline().text().replace('  "level"', '<<<<<<< HEAD\n  "level"'), "line 4: a conflict of a merge"),
        (baseline().text().replace('  "level"', '  "first": 7,\n  "level"'), '"first" stands twice in one table'),
    ],
)
def test_what_is_no_json_is_refused(tmp_path, text, told):
    with pytest.raises(gate.GateError) as error:
        gate.Baseline.read(saved(tmp_path, text))
    assert told in str(error.value)


def test_what_cannot_be_read_is_refused(tmp_path):
    for content in (b"\xff\xfe", b"{}"):
        (tmp_path / "gate.json").write_bytes(content)
        with pytest.raises(gate.GateError):
            gate.Baseline.read(tmp_path / "gate.json")
    with pytest.raises(gate.GateError, match="cannot be read"):
        gate.Baseline.read(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sum(flows.goodput_bps)", ("sum(flows.goodput_bps)", "higher", 0.01, 0.0)),
        ("jain( flows.goodput_bps )", ("jain(flows.goodput_bps)", "higher", 0.0, 0.02)),
        ("flows[a b].goodput_bps lower", ("flows[a b].goodput_bps", "lower", 0.01, 0.0)),
        ("links[bottleneck].queue_delay_mean_ms", ("links[bottleneck].queue_delay_mean_ms", "lower", 0.05, 1.0)),
        ("count(transfers.end_s) higher 0", ("count(transfers.end_s)", "higher", 0.0, 0.0)),
        ("flows.srtt_ms either 2.5%", ("flows.srtt_ms", "either", 0.025, 0.0)),
        ("flows.srtt_ms lower 2% or 0.5", ("flows.srtt_ms", "lower", 0.02, 0.5)),
        ("flows.srtt_ms lower 0.5 or 2%", ("flows.srtt_ms", "lower", 0.02, 0.5)),
    ],
)
def test_a_measure_is_read_with_its_direction_and_tolerance(text, expected):
    found = gate.Expected.parse(text)
    assert (found.measure, found.direction, found.relative, found.absolute) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is not a column"),
        ("flows.goodput", "table flows has no column goodput"),
        ("flows.goodput_bps up", "up is no direction; accepted: higher, lower, either"),
        ("flows.goodput_bps hihger", "did you mean higher?"),
        ("flows.goodput_bps higher -1%", "-1% is no tolerance"),
        ("flows.goodput_bps higher 1% 2", "1% 2 is no tolerance"),
        ("flows.goodput_bps higher 1% or 2%", "1% or 2% is no tolerance"),
        ("flows.goodput_bps higher nan", "nan is no tolerance"),
        ("flows.min_rtt_ms", "min_rtt_ms has no usual direction and tolerance; accepted: give both"),
        ("count(flows.goodput_bps)", "has no usual direction"),
    ],
)
def test_a_measure_that_is_wrong_is_refused(text, told):
    with pytest.raises(gate.GateError) as error:
        gate.Expected.parse(text)
    assert told in str(error.value)


def test_every_usual_measure_can_be_read():
    assert [gate.Expected.parse(one).measure for one in gate.DEFAULTS] == list(gate.DEFAULTS)


@pytest.mark.parametrize(
    "text", ["gate = " + "[" * 100_000 + "]" * 100_000, "gate = " + "9" * 5000, "gate = 1\ngate = 2", "\u00ff = "]
)
def test_a_configuration_that_is_none_has_one_message(tmp_path, capsys, text):
    from ackclock.cli import main

    (tmp_path / "gate.toml").write_text(text, encoding="latin-1")
    given = ["--baseline", str(tmp_path / "b.json"), "--update", "--reason", "x"]
    assert main(["gate", str(tmp_path / "x.toml"), *given, "--config", str(tmp_path / "gate.toml")]) == 2
    assert "gate.toml: n" in capsys.readouterr().err
