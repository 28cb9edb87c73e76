"""Estimates of packets, rows and memory: above what a run has, and not by far; and what is too large is refused."""

import json
import re

import pytest

import ackclock
from ackclock.cli import main
from ackclock.scenario._estimate import estimate, size
from tests.helpers.places import ROOT

PROBES = {f"probes.{name}": True for name in ("window", "packets", "timeouts", "delays", "queues", "rates")}
SMALL = {"duration": "5s"}
ALL = [(f"scenarios/{name}.toml", {}) for name in ("remycc", "transfer", "satellite-chain")]
ALL += [(f"scenarios/{name}.toml", SMALL) for name in ("bulk", "dash-newcwv", "parking-lot")]
ALL += [(f"scenarios/{name}.toml", SMALL | PROBES) for name in ("bulk", "dash-newcwv", "parking-lot")]
STUDIES = ("freebsd_newcwv", "freebsd_prr", "framework/setups/wireless_bursts")
ALL += [(f"python/ackclock/studies/{name}/scenario.toml", {}) for name in STUDIES]


@pytest.mark.parametrize(("file", "changes"), ALL)
def test_an_estimate_is_above_the_run_and_not_by_far(file, changes):
    found = estimate(ROOT / file, changes)
    result = ackclock.run(ROOT / file, overrides=changes)
    packets = sum(row["packets"] + row["drops"] for row in result.links.rows())
    rows = sum(len(list(table.rows())) for table in result.tables.values())
    assert packets <= found.packets <= 8 * packets + 1000
    assert rows <= found.rows <= 6 * rows + 1000
    assert found.memory > 600 * rows
    assert found.parts == tuple(sorted(found.parts, key=lambda part: -part[1]))


def test_opportunities_of_cellular_links_count_though_no_packet_uses_them(small):
    cellular = {"bottleneck.rate": {"kind": "cellular", "max_rate": "12Mbps"}, "duration": "100s"}
    found = estimate(small, cellular).opportunities
    assert found == pytest.approx(10 * estimate(small, cellular | {"duration": "10s"}).opportunities, rel=1e-3)
    faster = {"bottleneck.rate": {"kind": "cellular", "max_rate": "120Mbps"}, "duration": "100s"}
    assert estimate(small, faster).opportunities > 10 * found
    assert "opportunities of cellular links" in str(estimate(small, cellular))
    assert estimate(small).opportunities == 0
    assert "opportunities" not in str(estimate(small))


def test_check_prints_the_estimate(scenario_file, capsys):
    assert main(["check", str(scenario_file)]) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == f"{scenario_file}: the scenario is valid"
    assert second == f"a run has {estimate(scenario_file)}"
    assert second.startswith("a run has at most ")
    assert second.endswith(" MiB of memory")


