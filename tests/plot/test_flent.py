"""Data files of flent over a run: the form, what is refused, the figure of load and the numbers beside one another.

The form is that of flent's documentation; the files are written here.
"""

import gzip
import json
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import ackclock
from ackclock import examples
from ackclock.cli import main
from ackclock.plot import reference
from ackclock.plot.load import directions, draw_measured
from ackclock.plot.reference import MeasurementError, read

mpl.use("Agg")

RRUL = Path(examples.__file__).parent / "flent" / "rrul.toml"
TIMES = [0.0, 0.5, 1.0, 1.5]


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def document(results, times=TIMES, **units):
    meta = {name: {"UNITS": unit} for name, unit in units.items()}
    return {"version": 4, "x_values": times, "results": results, "metadata": {"NAME": "rrul", "SERIES_META": meta}}


def written(tmp_path, content, name="a.flent.gz"):
    file = tmp_path / name
    data = json.dumps(content).encode() if not isinstance(content, bytes) else content
    file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return file


RESULTS = {
    "TCP upload BE": [None, 1.0, 2.0, 3.0],
    "TCP upload BE::tcp_rtt": [None, 40.0, 41.0, None],
    "TCP upload BE::tcp_cwnd": [None, 10, 11, None],
    "TCP upload avg": [None, 1.0, 2.0, 3.0],
    "TCP upload sum": [None, 1.0, 2.0, 3.0],
    "TCP download::1": [1.0, 4.0, None, 6.0],
    "TCP download sum": [1.0, 4.0, None, 6.0],
    "TCP totals": [1.0, 5.0, 2.0, 9.0],
    "Ping (ms) ICMP": [20.0, None, 30.0, 40.0],
    "Ping (ms) avg": [20.0, None, 30.0, 40.0],
    "cpu_stats_h1::load": [0.1, 0.1, 0.1, 0.1],
}


@pytest.mark.parametrize("name", ["a.flent.gz", "a.flent"])
def test_connections_and_pings_are_read(tmp_path, name):
    found = read(written(tmp_path, document(RESULTS), name))
    assert found.kind == "flent"
    streams = {one.name: one.series for one in found.streams}
    assert set(streams) == {"TCP upload BE", "TCP download::1", "Ping (ms) ICMP"}
    up, down, ping = streams["TCP upload BE"], streams["TCP download::1"], streams["Ping (ms) ICMP"]
    assert (up["goodput_bps"].start_s.tolist(), up["goodput_bps"].end_s.tolist()) == ([0.0, 0.5, 1.0], [0.5, 1.0, 1.5])
    assert up["goodput_bps"].value.tolist() == [1e6, 2e6, 3e6]
    assert (up["srtt_ms"].end_s.tolist(), up["srtt_ms"].value.tolist()) == ([0.5, 1.0], [40.0, 41.0])
    assert (down["goodput_bps"].end_s.tolist(), down["goodput_bps"].value.tolist()) == ([0.5, 1.5], [4e6, 6e6])
    assert (ping["ping_ms"].end_s.tolist(), ping["ping_ms"].value.tolist()) == ([0.0, 1.0, 1.5], [20.0, 30.0, 40.0])


def test_units_are_those_of_the_file(tmp_path):
    results = {"TCP upload": [None, 500.0, 500.0, 500.0]}
    file = written(tmp_path, document(results, **{"TCP upload": "Kbits/s"}))
    [stream] = read(file).streams
    assert stream.series["goodput_bps"].value.tolist() == [5e5] * 3
    with pytest.raises(MeasurementError, match="unknown unit 'furlongs'"):
        read(written(tmp_path, document(results, **{"TCP upload": "furlongs"})))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (document({"TCP upload": [1.0, 2.0]}), "has not one value for each time"),
        (document({"TCP upload": [1.0, "2", 3.0, 4.0]}), '"2" is no number'),
        (document({"TCP upload": [1.0, True, 3.0, 4.0]}), "true is no number"),
        (document({"TCP upload": [1.0, 1e30, 3.0, 4.0]}), "is no number"),
        (document({"cpu": [1.0] * 4}), "has no TCP upload, TCP download or Ping"),
        (document({"TCP upload": [None] * 4}), "has no TCP upload, TCP download or Ping"),
        (document(RESULTS, [0.0, 0.5, 0.5, 1.0]), "x_values are not two or more ascending times"),
        (document(RESULTS, [0.0, None, 0.5, 1.0]), "x_values are not two or more ascending times"),
        (document({}, []), "x_values are not two or more ascending times"),
        (document(RESULTS) | {"x_values": 3}, "x_values and results are no list and no object"),
        (b'{"x_values": [0, 1', "no JSON"),
    ],
)
def test_other_files_are_refused(tmp_path, content, message):
    with pytest.raises(MeasurementError, match=message):
        read(written(tmp_path, content))


