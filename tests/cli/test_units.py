"""The units of every format that ackclock writes, as somebody else's reader understands the file.

============================  =================================  =======================================================
format                        reader                             where it is tested
============================  =================================  =======================================================
CSV, Parquet, Arrow           pandas, pyarrow, polars, DuckDB    here
JSON of ``--json``            the suffixes of the keys           here
pcapng                        tshark, dpkt, capinfos             here and in tests/engine/test_trace.py
qlog                          the crate qlog, the drafts         here, in tests/engine/test_qlog.py, test_qlog_reader.py
events.jsonl                  jsonschema                         tests/engine/test_trace.py
LaTeX                         pdflatex with siunitx              here and in tests/cli/test_latex.py
PNG, SVG, PDF of figures      Pillow, an XML parser, PDF's box   here
connection vectors            Tmix of ns-2                       here and in tests/scenario/test_tmix_in_ns2.py
============================  =================================  =======================================================
"""

import io
import json
import re
import shutil
import subprocess
from xml.etree import ElementTree

import dpkt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

import ackclock
from ackclock.cli import main
from ackclock.plot.canvas import COLUMN
from ackclock.results.declared import TABLES
from tests.helpers.serving import asked

SCENARIO = """
name = "units"
duration = "4s"

[bottleneck]
rate = "8Mbps"
delay = "25ms"
queue = "20 packets"

[[flows]]
name = "long"
app = "bulk"
stack = "linux"

[probes]
window = true
queues = true
rates = true
packets = true
interval = "20ms"
"""

SUFFIXES = {"_s": "s", "_ms": "ms", "_us": "us", "_ns": "ns", "_bps": "bit/s"}
"""The unit that the end of a name states."""


LINKTYPE_RAW = 101
"""The link type of packets that begin with an IP header, in files (dpkt's DLT_RAW is that of a system)."""


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    folder = tmp_path_factory.mktemp("traced")
    result = ackclock.trace(SCENARIO, folder, captures=["bottleneck", "long.source"], events=True, qlog=True)
    return result, folder


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    out = tmp_path_factory.mktemp("store") / "store"
    ackclock.sweep(SCENARIO, {"bottleneck.queue": ["20 packets", "40 packets"]}, seeds=2, out=out).close()
    return out


def unit_of(name):
    """The unit that a name ends with; None if it ends with none."""
    return next((unit for suffix, unit in SUFFIXES.items() if name.endswith(suffix)), None)


def units_of(schema):
    """The units that the metadata of Arrow's columns state."""
    return {field.name: (field.metadata or {}).get(b"unit", b"").decode() for field in schema}


def parquet_of(data):
    return pq.read_table(io.BytesIO(data))


def test_names_of_columns_end_with_their_units():
    """A reader of CSV or JSON sees a unit only in the name of the column."""
    seen = set()
    for name, table in TABLES.items():
        for column in table["columns"]:
            stated = unit_of(column["name"])
            seen |= {stated}
            if stated is not None:
                assert column["unit"] == stated, f"{name}.{column['name']}"
            elif column["unit"]:
                assert column["unit"] not in SUFFIXES.values(), f"{name}.{column['name']}"
    assert {"s", "ms", "bit/s", None} <= seen


def test_csv_in_pandas_has_times_in_seconds_and_milliseconds(tmp_path):
    (tmp_path / "units.toml").write_text(SCENARIO)
    assert main(["run", str(tmp_path / "units.toml"), "--out", str(tmp_path / "out")]) == 0
    window = pd.read_csv(tmp_path / "out/window.csv")
    flows = pd.read_csv(tmp_path / "out/flows.csv")
    links = pd.read_csv(tmp_path / "out/links.csv")
    assert 3.9 < window["time_s"].max() <= 4
    # 50 ms of propagation and at most 21 packets of 1.5 ms.
    assert 50 <= window["min_rtt_ms"].min() < 55
    assert window["srtt_ms"].max() < 90
    # Bits per second, less headers; bytes.
    assert 6e6 < flows["goodput_bps"][0] < 8e6
    forward = links[links["link"] == "bottleneck"].iloc[0]
    assert forward["rate_bps"] == 8e6
    assert forward["bytes"] * 8 / 4 / 8e6 == pytest.approx(forward["utilisation"], rel=1e-6)
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert summary["duration_s"] == 4
    assert summary["flows"][0]["srtt_ms"] == pytest.approx(flows["srtt_ms"][0])
    (delays,) = [one["queue_delay_ms"] for one in summary["links"] if one["name"] == "bottleneck"]
    # 20 packets of 1500 bytes at 8 Mbit/s.
    assert 0 < delays["mean"] < delays["p99"] <= 31


