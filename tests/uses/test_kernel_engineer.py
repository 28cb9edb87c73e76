"""A kernel engineer: scripts against the model, the model's traces, and the same scenario over the running kernel."""

import csv
import json
import os
import sys
from pathlib import Path

import jsonschema
import pytest

from tests.helpers.terminal import Terminal
from tests.uses.pages import words

RIGHTS = sys.platform == "linux" and os.geteuid() == 0 and Path("/dev/net/tun").exists()
needs_rights = pytest.mark.skipif(not RIGHTS, reason="needs root and /dev/net/tun")

SCRIPT = """\
// A server sends its initial window, which is ten segments of 1000 bytes.
 0   socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0   setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0
+0   bind(3, ..., ...) = 0
+0   listen(3, 1) = 0
+0   < S 0:0(0) win 32792 <mss 1000,sackOK,nop,nop,nop,wscale 7>
+0   > S. 0:0(0) ack 1 <...>
+0.1 < . 1:1(0) ack 1 win 257
+0   accept(3, ..., ...) = 4
+0   write(4, ..., 20000) = 20000
+0   > P. 1:10001(10000) ack 1
+0   %{ assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd }%
"""
SCENARIO = """\
name = "patch"
duration = "2s"

[bottleneck]
rate = "8Mbps"
delay = "10ms"
queue = "20 packets"

[[flows]]
name = "download"
cc = "cubic"
app = "bulk"

[probes]
window = true
"""


def table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def shell(tmp_path):
    with Terminal(tmp_path) as one:
        one.write("patch.toml", SCENARIO)
        yield one


def test_a_kernel_engineer_tests_a_script_against_the_model(shell):
    shell.write("window.pkt", SCRIPT)
    assert "1 pass, 0 fail, 0 unsupported" in shell.run("ackclock drill window.pkt")
    # RFC 6928 allows ten segments and not eleven: the script that asks for eleven fails at its line.
    shell.run("sed 's/10001(10000)/11001(11000)/' window.pkt > eleven.pkt")
    found = json.loads(shell.run("ackclock drill window.pkt eleven.pkt --json", status=1))
    assert found["summary"] == {"pass": 1, "fail": 1, "unsupported": 0}
    passed, failed = found["scripts"]
    assert (passed["path"], passed["verdict"]) == ("window.pkt", "pass")
    assert (failed["path"], failed["line"]) == ("eleven.pkt", 1 + SCRIPT[: SCRIPT.index("+0   > P.")].count("\n"))
    assert "payload 10000 instead of 11000" in failed["reason"]


def test_a_kernel_engineer_reads_the_traces_of_the_model(shell, tmp_path):
    shell.run("ackclock run patch.toml --out out/model --events --qlog")
    out = tmp_path / "out" / "model"
    [flow] = table(out / "flows.csv")

    shell.run("ackclock schema --events > events.schema.json")
    validator = jsonschema.Draft202012Validator(json.loads((tmp_path / "events.schema.json").read_text("utf-8")))
    head, *events = [json.loads(line) for line in (out / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    assert head["name"] == "patch"
    for one in {(event["event"], event.get("side")): event for event in events}.values():
        validator.validate(one)
    mine = [one for one in events if one.get("side") == "source" and one["event"] == "segment_sent"]
    assert len(mine) == int(flow["segments_sent"])
    assert sum(one["retransmission"] for one in mine) == int(flow["retransmits"]) > 0

    # RFC 7464: each record is between a record separator and a line feed.
    log = (out / "download.0.source.sqlog").read_text(encoding="utf-8")
    header, *records = [json.loads(record) for record in log.split("\x1e")[1:]]
    assert header["file_schema"] == "urn:ietf:params:qlog:file:sequential"
    names = [one["name"] for one in records]
    assert names.count("transport:packet_sent") == len(mine)
    assert names.count("recovery:packet_lost") >= int(flow["retransmits"])
    windows = [one["data"]["congestion_window"] for one in records if "congestion_window" in one["data"]]
    assert windows
    assert {float(row["cwnd"]) for row in table(out / "window.csv")} <= {float(one) for one in windows}


@needs_rights
def test_a_kernel_engineer_runs_the_scenario_over_the_running_kernel(shell, tmp_path):
    told = words(shell.run("ackclock run patch.toml --backend linux --qlog --out out/no", status=2))
    assert "--qlog: only the simulator has that" in told
    assert not (tmp_path / "out").exists()

    shell.run("ackclock run patch.toml --backend linux --out out/kernel")
    out = tmp_path / "out" / "kernel"
    [flow] = table(out / "flows.csv")
    assert int(flow["bytes_delivered"]) > 0
    rows = table(out / "window.csv")
    assert len(rows) > 10
    segment = 1448
    for column in ("cwnd", "srtt_ms", "min_rtt_ms", "flight_size", "pipe"):
        assert all(row[column] for row in rows), column
    assert float(rows[0]["cwnd"]) >= 10 * segment
    assert all(float(row["cwnd"]) % segment == 0 for row in rows)
    assert any(float(row["delivery_bps"] or 0) > 0 for row in rows)
    # Twice the delay of the link, and the kernel measures no less.
    assert min(float(row["min_rtt_ms"]) for row in rows) >= 20
    assert all(float(row["min_rtt_ms"]) <= float(row["srtt_ms"]) + 1 for row in rows)
    assert {row["latest_rtt_ms"] for row in rows} == {""}, "TCP_INFO has no latest sample"
    document = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert os.uname().release in json.dumps(document)

    found = shell.json("ackclock compare patch.toml --backends sim,linux --seeds 1 --set duration=1s --json")
    assert [*found["backends"]] == ["sim", "linux"]
    assert found["backends"]["linux"]["kernel"]["release"] == os.uname().release
    measures = {one["measure"]: one for one in found["residuals"]}
    goodput = measures["flows[download].goodput_bps"]
    assert goodput["difference"] == pytest.approx(goodput["value"] - goodput["reference"])
    # One pair has no interval, and so no verdict.
    assert {one["verdict"] for one in measures.values()} == {"open"}
