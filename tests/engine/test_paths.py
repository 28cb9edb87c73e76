"""Transfers over several paths: what arrives, what each path carries, and the goals of RFC 6356."""

import numpy as np
import pytest

import ackclock

DUMBBELL = """
name = "paths"
duration = "60s"

[bottleneck]
rate = "20Mbps"
delay = "20ms"
queue = "1bdp"

[[links]]
name = "other"
ends = ["left", "right"]
rate = "10Mbps"
delay = "20ms"
queue = "1bdp"
"""
FLOW = """
[[flows]]
name = "several"
app = "bulk"
cc = "lia"
paths = [["bottleneck"], ["other"]]
"""
RENO = """
[[flows]]
name = "reno"
app = "bulk"
cc = "reno"
start_jitter = "1s"
"""
ONCE = ("paths", "cc", "app")
"""Keys that stand in the text once."""
RATES = """
[probes]
rates = true
interval = "1s"
"""


def goodputs(text, seed=1, from_s=15.0, **overrides):
    """Mean goodput of each flow after the start, Mbit/s."""
    changes = {key.replace("__", "."): value for key, value in overrides.items()}
    result = ackclock.run(text + RATES, seed=seed, overrides=changes)
    rates = result.rates
    late = rates["time_s"] > from_s
    names = [str(row["flow"]) for row in result.flows.rows()]
    return {name: float(rates["goodput_bps"][late & (rates["flow"] == name)].mean()) / 1e6 for name in names}


def mean_share(text, name, seeds=6, **overrides):
    """Mean over seeds of a flow's share of all goodputs."""
    found = [goodputs(text, seed=seed, **overrides) for seed in range(1, seeds + 1)]
    return float(np.mean([one[name] / sum(one.values()) for one in found]))


def test_two_idle_paths_carry_the_sum_of_their_rates_and_the_data_is_whole():
    result = ackclock.run(DUMBBELL + FLOW, overrides={"duration": "30s"}, verify=True)
    (flow,) = result.flows.rows()
    paths = list(result.paths.rows())
    assert [row["path"] for row in paths] == ["bottleneck", "other"]
    # Headers take 52 of 1,500 bytes.
    assert flow["goodput_bps"] / (30e6 * 1448 / 1500) > 0.93
    assert sum(row["bytes_delivered"] for row in paths) >= flow["bytes_delivered"]
    assert paths[0]["goodput_bps"] > 1.7 * paths[1]["goodput_bps"]
    assert sum(row["retransmits"] for row in paths) == flow["retransmits"]


@pytest.mark.parametrize("cc", ["lia", "balia", "reno", "cubic", "bbr1"])
def test_a_transfer_arrives_once_whatever_its_paths_lose(cc):
    text = DUMBBELL.replace('queue = "1bdp"', 'queue = "1bdp"\nloss = "1%"') + FLOW
    app = '{ kind = "transfer", size = "3MB", count = 3, gap = "200ms" }'
    result = ackclock.run(text, overrides={"flows.several.app": app, "flows.several.cc": cc}, verify=True)
    (flow,) = result.flows.rows()
    assert flow["bytes_delivered"] == 9_000_000
    assert np.isfinite(result.transfers["end_s"].astype(float)).all()
    assert flow["retransmits"] > 0


def test_both_directions_of_a_request_use_the_paths():
    app = '{ kind = "rpc", request_size = "200kB", response_size = "2MB", rounds = 5 }'
    result = ackclock.run(DUMBBELL + FLOW, overrides={"flows.several.app": app}, verify=True)
    assert len(result.rounds) == 5
    assert all(row["bytes_delivered"] > 1_000_000 for row in result.paths.rows())


def test_one_path_is_the_flow_without_paths():
    """A single path has the same packets as a route, but its own rule for the end of a transfer."""
    alone = next(ackclock.run(DUMBBELL + RENO).flows.rows())
    path = next(ackclock.run(DUMBBELL + RENO + 'paths = [["bottleneck"]]').flows.rows())
    assert path["goodput_bps"] == pytest.approx(alone["goodput_bps"], rel=0.01)


