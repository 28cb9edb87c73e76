"""Logs in qlog's format as the reader of the crate `qlog` (Cloudflare) holds them: structure, times and units.

The reader is compiled from `tests/engine/qlog_reader`, which has a lock file of its own.
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import ackclock
from tests.helpers.crates import needs_cargo

pytestmark = [needs_cargo, pytest.mark.slow]

CRATE = Path(__file__).parent / "qlog_reader"
TARGET = Path(__file__).parents[2] / "target/qlog-reader"

SCENARIO = """
name = "read"
duration = "4s"

[bottleneck]
rate = "8Mbps"
delay = "25ms"
queue = "20 packets"

[[flows]]
name = "long"
app = "bulk"
cc = "bbr"

[[flows]]
name = "short"
app = { kind = "transfer", size = "30kB", count = 2, gap = "100ms" }
start = "500ms"

[probes]
window = true
interval = "0s"
"""


@pytest.fixture(scope="module")
def reader():
    environment = {key: value for key, value in os.environ.items() if not key.startswith("CARGO_PROFILE")}
    environment |= {"CARGO_TARGET_DIR": str(TARGET)}

    def cargo(*arguments):
        command = ["cargo", *arguments, "--locked", "--quiet"]
        return subprocess.run(command, cwd=CRATE, env=environment, capture_output=True, text=True, check=False)

    fetched = cargo("fetch")
    if fetched.returncode != 0:
        pytest.skip(f"the crate qlog cannot be fetched: {fetched.stderr.strip().splitlines()[-1]}")
    built = cargo("build", "--offline")
    assert built.returncode == 0, built.stderr

    def read(path):
        done = subprocess.run([TARGET / "debug/qlog-reader", path], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        header, *events = [json.loads(line) for line in done.stdout.splitlines()]
        return header, events

    return read


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("qlog")
    return ackclock.trace(SCENARIO, folder, qlog=True), folder


def test_the_reader_finds_the_header_and_every_event(reader, logged):
    _, folder = logged
    files = sorted(folder.glob("*.sqlog"))
    assert len(files) >= 4
    for path in files:
        header, events = reader(path)
        assert header["file_schema"] == "urn:ietf:params:qlog:file:sequential"
        fields = header["trace"]["common_fields"]
        assert fields["time_format"] == "relative_to_epoch"
        assert fields["reference_time"]["clock_type"] == "monotonic"
        assert header["trace"]["vantage_point"]["type"] in ("client", "server")
        # The reader skips what it cannot read.
        assert len(events) == path.read_bytes().count(b"\x1e") - 1
        names = {event["name"].partition(":")[0] for event in events}
        schemas = {schema.rpartition(":")[2] for schema in header["trace"]["event_schemas"]}
        assert names <= schemas, "each event belongs to a schema of the header"


def test_metrics_have_the_units_of_the_table_of_windows(reader, logged):
    """RTTs in ms as in `srtt_ms`, windows in bytes, pacing rates in bit/s: RecoveryMetricsUpdated of the reader."""
    result, folder = logged
    _, events = reader(folder / "long.0.source.sqlog")
    read = [event for event in events if event["name"] == "recovery:metrics_updated"]
    assert all(event["read"]["unknown"] == [] for event in read)
    rows = [row for row in result.window.rows() if row["flow"] == "long"]
    for name, column in (
        ("smoothed_rtt", "srtt_ms"),
        ("congestion_window", "cwnd"),
        ("pacing_rate", "pacing_bps"),
    ):
        table = np.array(sorted({row[column] for row in rows if row[column] is not None}), dtype=float)
        values = [event["read"]["metrics"][name] for event in read if name in event["read"]["metrics"]]
        assert len(values) > 1, name
        distance = [np.abs(table - value).min() / value for value in values[1:]]
        # The log has all values, the table those at its times.
        assert np.median(distance) < 1e-3, name
    # 50 ms of propagation, and the time that packets take on the line.
    assert 50 < min(event["read"]["metrics"].get("min_rtt", 60) for event in read) < 51
    assert events[-1]["time"] == pytest.approx(4000, abs=100)


def test_lengths_are_those_of_segments_in_bytes(reader, logged):
    result, folder = logged
    _, events = reader(folder / "long.0.source.sqlog")
    sent = [event["read"] for event in events if event["name"] == "transport:packet_sent"]
    (flow,) = [row for row in result.flows.rows() if row["flow"] == "long"]
    data = [one for one in sent if one["raw"]["payload_length"]]
    assert len(data) == flow["data_segments_sent"]
    assert {one["raw"]["payload_length"] for one in data} == {1448}
    # The TCP header has 20 bytes and the option of timestamps.
    assert {one["raw"]["length"] - one["raw"]["payload_length"] for one in data} == {32}
    # Offsets count bytes of the stream from zero.
    offsets = {frame["offset"] for one in data for frame in one["frames"] if frame["frame_type"] == "stream"}
    assert offsets == set(range(0, max(offsets) + 1, 1448))
