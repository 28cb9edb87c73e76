"""The test cases of rmcat: scenarios of RFC 8867, measures of RFC 8868, and the command."""

import json
import math

import numpy as np
import pytest

import ackclock
from ackclock._errors import RefusedError
from ackclock.judge.rmcat import CASES, CONTROLS, chosen, run_suite
from ackclock.judge.rmcat.basic import BASIC
from ackclock.judge.rmcat.case import Phase
from ackclock.judge.rmcat.measures import call_measures, phase_measures, series_of
from ackclock.judge.rmcat.suite import HEADER, checks_of
from tests.helpers.tables import make_table

CALL = {"kind": "call", "control": "fixed", "start_rate": "500kbps", "sample": "1s", "interval_scale": 0}


class Run:
    """A run that has only the rates of its calls."""

    def __init__(self, rates):
        rows = [(call, second, rate) for call, series in rates.items() for second, rate in series.items()]
        self.call_rates = make_table(
            flow=[call for call, _, _ in rows],
            at_s=[float(second) for _, second, _ in rows],
            target_bps=[rate for _, _, rate in rows],
            sent_bps=[rate for _, _, rate in rows],
            received_bps=[rate for _, _, rate in rows],
            delay_ms=[50.0 for _ in rows],
        )


def steady(rate, start, end):
    return dict.fromkeys(range(start + 1, end + 1), rate)


def test_every_case_is_a_scenario_with_the_attributes_of_the_rfc():
    basic = ["5.1", "5.2", "5.3", "5.4", "5.5", "5.6", "5.7", "5.8"]
    assert [case.number for case in BASIC] == basic
    assert [case.number for case in CASES if case.number.startswith("6")] == [
        "6.1", *(f"6.2/{number}" for number in basic), "6.3",
    ]  # fmt: skip
    assert len({case.name for case in CASES}) == len(CASES)
    for case in CASES:
        for variant in case.variants:
            scenario = ackclock.check(case.scenario("nada", variant))
            calls = [flow for flow in scenario["flows"] if flow["app"]["kind"] == "call"]
            assert [flow["name"] for flow in calls] == list(case.calls)
    for case in BASIC:
        assert case.phases[-1].end_s == case.duration_s - 1
        assert all(one.end_s == two.start_s for one, two in zip(case.phases, case.phases[1:], strict=False))
    by = {case.number: case for case in BASIC}
    assert [phase.capacity_bps for phase in by["5.1"].phases] == [1e6, 2.5e6, 0.6e6, 1e6]
    assert [phase.capacity_bps for phase in by["5.2"].phases] == [4e6, 2e6, 3.5e6, 1e6, 2e6]
    assert [phase.capacity_bps for phase in by["5.3"].phases] == [2e6, 1e6, 0.5e6, 2e6]
    assert [variant.name for variant in by["5.6"].variants] == ["300 ms", "1000 ms"]
    # 1.5 Mbit/s each is all that two calls can take of 3.5 Mbit/s.
    assert by["5.8"].phases[1].expected_bps == 3e6


@pytest.mark.parametrize("number", ["5.1", "5.2", "5.3"])
def test_background_traffic_leaves_the_capacity_of_each_phase(number):
    (case,) = chosen((number,))
    (variant,) = (one for one in case.variants if one.name == "UDP")
    scenario = case.scenario("nada", variant)
    assert scenario["bottleneck"]["rate"] == "4Mbps"
    # RFC 8867 section 5.1: the rate of the datagrams is 4 Mbit/s less the capacity.
    forward = {one["start"]: one["app"]["rate"] for one in scenario["flows"] if one["name"].startswith("udp")}
    assert forward == {
        f"{phase.start_s:g}s": f"{4e3 - phase.capacity_bps / 1e3:g}kbps"
        for phase in case.phases
        if phase.capacity_bps < 4e6
    }
    back = [one for one in scenario["flows"] if one["name"].startswith("back")]
    assert [one["app"]["rate"] for one in back] == (["2000kbps", "3200kbps", "2000kbps"] if number == "5.3" else [])


def test_nada_swings_after_losses_unless_its_signal_is_bounded():
    """The finding of docs/rmcat.md: the swing needs losses and a signal without the bound of ns3-rmcat."""
    (case,) = chosen(("5.1",))

    def loss(variant, overrides=None):
        (run,) = ackclock.run(case.scenario("nada", variant), seeds=[1], overrides=overrides)
        return call_measures(run, "S1").loss, phase_measures(run, case.phases[2]).oscillation

    plain, _, udp = case.variants
    free, swinging = loss(plain)
    bounded, steady = loss(plain, {"flows[0].app.control.xmax": 500})
    assert free > 0.05
    assert swinging > 0.3
    assert bounded < 0.01
    assert steady < 0.3
    assert loss(udp)[0] == 0.0