@pytest.mark.parametrize(("cc", "low", "high"), [("lia", 0.42, 0.57), ("balia", 0.42, 0.60), ("reno", 0.61, 0.71)])
def test_two_subflows_at_one_bottleneck_take_what_one_tcp_takes_if_they_are_coupled(cc, low, high):
    """RFC 6356, goal 2: half beside one Reno; two subflows that do not know each other take two thirds."""
    text = DUMBBELL + FLOW.replace('["other"]', '["bottleneck"]') + RENO
    share = mean_share(text, "several", flows__several__cc=cc)
    assert low < share < high


def test_traffic_leaves_the_congested_path():
    """RFC 6356, goal 3: on a path with four flows of Reno, a coupled subflow takes less than an uncoupled one."""
    rivals = RENO.replace('name = "reno"', 'name = "reno"\ncount = 4\npaths = [["other"]]')
    taken = {}
    for cc in ("lia", "reno"):
        results = [
            ackclock.run(DUMBBELL + FLOW + rivals, seed=seed, overrides={"flows.several.cc": cc}) for seed in (1, 2, 3)
        ]
        rows = [[row for row in result.paths.rows() if row["flow"] == "several"] for result in results]
        taken[cc] = np.mean([[row["goodput_bps"] / 1e6 for row in paths] for paths in rows], axis=0)
    assert taken["reno"][1] > 1.4, "an equal share of five would be 2 Mbit/s"
    assert taken["lia"][1] < 0.75 * taken["reno"][1]
    assert taken["lia"][0] > 17.0, "the free path is full all the same"


def test_coupled_subflows_have_the_rate_of_one_tcp_on_the_best_path():
    """RFC 6356, goal 1, with the mismatch of RTTs of Wischik et al. (NSDI 2011, section 2).

    Wi-Fi has a short RTT and more losses, 3G a long RTT and fewer. The losses do not depend on the flow.
    """
    text = """
name = "mismatch"
duration = "120s"
access.rate = "1Gbps"

[bottleneck]
rate = "100Mbps"
delay = "5ms"
queue = "unlimited"
loss = "0.4%"

[[links]]
name = "3g"
ends = ["left", "right"]
rate = "100Mbps"
delay = "50ms"
queue = "unlimited"
loss = "0.1%"
"""
    several = FLOW.replace('["other"]', '["3g"]')
    best = RENO
    slow = RENO.replace('"reno"\napp', '"slow"\napp') + 'paths = [["3g"]]\n'
    seeds = (1, 2, 3)
    of = {
        name: np.mean([goodputs(text + flow, seed, 5.0)[name] for seed in seeds])
        for name, flow in (("several", several), ("reno", best), ("slow", slow))
    }
    # Mathis: the ratio of the rates is that of RTTs over the root of that of losses, 10 / 2.
    assert of["reno"] / of["slow"] == pytest.approx(5.0, rel=0.25)
    assert of["several"] / of["reno"] == pytest.approx(1.0, abs=0.15)


def test_a_path_that_fails_leaves_the_data_to_the_other():
    outages = '[{ from = "10s", to = "60s", packets = "lost" }]'
    app = '{ kind = "transfer", size = "40MB" }'
    changes = {"bottleneck.outages": outages, "flows.several.app": app}
    result = ackclock.run(DUMBBELL + FLOW, overrides=changes, verify=True)
    (flow,) = result.flows.rows()
    assert flow["bytes_delivered"] == 40_000_000
    (transfer,) = result.transfers.rows()
    # 30 Mbit/s for 10 s are less than 36 MB; the rest takes the other path alone.
    assert 10.0 < transfer["end_s"] < 30.0
    first, second = result.paths.rows()
    assert first["timeouts"] > 0
    assert second["bytes_delivered"] > 7_000_000
    assert first["bytes_delivered"] + second["bytes_delivered"] >= 40_000_000


def test_the_shared_window_bounds_what_is_outstanding():
    """A window of 64 KiB for both subflows: at most one window in each round trip of the path with the longer one."""
    changes = {"flows.several.receive_buffer": "64KiB", "links.other.delay": "100ms"}
    (flow,) = ackclock.run(DUMBBELL + FLOW, overrides=changes, verify=True).flows.rows()
    assert flow["goodput_bps"] < 8 * 65_536 / 0.04
    (wide,) = ackclock.run(DUMBBELL + FLOW, overrides={"links.other.delay": "100ms"}).flows.rows()
    assert wide["goodput_bps"] > 1.5 * flow["goodput_bps"]