def test_a_damaged_archive_is_refused(tmp_path):
    file = written(tmp_path, document(RESULTS))
    file.write_bytes(file.read_bytes()[:-12])
    with pytest.raises(MeasurementError, match="is compressed with gzip and damaged"):
        read(file)


def test_iperf3_may_be_compressed_too(tmp_path):
    row = {"socket": 5, "start": 0, "end": 1, "bytes": 1000}
    [stream] = read(written(tmp_path, {"intervals": [{"streams": [row]}]}, "iperf.json.gz")).streams
    assert stream.series["goodput_bps"].value.tolist() == [8000.0]


@pytest.fixture(scope="module")
def result():
    return ackclock.run(RRUL, overrides={"duration": "12s"})


def measured(result, tmp_path):
    """A measurement with the run's own numbers, so that the means beside one another are equal."""
    flows = [name for name in result.flows["flow"] if name != "ping"]
    rates = result.rates
    times = rates["time_s"][rates["flow"] == flows[0]]
    bits = {name: 8 * rates["bytes_delivered"][rates["flow"] == name] for name in flows}
    width = np.diff(np.concatenate([[0.0], times]))
    results = {f"TCP {name.replace('-', ' ')}": [None, *(own / width / 1e6)] for name, own in bits.items()}
    rounds = result.rounds
    grid = np.concatenate([[0.0], times])
    pings = np.interp(grid, rounds["start_s"], 1e3 * np.nan_to_num(rounds["duration_s"], nan=0.5))
    results["Ping (ms) ICMP"] = pings.tolist()
    return written(tmp_path, document(results, grid.tolist()))


def test_the_figure_has_both_directions_and_the_delay(result):
    axes = result.plot.load()
    assert [one.get_ylabel().partition(",")[0].partition("\n")[0] for one in axes] == [
        "download",
        "upload",
        "round-trip time",
    ]
    sums = next(one for one in axes[0].lines if one.get_label() == "sum")
    parts = [one.get_ydata() for one in axes[0].lines if one.get_label().startswith("download")]
    assert len(parts) == 4
    np.testing.assert_allclose(sums.get_ydata(), np.sum(parts, axis=0))
    dots = axes[-1].lines[0]
    done = np.isfinite(result.rounds["duration_s"])
    np.testing.assert_allclose(dots.get_xdata(), result.rounds["start_s"][done])
    np.testing.assert_allclose(dots.get_ydata(), 1e3 * result.rounds["duration_s"][done])


def test_a_measurement_with_the_numbers_of_the_run_has_its_means(result, tmp_path):
    axes = result.plot.load()
    found = draw_measured(axes, result, read(measured(result, tmp_path)))
    assert [one.what for one in found] == ["download", "upload", "ping, Ping (ms) ICMP"]
    for one in found[:2]:
        # The means are over intervals that end at most one interval apart.
        assert one.measured == pytest.approx(one.ours, rel=0.05)
    labels = [text.get_text() for text in axes[0].get_legend().get_texts()]
    assert labels[-2:] == ["sum", "measured (flent)"]
    colours = {line.get_color() for line in axes[0].lines if not line.get_label().startswith("measured")}
    assert axes[0].lines[-1].get_color() not in colours


def test_directions_are_told_by_names(result):
    assert {name: len(own) for name, own in directions(result).items()} == {"download": 4, "upload": 4}
    assert directions(result, ["upload-be"]) == {"upload": ["upload-be"]}
    with pytest.raises(ValueError, match="no flow has a name that begins with download or upload; there are ping"):
        directions(result, ["ping"])


def test_a_file_of_flent_is_compared_flow_by_flow_as_well(result, tmp_path):
    probes = ackclock.run(RRUL, overrides={"duration": "12s", "probes.window": True})
    # The clock of the file begins with the run, and that of the figure of a flow with the flow.
    differences = reference.differences(probes, read(measured(result, tmp_path)), flow="download-be", offset_s=-5.0)
    assert {one.quantity for one in differences} == {"goodput_bps"}


def test_the_command_line_draws_compares_and_grades(result, tmp_path, monkeypatch, capsys):
    file = measured(result, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["new", "scenario", "rrul"]) == 0
    capsys.readouterr()
    command = ["plot", "rrul.toml", "load", "--set", "duration=12s", "--out", "rrul.png"]
    assert main([*command, "--reference", str(file)]) == 0
    printed = capsys.readouterr().out
    assert (tmp_path / "rrul.png").stat().st_size > 10_000
    assert "download Mbit/s" in printed
    assert "bufferbloat: grade " in printed
    assert main([*command, "--set", "flows[8].app=bulk", "--set", "flows[8].name=download-more"]) == 2
    assert "load: no rounds" in capsys.readouterr().err


def test_nothing_in_common_is_refused(result, tmp_path):
    file = written(tmp_path, document({"TCP upload BE": [None, 1.0, 2.0, 3.0]}))
    with pytest.raises(MeasurementError, match="has nothing that the figure shows"):
        draw_measured(result.plot.load(), result, read(file))
