"""Logs in qlog's format: the structure of the IETF's draft, what qvis asks for, and the event log beside them."""

import json
import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import ackclock
from ackclock.cli import main

SCENARIO = """
name = "logged"
duration = "4s"

[bottleneck]
rate = "5Mbps"
delay = "20ms"
queue = "12 packets"

[[flows]]
name = "long"
app = "bulk"
stack = "linux"

[[flows]]
name = "short"
app = { kind = "transfer", size = "30kB", count = 3, gap = "100ms" }
start = "500ms"

[[flows]]
name = "model"
count = 2
app = { kind = "transfer", size = "300kB" }
cc = "bbr"

[probes]
window = true
interval = "0s"
"""

NUMBER, TEXT, COUNT = "number", "text", "count"
RAW = {"?length": COUNT, "?payload_length": COUNT}
"""RawInfo of draft-ietf-quic-qlog-main-schema-14; the contents are not logged."""
STREAM = {"frame_type": "stream", "stream_id": COUNT, "offset": COUNT, "length": COUNT}
"""StreamFrame of draft-ietf-quic-qlog-quic-events."""
ACK = {"frame_type": "ack", "acked_ranges": [[COUNT]]}
"""AckFrame of the same."""
FLAG = re.compile("FIN|SYN|RST|PSH|ACK|URG|ECE|CWR|AE")
HEADER = {
    "packet_number": COUNT,
    "sequence_number": COUNT,
    "?acknowledgment_number": COUNT,
    "window": COUNT,
    "flags": [FLAG],
    "header_length": COUNT,
}
"""The header of qvis's tcptoqlog, and three fields of ours; the lengths of the packet are in ``raw``."""
PACKET = {"header": HEADER, "?frames": [(STREAM, ACK)], "raw": RAW}
STATE = re.compile(
    "closed|listen|syn-sent|syn-received|established|fin-wait-1|fin-wait-2|close-wait|closing|last-ack|time-wait"
)
EVENTS = {
    "transport:packet_sent": PACKET,
    "transport:packet_received": PACKET,
    "recovery:packet_lost": {
        "header": {"?packet_number": COUNT, "sequence_number": COUNT},
        "frames": [STREAM],
        "trigger": re.compile("reordering_threshold|time_threshold|rto_expired"),
    },
    "recovery:metrics_updated": {
        **dict.fromkeys(("?min_rtt", "?smoothed_rtt", "?latest_rtt", "?rtt_variance"), NUMBER),
        **dict.fromkeys(("?pto_count", "?congestion_window", "?bytes_in_flight", "?ssthresh", "?pacing_rate"), COUNT),
    },
    "recovery:congestion_state_updated": {"?old": TEXT, "new": TEXT, "?trigger": "ecn"},
    "recovery:loss_timer_updated": {"timer_type": re.compile("rto|tlp|reordering"), "event_type": "expired"},
    "connectivity:connection_state_updated": {"?old": STATE, "new": STATE},
}
"""The data of each event: the fields of QUIC's events for the same concepts, as far as TCP has them."""

FILE = {
    "file_schema": "urn:ietf:params:qlog:file:sequential",
    "serialization_format": "application/qlog+json-seq",
    "qlog_version": TEXT,
    "qlog_format": TEXT,
    "?title": TEXT,
    "?description": TEXT,
    "trace": {
        "?title": TEXT,
        "?description": TEXT,
        "vantage_point": {"?name": TEXT, "type": re.compile("client|server|network|unknown"), "?flow": TEXT},
        "common_fields": {
            "time_format": re.compile("relative_to_epoch|relative_to_previous_event"),
            "reference_time": {"clock_type": TEXT, "epoch": TEXT, "?wall_clock_time": TEXT},
            "group_id": TEXT,
            "protocol_types": [TEXT],
        },
        "event_schemas": [TEXT],
    },
}
"""QlogFileSeq, TraceSeq, VantagePoint, CommonFields and ReferenceTime of draft-ietf-quic-qlog-main-schema-14; the two
fields of older drafts are there for qvis, and `protocol_types` is one of the fields that anybody may add."""

QVIS_VERSIONS = ["draft-02", "draft-02-RC1", "qlog-03-WIP", "0.3"]
"""versionAliases in src/lib/data/QlogSchema02.ts of qvis."""