def test_small_data_takes_the_path_with_the_smallest_rtt():
    app = '{ kind = "bursts", size = "5kB", interval = "500ms" }'
    changes = {"flows.several.app": app, "links.other.delay": "60ms"}
    first, second = ackclock.run(DUMBBELL + FLOW, overrides=changes, verify=True).paths.rows()
    assert first["bytes_delivered"] > 500_000
    assert second["bytes_delivered"] == 0


def test_results_do_not_depend_on_threads():
    text = DUMBBELL + FLOW + RENO
    one, two = (ackclock.run(text, overrides={"duration": "10s"}, threads=threads) for threads in (1, 2))
    assert list(one.flows.rows()) == list(two.flows.rows())
    assert list(one.paths.rows()) == list(two.paths.rows())


@pytest.mark.parametrize(
    ("changes", "path", "says"),
    [
        ({"paths": '[["nowhere"]]'}, "paths[0]", '"nowhere", which does not exist; accepted: bottleneck, other'),
        ({"paths": "[[]]"}, "paths[0]", "there is no link"),
        ({"paths": "[]"}, "paths", "there is no path"),
        ({"paths": '[["bottleneck", "other", "bottleneck"]]'}, "paths[0]", "loops"),
        ({"paths": str([["bottleneck"]] * 9)}, "paths", "has 9 paths; accepted: at most 8"),
        ({"route": '["left", "right"]'}, "route", "does not go with paths"),
        ({"tunnel": "{}"}, "tunnel", "does not go with paths"),
        ({"route_changes": '[{ at = "1s", route = ["left", "right"] }]'}, "route_changes", "does not go with paths"),
        ({"reading": "{}"}, "reading", "does not go with paths"),
        ({"send_buffer": '"64KiB"'}, "send_buffer", "does not go with paths"),
        ({"write_size": '"64KiB"'}, "write_size", "does not go with paths"),
        ({"transport": '"quinn"', "cc": None}, "transport", "needs TCP"),
        ({"optimistic_acks": "2"}, "optimistic_acks", "more than 0"),
        ({"app": '{ kind = "cbr", rate = "1Mbps" }'}, "paths", "datagrams"),
        ({"app": '{ kind = "rpc", servers = 4, response_size = "1kB" }'}, "paths", "several hosts"),
    ],
)  # fmt: skip
def test_wrong_paths_are_refused_with_their_place(changes, path, says):
    text = DUMBBELL + FLOW
    for key, value in changes.items():
        lines = [line for line in text.splitlines() if key not in line.partition(" =")[0].split() or key not in ONCE]
        text = "\n".join([*lines, *([f"{key} = {value}"] if value is not None else [])])
    with pytest.raises(ackclock.ScenarioError) as refused:
        ackclock.run(text)
    message = str(refused.value)
    assert f"flows[0].{path}:" in message or f"flows[0].{path} " in message, message
    assert says in message


def test_paths_that_do_not_follow_each_other_are_refused():
    links = DUMBBELL + '[[links]]\nname = "far"\nends = ["x", "y"]\nrate = "1Mbps"\ndelay = "1ms"\n'
    text = links + FLOW.replace('["other"]', '["other", "far"]')
    with pytest.raises(ackclock.ScenarioError, match=r'"far", which does not begin where "other" ends, at "right"'):
        ackclock.run(text)


def test_a_path_of_several_links_may_take_one_backwards():
    links = DUMBBELL + '[[links]]\nname = "far"\nends = ["far", "right"]\nrate = "8Mbps"\ndelay = "1ms"\n'
    text = links + FLOW.replace('["other"]', '["other", "far"]')
    result = ackclock.run(text, verify=True)
    carried = {row["link"]: row["bytes"] for row in result.links.rows()}
    assert carried["far.reverse"] > 40_000_000 > 5_000_000 > carried["far"]
    assert [row["path"] for row in result.paths.rows()] == ["bottleneck", "other+far"]
