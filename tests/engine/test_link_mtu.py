"""Links with a smaller MTU: drops, ICMP, and the sizes of the segments after it (RFC 1191)."""

import pytest

import ackclock

PATH = """
name = "mtu"
duration = "20s"

[bottleneck]
rate = "10Mbps"
delay = "20ms"
mtu = "1280B"

[[flows]]
name = "flow"
app = { kind = "transfer", size = "2MB" }
cc = "reno"
"""


def run(**changes):
    return ackclock.run(PATH, overrides={key.replace("__", "."): value for key, value in changes.items()}, verify=True)


def test_the_sender_is_told_and_sends_what_fits():
    result = run(probes__packets=True)
    packets = result.packets
    sent = (packets["side"] == "source") & (packets["event"] == "sent") & (packets["len"] > 0)
    sizes, times = packets["len"][sent], packets["time_s"][sent]
    # The initial window of ten segments of 1,448 bytes is dropped; the message takes as long as a segment to the link.
    assert (sizes[:10] == 1448).all()
    assert set(sizes[10:]) <= {1228, 220, *sizes[-1:]}, "1280 bytes less 52 of headers, and the rests of what was cut"
    assert times[10] - times[9] < 0.001, "the bottleneck is the first link behind the access link"
    (flow,) = result.flows.rows()
    assert flow["bytes_delivered"] == 2_000_000
    assert flow["timeouts"] == 0
    row = next(row for row in result.links.rows() if row["link"] == "bottleneck")
    assert row["losses"] == 10


def test_no_reduction_follows_from_the_drops():
    """A segment that was too large is no sign of congestion (RFC 1191 section 6.5)."""
    result = run(probes__window=True)
    events = [row["event"] for row in result.events.rows()]
    assert events.count("timeout") == 0
    early = [int(row["cwnd"]) for row in result.window.rows() if row["time_s"] < 0.3]
    assert min(early) >= 10 * 1228, "the window keeps its segments"


def test_a_black_hole_stops_the_transfer():
    result = run(bottleneck__icmp="false")
    (flow,) = result.flows.rows()
    assert flow["bytes_delivered"] == 0
    assert flow["timeouts"] >= 4


def test_a_message_from_a_later_link_takes_the_time_back():
    far = '[{ name = "far", ends = ["right", "end"], rate = "10Mbps", delay = "30ms", mtu = "1000B" }]'
    changes = {"links": far, "flows.flow.route": '["left", "right", "end"]', "bottleneck.mtu": "1500B"}
    result = ackclock.run(PATH, overrides={**changes, "probes.packets": True}, verify=True)
    packets = result.packets
    sent = (packets["side"] == "source") & (packets["event"] == "sent") & (packets["len"] > 0)
    sizes, times = packets["len"][sent], packets["time_s"][sent]
    first = times[sizes != 1448][0]
    # 20 ms there and back, and the time of a packet on the access link and on the bottleneck.
    assert first - times[0] == pytest.approx(2 * (0.020 + 1500 * 8 / 10e6 + 1500 * 8 / 100e6), abs=1e-4)
    assert sizes[-20:].max() == 1000 - 52
    assert next(result.flows.rows())["bytes_delivered"] == 2_000_000


def test_later_connections_know_the_mtu():
    app = '{ kind = "transfer", size = "100kB", count = 5, gap = "100ms" }'
    result = run(flows__flow__app=app)
    row = next(row for row in result.links.rows() if row["link"] == "bottleneck")
    assert row["losses"] == 10, "the initial window of the first connection alone"
    assert next(result.flows.rows())["bytes_delivered"] == 500_000


def test_a_link_that_takes_all_packets_changes_nothing():
    wide, none = run(bottleneck__mtu="1500B"), ackclock.run(PATH.replace('mtu = "1280B"\n', ""))
    assert list(wide.flows.rows()) == list(none.flows.rows())
    assert list(wide.links.rows()) == list(none.links.rows())


@pytest.mark.parametrize("cc", ["cubic", "bbr1", "lia"])
@pytest.mark.parametrize("stack", ["linux", "rfc", "freebsd"])
def test_each_stack_gets_through_a_lossy_link_with_a_small_mtu(stack, cc):
    result = run(flows__flow__stack=stack, flows__flow__cc=cc, bottleneck__loss="1%")
    assert next(result.flows.rows())["bytes_delivered"] == 2_000_000


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"bottleneck__mtu": "500B"}, "accepted: a volume from"),
        ({"bottleneck__gso": "queue"}, "does not go with gso"),
        ({"bottleneck__icmp": "perhaps"}, "is not a truth value"),
    ],
)
def test_wrong_limits_are_refused(changes, says):
    with pytest.raises(ackclock.ScenarioError, match=says):
        run(**changes)


def test_icmp_needs_an_mtu():
    with pytest.raises(ackclock.ScenarioError, match="has no effect on a link without an mtu"):
        ackclock.run(PATH.replace('mtu = "1280B"', "icmp = false"))
