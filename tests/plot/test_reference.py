"""Measurements over a run: iperf3's JSON and logs of ss, in their own words, drawn and compared.

The forms are those of iperf3 3.12 and of ss of iproute2 6.1. Values that a run is compared with are its own, written in
these forms, so that the differences are known.
"""

import json

import numpy as np
import pytest

import ackclock
from ackclock.cli import main
from ackclock.plot import reference
from ackclock.plot.reference import MeasurementError, read

SCENARIO = """
duration = "6s"
[bottleneck]
rate = "10Mbps"
delay = "20ms"
queue = "40 packets"
[[flows]]
name = "a"
app = "bulk"
[probes]
window = true
rates = true
packets = true
interval = "100ms"
"""


@pytest.fixture(scope="module")
def result():
    return ackclock.run(SCENARIO)


def row(start, end, bytes_, **more):
    return {"socket": 5, "start": start, "end": end, "seconds": end - start, "bytes": bytes_, "omitted": False} | more


def written(tmp_path, document, name="iperf.json"):
    file = tmp_path / name
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    return file


def intervals(*rows):
    return {"start": {}, "intervals": [{"streams": [one], "sum": {}} for one in rows], "end": {}}


SENT = {"retransmits": 2, "snd_cwnd": 14_480, "rtt": 41_500, "rttvar": 900, "pmtu": 1500, "sender": True}


def test_intervals_of_iperf3(tmp_path):
    file = written(tmp_path, intervals(row(0, 1, 1_250_000, **SENT), row(1, 2, 625_000, **SENT)))
    [stream] = read(file).streams
    assert stream.series["goodput_bps"].value.tolist() == [10e6, 5e6]
    assert stream.series["retransmits"].value.tolist() == [2, 2]
    assert stream.series["cwnd"].value.tolist() == [14_480, 14_480]
    assert stream.series["cwnd"].end_s.tolist() == [1, 2]
    assert stream.series["srtt_ms"].value.tolist() == [41.5, 41.5]


def test_a_receiver_of_iperf3_has_rates_alone(tmp_path):
    [stream] = read(written(tmp_path, intervals(row(0, 1, 1000, sender=False)))).streams
    assert set(stream.series) == {"goodput_bps"}


def test_omitted_intervals_keep_their_time(tmp_path):
    """The clock of iperf3 starts anew behind them."""
    omitted = row(0, 1, 1, **SENT) | {"omitted": True}
    [stream] = read(written(tmp_path, intervals(omitted, row(0, 1, 2, **SENT), row(1, 2, 3, **SENT)))).streams
    assert stream.series["goodput_bps"].end_s.tolist() == [1, 2, 3]


def test_a_stream_of_json_documents(tmp_path):
    events = [{"event": "start", "data": {}}]
    events += [{"event": "interval", "data": one} for one in intervals(row(0, 1, 125, **SENT))["intervals"]]
    [stream] = read(written(tmp_path, "\n".join(json.dumps(one) for one in [*events, {"event": "end"}]))).streams
    assert stream.series["goodput_bps"].value.tolist() == [1000]


SS = """State Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess
ESTAB 0      0          10.0.0.1:39006    10.0.0.2:5201
\t cubic wscale:7,7 rto:244 rtt:41.5/0.9 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:{cwnd} ssthresh:7 \
bytes_sent:9000 bytes_retrans:1448 bytes_acked:{acked} segs_out:7 send 2791807bps lastsnd:20 pacing_rate 3350168bps \
delivery_rate 1Mbps retrans:1/{again} dsack_dups:1 rcv_rtt:42 rcv_space:14480 rcv_ssthresh:64088 minrtt:40.006
ESTAB 0      0          10.0.0.1:39000    10.0.0.2:5201
\t cubic rto:204 rtt:0.03/0.012 mss:1448 cwnd:10 bytes_acked:12 segs_out:7
"""


@pytest.mark.parametrize(
    ("stamps", "prefix"),
    [
        (("100.5", "101.0", "101.5"), False),
        (("2026-01-01T10:00:00.5+00:00", "2026-01-01T10:00:01+00:00", "2026-01-01T10:00:01,5+00:00"), False),
        (("2026-01-01 10:00:00.5", "2026-01-01 10:00:01", "2026-01-01 10:00:01.5"), False),
        (("100.5", "101.0", "101.5"), True),
    ],
)
def test_samples_of_ss(tmp_path, stamps, prefix):
    calls = [SS.format(cwnd=10, acked=1000, again=0), SS.format(cwnd=20, acked=63_500, again=1)]
    calls.append(SS.format(cwnd=5, acked=126_000, again=4))
    if prefix:
        lines = [f"{stamp} {line}" for stamp, call in zip(stamps, calls, strict=True) for line in call.splitlines()]
    else:
        lines = [part for stamp, call in zip(stamps, calls, strict=True) for part in (stamp, *call.splitlines())]
    [stream] = read(written(tmp_path, "\n".join(lines), "ss.log")).streams
    assert stream.name == "10.0.0.1:39006 to 10.0.0.2:5201", "the connection that controls the test is left out"
    assert stream.series["cwnd"].end_s.tolist() == pytest.approx([0, 0.5, 1])
    assert stream.series["cwnd"].value.tolist() == [14_480, 28_960, 7_240]
    assert stream.series["ssthresh"].value.tolist() == [7 * 1448] * 3
    assert stream.series["srtt_ms"].value.tolist() == [41.5] * 3
    assert stream.series["goodput_bps"].value.tolist() == pytest.approx([1e6, 1e6])
    assert stream.series["retransmits"].value.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"intervals": [', "line 1, column 16: no JSON"),
        ('{"error": "unable to connect"}', "the test of iperf3 failed: unable to connect"),
        ('{"intervals": [{"streams": [{"start": 0, "end": "x"}]}]}', r"intervals\[0\].streams\[0\] has no start, end"),
        ('{"intervals": []}', "has no intervals"),
        ("[1]", "is no object with intervals"),
        ("[" * 9999, "is nested too deeply"),
        ('{"event": "start"}\n[1]', "line 2: is no object"),
        ('{"event": "start"}\n{"event": ', "line 2, column 11: no JSON"),
        ("nothing of the kind", "has no connection; accepted: iperf3's JSON"),
        (
            SS.format(cwnd=1, acked=1, again=1),
            "line 3: a connection without a time above it; accepted: a time for each",
        ),
        ("12.5\n\t cubic rtt:1/1 cwnd:10 mss:1448", "line 2: a connection without its addresses above"),
        ("12.5\n" + SS.format(cwnd="x", acked=1, again=1), "line 4: cwnd:x is no number"),
        ("2026-13-01T10:00:00\n", "line 1, column 1: 2026-13-01T10:00:00 is no time"),
    ],
)
def test_what_is_no_measurement_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(MeasurementError, match=message):
        read(written(tmp_path, text, "x"))


