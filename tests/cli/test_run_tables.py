"""Output of a plain run: the tables of every application, and the description of flows without TCP."""

import re

import pytest

import ackclock
from ackclock.cli.output import APPLICATIONS
from ackclock.results.declared import PROBES, SUMMARISED, TABLES

NOT_PRINTED = {
    "flows",
    "links",
    "completion_bins",
    "delay_cdf",
    "dash_segments",
    "live_segments",
    "moq_groups",
    *PROBES,
}
"""Tables with columns of their own, and distributions and series with a row for each step."""

SCENARIO = """
duration = "4s"
[bottleneck]
rate = "10Mbps"
delay = "10ms"
[[flows]]
name = "files"
app = { kind = "transfer", size = "20kB", count = 3 }
[[flows]]
name = "trace"
app = { kind = "list", items = [{ at = "1s", size = "10kB" }] }
[[flows]]
name = "calls"
app = { kind = "rpc", servers = 3, response_size = "2kB", rounds = 4 }
[[flows]]
name = "steady"
app = { kind = "bursts", size = "5kB", interval = "1s" }
[[flows]]
name = "stream"
app = { kind = "cbr", rate = "100kbps", packet_size = "500B", circuit_breaker = {} }
[[flows]]
name = "phone"
app = "voip"
[[flows]]
name = "video call"
app = { kind = "call", frames = true, sample = "1s" }
[[flows]]
name = "pages"
app = { kind = "web", users = 1, think = "500ms", object_size = "4kB", records = true }
[[flows]]
name = "film"
app = { kind = "dash", ladder = ["100kbps"], segment = "1s" }
[[flows]]
name = "match"
app = { kind = "live", ladder = ["100kbps"], segment = "1s", chunk = "250ms", sample = "1s" }
[[flows]]
name = "streams"
app = { kind = "moq", rate = "100kbps", streams = "one", sample = "1s" }
[[flows]]
name = "periods"
app = { kind = "onoff", size = "20kB", off = "200ms" }
[probes]
delays = true
"""
TITLES = [
    "transfers",
    "items",
    "rounds",
    "bursts",
    "cbr",
    "breakers",
    "voip",
    "call",
    "call_frames",
    "call_rates",
    "web",
    "web_pages",
    "web_objects",
    "dash",
    "live",
    "live_samples",
    "moq",
    "moq_samples",
]
TITLES += ["onoff", "time_on", "completions", "delays"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "all.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


def test_every_table_of_an_application_has_columns_to_print():
    assert set(APPLICATIONS) == set(TABLES) - NOT_PRINTED
    for name, spec in APPLICATIONS.items():
        declared = {column["name"] for column in TABLES[name]["columns"]}
        assert {column for _, column, _ in spec} <= declared, name


def test_a_plain_run_prints_the_tables_of_all_applications(cli, file):
    status, out, _ = cli("run", file)
    assert status == 0
    lines = [line.strip() for line in out.splitlines()]
    assert set(TITLES) <= set(lines)


def test_replications_print_the_means_of_the_tables_with_a_row_for_each_flow(cli, file):
    status, out, _ = cli("run", file, "--seeds", 2)
    assert status == 0
    lines = [line.strip() for line in out.splitlines()]
    assert {name for name in TITLES if name in SUMMARISED} <= set(lines)


def test_replications_keep_queueing_delays_and_one_way_delays(cli, file):
    status, out, _ = cli("run", file, "--seeds", 2)
    assert status == 0
    assert {"queue mean ms", "queue p95 ms", "delay p95 ms"} <= set(re.split(r"  +|\n", out))


def test_tables_fold_at_the_width_that_is_asked_for_without_breaking_a_row(cli, file, monkeypatch):
    for more in ((), ("--seeds", 2)):
        monkeypatch.setenv("COLUMNS", "80")
        folded = [line.rstrip() for line in cli("run", file, *more)[1].splitlines()]
        assert max(len(line) for line in folded[1:]) <= 80
        monkeypatch.delenv("COLUMNS")
        whole = [line.rstrip() for line in cli("run", file, *more)[1].splitlines()]
        assert max(map(len, whole)) > 100
        # Each part of a table begins with the flow's name.
        named = [sum(line.split()[:1] == ["stream"] for line in lines) for lines in (folded, whole)]
        assert named[0] > named[1] > 1


def test_flows_of_datagrams_claim_no_stack_and_no_congestion_control(file):
    rows = {row["flow"]: row for row in ackclock.run(file).flows.rows()}
    for name in ("stream", "phone"):
        found = [rows[name][column] for column in ("stack", "cc", "validation", "pacing")]
        assert found == ["udp", "none", "none", "off"]
    assert rows["files"]["stack"] == "linux"


def test_list_transport_prints_parameters(cli):
    status, out, _ = cli("list", "transport")
    assert status == 0
    for words in ("parameters", "initial_window", "0 to 1000000000", "cubic, newreno, bbr"):
        assert words in out
    assert "parameters" not in cli("list", "queue")[1]