def test_parquet_and_arrow_state_the_unit_of_each_column(store, tmp_path):
    assert main(["export", str(store), "--table", "window", "--out", str(tmp_path / "window.parquet")]) == 0
    declared = {column["name"]: column["unit"] or "" for column in TABLES["window"]["columns"]}
    parts = sorted(store.rglob("window.parquet"))
    assert parts
    for path in [*parts, tmp_path / "window.parquet"]:
        units = units_of(pq.read_schema(path))
        assert {name: units[name] for name in declared} == declared, path
    frames = [pl.read_parquet(tmp_path / "window.parquet"), pq.read_table(tmp_path / "window.parquet").to_pandas()]
    for frame in frames:
        assert 3.9 < frame["time_s"].max() <= 4
        assert 50 <= frame["min_rtt_ms"].min() < 55
    with ackclock.open(store) as opened:
        run = opened.runs["run"][0]
        result = opened.result(run)
    for form, read in (("arrow", lambda data: pa.ipc.open_stream(data).read_all()), ("parquet", parquet_of)):
        status, body = asked(store, f"/data/window.{form}?runs={run}")
        assert status == 200
        served = read(body)
        assert served.column("srtt_ms").to_pylist() == result.window["srtt_ms"].tolist()
        units = units_of(served.schema)
        assert {name: units[name] for name in declared} == declared, form
    # In memory, the names state the units.
    assert pa.table(result.window).column_names == [*declared]


def test_sql_gives_the_units_of_the_tables(store, tmp_path):
    query = 'SELECT max(time_s) AS time_s, min(min_rtt_ms) AS min_rtt_ms FROM "window"'
    assert main(["sql", str(store), query, "--out", str(tmp_path / "answer.csv")]) == 0
    answer = pd.read_csv(tmp_path / "answer.csv")
    assert 3.9 < answer["time_s"][0] <= 4
    assert 50 <= answer["min_rtt_ms"][0] < 55


def test_latex_names_the_unit_beside_the_number(store, tmp_path):
    target = tmp_path / "table.tex"
    assert main(["export", str(store), "--of", "flows.goodput_bps", "--of", "flows.srtt_ms", "--out", str(target)]) == 0
    text = target.read_text()
    with ackclock.open(store) as opened:
        (first, _) = opened.estimates("flows.goodput_bps")
        (srtt, _) = opened.estimates("flows.srtt_ms")
    assert re.search(r"Mbit/s", text)
    assert re.search(r"\bms\b", text)
    numbers = [float(one) for one in re.findall(r"(?<![\w.])\d+\.\d+", text)]
    # The numbers are in the units of the heading.
    for value in (first.estimate.value / 1e6, srtt.estimate.value):
        assert any(one == pytest.approx(value, rel=2e-2) for one in numbers), (value, numbers)


def test_pcapng_counts_time_and_length_as_its_specification_says(traced):
    """if_tsresol is 9: nanoseconds (draft-ietf-opsawg-pcapng section 4.2); lengths are of IP packets (LINKTYPE_RAW)."""
    result, folder = traced
    with (folder / "long.source.pcapng").open("rb") as file:
        reader = dpkt.pcapng.Reader(file)
        packets = list(reader)
        assert reader.datalink() == LINKTYPE_RAW
    sent = result.packets
    mine = (sent["flow"] == "long") & (sent["side"] == "source") & (sent["event"] == "sent")
    times = sent["time_s"][mine]
    ours = [(time, dpkt.ip.IP(data)) for time, data in packets]
    outgoing = [(time, packet) for time, packet in ours if packet.src == ours[0][1].src]
    assert len(outgoing) == len(times)
    np.testing.assert_allclose([float(time) for time, _ in outgoing], times, atol=1e-6)
    full = max(packet.len for _, packet in outgoing)
    assert full == 1500


