"""Routes that change at a time, and what the hosts are told of the new path."""

import pytest

import ackclock

NETWORK = """
name = "moved"
duration = "10s"

[bottleneck]
rate = "40Mbps"
delay = "10ms"
queue = "200 packets"

[[links]]
name = "detour"
ends = ["left", "far"]
rate = "10Mbps"
delay = "30ms"
queue = "200 packets"

[[links]]
name = "home"
ends = ["far", "right"]
rate = "40Mbps"
delay = "10ms"

[[flows]]
name = "flow"
"""
CHANGE = 'route_changes = [{ at = "5s", route = ["left", "far", "right"] }]\n'
DATAGRAMS = 'app = { kind = "cbr", rate = "1Mbps", packet_size = "125B" }\n'


def links(result):
    return {row["link"]: row for row in result.links.rows()}


def test_packets_take_the_new_route_from_that_time_on():
    found = links(ackclock.run(NETWORK + DATAGRAMS + CHANGE, verify=True))
    # A datagram every millisecond; the one that is sent at the time of the change takes the new route.
    assert found["bottleneck"]["packets"] == 5000
    assert found["detour"]["packets"] == pytest.approx(5000, abs=35), "some are on their way at the end"
    assert found["home"]["packets"] == pytest.approx(5000, abs=35)


def test_a_shorter_route_overtakes_what_is_on_its_way_and_a_longer_one_does_not():
    def stream(change):
        (row,) = ackclock.run(NETWORK + DATAGRAMS + change, verify=True).cbr.rows()
        return row

    longer = stream(CHANGE)
    assert (longer["reordered"], longer["lost"]) == (0, 0)
    back = stream('route = ["left", "far", "right"]\nroute_changes = [{ at = "5s", route = ["left", "right"] }]\n')
    # The routes take 40 and 10 ms: what was sent in the last 30 ms of the longer one is overtaken.
    assert back["reordered"] == pytest.approx(30, abs=1)
    assert back["lost"] == 0
    assert longer["delay_max_ms"] == pytest.approx(40, abs=0.5)
    assert longer["delay_p50_ms"] < 11


def test_both_directions_change_and_a_return_route_of_its_own_does_so_alone():
    app = 'app = "bulk"\n'
    both = links(ackclock.run(NETWORK + app + CHANGE, verify=True))
    assert both["detour"]["packets"] > 1000
    assert both["detour.reverse"]["packets"] > 500
    alone = CHANGE.replace('"right"] }', '"right"], return_route = ["right", "left"] }')
    one = links(ackclock.run(NETWORK + app + alone, verify=True))
    assert one["detour"]["packets"] > 1000
    assert one["detour.reverse"]["packets"] == 0


def test_a_connection_goes_on_at_the_rate_of_the_new_path():
    probes = '\n[probes]\nrates = true\ninterval = "1s"\n'
    flow = 'app = "bulk"\n' + CHANGE
    rates = list(ackclock.run(NETWORK + flow + probes, verify=True).rates["goodput_bps"])
    assert min(rates[1:4]) > 30e6
    assert max(rates[6:]) < 10e6
    assert min(rates[7:]) > 7e6


def test_a_change_to_the_same_route_changes_nothing():
    same = 'route_changes = [{ at = "5s", route = ["left", "right"] }]\n'
    one, other = (ackclock.run(NETWORK + 'app = "bulk"\n' + change) for change in ("", same))
    for table in ("flows", "links"):
        assert list(one.tables[table].rows()) == list(other.tables[table].rows())


def test_connections_that_open_later_take_the_new_route():
    app = 'app = { kind = "rpc", response_size = "3kB", rounds = 400 }\n'
    found = links(ackclock.run(NETWORK + app + CHANGE, verify=True))
    assert found["bottleneck"]["packets"] > 100
    assert found["detour"]["packets"] > 100


@pytest.mark.parametrize("mtu", [1280, 576])
def test_segments_have_the_size_of_the_new_path(mtu):
    change = CHANGE.replace('"right"] }', f'"right"], mtu = "{mtu}B" }}')
    result = ackclock.run(NETWORK + 'app = "bulk"\n' + change + "\n[probes]\npackets = true\n", verify=True)
    packets = result.packets
    mine = (packets["event"].astype(str) == "sent") & (packets["side"].astype(str) == "source") & (packets["len"] > 0)
    # Retransmissions have the size of the first transmission.
    mine &= ~packets["retransmission"].astype(bool)
    times, lens = packets["time_s"][mine], packets["len"][mine]
    # 20 bytes of IP, 20 of TCP, 12 of timestamps. As in Linux, what leaves first meets the new path at its old size.
    assert lens[times < 5.0].max() == 1448
    first = times[times > 5.0].min()
    assert lens[times > first].max() == mtu - 52
    (flow,) = result.flows.rows()
    assert flow["timeouts"] == 0


def test_several_changes_come_in_turn():
    changes = """route_changes = [
        { at = "2s", route = ["left", "far", "right"] },
        { at = "4s", route = ["left", "right"] },
        { at = "9s", route = ["left", "far", "right"] },
    ]
    """
    found = links(ackclock.run(NETWORK + DATAGRAMS + changes, verify=True))
    assert found["bottleneck"]["packets"] == 7000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('{ at = "5s", route = ["left", "far"] }', "does not join the ends of the flow's route; accepted: from"),
        ('{ at = "5s", route = ["left", "nowhere", "right"] }', 'no link from "left" to "nowhere"'),
        ('{ at = "0s", route = ["left", "right"] }', r"route_changes\[0\].at"),
        (
            '{ at = "5s", route = ["left", "right"] }, { at = "4s", route = ["left", "right"] }',
            "is not after the change",
        ),
    ],
)
def test_mistakes_are_told(change, message):
    with pytest.raises(ackclock.ScenarioError, match=message):
        ackclock.run(NETWORK + 'app = "bulk"\n' + f"route_changes = [{change}]\n")


def test_an_mtu_is_for_tcp():
    change = CHANGE.replace('"right"] }', '"right"], mtu = "1280B" }')
    with pytest.raises(ackclock.ScenarioError, match="is for TCP"):
        ackclock.run(NETWORK + DATAGRAMS + change)