def follows(value, form, path="file"):
    """Fails where a value does not have the form; names that the form does not have are mistakes."""
    if isinstance(form, dict):
        assert isinstance(value, dict), path
        fields = {name.removeprefix("?"): kind for name, kind in form.items()}
        assert value.keys() <= fields.keys(), f"{path}: {value.keys() - fields.keys()}"
        needed = {name for name in form if not name.startswith("?")}
        assert needed <= value.keys(), f"{path}: {needed - value.keys()}"
        for name, one in value.items():
            follows(one, fields[name], f"{path}.{name}")
    elif isinstance(form, list):
        assert isinstance(value, list), path
        assert value, path
        for one in value:
            follows(one, form[0], path)
    elif isinstance(form, tuple):
        (found,) = [kind for kind in form if kind["frame_type"] == value["frame_type"]]
        follows(value, found, path)
    elif isinstance(form, re.Pattern):
        assert form.fullmatch(value), f"{path}: {value}"
    elif form == COUNT:
        assert type(value) is int, path
        assert 0 <= value < 2**53, path
    elif form == NUMBER:
        assert type(value) in (int, float), path
        assert value >= 0, path
    elif form == TEXT:
        assert isinstance(value, str), path
    else:
        assert value == form, path


def records(path):
    """The header and the events of a JSON text sequence (RFC 7464 section 2.2)."""
    text = path.read_text(encoding="utf-8")
    assert text.startswith("\x1e")
    pieces = text[1:].split("\x1e")
    assert all(piece.endswith("\n") and "\n" not in piece[:-1] for piece in pieces)
    header, *events = map(json.loads, pieces)
    return header, events


def loads_in_qvis(header, events):
    """The rules of qvis: textsequencejsontoqlog.ts (convert) and QlogLoaderV2.ts (fromDraft02, DirectEventParser)."""
    assert header["qlog_format"] == "JSON-SEQ"
    assert header["qlog_version"] in QVIS_VERSIONS
    assert header["trace"] is not None
    # The time of the first event is where the trace begins; the group of the first event would split the trace.
    assert events
    assert "group_id" not in events[0]
    assert header["trace"]["common_fields"]["time_format"] not in ("relative", "delta")
    assert all(one["time"] <= other["time"] for one, other in pairwise(events)), "qvis sorts and complains"
    for event in events:
        category, _, kind = event["name"].partition(":")
        assert category
        assert kind
        # qvis reports these fields of older drafts as mistakes.
        assert not {"packet_size", "payload_length"} & event["data"].get("header", {}).keys()
        assert "packet_type" not in event["data"]


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("qlog")
    result = ackclock.trace(SCENARIO, folder, events=True, qlog=True)
    log = [json.loads(line) for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()[1:]]
    files = {path.name.removesuffix(".sqlog"): records(path) for path in folder.glob("*.sqlog")}
    return result, folder, log, files


def test_each_end_of_each_connection_has_a_file(logged):
    _, _, log, files = logged
    ends = {(event["flow"], event["conn"], event["side"]) for event in log if event["event"] == "segment_sent"}
    assert {f"{flow}.{conn}.{side}" for flow, conn, side in ends} == files.keys()
    assert {"long.0.source", "short.2.sink", "model.1.0.source"} <= files.keys()


def test_files_have_the_structure_of_the_draft(logged):
    _, folder, _, files = logged
    seen = set()
    for name, (header, events) in files.items():
        follows(header, FILE)
        start = (folder / f"{name}.sqlog").read_bytes()[:256]
        assert b"file_schema" in start
        assert b"application/qlog+json-seq" in start, "section 5: within the first 256 bytes"
        reference = header["trace"]["common_fields"]["reference_time"]
        # Section 7.1: the epoch of a monotonic clock is unknown.
        assert reference == {"clock_type": "monotonic", "epoch": "unknown"}
        schemas = header["trace"]["event_schemas"]
        assert not any(schema.startswith("urn:ietf:") for schema in schemas), "section 8.1: private schemas"
        for event in events:
            assert event.keys() == {"time", "name", "data"}
            follows(event["time"], NUMBER)
            follows(event["data"], EVENTS[event["name"]], event["name"])
            assert any(schema.endswith(":" + event["name"].split(":")[0]) for schema in schemas)
        seen |= {event["name"] for event in events}
    assert seen == EVENTS.keys()


def test_qvis_loads_the_files(logged):
    for header, events in logged[3].values():
        loads_in_qvis(header, events)


