"""CAKE in whole runs: hosts and code points of flows, the rate of an ADSL line, and the ACK filter."""

import pytest

import ackclock

PAYLOAD = 1448 / 1749
"""Payload per byte on the line: 1,500 bytes with 40 of PPPoE and LLC/SNAP fill 33 ATM cells of 53 bytes."""

HOME = """
duration = "30s"
access = { rate = "1Gbps" }
probes = { delays = true }

[bottleneck]
rate = "20Mbps"
reverse_rate = "2Mbps"
delay = "10ms"
queue = { kind = "cake", bandwidth = "20Mbps", link_layer = "pppoe-llcsnap", isolation = "dual-dsthost" }
reverse_queue = { kind = "cake", bandwidth = "2Mbps", link_layer = "pppoe-llcsnap", isolation = "dual-srchost" }

[[flows]]
name = "desk"
app = "bulk"
count = 6
sink_host = "desk"

[[flows]]
name = "tablet"
app = "bulk"
sink_host = "tablet"

[[flows]]
name = "call"
app = { kind = "cbr", rate = "64kbps", packet_size = "200B" }
route = ["right", "left"]
source_host = "tablet"
dscp = "EF"
"""

UPLOAD = """
[[flows]]
name = "upload"
app = "bulk"
route = ["right", "left"]
source_host = "desk"
"""


def goodputs(runs):
    rows = list(runs.flows.rows())
    desk = sum(row["goodput_bps"] for row in rows if row["flow"].startswith("desk"))
    return desk, next(row["goodput_bps"] for row in rows if row["flow"] == "tablet")


def test_hosts_share_a_line_equally_whatever_the_number_of_their_flows():
    desk, tablet = goodputs(ackclock.run(HOME))
    assert desk / tablet == pytest.approx(1, abs=0.1)
    assert desk + tablet == pytest.approx(20e6 * PAYLOAD, rel=0.03)
    desk, tablet = goodputs(ackclock.run(HOME, overrides={"bottleneck.queue.isolation": "flows"}))
    assert desk / tablet == pytest.approx(6, rel=0.1)


def test_flows_share_a_host_only_if_they_name_it():
    overrides = {"flows.desk.sink_host": "shared", "flows.tablet.sink_host": "shared"}
    desk, tablet = goodputs(ackclock.run(HOME, overrides=overrides))
    assert desk / tablet == pytest.approx(6, rel=0.1)


def test_a_call_beside_an_upload_waits_for_one_packet_at_most():
    # A full packet takes 1,749 bytes at 2 Mbit/s, 7 ms, and a packet of 200 bytes takes 265 on the line.
    runs = ackclock.run(HOME + UPLOAD)
    (call,) = (row for row in runs.delays.rows() if row["flow"] == "call")
    assert 10 < call["p50_ms"] < 18
    assert call["max_ms"] < 10 + 7 + 7 + 2
    fifo = ackclock.run(HOME + UPLOAD, overrides={"bottleneck.reverse_queue": "100 packets"})
    (call,) = (row for row in fifo.delays.rows() if row["flow"] == "call")
    assert call["p95_ms"] > 150


def test_the_ack_filter_drops_acknowledgments_and_no_data():
    # ACKs of 17 Mbit/s take two cells each, 0.6 Mbit/s with one for two segments: too much for 200 kbit/s.
    overrides = {
        "bottleneck.reverse_rate": "200kbps",
        "bottleneck.reverse_queue.bandwidth": "200kbps",
        "bottleneck.reverse_queue.ack_filter": "filter",
    }
    filtered = ackclock.run(HOME, overrides=overrides)
    plain = ackclock.run(HOME, overrides={**overrides, "bottleneck.reverse_queue.ack_filter": "off"})

    def dropped(runs):
        return next(row["aqm_drops"] for row in runs.links.rows() if row["link"] == "bottleneck.reverse")

    assert dropped(filtered) > 1.1 * dropped(plain)
    assert goodputs(filtered)[1] > 1.5 * goodputs(plain)[1]
    assert sum(row["timeouts"] for row in filtered.flows.rows() if row["timeouts"]) == 0


def test_unknown_names_are_answered_with_those_that_there_are():
    with pytest.raises(ackclock.ScenarioError) as refused:
        ackclock.check(HOME, {"bottleneck.queue.tins": "diffserv5", "flows.call.dscp": "EX"})
    text = str(refused.value)
    assert "bottleneck.queue.tins" in text
    assert "diffserv4" in text
    assert "dscp" in text
    assert "EF" in text
