"""Tunnels with congestion marks (RFC 6040): their size, their marks, and that queues see one flow in them."""

import pytest

import ackclock

PATH = """
name = "tunnel"
duration = "20s"

[bottleneck]
rate = "10Mbps"
delay = "20ms"
queue = { kind = "codel", ecn = true }

[[flows]]
name = "flow"
app = "bulk"
cc = "reno"
ecn = "classic"
"""


def run(text=PATH, **changes):
    overrides = {key.replace("__", "."): value for key, value in changes.items()}
    return ackclock.run(text, overrides=overrides, verify=True)


def bottleneck(result):
    return next(row for row in result.links.rows() if row["link"] == "bottleneck")


def test_each_packet_is_longer_by_the_header_inside_the_tunnel():
    app = '{ kind = "cbr", rate = "1Mbps", packet_size = "1000B" }'
    changes = {"flows__flow__app": app, "bottleneck__queue": "100 packets"}
    text = PATH.replace('cc = "reno"\necn = "classic"\n', "")
    for header in (None, 20, 100):
        tunnel = {} if header is None else {"flows__flow__tunnel": f'{{ header = "{header}B" }}'}
        result = run(text, **changes, **tunnel)
        row = bottleneck(result)
        assert row["bytes"] == row["packets"] * (1000 + (header or 0))
        (stream,) = result.cbr.rows()
        assert stream["received_bps"] == pytest.approx(1e6, rel=0.01), "the header is gone at the end"
        # A packet needs its time on the bottleneck and on access links of ten times the rate.
        size = 1000 + (header or 0)
        assert stream["delay_max_ms"] == pytest.approx(20 + 8 * size / 10e3 + 2 * 8000 / 100e3, abs=0.01)


@pytest.mark.parametrize("queue", ["50 packets", "fq-codel"])
def test_a_header_costs_its_share_of_the_rate(queue):
    plain, tunnel = (
        next(run(bottleneck__queue=queue, **more).flows.rows())["goodput_bps"]
        for more in ({}, {"flows__flow__tunnel": '{ header = "150B" }'})
    )
    assert tunnel / plain == pytest.approx(1500 / 1650, rel=0.02)


@pytest.mark.parametrize(("mode", "marks"), [("normal", True), ("rfc3168-full", True), ("rfc4301", True),
                                             ("compatibility", False), ("rfc3168-limited", False)])  # fmt: skip
def test_queues_mark_the_outer_header_or_drop(mode, marks):
    result = run(flows__flow__tunnel=f'{{ ecn = "{mode}" }}', probes__window=True)
    row = bottleneck(result)
    causes = [event["event"] for event in result.events.rows()]
    assert (row["marks"] > 0) is marks
    assert (row["drops"] > 0) is not marks
    assert ("ecn_reduction" in causes) is marks, "the sender hears of the marks of the outer header"


@pytest.mark.parametrize("mode", ["normal", "compatibility", "rfc3168-full", "rfc3168-limited", "rfc4301"])
def test_a_mark_from_before_the_tunnel_survives_it(mode):
    text = (
        PATH
        + """
route = ["left", "right", "end"]
tunnel = { from = "right" }

[[links]]
ends = ["right", "end"]
rate = "100Mbps"
delay = "5ms"
queue = { kind = "codel", ecn = true }

[probes]
window = true
"""
    )
    result = run(text, flows__flow__tunnel=f'{{ from = "right", ecn = "{mode}" }}')
    assert bottleneck(result)["marks"] > 0
    assert "ecn_reduction" in [event["event"] for event in result.events.rows()]


def test_l4s_keeps_its_field_through_a_tunnel_of_normal_mode_alone():
    changes = {"bottleneck__queue": "dualpi2", "flows__flow__cc": "prague", "flows__flow__ecn": "l4s"}
    plain = run(**changes)
    delay = bottleneck(plain)["queue_delay_p95_ms"]
    normal = bottleneck(run(**changes, flows__flow__tunnel="{}"))
    assert normal["queue_delay_p95_ms"] < 2 * delay + 1
    classic = bottleneck(run(**changes, flows__flow__tunnel='{ ecn = "compatibility" }'))
    assert classic["marks"] == 0
    assert classic["queue_delay_p95_ms"] > 5 * delay, "without ECT(1) the packets wait in the classic queue"


def test_flows_in_one_tunnel_are_one_flow_for_the_queue():
    text = """
name = "vpn"
duration = "20s"

[bottleneck]
rate = "10Mbps"
delay = "20ms"
queue = "fq-codel"

[[flows]]
name = "tcp"
app = "bulk"
cc = "reno"
tunnel = { name = "vpn" }

[[flows]]
name = "datagrams"
app = { kind = "cbr", rate = "20Mbps" }
tunnel = { name = "vpn" }
"""
    shared = next(run(text).flows.rows())["goodput_bps"]
    apart = next(run(text, flows__datagrams__tunnel='{ name = "other" }').flows.rows())["goodput_bps"]
    assert apart > 4e6, "a queue of its own gives half of the rate"
    assert shared < apart / 5


@pytest.mark.parametrize(
    ("tunnel", "message"),
    [
        ('{ from = "nowhere" }', "is no node of the route; accepted: "),
        ('{ from = "right", to = "left" }', "does not come after from"),
        ('{ ecn = "rfc2003" }', "treatment of ECN in a tunnel"),
        ('{ header = "0B" }', "header"),
    ],
)
def test_mistakes_are_told(tunnel, message):
    with pytest.raises(ackclock.ScenarioError, match=message):
        run(flows__flow__tunnel=tunnel)


def test_a_tunnel_does_not_move_with_a_route():
    changes = '[{ at = "5s", route = ["left", "right"] }]'
    with pytest.raises(ackclock.ScenarioError, match="does not go with route_changes"):
        run(flows__flow__tunnel="{}", flows__flow__route_changes=changes)