@pytest.mark.skipif(shutil.which("capinfos") is None, reason="capinfos is not installed")
def test_capinfos_gives_the_rate_of_the_link(traced):
    result, folder = traced
    command = ["capinfos", "-M", "-T", "-r", "-u", "-d", "-c", str(folder / "bottleneck.pcapng")]
    fields = subprocess.run(command, capture_output=True, text=True, check=True).stdout.rstrip("\n").split("\t")
    packets, size, duration = int(fields[1]), int(fields[2]), float(fields[3])
    links = {row["link"]: row for row in result.links.rows()}
    counted = [links[name] for name in ("bottleneck", "bottleneck.reverse")]
    arrived = sum(one["packets"] + one["drops"] for one in counted)
    # Packets that wait or are on the wire at the end have arrived, too.
    assert arrived <= packets <= arrived + 25
    assert 3.9 < duration <= 4
    carried = sum(one["bytes"] for one in counted)
    assert carried * 0.98 <= size <= carried * 1.02 + sum(one["drops"] for one in counted) * 1500


def test_qlog_has_the_units_of_the_drafts(traced):
    """Times and RTTs in ms (main schema section 7.1, QUIC events section 7.2), windows in bytes, rates in bit/s."""
    result, folder = traced
    text = (folder / "long.0.source.sqlog").read_text(encoding="utf-8")
    _, *events = [json.loads(one) for one in text.split("\x1e")[1:]]
    window = result.window
    assert events[-1]["time"] == pytest.approx(4000, abs=100)
    metrics = [one["data"] for one in events if one["name"] == "recovery:metrics_updated"]
    for name, column in (("smoothed_rtt", "srtt_ms"), ("min_rtt", "min_rtt_ms"), ("congestion_window", "cwnd")):
        logged = [one[name] for one in metrics if name in one]
        table = np.array(window[column], dtype=float)
        distance = [np.abs(np.array(logged) - value).min() for value in table[np.isfinite(table)]]
        assert max(distance) <= 1e-3 * np.nanmax(table), name
    rates = [one["pacing_rate"] for one in metrics if "pacing_rate" in one]
    paced = np.array(window["pacing_bps"], dtype=float)
    assert bool(rates) == bool(np.isfinite(paced).any())


def test_figures_have_the_width_of_a_column_in_the_units_of_their_formats(traced, tmp_path):
    """PDF and SVG count points of a 72nd of an inch; a PNG states its dots per metre."""
    result, _ = traced
    axes = result.plot.rtt()
    for form in ("png", "svg", "pdf"):
        ackclock.plot.save(axes, tmp_path / f"rtt.{form}")
    with Image.open(tmp_path / "rtt.png") as picture:
        inches = picture.width / picture.info["dpi"][0]
    svg = ElementTree.fromstring((tmp_path / "rtt.svg").read_bytes())
    assert svg.get("width").endswith("pt")
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ", (tmp_path / "rtt.pdf").read_bytes())
    for width in (inches, float(svg.get("width")[:-2]) / 72, float(box[1]) / 72):
        assert width == pytest.approx(COLUMN, rel=0.02)


def test_connection_vectors_count_microseconds(tmp_path):
    """Tmix's format: starts and waits in microseconds, sizes in bytes (Weigle et al., CCR 2006)."""
    assert main(["tmix", "generate", str(tmp_path / "web.cvec"), "--duration", "20", "--seed", "1"]) == 0
    starts = [int(line.split()[1]) for line in (tmp_path / "web.cvec").read_text().splitlines() if line[0] in "SC"]
    assert len(starts) > 3
    assert starts == sorted(starts)
    assert 5e6 < starts[-1] <= 20e6
