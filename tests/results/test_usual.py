"""The measures that commands show when nobody names any."""

import json

import pytest

import ackclock
from ackclock.cli import main
from ackclock.report.experiment import sweep_report
from ackclock.report.experiment.measures import default_measures
from ackclock.results.measure import Measure
from ackclock.results.usual import Group, competing_at_all, competing_of, usual_measures

DELAY, SHARES = "links[bottleneck].queue_delay_mean_ms", "jain(flows.goodput_bps)"

BOTH_WAYS = """
name = "both-ways"
duration = "2s"
[bottleneck]
rate = "5Mbps"
reverse_rate = "1Mbps"
delay = "10ms"
queue = "40p"
[[flows]]
name = "down"
app = "bulk"
start_jitter = "100ms"
[[flows]]
name = "up"
app = "bulk"
route = ["right", "left"]
start_jitter = "100ms"
[[flows]]
name = "probe"
app = { kind = "cbr", rate = "32kbps", packet_size = "100B" }
"""


def of(*apps):
    return [Group(f"{app}{number}", app) for number, app in enumerate(apps)]


class TestOrder:
    @pytest.mark.parametrize(
        ("apps", "first"),
        [
            (["dash", "bulk"], ["dash.stall_s", "dash.mean_level_bps", DELAY]),
            (["transfer"], ["completions.mean_s", DELAY]),
            (["rpc", "bulk"], ["completions.mean_s", DELAY]),
            (["list", "web"], ["completions[list0].mean_s", "completions[web1].mean_s", DELAY]),
            (["voip", "bulk"], ["voip.mos", DELAY]),
            (["bulk"], [DELAY]),
        ],
    )
    def test_measures_follow_the_applications_then_delay_then_goodput(self, apps, first):
        found = usual_measures(of(*apps))
        assert found[: len(first)] == first
        goodput = [at for at, text in enumerate(found) if text.endswith("goodput_bps")]
        assert goodput
        assert min(goodput) >= len(first)

    def test_every_measure_is_of_a_declared_column(self):
        groups = of("dash", "transfer", "voip", "cbr", "bulk", "bulk")
        for text in usual_measures(groups, [["bulk4", "bulk5"]]):
            Measure.parse(text).check()

    def test_rivals_are_compared_before_the_delay(self):
        found = usual_measures(of("bulk", "bulk"), [["bulk0", "bulk1"]], ["bulk1"])
        assert found[:4] == ["flows[bulk1].goodput_bps", "flows[bulk0].goodput_bps", SHARES, DELAY]


class TestFairness:
    def test_flows_compete_that_share_both_routes_and_always_have_data(self):
        assert competing_of(ackclock.check(BOTH_WAYS)) == [["down"], ["up"]]
        same = BOTH_WAYS.replace('route = ["right", "left"]', "")
        assert competing_of(ackclock.check(same)) == [["down", "up"]]
        other = BOTH_WAYS.replace('route = ["right", "left"]', 'route = ["left", "right"]')
        assert competing_of(ackclock.check(other)) == [["down", "up"]]

    def test_no_index_is_across_routes_or_of_flows_with_a_rate_of_their_own(self):
        assert not [text for text in usual_measures(of("bulk", "bulk"), [["bulk0"], ["bulk1"]]) if "jain" in text]
        assert SHARES not in usual_measures(of("bulk", "bulk", "cbr"), [["bulk0", "bulk1"]])
        assert SHARES not in usual_measures(of("bulk"), [["bulk0"]])

    def test_copies_of_a_flow_have_an_index_of_their_own(self):
        groups = [Group("down", "bulk", 4), Group("up", "bulk", 4)]
        found = [text for text in usual_measures(groups, [["down"], ["up"]]) if "jain" in text]
        assert found == ["jain(flows[down].goodput_bps)", "jain(flows[up].goodput_bps)"]

    def test_points_that_differ_in_who_competes_have_no_index(self):
        assert competing_at_all([[["a", "b"]], [["a"]]]) == []
        assert competing_at_all([[["a", "b"]], [["a", "b"]]]) == [["a", "b"]]

    def test_comparing_two_scenarios_keeps_the_index_for_flows_that_compete(self):
        same = BOTH_WAYS.partition('[[flows]]\nname = "probe"')[0].replace('route = ["right", "left"]', "")
        slow = same.replace('rate = "5Mbps"', 'rate = "4Mbps"')
        assert SHARES in ackclock.compare(same, slow, seeds=2).comparisons
        assert SHARES not in ackclock.compare(BOTH_WAYS, BOTH_WAYS, seeds=2).comparisons


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    out = tmp_path_factory.mktemp("usual") / "store"
    ackclock.sweep(BOTH_WAYS, {"bottleneck.queue": ["10p", "40p"]}, seeds=2, out=out).close()
    return out


class TestAllCommands:
    def test_sweep_report_and_compare_have_the_same_measures(self, store, capsys):
        with ackclock.open(store) as opened:
            names = default_measures(opened)
            report = sweep_report(opened)
        assert names[0] == DELAY
        assert not [name for name in names if "jain" in name]
        assert list(report.measures) == names
        assert main(["compare", str(store), "--against", "bottleneck.queue=10p", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert {one["measure"] for one in found["comparisons"]} == set(names)

    def test_the_answer_is_on_the_delay_and_not_on_two_directions(self, store):
        with ackclock.open(store) as opened:
            html = sweep_report(opened).report.html()
        assert "Which has the higher goodput" not in html
        assert "change the mean queueing delay at bottleneck?" in html
        assert "fairness index" not in html