def test_the_checks_find_mistakes(logged):
    header, events = logged[3]["long.0.source"]
    with pytest.raises(AssertionError, match="color"):
        follows(header | {"color": "red"}, FILE)
    with pytest.raises(AssertionError, match="event_schemas"):
        follows(header | {"trace": {k: v for k, v in header["trace"].items() if k != "event_schemas"}}, FILE)
    with pytest.raises(AssertionError, match="congestion_window"):
        follows({"congestion_window": 1.5}, EVENTS["recovery:metrics_updated"])
    with pytest.raises(AssertionError):
        loads_in_qvis(header | {"qlog_version": "0.4"}, events)
    with pytest.raises(AssertionError, match="sorts"):
        loads_in_qvis(header, events[::-1])


def test_the_end_that_opens_is_the_client(logged):
    for name, (header, events) in logged[3].items():
        opens = next(e for e in events if e["name"] == "transport:packet_sent")["data"]["header"]["flags"] == ["SYN"]
        assert header["trace"]["vantage_point"] == {"name": name, "type": "client" if opens else "server"}
        assert opens == name.endswith("source")


def mine(log, name, kind):
    flow, conn, side = name.rsplit(".", 2)
    return [
        one for one in log if (one["event"], one["flow"], str(one["conn"]), one["side"]) == (kind, flow, conn, side)
    ]


def test_segments_are_those_of_the_event_log(logged):
    _, _, log, files = logged
    for name, (_, events) in files.items():
        isn = {}
        for kind, other in (("packet_sent", "segment_sent"), ("packet_received", "segment_received")):
            packets = [event for event in events if event["name"] == f"transport:{kind}"]
            isn[kind] = mine(log, name, other)[0]["seq"]
            for number, (packet, one) in enumerate(zip(packets, mine(log, name, other), strict=True), 1):
                header = packet["data"]["header"]
                assert packet["time"] == one["time_ns"] / 1e6
                assert header["packet_number"] == number
                assert header["sequence_number"] == (one["seq"] - isn[kind]) % 2**32
                assert (header["flags"], header["window"]) == (one["flags"], one["window"])
                assert packet["data"]["raw"] == {
                    "length": header["header_length"] + one["len"],
                    "payload_length": one["len"],
                }
                streams = [frame for frame in packet["data"].get("frames", []) if frame["frame_type"] == "stream"]
                # The SYN has the first sequence number.
                offset = header["sequence_number"] - 1
                wanted = {"frame_type": "stream", "stream_id": 0, "offset": offset, "length": one["len"]}
                assert streams == ([wanted] if one["len"] else [])
                if "acknowledgment_number" in header and "packet_received" in isn:
                    own = isn["packet_sent" if kind == "packet_received" else "packet_received"]
                    assert header["acknowledgment_number"] == (one["ack"] - own) % 2**32


def test_each_packet_is_acknowledged_once_and_by_what_covers_it(logged):
    total = covered = 0
    for _, events in logged[3].values():
        sent, taken = {}, Counter()
        for event in events:
            data = event["data"]
            if event["name"] == "transport:packet_sent":
                header = data["header"]
                length = data["raw"]["payload_length"] + len({"SYN", "FIN"} & {*header["flags"]})
                sent[header["packet_number"]] = header["sequence_number"] + length
            if event["name"] != "transport:packet_received":
                continue
            for frame in data.get("frames", []):
                for low, high in ((one[0], one[-1]) for one in frame.get("acked_ranges", [])):
                    for number in range(low, high + 1):
                        taken[number] += 1
                        total += 1
                        # With SACK, what is acknowledged out of order ends above the acknowledgment number.
                        assert number in sent
                        covered += sent[number] <= data["header"]["acknowledgment_number"]
        assert set(taken.values()) <= {1}
    assert total > covered > 500, "most are covered cumulatively, and some by SACK"


def test_losses_are_those_of_the_event_log_and_name_a_packet(logged):
    _, _, log, files = logged
    triggers = {"order": "reordering_threshold", "time": "time_threshold", "timeout": "rto_expired"}
    count = 0
    for name, (_, events) in files.items():
        lost = [event for event in events if event["name"] == "recovery:packet_lost"]
        logged_lost = mine(log, name, "segment_lost")
        assert [(one["time"], one["data"]["trigger"]) for one in lost] == [
            (one["time_ns"] / 1e6, triggers[one["evidence"]]) for one in logged_lost
        ]
        sent = {}
        for event in events:
            header = event["data"].get("header", {})
            if event["name"] == "transport:packet_sent":
                sent[header["packet_number"]] = header["sequence_number"]
            elif event["name"] == "recovery:packet_lost":
                assert sent[header["packet_number"]] == header["sequence_number"]
                count += 1
        retransmitted = sum(one["retransmission"] and one["len"] > 0 for one in mine(log, name, "segment_sent"))
        assert len(lost) >= retransmitted - len(mine(log, name, "probe_sent"))
    assert count > 20


