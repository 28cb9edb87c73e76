"""Tables of a sender over time: pacing, round-trip times, delivery rate, states, and events."""

import json

import numpy as np
import pytest

import ackclock
from ackclock.cli import main

LINK = {"rate": "10Mbps", "delay": "20ms", "queue": "100 packets"}
MSS, HEADERS = 1460, 40
"""Payload and headers of a full segment without options, in bytes."""


def scenario(flow, link=None, duration="3s", probes=None):
    flow = {"name": "one", "app": "bulk", "stack": "rfc", "timestamps": False} | flow
    probes = {"window": True, "interval": "0s"} | (probes or {})
    return {"duration": duration, "bottleneck": LINK | (link or {}), "flows": [flow], "probes": probes}


def columns(result, *names):
    return [np.asarray(result.window[name]) for name in names]


def test_the_smallest_rtt_is_that_of_the_first_segment_in_an_empty_path():
    """Both propagation delays, and the transmission of a segment and of its ACK on all links."""
    flow = {"handshake": "none", "access": {"rate": "100Mbps", "source_delay": "1ms"}, "delayed_ack": "0s"}
    result = ackclock.run(scenario(flow, duration="1s"))
    latest, smallest = columns(result, "latest_rtt_ms", "min_rtt_ms")
    wire = 8 * (MSS + 2 * HEADERS)
    expected = 2 * (20 + 1) + 1e3 * (wire / 10e6 + 2 * wire / 100e6)
    assert np.isnan(latest[0])
    assert latest[1] == smallest[1] == pytest.approx(expected, abs=1e-5)
    # The second segment of the first flight waits for the first.
    assert latest[2] - latest[1] == pytest.approx(1e3 * 8 * (MSS + HEADERS) / 10e6, abs=1e-5)
    np.testing.assert_array_equal(smallest[1:], np.minimum.accumulate(latest[1:]))
    assert result.flows["min_rtt_ms"][0] == smallest[-1]


@pytest.mark.parametrize(("cc", "gain"), [("bbr1", 739 / 256), ("bbr3", 2.77)])
def test_bbr_paces_at_its_gain_times_the_bandwidth_that_it_saw(cc, gain):
    """The gains of Startup: 2885/1000 in parts of 256 (Linux), and 4 ln 2 (draft-ietf-ccwg-bbr section 2.4)."""
    result = ackclock.run(scenario({"cc": cc}))
    state, pacing, delivery = columns(result, "cc_state", "pacing_bps", "delivery_bps")
    first = np.flatnonzero(np.isfinite(delivery))[0]
    startup = np.flatnonzero(state == "startup")
    growing = startup[startup >= first + 10]
    assert len(growing) > 50
    bandwidth = np.maximum.accumulate(np.nan_to_num(delivery))
    # One per cent less than the bandwidth, and packets have headers.
    expected = 0.99 * gain * bandwidth[growing] * (MSS + HEADERS) / MSS
    np.testing.assert_allclose(pacing[growing], expected, rtol=1e-4)
    order = [name for at, name in enumerate(state) if at == 0 or state[at - 1] != name]
    assert order[:2] == ["startup", "drain"]
    assert {"probe_bw_up", "probe_bw_down", "probe_bw_cruise"} <= set(order)
    # The bottleneck delivers what BBR sends: one per cent less than its rate, without the headers.
    steady = delivery[(state == "probe_bw_cruise") & np.isfinite(delivery)]
    assert np.median(steady) == pytest.approx(0.99 * 10e6 * MSS / (MSS + HEADERS), rel=1e-3)


def test_bbr3_probes_the_rtt_by_name():
    states = set(columns(ackclock.run(scenario({"cc": "bbr3"}, duration="12s")), "cc_state")[0])
    assert states == {
        *("startup", "drain", "probe_bw_down", "probe_bw_cruise", "probe_bw_refill", "probe_bw_up", "probe_rtt")
    }