def test_what_this_machine_has_no_memory_for_is_refused_unless_asked_for(scenario_file, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("ackclock.scenario._estimate.physical_memory", lambda: 1 << 20)
    out = tmp_path / "out"
    assert main(["run", str(scenario_file), "--out", str(out)]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert told.startswith(f"ackclock: {scenario_file}: probes.packets: a run may take ")
    assert "and this machine has 1 MiB; accepted: probes.from and probes.to around a part of the run, " in told
    assert ", a shorter duration, or the option --large " in told
    assert not out.exists()
    with pytest.raises(ackclock.ScenarioError, match="a run may take"):
        ackclock.trace(scenario_file, tmp_path, events=True)
    assert main(["run", str(scenario_file), "--out", str(out), "--large"]) == 0
    assert (out / "summary.json").exists()


BIG = {"duration": "300s", "bottleneck.rate": "10Gbps", "probes.window": True, "probes.interval": "10ms"}
LOSSY = BIG | {"bottleneck.loss": "1%", "bottleneck.delay": "40ms"}
SMALL_WINDOW = BIG | {"bottleneck.delay": "45ms", "flows[0].receive_buffer": "64kB"}
WEB = """
duration = "17s"
[bottleneck]
rate = "290Mbps"
delay = "20ms"
[[flows]]
app = { kind = "web", sessions_per_second = 2, pages = 300, objects = 60, object_size = "8kB", think = "2s" }
[probes]
packets = true
"""


def rows_of(result, names):
    return sum(len(result.tables[name]) for name in names)


@pytest.mark.parametrize("changes", [LOSSY, SMALL_WINDOW])
def test_an_interval_limits_the_rows_of_windows_at_a_high_rate(changes, tmp_path):
    """It was 10 % of all packets of the link, 29.9 GiB; a row for each interval and few for each RTT remain."""
    file = tmp_path / "big.toml"
    file.write_text('[bottleneck]\nrate = "1Mbps"\ndelay = "1ms"\n[[flows]]\napp = "bulk"\n')
    found = estimate(file, changes)
    written = rows_of(ackclock.run(file, overrides=changes), ("window", "events"))
    assert written < found.rows < 30 * written + 1000
    assert found.memory < 200 << 20


def test_a_session_takes_time_so_that_pages_and_objects_without_end_do_not_count(tmp_path):
    """The estimate had every page of each session that arrives: 516 GiB for another scenario of the kind."""
    file = tmp_path / "web.toml"
    file.write_text(WEB)
    found = estimate(file)
    result = ackclock.run(file)
    written = rows_of(result, result.tables)
    assert written < found.rows < 15 * written
    assert found.memory < 2 << 30


def test_packets_that_are_recorded_early_are_all_in_the_estimate(tmp_path):
    """All the packets of a transfer at the start of a long run, recorded in a hundredth of it."""
    file = tmp_path / "early.toml"
    file.write_text(
        'duration = "100s"\n[bottleneck]\nrate = "10Mbps"\ndelay = "10ms"\n'
        '[[flows]]\napp = { kind = "transfer", size = "500kB" }\n[probes]\npackets = true\nto = "1s"\n'
    )
    result = ackclock.run(file)
    assert rows_of(result, result.tables) <= estimate(file).rows


def test_a_refusal_names_what_to_change_and_how_much_fits(scenario_file, monkeypatch, capsys):
    found = estimate(scenario_file)
    room = found.memory - found.parts[0][1] / 2
    monkeypatch.setattr("ackclock.scenario._estimate.physical_memory", lambda: int(room))
    assert main(["run", str(scenario_file)]) == 2
    assert "(there is room for 50 % of it)" in capsys.readouterr().err


def test_counts_are_whole_numbers(small, scenario_file, capsys):
    assert main(["check", str(scenario_file), "--json"]) == 0
    sizes = json.loads(capsys.readouterr().out)["estimate"]
    assert all(isinstance(value, int) for value in sizes.values())
    told = str(estimate(small, {"duration": "1100ms"}))
    assert re.fullmatch(r"at most [\d,]+ packets, [\d,]+ table rows, \d+ MiB of memory", told), told


def test_samples_without_end_are_refused_with_the_interval_that_would_do(small):
    """A nanosecond over ten years: 3e17 rows for each of two links."""
    wrong = {"duration": "87600h", "probes.interval": "1ns", "probes.queues": True}
    with pytest.raises(ackclock.ScenarioError) as caught:
        ackclock.check(small, wrong)
    [problem] = caught.value.problems
    assert problem["path"] == "probes.interval"
    assert problem["message"].startswith(
        '"1ns" makes 6.3e17 rows in the tables of queues and rates; accepted: at least '
    )
    accepted = problem["message"].split('"')[3]
    assert ackclock.check(small, wrong | {"probes.interval": accepted})["probes"]["interval"] == accepted


def test_extremes_are_estimated_without_an_error(small):
    for changes in (
        {"duration": "87600h", "bottleneck.rate": "1000Tbps"},
        {"probes.interval": "0s"},
        {"duration": "1ns", "flows[2].start": "0s", "flows[0].start_jitter": "0s"},
    ):
        found = estimate(small, changes)
        assert found.packets > 0
        assert str(found).startswith("at most ")
    assert [size(count) for count in (1e6, 5e9, 7e30)] == ["1 MiB", "4.66 GiB", "6.4e+18 TiB"]