def test_metrics_add_up_to_the_table_of_windows(logged):
    result, _, _, files = logged
    columns = {
        "congestion_window": ("cwnd", 1),
        "bytes_in_flight": ("pipe", 1),
        "ssthresh": ("ssthresh", 1),
        "smoothed_rtt": ("srtt_ms", 1),
        "latest_rtt": ("latest_rtt_ms", 1),
        "min_rtt": ("min_rtt_ms", 1),
        "pacing_rate": ("pacing_bps", 1),
    }
    for flow in ("long", "model.0"):
        now, found = {}, []
        for event in files[f"{flow}.0.source"][1]:
            if event["name"] == "recovery:metrics_updated":
                now = now | event["data"]
                found.append((event["time"], now))
        rows = [row for row in result.window.rows() if row["flow"] == flow]
        at = {round(row["time_s"] * 1e3, 6): row for row in rows}
        assert len(found) > 100
        for time, metrics in found:
            row = at[time]
            for name, (column, _) in columns.items():
                if row[column] is not None:
                    assert metrics[name] == pytest.approx(row[column]), (flow, time, name)


def test_states_are_those_of_the_congestion_control(logged):
    _, _, _, files = logged

    def states(name):
        return [one["data"]["new"] for one in files[name][1] if one["name"] == "recovery:congestion_state_updated"]

    assert states("long.0.source")[:2] == ["slow_start", "recovery"]
    assert set(states("long.0.source")) <= {"slow_start", "recovery", "congestion_avoidance"}
    assert states("model.0.0.source")[:2] == ["startup", "drain"]
    for name in files:
        changes = [one["data"] for one in files[name][1] if one["name"] == "recovery:congestion_state_updated"]
        assert all(one["new"] == other["old"] for one, other in pairwise(changes))


