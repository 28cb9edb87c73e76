"""The common TCP evaluation suite: its traffic against SURGE, its tests, and its command."""

import json
import math
import random

import pytest

from ackclock import run
from ackclock.cli import main
from ackclock.judge.tcpeval import TCPEVAL, mean_size, sizes, traffic
from ackclock.judge.tcpeval.traffic import EDGES
from ackclock.scenario import check
from ackclock.scenario.traffic import tmix

NAMES = ["basic", "buffers", "ramp-up", "transients", "impact", "fairness", "bottlenecks"]


def command(capsys, *arguments):
    """Exit status, standard output and standard error of a command line."""
    status = main(["suite", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_sizes_are_those_of_surge():
    # The quantiles of the generator of tmix vectors, which draws SURGE by inversion, are the oracle.
    work = tmix.Workload(sessions_per_second=400, epochs=1)
    drawn = sorted(
        unit.size
        for connection in tmix.generate(100.0, seed=7, workload=work)
        for unit in connection.units
        if not unit.initiator
    )
    found = sizes()
    assert list(found) == sorted(set(found))
    for probability in (0.1, 0.3, 0.5, 0.8, 0.96, 0.98):
        mine = next(size for size, one in found if one >= probability - 1e-6)
        other = drawn[int(probability * len(drawn))]
        below = max((size for size, one in found if one <= probability + 1e-6), default=0)
        assert below * 0.9 <= other <= mine * 1.1, probability
    assert found[-1] == (10_000_000, 1.0)


def test_the_mean_is_that_of_the_distribution_as_it_is_drawn():
    found = sizes()
    draw = random.Random(5).random
    total = 0.0
    count = 200_000
    for _ in range(count):
        number = draw()
        place = next(index for index, (_, one) in enumerate(found) if one >= number)
        if place == 0:
            total += found[0][0]
            continue
        (small, before), (large, after) = found[place - 1], found[place]
        total += small + (large - small) * (number - before) / (after - before)
    assert mean_size() == pytest.approx(total / count, rel=0.03)


def test_nine_pairs_have_the_round_trip_times_of_the_draft():
    assert sorted(2 * (left + right) for left, right in EDGES) == [4, 28, 54, 74, 98, 124, 150, 174, 200]
    flows = traffic(0.85, 100e6)
    assert len(flows) == 9
    asked = sum(flow["app"]["sessions_per_second"] for flow in flows) * mean_size() * 8
    assert asked == pytest.approx(0.85 * 100e6, rel=1e-4)


def test_the_link_carries_the_load_that_is_asked_for():
    flows = [
        {name: value for name, value in flow.items() if name != "role"} | {"cc": "cubic"} for flow in traffic(0.6, 20e6)
    ]
    document = {
        "name": "load", "duration": "60s", "bottleneck": {"rate": "20Mbps", "delay": "2ms", "queue": "1bdp"},
        "flows": flows,
    }  # fmt: skip
    used = [row["utilisation"] for seed in (1, 2, 3, 4) for row in run(document, seed=seed).links.rows()
            if row["link"] == "bottleneck"]  # fmt: skip
    # Headers add 4 %; a tail with an exponent of 1.1 makes single runs differ by a fifth.
    assert 0.5 < sum(used) / len(used) < 0.75


def test_every_test_can_be_run_and_says_what_is_not_there():
    every = TCPEVAL.chosen(())
    assert [one.number for one in every] == NAMES
    assert any(one.unshown for one in every)
    for section in every:
        for scenario in section.scenarios:
            flows = [
                ({name: value for name, value in flow.items() if name != "role"} | {"stack": "linux", "cc": "reno"})
                if "role" in flow
                else flow
                for flow in scenario.flows
            ]
            assert any("role" in flow for flow in scenario.flows), scenario.name
            for point in scenario.points:
                check({"name": scenario.name} | scenario.network | {"flows": flows}, dict(point.settings))


def test_the_basic_tests_have_three_loads_and_the_sweep_five_buffers():
    basic, buffers = TCPEVAL.chosen(("basic", "buffers"))
    assert {scenario.name.rpartition("-")[2] for scenario in basic.scenarios} == {"60", "85", "110"}
    (sweep,) = buffers.scenarios
    assert [point.settings[0][1] for point in sweep.points] == ["0.1bdp", "0.2bdp", "0.5bdp", "1bdp", "2bdp"]


def test_a_test_has_a_table_and_says_that_the_traffic_is_ours(capsys, tmp_path):
    place = tmp_path / "out"
    arguments = ("tcpeval", "reno", "--quick", "--seeds", "2", "--test", "fairness", "--threads", "1")
    status, out, _ = command(capsys, *arguments, "--out", str(place))
    assert status == 0
    assert out.startswith("The traffic is ours.")
    assert "common TCP evaluation suite: reno" in out
    assert "two-flows, twice the RTT" in out
    assert {path.name for path in place.iterdir()} == {
        "ackclock.json", "appendix.md", "scenarios", "tcpeval.html", "tcpeval.json"
    }  # fmt: skip
    document = json.loads((place / "tcpeval.json").read_text(encoding="utf-8"))
    assert document["suite"] == "draft-irtf-iccrg-tcpeval-01"
    assert "rfc" not in document
    assert document["command"] == "ackclock suite tcpeval reno --quick --test fairness --seeds 2"
    assert "# Evaluation by the Common TCP Evaluation Suite" in (place / "appendix.md").read_text(encoding="ascii")
    assert "Common TCP evaluation suite: reno" in (place / "tcpeval.html").read_text(encoding="utf-8")
    rows = {row["point"]: row for row in document["sections"][0]["rows"] if row["row"].startswith("Smaller")}
    # Reno's goodput falls with the RTT (Mathis and others, CCR 1997): twice the RTT, less than the equal share.
    assert rows["the same RTT"]["mean"]["candidate"] > rows["twice the RTT"]["mean"]["candidate"]
    assert all(math.isfinite(value) for row in rows.values() for value in row["mean"].values())


def test_the_cases_of_bbr_are_those_of_conform(capsys):
    status, out, _ = command(capsys, "bbr", "--list", "--json")
    assert status == 0
    assert main(["conform", "bbr", "--list", "--json"]) == 0
    assert json.loads(out) == json.loads(capsys.readouterr().out)
    assert len(json.loads(out)["cases"]) == 22
    status, out, _ = command(capsys, "bbr", "drain-inflight")
    assert status == 0
    assert out.endswith("1 pass, 0 fail, 0 not applicable\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tcpeval", "cubik"), 'flows[0].cc: "cubik" is not a known congestion control'),
        (("tcpeval", "cubic", "--test", "basics"), "--test basics: the suite has no such test"),
        (("tcpeval", "cubic", "--seeds", "1"), "--seeds 1: expected 2 to 1000"),
        (("tcpeval", "cubic", "--library", "x.so"), "--library needs --transport"),
        (("bbr", "no-such-case"), "no-such-case"),
        (("reno",), "unknown command reno; accepted: rmcat, bbr, tcpeval"),
    ],
)
def test_wrong_requests_are_told_and_nothing_is_written(capsys, tmp_path, arguments, said):
    place = tmp_path / "out"
    status, out, err = command(capsys, *arguments, *(("--out", str(place)) if len(arguments) > 1 else ()))
    assert status == 2
    assert said in err
    assert "Traceback" not in err
    assert out == ""
    assert not place.exists()