def test_a_case_applies_to_the_controls_that_have_its_feature():
    (priority,), (ecn,) = chosen(("6.1",)), chosen(("6.2/5.1",))
    assert [one for one in CONTROLS if priority.applies(one, priority.variants[0])] == ["nada"]
    applied = {v.name: [one for one in CONTROLS if ecn.applies(one, v)] for v in ecn.variants}
    assert applied == {"CoDel": ["nada", "scream", "scream2"], "DualPI2": ["scream2"]}
    assert priority.scenario("nada", priority.variants[0])["flows"][0]["app"]["control"] == {
        "kind": "nada",
        "prio": 2.0,
    }
    with pytest.raises(RefusedError, match=r"--control gcc: none of the chosen cases applies.*\naccepted: nada"):
        run_suite([priority], ["gcc"], [1])


def test_l4s_marks_keep_the_queue_of_a_call_short():
    (case,) = chosen(("6.2/5.4",))
    by = {variant.name: case.scenario("scream2", variant) for variant in case.variants}
    runs = {name: ackclock.run(scenario | {"duration": "60s"}) for name, scenario in by.items()}
    marks = {name: sum(int(row["marks"]) for row in run.links.rows()) for name, run in runs.items()}
    assert marks["DualPI2"] > 0
    delays = {name: call_measures(run, "S1").delay_p95_ms for name, run in runs.items()}
    assert delays["DualPI2"] < delays["CoDel"]