def test_the_same_run_gives_the_same_bytes_and_is_not_changed(logged, tmp_path):
    result, folder, _, _ = logged
    again = ackclock.trace(SCENARIO, tmp_path, events=True, qlog=True)
    assert again.document() == result.document() == ackclock.run(SCENARIO).document()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in folder.iterdir())
    for path in folder.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_part_is_what_the_whole_has_of_it(logged, tmp_path):
    _, _, log, files = logged
    ackclock.trace(
        SCENARIO, tmp_path, captures=["bottleneck"], events=True, qlog=True, flows=["model"], from_="1s", to="1500ms"
    )
    part = {path.name.removesuffix(".sqlog"): records(path) for path in tmp_path.glob("*.sqlog")}
    assert part.keys() == {f"model.{copy}.0.{side}" for copy in (0, 1) for side in ("source", "sink")}
    for name, (header, events) in part.items():
        assert header == files[name][0]
        assert events == [event for event in files[name][1] if 1000 <= event["time"] <= 1500]
        assert events
    lines = (tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    wanted = [one for one in log if one["flow"] in ("model.0", "model.1") and 1e9 <= one["time_ns"] <= 1.5e9]
    assert [json.loads(line) for line in lines] == wanted
    whole, filtered = tmp_path / "whole", tmp_path / "bottleneck.pcapng"
    whole.mkdir()
    ackclock.trace(SCENARIO, whole, captures=["bottleneck"])
    assert 0 < filtered.stat().st_size < (whole / "bottleneck.pcapng").stat().st_size / 4


def test_all_mistakes_in_a_part_are_told_at_once(tmp_path):
    with pytest.raises(ackclock.ScenarioError) as caught:
        ackclock.trace(
            SCENARIO, tmp_path, captures=["nowhere"], qlog=True, flows=["lonk", "short"], from_="2", to="-1s"
        )
    found = {problem["path"]: problem["message"] for problem in caught.value.problems}
    assert found.keys() == {"flow", "from", "to", "captures"}
    assert "no flow is called lonk; accepted: long, short, model.0, model.1" in found["flow"]
    assert "long" in found["flow"].split("did you mean")[1]
    assert found["from"] == '"2" has no unit; accepted: a time such as "2s" or "200ms"'
    for part, message in (
        ({"from_": "3s", "to": "2s"}, "3s is after the end of the traces, 2s; accepted: at most that"),
        ({"from_": "5s"}, "5s is after the end of the run, 4s; accepted: at most that"),
        ({"flows": ["short"], "captures": ["long.sink"]}, "long.sink is a host of a flow that is not traced"),
    ):
        with pytest.raises(ackclock.ScenarioError, match=re.escape(message)):
            ackclock.trace(SCENARIO, tmp_path, **{"qlog": True, **part})
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_asks_for_qlog_and_for_a_part(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logged.toml").write_text(SCENARIO, encoding="utf-8")
    part = ["--flow", "short", "--flow", "long", "--from", "500ms", "--to", "1s"]
    assert main(["run", "logged.toml", "--qlog", *part, "--out", "out"]) == 0
    names = {path.name for path in (tmp_path / "out").glob("*.sqlog")}
    assert names >= {"long.0.source.sqlog", "short.0.sink.sqlog"}
    assert not any(name.startswith("model") for name in names)
    assert not (tmp_path / "out" / "events.jsonl").exists()
    capsys.readouterr()
    assert main(["run", "logged.toml", "--flow", "long", "--to", "1s", "--out", "other"]) == 2
    assert "--flow, --to: limits a trace; accepted: with --pcap, --events or --qlog" in capsys.readouterr().err
    assert main(["run", "logged.toml", "--qlog", "--from", "soon", "--out", "other"]) == 2
    assert "from: " in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


QUINN = """
duration = "2s"
[bottleneck]
rate = "5Mbps"
delay = "20ms"
queue = "20 packets"
[[flows]]
name = "q"
app = "bulk"
transport = { kind = "quinn", cc = "bbr" }
[[flows]]
name = "tcp"
app = "bulk"
[probes]
window = true
interval = "0s"
"""

RECOVERY_METRICS = {
    **dict.fromkeys(("?min_rtt", "?smoothed_rtt", "?latest_rtt", "?rtt_variance"), NUMBER),
    **dict.fromkeys(("?pto_count", "?congestion_window", "?bytes_in_flight", "?ssthresh"), COUNT),
    **dict.fromkeys(("?packets_in_flight", "?pacing_rate"), COUNT),
}
"""RecoveryMetricsUpdated of draft-ietf-quic-qlog-quic-events: RTTs in ms, volumes in bytes, rates in bit/s."""


@pytest.fixture(scope="module")
def of_quinn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("quinn")
    result = ackclock.trace(QUINN, folder, qlog=True)
    return result, {path.name.removesuffix(".sqlog"): records(path) for path in folder.glob("*.sqlog")}


def test_both_stacks_have_the_same_units_in_their_logs(of_quinn):
    """The path has 40 ms; a full queue adds 48 ms to them, and a delayed acknowledgment of Linux 40 ms."""
    _, files = of_quinn
    for name in ("q.0.source", "tcp.0.source"):
        metrics = [event["data"] for event in files[name][1] if event["name"] == "recovery:metrics_updated"]
        assert len(metrics) > 50
        for one in metrics:
            follows(one, RECOVERY_METRICS)
        # quinn's first value is its guess of 333 ms.
        for field in ("min_rtt", "latest_rtt"):
            values = [one[field] for one in metrics if field in one]
            assert all(40 <= value < 130 for value in values if value != 333), field
            assert len(values) > (0 if field == "min_rtt" else 10)
        assert min(one["congestion_window"] for one in metrics if "congestion_window" in one) >= 1_200


def test_the_log_of_quinn_agrees_with_the_table_of_windows(of_quinn):
    result, files = of_quinn
    rows = [row for row in result.window.rows() if row["flow"] == "q"]
    for name, column in (("smoothed_rtt", "srtt_ms"), ("latest_rtt", "latest_rtt_ms"), ("congestion_window", "cwnd")):
        logged = [event["data"][name] for event in files["q.0.source"][1] if name in event["data"]]
        table = np.array(sorted({row[column] for row in rows if row[column] is not None}))
        # The first values come before the first row.
        distance = [np.abs(table - value).min() for value in logged[1:]]
        assert len(distance) > 3
        assert max(distance) < 1e-3, name
