"""Traces of runs: captures that Wireshark's own dissector reads, and the log of events."""

import json
import os
import shutil
import subprocess
from functools import cache
from itertools import pairwise

import jsonschema
import pytest

import ackclock
from ackclock.cli import main

SCENARIO = """
name = "traced"
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
app = { kind = "transfer", size = "30kB", count = 4, gap = "100ms" }
start = "500ms"
timestamps = true
ecn = "classic"

[[flows]]
name = "plain"
app = { kind = "transfer", size = "60kB", count = 2 }
sack = false
ecn = "accurate"
"""
PLACES = ["bottleneck", "long.source", "long.sink", "short.source", "plain.sink"]
FLAGS = ["FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR", "AE"]
UNSEEN = {"event", "flow", "conn", "side", "offset", "retransmission"}
"""Fields of the log that the packet does not have."""
ECN = ["not-ect", "ect1", "ect0", "ce"]

COMMON_EVENTS = {"segment_sent", "segment_received", "recovery_started", "recovery_ended", "window_updated"}
COMMON_EVENTS |= {"state_changed", "enqueued", "dropped", "delivered"}

needs_tshark = pytest.mark.skipif(
    shutil.which("tshark") is None and "CI" not in os.environ, reason="tshark is not installed"
)

COUNTERS = ["tcp.options.acc_ecn.ee0b", "tcp.options.acc_ecn.eceb", "tcp.options.acc_ecn.ee1b"]
FIELDS = [
    *("frame.time_epoch", "frame.len", "frame.cap_len", "frame.interface_name", "frame.comment"),
    *("frame.packet_flags_direction", "ip.checksum.status", "ip.dsfield.ecn", "ipv6.tclass.ecn"),
    *("tcp.seq_raw", "tcp.ack_raw", "tcp.len", "tcp.window_size_value", "tcp.flags", "tcp.checksum.status"),
    *("tcp.options.mss_val", "tcp.options.wscale.shift", "tcp.options.sack_perm", "tcp.options.sack_le"),
    *("tcp.options.sack_re", "tcp.options.timestamp.tsval", "tcp.options.timestamp.tsecr"),
    *("tcp.option_kind", *COUNTERS),
    *("_ws.expert.severity", "_ws.expert.group", "_ws.malformed"),
]
WARNING, SEQUENCE, COMMENT = 0x600000, 0x2000000, 0xB000000


@cache
def dissect(capture):
    """Every packet of a capture as Wireshark's dissector reads it, each checksum verified."""
    command = ["tshark", "-r", str(capture), "-T", "fields", "-E", "separator=|", "-E", "occurrence=a"]
    for preference in (
        "tcp.check_checksum:TRUE",
        "ip.check_checksum:TRUE",
        "tcp.relative_sequence_numbers:FALSE",
        "tcp.analyze_sequence_numbers:TRUE",
    ):
        command += ["-o", preference]
    for field in FIELDS:
        command += ["-e", field]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # Nothing but what tshark says to root.
    complaints = [line for line in done.stderr.splitlines() if "Running as user" not in line]
    assert (done.returncode, complaints) == (0, [])
    return [dict(zip(FIELDS, line.split("|"), strict=True)) for line in done.stdout.splitlines()]


def check_experts(packets):
    """No warning of the dissector, except for what TCP's own analysis says: retransmissions, gaps, duplicate ACKs."""
    for packet in packets:
        assert packet["_ws.malformed"] == ""
        severities, groups = packet["_ws.expert.severity"], packet["_ws.expert.group"]
        for severity, group in zip(severities.split(","), groups.split(","), strict=True):
            if severity:
                assert int(group) == SEQUENCE or (int(group) == COMMENT and int(severity) < WARNING), packet


def nanoseconds(text):
    seconds, _, fraction = text.partition(".")
    return int(seconds) * 10**9 + int(fraction.ljust(9, "0"))


def numbers(text):
    return [int(number) for number in text.split(",") if number]