def test_fq_paces_at_its_gain_times_the_window_over_the_rtt():
    result = ackclock.run(scenario({"pacing": "fq"}, duration="10s"))
    cwnd, ssthresh, srtt, pacing, state = columns(result, "cwnd", "ssthresh", "srtt_ms", "pacing_bps", "cc_state")
    gain = np.where(np.isnan(ssthresh.astype(float)) | (cwnd < ssthresh.astype(float) // 2), 2.0, 1.2)
    assert {*gain} == {2.0, 1.2}
    np.testing.assert_allclose(pacing, gain * 8e3 * cwnd / srtt, rtol=1e-5)
    assert set(state) == {None}
    assert result.flows["pacing"][0] == "fq"


def test_nothing_paces_where_pacing_is_off():
    result = ackclock.run(scenario({"cc": "cubic"}))
    pacing, delivery = columns(result, "pacing_bps", "delivery_bps")
    assert np.isnan(pacing).all()
    assert result.flows["pacing"][0] == "off"
    # CUBIC asks for no samples of the delivery rate; the table has them nevertheless.
    assert np.nanmax(delivery) == pytest.approx(10e6 * MSS / (MSS + HEADERS), rel=1e-3)


@pytest.mark.parametrize(("cc", "pacing"), [("bbr", "cc"), ("bbr3", "cc"), ("copa", "cc"), ("fixed-rate", "cc")])
def test_pacing_says_when_the_congestion_control_paces(cc, pacing, tmp_path, capsys):
    result = ackclock.run(scenario({"cc": cc}, duration="1s"))
    assert result.flows["pacing"][0] == pacing
    assert np.isfinite(result.window["pacing_bps"][-1])
    path = tmp_path / "one.toml"
    bottleneck = 'bottleneck = { rate = "1Mbps", delay = "1ms", queue = "10 packets" }'
    path.write_text(
        f'duration = "1s"\n{bottleneck}\n[[flows]]\nname = "one"\napp = "bulk"\ncc = "{cc}"\n', encoding="utf-8"
    )
    assert main(["check", str(path)]) == 0
    assert "paced by the congestion control" in capsys.readouterr().out
    assert main(["run", str(path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert any("pacing" in line.split() for line in printed)
    assert any("cc" in line.split() for line in printed if line.strip().startswith("one"))
    assert main(["check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["resolved"][0]["pacing"] == "cc"


def test_the_list_says_which_congestion_controls_pace(capsys):
    paces = ["bbr", "bbr1", "bbr3", "copa", "fixed-rate", "remycc", "remycc-ns2", "remycc-ns2-us"]
    assert [row["name"] for row in ackclock.catalogue()["cc"] if row["paces"]] == paces
    assert main(["list", "cc"]) == 0
    assert f"set the pacing rate themselves: {', '.join(paces)}" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("stack", ["rfc", "linux", "freebsd", "ns2-sack"])
def test_what_is_recorded_changes_nothing(stack):
    lossy = {"rate": "3Mbps", "queue": "10 packets", "loss": "0.5%"}
    for cc in ("reno", "cubic", "bbr", "compound", "vegas"):
        text = scenario({"stack": stack, "cc": cc}, lossy, "5s")
        text["flows"].append(
            {
                "name": "web",
                "app": {"kind": "web", "users": 2, "objects": 3, "object_size": "20kB", "think": "100ms"},
                "stack": stack,
                "cc": cc,
            }
        )
        watched = ackclock.run(text)
        plain = ackclock.run(text | {"probes": {}})
        assert list(watched.flows.rows()) == list(plain.flows.rows()), cc


def log_of(text, folder):
    result = ackclock.trace(text, folder, events=True)
    lines = (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    return result, [json.loads(line) for line in lines]


def test_events_are_those_of_the_log(tmp_path):
    """CoDel drops packets of one flow, and marks those of another."""
    text = scenario({"stack": "linux", "rack": False}, {"queue": {"kind": "codel", "ecn": True}}, "10s")
    text["flows"].append({"name": "marked", "app": "bulk", "stack": "linux", "ecn": "classic"})
    result, log = log_of(text, tmp_path)
    names = {("recovery_started", "ecn"): "ecn_reduction", ("recovery_started", "delay"): "delay_reduction"}
    kinds = {"recovery_started", "recovery_ended", "timeout", "undone", "probe_sent", "reordering_timeout"}
    expected = [
        (one["time_ns"] / 1e9, one["flow"], names.get((one["event"], one.get("cause")), one["event"]))
        for one in log
        if one["event"] in kinds and one["side"] == "source"
    ]
    found = [(row["time_s"], row["flow"], row["event"]) for row in result.events.rows()]
    assert found == expected
    assert {"recovery_started", "recovery_ended", "ecn_reduction"} <= {event for *_, event in found}
    assert set(result.events["link"]) == {None}
    starts = sum(event == "recovery_started" and flow == "one" for _, flow, event in found)
    assert starts == result.flows["recoveries"][0] > 5


def test_an_outage_begins_and_ends_in_the_table_and_its_timeout_is_between():
    outages = [
        {"from": "1s", "to": "2500ms"},
        {"from": "4s", "to": "4200ms", "packets": "lost"},
        {"from": "9s", "to": "30s"},
    ]
    link = {"outages": outages}
    result = ackclock.run(scenario({}, link, "10s", {"from": "500ms"}))
    rows = [row for row in result.events.rows() if row["flow"] is None]
    times = [(1.0, "outage_started"), (2.5, "outage_ended"), (4.0, "outage_started"), (4.2, "outage_ended")]
    assert [(row["time_s"], row["event"], row["link"]) for row in rows] == [
        (time, event, link)
        for time, event in [*times, (9.0, "outage_started")]
        for link in ("bottleneck", "bottleneck.reverse")
    ]
    times = [row["time_s"] for row in result.events.rows() if row["event"] == "timeout"]
    assert any(1 < time < 2.5 for time in times)
    other = [{"from": "1500ms", "to": "1600ms"}]
    part = ackclock.run(scenario({}, {"outages": outages[:1], "reverse_outages": other}, "3s", {"to": "2s"}))
    rows = [(row["time_s"], row["event"], row["link"]) for row in part.events.rows() if row["flow"] is None]
    reverse = [(1.5, "outage_started", "bottleneck.reverse"), (1.6, "outage_ended", "bottleneck.reverse")]
    assert rows == [(1.0, "outage_started", "bottleneck"), *reverse]


def test_a_spurious_timeout_is_undone():
    """The path stands still for two seconds, and every segment and ACK arrives after the timer has expired."""
    outage = {"outages": [{"from": "1s", "to": "3s"}]}
    result = ackclock.run(scenario({"stack": "linux", "timestamps": True, "tlp": False}, outage, "6s"))
    found = [row["event"] for row in result.events.rows() if row["flow"] and 1 < row["time_s"] < 4]
    assert found[0] == "timeout"
    assert "undone" in found
    assert result.flows["spurious_timeouts"][0] >= 1


@pytest.fixture
def mine():
    @ackclock.congestion_control("states-of-mine")
    class Mine(ackclock.CongestionControl):
        """Says whether the window has been reduced, and paces."""

        scope = ackclock.cc.Scope(paces=True)

        def __init__(self):
            self.reduced = False

        def on_ack(self, window, ack, acked):
            window.cwnd += acked * ack.ctx.mss // window.cwnd
            window.pacing_rate = 2_000_000

        def on_congestion(self, window, event):
            window.ssthresh = window.cwnd = max(window.cwnd // 2, 2 * event.ctx.mss)
            self.reduced = True

        def on_timeout(self, window, event, first):
            window.ssthresh = max(window.cwnd // 2, 2 * event.ctx.mss)

        def state_name(self):
            return "reduced" if self.reduced else None

    @ackclock.congestion_control("wrong-states-of-mine")
    class Wrong(ackclock.WindowRules):
        """Says a number."""

        def state_name(self):
            return 3


def test_an_algorithm_in_python_has_states_and_may_pace(mine):
    result = ackclock.run(scenario({"cc": "states-of-mine"}, {"queue": "10 packets"}))
    state, recovering = columns(result, "cc_state", "in_recovery")
    assert {*state} == {None, "reduced"}
    assert state[np.flatnonzero(recovering)[0]] == "reduced"
    assert result.flows["pacing"][0] == "cc"
    assert np.nanmax(result.window["pacing_bps"]) == 16e6
    with pytest.raises(ackclock.AlgorithmError, match=r"state_name.*it returns 3: accepted: a str or None"):
        ackclock.run(scenario({"cc": "wrong-states-of-mine"}))
