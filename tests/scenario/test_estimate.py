"""Estimates of packets, rows and memory: above what a run has, and not by far; and what is too large is refused."""

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
    assert "and this machine has 1 MiB; accepted: less, or the option --large " in told
    assert not out.exists()
    with pytest.raises(ackclock.ScenarioError, match="a run may take"):
        ackclock.trace(scenario_file, tmp_path, events=True)
    assert main(["run", str(scenario_file), "--out", str(out), "--large"]) == 0
    assert (out / "summary.json").exists()


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