def as_event(packet):
    """The event log's fields of a segment, in the names of the dissector."""
    flags = int(packet["tcp.flags"], 16)
    event = {
        "time_ns": nanoseconds(packet["frame.time_epoch"]),
        "seq": int(packet["tcp.seq_raw"]),
        "ack": int(packet["tcp.ack_raw"]) if flags & 16 else None,
        "len": int(packet["tcp.len"]),
        "window": int(packet["tcp.window_size_value"]),
        "flags": [name for bit, name in enumerate(FLAGS) if flags >> bit & 1],
        "ecn": ECN[int(packet["ip.dsfield.ecn"] or packet["ipv6.tclass.ecn"])],
    }
    if flags & 2:
        event["sack_permitted"] = packet["tcp.options.sack_perm"] != ""
    for key, field in {"mss": "tcp.options.mss_val", "window_scale": "tcp.options.wscale.shift"}.items():
        if packet[field]:
            event[key] = int(packet[field])
    if packet["tcp.options.sack_le"]:
        edges = [numbers(packet[f"tcp.options.sack_{edge}"]) for edge in ("le", "re")]
        event["sack"] = [list(block) for block in zip(*edges, strict=True)]
    kinds = set(numbers(packet["tcp.option_kind"])) & {172, 174}
    for kind in kinds:
        order = COUNTERS if kind == 172 else COUNTERS[::-1]
        counters = [int(packet[field]) for field in order if packet[field]]
        event["accecn"] = {"kind": kind, "counters": counters}
    if packet["tcp.options.timestamp.tsval"]:
        event["timestamps"] = [int(packet[f"tcp.options.timestamp.{field}"]) for field in ("tsval", "tsecr")]
    return event


