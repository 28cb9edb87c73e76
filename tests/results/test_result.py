"""Results: a name for every table that a run can give."""

import inspect
from pathlib import Path

import pytest
from arro3.core import DataType, Schema

import ackclock
from ackclock.base.table import Table
from ackclock.results import fairness
from ackclock.results.declared import ASKED, KEYS, PROBES, TABLES
from ackclock.results.result import Result
from ackclock.scenario._generate.results import FILE, properties

EVERYTHING = """
name = "everything"
duration = "4s"
bottleneck = { rate = "10Mbps", delay = "10ms", queue = "20 packets" }
probes = { window = true, packets = true, timeouts = true, delays = true, queues = true, rates = true, limits = true }

[[flows]]
app = "bulk"
paths = [["bottleneck"], ["bottleneck"]]
[[flows]]
app = { kind = "transfer", size = "20kB" }
[[flows]]
app = { kind = "dash", ladder = ["100kbps"], segment = "1s" }
[[flows]]
app = { kind = "live", ladder = ["100kbps"], segment = "1s", chunk = "250ms", sample = "1s" }
[[flows]]
app = { kind = "moq", rate = "100kbps", streams = "one", sample = "1s" }
[[flows]]
app = { kind = "bursts", size = "10kB", interval = "1s" }
[[flows]]
app = { kind = "onoff", size = "10kB", off = "100ms", persistent = true }
[[flows]]
app = { kind = "list", items = [{ at = "0s", size = "10kB" }] }
[[flows]]
app = { kind = "web", users = 1, object_size = "10kB", think = "100ms", records = true }
[[flows]]
app = { kind = "rpc", response_size = "10kB" }
[[flows]]
app = { kind = "cbr", rate = "100kbps", circuit_breaker = {} }
[[flows]]
app = "voip"
[[flows]]
name = "video"
app = { kind = "call", frames = true, sample = "1s" }
[[flows]]
app = { kind = "tmix", vectors = { file = "VECTORS" }, records = true }
"""

WITHOUT_FILES = EVERYTHING[: EVERYTHING.rindex("[[flows]]")]


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    vectors = tmp_path_factory.mktemp("vectors") / "web.cvec"
    vectors.write_text("SEQ 0 1\n> 300\n< 10000\n")
    return ackclock.run(EVERYTHING.replace("VECTORS", str(vectors)))


def test_every_table_has_a_property(result):
    kinds = {flow["app"]["kind"] for flow in ackclock.check(WITHOUT_FILES)["flows"]} | {"tmix"}
    assert kinds == {entry["name"] for entry in ackclock.catalogue()["app"]}, "a run with all applications"
    names = {
        name
        for name, value in inspect.getmembers(Result, lambda value: isinstance(value, property))
        if name not in ("seed", "plot")
    }
    assert names == set(result.tables)
    for name in names:
        assert getattr(result, name) is result.tables[name]
        assert getattr(Result, name).__doc__


def types_of(table):
    names = {str(DataType.int64()): "whole number", str(DataType.float64()): "number"}
    names |= {str(DataType.string()): "text", str(DataType.bool()): "truth value"}
    return [(field.name, names[str(field.type)]) for field in Schema.from_arrow(table)]


def test_every_column_of_a_run_is_declared_and_every_declared_column_appears(result):
    found = {name: types_of(table) for name, table in result.tables.items()}
    declared = {name: [(one["name"], one["type"]) for one in table["columns"]] for name, table in TABLES.items()}
    assert found == declared


def test_what_follows_from_the_declarations():
    one_row = ["dash", "live", "moq", "web", "cbr", "breakers", "voip", "call", "time_on", "completions"]
    assert list(KEYS) == ["flows", "paths", "links", *one_row]
    assert (KEYS["links"], KEYS["completions"]) == (("link",), ("flow", "what"))
    assert {*PROBES} == {"window", "events", "packets", "sack_blocks", "timeouts", "queues", "rates"}
    assert {*ASKED} == {*PROBES, "delays", "delay_cdf", "limits"}


def test_the_properties_are_those_of_the_declarations():
    written = Path(ackclock.__file__).parent / FILE
    assert written.read_text(encoding="utf-8") == properties(), "make types"


def test_a_table_that_was_not_asked_for_says_how_to_ask():
    quiet = ackclock.run(WITHOUT_FILES, overrides={"duration": "1s", "probes": {}})
    for name, field in ASKED.items():
        with pytest.raises(KeyError, match=f"no table '{name}'; the scenario has to ask for it with {field}"):
            getattr(quiet, name)


def test_series_are_traces_and_no_part_of_the_document(result):
    document = result.document()
    assert {"delays", "delay_cdf", "flows"} <= document.keys()
    assert not {"queues", "rates", "window", "packets"} & document.keys()


def test_measures_of_a_run():
    text = """
    duration = "60s"
    bottleneck = { rate = "5Mbps", delay = "10ms" }
    probes = { rates = true, interval = "5s" }
    [[flows]]
    stack = "rfc"
    app = "bulk"
    [[flows]]
    stack = "rfc"
    app = "bulk"
    start = "10s"
    """
    result = ackclock.run(text)
    times, index = fairness.jain_over_time(result)
    assert times.tolist() == [5.0 * number for number in range(1, 13)]
    assert index[0] == index[1] == 1, "alone until 10 s"
    assert index[-3:].min() > 0.9
    assert 0 <= fairness.convergence_time(result, delta=0.4, hold=10) <= 30
    assert isinstance(result.rates, Table)


def test_a_table_without_rows_has_its_columns():
    """The tables of a flow that loses packets, and of one that has not begun when the probes end."""
    probes = {f"probes.{name}": True for name in ("window", "packets", "timeouts", "queues", "rates")}
    lossy = {"bottleneck.loss": "5%", "duration": "20s"}
    full = ackclock.run(EMPTY, overrides=probes | lossy)
    empty = ackclock.run(EMPTY, overrides=probes | {"probes.to": "1ms", "flows[0].start": "1s"})
    for name in ("window", "events", "packets", "sack_blocks", "timeouts"):
        assert len(empty.tables[name]) == 0 < len(full.tables[name]), name
    for name, table in full.tables.items():
        assert Schema.from_arrow(empty.tables[name]) == Schema.from_arrow(table), name


EMPTY = """
duration = "2s"
[bottleneck]
rate = "1Mbps"
delay = "20ms"
queue = "1bdp"
[[flows]]
name = "one"
stack = "rfc"
app = "bulk"
"""