def test_the_flow_over_two_bottlenecks_crosses_all_links():
    (case,) = chosen(("6.3",))
    scenario = case.scenario("fixed", case.variants[0]) | {"duration": "20s"}
    for flow in scenario["flows"]:
        flow["app"] |= {"control": "fixed", "start_rate": "150kbps", "on": "15s"}
    scenario["bottleneck"]["jitter"] = "0ms"
    run = ackclock.run(scenario, verify=True)
    # The propagation delay, and less than 10 ms for packets in front.
    delays = [row["audio_delay_p95_ms"] // 10 * 10 for row in run.call.rows()]
    assert delays == [100, 40, 40]


def test_a_case_of_a_radio_link_has_the_utilisation_of_the_link():
    (case,) = chosen(("2.2",))
    suite = run_suite([case], ["fixed"], [1])
    assert {one.variant.name for one in suite.outcomes} == {"40 ms", "150 ms"}
    for one in suite.outcomes:
        (link,) = (row for row in one.result.links.rows() if row["link"] == "bottleneck")
        assert one.utilisation == pytest.approx(link["utilisation"])
        assert 0 < one.utilisation <= 1
    assert all(len(row) == len(HEADER) for row in suite.rows())


def test_round_trip_times_of_the_fairness_case():
    (case,) = chosen(("5.5",))
    scenario = case.scenario("nada", case.variants[0]) | {"duration": "60s"}
    for flow in scenario["flows"]:
        flow["app"] |= {"control": "fixed", "start_rate": "150kbps", "audio": "20kbps", "on": "15s"}
    scenario["bottleneck"] |= {"jitter": "0ms", "rate": "1Gbps"}
    run = ackclock.run(scenario)
    delays = [row["audio_delay_p95_ms"] for row in run.call.rows()]
    assert [round(delay) for delay in delays] == [10, 25, 50, 100, 150]


def test_measures_of_a_phase():
    run = Run({"S1": steady(1e6, 0, 100), "S2": steady(0.5e6, 20, 100)})
    phase = phase_measures(run, Phase(20, 100, 2e6, ("S1", "S2")))
    assert phase.utilisation == pytest.approx(0.75)
    assert phase.ratio == pytest.approx(2.0)
    assert phase.jain == pytest.approx(1.5**2 / (2 * 1.25))
    assert math.isnan(phase.convergence_s), "1.5 of 2 Mbit/s are less than 80 %"
    assert (phase.oscillation, phase.delay_ms) == (0.0, 50.0)
    alone = phase_measures(run, Phase(0, 20, 1e6, ("S1",)))
    assert (alone.convergence_s, alone.utilisation) == (0.0, pytest.approx(1.0))
    assert math.isnan(alone.ratio)


def test_convergence_needs_three_seconds():
    rates = {second: 1e6 if second in (5, 6) or second >= 10 else 0.1e6 for second in range(1, 31)}
    phase = phase_measures(Run({"S1": rates}), Phase(0, 30, 1e6, ("S1",)))
    assert phase.convergence_s == 9.0


def test_a_run_has_the_measures_of_its_call():
    scenario = {
        "duration": "10s",
        "bottleneck": {"rate": "2Mbps", "delay": "50ms", "queue": "100kB"},
        "flows": [{"name": "S1", "app": CALL}],
    }
    run = ackclock.run(scenario, verify=True)
    call = call_measures(run, "S1")
    assert call.sent_bps == pytest.approx(500e3, rel=0.05)
    assert 50 < call.delay_mean_ms < 60
    assert (call.loss, call.freezes, call.skipped) == (0, 0, 0)
    series = series_of(run, "S1")
    assert np.allclose(series.at_s, np.arange(1, 11))
    assert np.all(series.target_bps == 500e3)


def test_the_same_bytes_whatever_the_threads():
    (case,) = chosen(("5.4",))
    scenario = case.scenario("scream", case.variants[0]) | {"duration": "45s"}
    one = ackclock.run(scenario, seeds=2, threads=1)
    two = ackclock.run(scenario, seeds=2, threads=2)
    for left, right in zip(one, two, strict=True):
        assert [*left.call_rates.rows()] == [*right.call_rates.rows()]


@pytest.mark.parametrize("control", [entry["name"] for entry in ackclock.catalogue()["media"]])
def test_the_verifier_finds_nothing(control):
    scenario = {
        "duration": "20s",
        "bottleneck": {"rate": "1Mbps", "delay": "20ms", "queue": "codel", "loss": "1%", "jitter": "5ms"},
        "flows": [
            {
                "name": "S1",
                "app": {"kind": "call", "control": control, "ecn": "ect0", "audio": "20kbps", "frames": True},
            },
            {"name": "tcp", "app": "bulk", "start": "5s"},
        ],
    }
    run = ackclock.run(scenario, verify=True)
    (row,) = run.call.rows()
    assert row["lost"] > 0
    assert row["played"] > 300


def test_the_checks_are_those_of_the_rfcs():
    run = Run({"S1": steady(1.2e6, 0, 125), "S2": steady(0.3e6, 0, 125)})
    by = {case.number: case for case in BASIC}

    def verdicts(number, phases):
        return [check.passes for check in checks_of(by[number], [phase_measures(run, phase) for phase in phases])]

    both = Phase(0, 120, 2e6, ("S1", "S2"))
    assert verdicts("5.1", [both]) == []
    assert verdicts("5.4", [both]) == [False], "a ratio of 4"
    assert verdicts("5.7", [both]) == [True]
    assert verdicts("5.8", [both, both, both]) == [False, False]


def test_names_of_cases():
    assert [case.number for case in chosen(("pause", "5.1"))] == ["5.1", "5.8"]
    with pytest.raises(
        RefusedError, match=r"paus: no case of RFC 8867 or RFC 8869 has this name.*\n.*accepted: variable-capacity"
    ):
        chosen(("paus",))


def test_the_command_prints_and_writes(cli, tmp_path):
    status, out, _ = cli("suite", "rmcat", "--list")
    assert (status, "5.8" in out) == (0, True)
    status, out, _ = cli("suite", "rmcat", "5.4", "--control", "fixed", "--json", "--out", tmp_path / "out")
    document = json.loads(out)
    assert (status, document["summary"]) == (0, {"checks": 1, "failed": 0})
    (outcome,) = document["outcomes"]
    # A fixed rate of 150 kbit/s has no trouble with its neighbours.
    assert outcome["checks"][0]["value"] == pytest.approx(1.0, abs=0.1)
    made = {path.name for path in (tmp_path / "out").iterdir()}
    assert made >= {"rmcat.html", "rmcat.json", "5.4-competing-media.svg"}


def test_a_case_with_more_calls_than_colours_is_drawn(tmp_path):
    (case,) = chosen(("wifi-8",))
    run_suite([case], ["fixed"], [1]).write(tmp_path, "ackclock suite rmcat wifi-8")
    assert "8 calls" in (tmp_path / "3.2g-wifi-8.svg").read_text(encoding="utf-8")
    assert (tmp_path / "rmcat.html").exists()


def test_a_row_has_a_cell_for_each_column():
    (case,) = chosen(("5.4",))
    suite = run_suite([case], ["fixed"], [1])
    assert all(len(row) == len(HEADER) for row in suite.rows())
    assert CONTROLS == ("nada", "scream", "scream2", "gcc")