@pytest.fixture(scope="module", params=[False, True], ids=["IPv4, headers", "IPv6, whole"])
def traced(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("traces")
    whole = request.param
    result = ackclock.trace(SCENARIO, folder, captures=PLACES, events=True, ipv6=whole, payload=whole)
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    return result, folder, events[0], events[1:], whole


@needs_tshark
@pytest.mark.parametrize("place", PLACES)
def test_a_dissector_finds_nothing_wrong(traced, place):
    _, folder, _, _, whole = traced
    packets = dissect(folder / f"{place}.pcapng")
    assert len(packets) > 100
    check_experts(packets)
    # 1: good, 2: unverified, as the payload is not there.
    good = {"1"} if whole else {"1", "2"}
    assert {packet["tcp.checksum.status"] for packet in packets} == good
    for packet in packets:
        assert packet["ip.checksum.status"] == ("" if whole else "1")
        length, captured, payload = (int(packet[field]) for field in ("frame.len", "frame.cap_len", "tcp.len"))
        assert captured == (length if whole else length - payload)
        assert packet["tcp.checksum.status"] == "1" or payload > 0
    times = [nanoseconds(packet["frame.time_epoch"]) for packet in packets]
    assert times == sorted(times)


@needs_tshark
@pytest.mark.parametrize("place", PLACES[1:])
def test_a_host_s_capture_is_what_its_endpoint_logged(traced, place):
    _, folder, _, events, _ = traced
    flow, side = place.split(".")
    packets = dissect(folder / f"{place}.pcapng")
    for kind, direction in (("segment_sent", 2), ("segment_received", 1)):
        way = [packet for packet in packets if int(packet["frame.packet_flags_direction"], 16) == direction]
        captured = [as_event(packet) for packet in way]
        logged = [
            {key: value for key, value in event.items() if key not in UNSEEN}
            for event in events
            if (event["event"], event["flow"], event["side"]) == (kind, flow, side)
        ]
        assert captured == logged
        assert len(logged) > 20
    # The negotiated options are in the capture.
    everything = [as_event(packet) for packet in packets]
    for option in {"long": ["sack", "timestamps"], "short": ["timestamps"], "plain": ["accecn"]}[flow]:
        assert any(option in event for event in everything), option
    assert any(event["ecn"] == "ect0" for event in everything) == (flow != "long")


@needs_tshark
def test_drops_are_seen(traced):
    result, folder, _, events, _ = traced
    packets = dissect(folder / "bottleneck.pcapng")
    logged = [(event["time_ns"], event["seq"]) for event in events if event["event"] == "dropped"]
    dropped = [packet for packet in packets if packet["frame.comment"]]
    assert {packet["frame.comment"] for packet in dropped} == {"dropped: queue full"}
    assert [(nanoseconds(packet["frame.time_epoch"]), int(packet["tcp.seq_raw"])) for packet in dropped] == logged
    assert len(logged) == sum(result.links["drops"]) > 10
    for direction, link in enumerate(result.links.rows()):
        seen = [packet for packet in packets if packet["frame.interface_name"] == link["link"]]
        assert len(seen) >= link["packets"] + link["drops"] > 100, direction
    filtered = subprocess.run(
        ["tshark", "-r", str(folder / "bottleneck.pcapng"), "-Y", 'frame.comment contains "dropped"'],
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(filtered.stdout.splitlines()) == len(logged)


def test_every_event_follows_the_schema(traced):
    result, _, first, events, _ = traced
    schema = ackclock.event_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    kinds = {kind["title"]: jsonschema.Draft202012Validator(kind) for kind in schema["oneOf"]}
    kinds["first line"].validate(first)
    assert first["scenario_hash"] == result.meta["scenario_hash"]
    whole = jsonschema.Draft202012Validator(schema)
    for event in [first, *events[:: len(events) // 50]]:
        whole.validate(event)
    rare = {
        "dropped",
        "timeout",
        "recovery_started",
        "recovery_ended",
        "state_changed",
        "undone",
        "probe_sent",
        "reordering_timeout",
    }
    for event in [*events[::10], *(event for event in events if event["event"] in rare)]:
        kinds[event["event"]].validate(event)
    seen = {event["event"] for event in events}
    assert seen >= COMMON_EVENTS
    assert seen < kinds.keys()
    assert all(one["time_ns"] <= other["time_ns"] for one, other in pairwise(events))


def test_the_log_agrees_with_the_tables(traced):
    result, _, _, events, _ = traced
    sent = [event for event in events if event["event"] == "segment_sent" and event["side"] == "source"]
    for flow in result.flows.rows():
        mine = [event for event in sent if event["flow"] == flow["flow"]]
        assert len(mine) == flow["segments_sent"]
        assert sum(event["retransmission"] and event["len"] > 0 for event in mine) == flow["retransmits"]
    links = {event["link"] for event in events if event["event"] == "enqueued"}
    ends = [
        f"{flow}.{end}"
        for flow in ("long", "short", "plain")
        for end in ("source.up", "source.down", "sink.up", "sink.down")
    ]
    assert links == {"bottleneck", "bottleneck.reverse", *ends}
    # A flow's packets go up and down its own links.
    for event in events:
        if event["event"] == "enqueued" and not event["link"].startswith("bottleneck"):
            flow, host, way = event["link"].split(".")
            assert event["flow"] == flow
            assert (host == event["side"]) == (way == "up")


def test_tracing_changes_nothing_and_repeats(traced, tmp_path):
    result, folder, _, _, whole = traced
    untraced = ackclock.run(SCENARIO)
    assert result.document() == untraced.document()
    # The run is stepped through at the machine's pace; the files do not depend on it.
    ackclock.trace(SCENARIO, tmp_path, captures=PLACES, events=True, ipv6=whole, payload=whole)
    names = sorted(path.name for path in folder.iterdir())
    assert names == sorted([*(f"{place}.pcapng" for place in PLACES), "events.jsonl"])
    for name in names:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


def test_a_place_that_is_none_is_one_message(tmp_path):
    with pytest.raises(
        ackclock.ScenarioError, match=r"no place to capture is called long; accepted: bottleneck, long\.source"
    ):
        ackclock.trace(SCENARIO, tmp_path, captures=["long"])
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_writes_traces_beside_the_tables(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "traced.toml").write_text(SCENARIO, encoding="utf-8")
    arguments = [
        "run",
        "traced.toml",
        "--pcap",
        "bottleneck",
        "--pcap",
        "short.sink",
        "--events",
        "--set",
        "duration=1s",
    ]
    assert main([*arguments, "--out", "out"]) == 0
    ours = {"bottleneck.pcapng", "short.sink.pcapng", "events.jsonl"}
    assert ours <= {path.name for path in (tmp_path / "out").iterdir()}
    assert (tmp_path / "out" / "bottleneck.pcapng").read_bytes()[:4] == b"\x0a\x0d\x0d\x0a"
    # Again into the same folder, which is ackclock's own; and not without one, nor for several runs, nor at no place.
    assert main([*arguments, "--out", "out"]) == 0
    capsys.readouterr()
    for refused in (arguments, [*arguments, "--out", "out", "--seeds", "2"]):
        assert main(refused) == 2
        assert "--pcap goes with --out" in capsys.readouterr().err
    assert main(["run", "traced.toml", "--pcap", "nowhere", "--out", "other"]) == 2
    assert "no place to capture is called nowhere; accepted: bottleneck, long.source" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()
    assert main(["run", "traced.toml", "--pcap", "bottleneck", "--seed", "-1", "--out", "other"]) == 2
    assert "seed -1: accepted: a whole number" in capsys.readouterr().err
    assert main(["schema", "--events"]) == 0
    assert json.loads(capsys.readouterr().out) == ackclock.event_schema()