def of_run(result, factor=1.0):
    """A run as iperf3 would have measured it, at intervals of half a second."""
    window, rates, packets = result.window, result.rates, result.packets
    rows = []
    for start in np.arange(0, 6, 0.5):
        end = start + 0.5
        inside = (rates["time_s"] > start + 1e-9) & (rates["time_s"] <= end + 1e-9)
        place = np.searchsorted(window["time_s"], end, side="right") - 1
        sent = (packets["event"] == "sent") & (packets["side"] == "source")
        again = sent & packets["retransmission"].astype(bool)
        again &= (packets["time_s"] > start) & (packets["time_s"] <= end)
        told = {"retransmits": int(again.sum()), "snd_cwnd": float(window["cwnd"][place]) * factor}
        told["rtt"] = float(window["srtt_ms"][place]) * 1e3 * factor
        rows.append(row(float(start), float(end), float(rates["bytes_delivered"][inside].sum()) * factor, **told))
    return intervals(*rows)


def test_a_run_does_not_differ_from_itself(result, tmp_path):
    found = {one.quantity: one for one in reference.differences(result, read(written(tmp_path, of_run(result))))}
    assert set(found) == {"goodput_bps", "retransmits", "cwnd", "srtt_ms"}
    for one in found.values():
        assert one.ours == pytest.approx(one.measured), one
        assert one.samples == 12
        assert one.rms is None or one.rms == pytest.approx(0, abs=1e-6 * one.ours)
    assert found["retransmits"].ours == result.flows["retransmits"][0]


def test_a_difference_is_that_of_the_means(result, tmp_path):
    measured = read(written(tmp_path, of_run(result, 1.25)))
    for one in reference.differences(result, measured):
        if one.quantity != "retransmits":
            assert one.ours / one.measured == pytest.approx(0.8)
            assert one.rms >= one.measured - one.ours - 1e-6


def test_only_time_that_both_have_counts(result, tmp_path):
    measured = read(written(tmp_path, of_run(result)))
    samples = {one.quantity: one.samples for one in reference.differences(result, measured, offset_s=4)}
    assert samples["goodput_bps"] == samples["cwnd"] == 4
    with pytest.raises(MeasurementError, match="has nothing in common with the run"):
        reference.differences(result, measured, offset_s=7)


def test_a_flow_is_compared_with_the_sum_of_several_connections(result, tmp_path):
    document = of_run(result, 0.5)
    for interval in document["intervals"]:
        interval["streams"].append(interval["streams"][0] | {"socket": 7})
    found = {one.quantity: one for one in reference.differences(result, read(written(tmp_path, document)))}
    assert found["goodput_bps"].ours == pytest.approx(found["goodput_bps"].measured)
    assert set(found) == {"goodput_bps", "retransmits"}, "windows and round-trip times have no sum"
    with pytest.raises(MeasurementError, match="no flow b that can be compared; accepted: a"):
        reference.differences(result, read(written(tmp_path, document)), flow="b")


@pytest.mark.parametrize("figure", ["window", "cwnd", "rtt", "throughput"])
def test_the_command_draws_and_prints(result, tmp_path, capsys, monkeypatch, figure):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(SCENARIO)
    file = written(tmp_path, of_run(result))
    plain, over = tmp_path / "plain.svg", tmp_path / "over.svg"
    assert main(["plot", "s.toml", figure, "--out", str(plain)]) == 0
    assert main(["plot", "s.toml", figure, "--out", str(over), "--reference", str(file)]) == 0
    told = capsys.readouterr().out
    for words in ("goodput Mbit/s", "cwnd kB", "SRTT ms", "retransmissions", "difference %"):
        assert words in told
    assert over.stat().st_size > plain.stat().st_size


def test_options_that_do_not_fit_are_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(SCENARIO)
    file = written(tmp_path, intervals(row(0, 1, 1, **SENT)))
    assert main(["plot", "s.toml", "queue", "--reference", str(file)]) == 2
    assert "--reference: not for the figure queue; accepted: window, cwnd, rtt, throughput" in capsys.readouterr().err
    assert main(["plot", "s.toml", "cwnd", "--offset", "1"]) == 2
    assert "accepted: with --reference FILE" in capsys.readouterr().err
