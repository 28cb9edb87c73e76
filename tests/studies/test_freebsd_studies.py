"""The studies freebsd-prr and freebsd-newcwv on the real engine, at a size of seconds."""

import numpy as np
import pytest

from ackclock.scenario import Text
from ackclock.studies import freebsd_newcwv, freebsd_prr
from ackclock.studies.framework import Grid, Lab, Reading, Variant, sweep
from ackclock.studies.freebsd_newcwv import figures
from ackclock.studies.freebsd_newcwv import readings as bursts
from ackclock.studies.freebsd_prr import readings as transfers


@pytest.fixture(scope="module")
def newcwv():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bursts, "ASSUMPTIONS", bursts.ASSUMPTIONS[:1])
        patch.setattr(bursts, "FLOWS_ASSUMPTIONS", bursts.FLOWS_ASSUMPTIONS[:1])
        patch.setattr(bursts, "RESTARTED_ASSUMPTIONS", bursts.RESTARTED_ASSUMPTIONS[:1])
        patch.setattr(figures, "RATES_MBPS", (1, 35))
        patch.setattr(figures, "RTTS_MS", (10, 120))
        patch.setattr(figures, "LOSSES_PERCENT", (0, 10))
        return freebsd_newcwv.STUDY.reproduce(Lab(quick=True))


@pytest.fixture(scope="module")
def prr():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transfers, "ASSUMPTIONS", transfers.ASSUMPTIONS[:1])
        return freebsd_prr.STUDY.reproduce(Lab(quick=True))


def claims_of(result):
    return {one.claim.id: one for one in result.claims}


@pytest.mark.parametrize("claim", ["size-largest", "size-largest-prr", "flows-largest", "flows-largest-prr"])
def test_what_newcwv_did_not_do_here(newcwv, claim):
    assert claims_of(newcwv)[claim].verdict == "not reproduced"


@pytest.mark.parametrize("claim", ["collapses", "stays"])
def test_what_follows_from_the_algorithm_does_not_count(newcwv, claim):
    one = claims_of(newcwv)[claim]
    assert one.verdict == "illustration"
    assert one.holds_under == list(one.readings)


def test_a_later_algorithm_is_another_cell(prr):
    kinds = {name: kind for one in prr.claims for name, kind in one.kinds.items()}
    assert {name for name, kind in kinds.items() if kind == "cell"} == {name for name in kinds if "9937" in name}
    assert set(kinds.values()) == {"assumption", "cell"}


def test_the_illustrations_are_those_of_the_slides(newcwv, tmp_path):
    newcwv.write(tmp_path)
    page = (tmp_path / "report.html").read_text()
    # Two windows over time, two sweeps, and the dispersion of starts.
    assert page.count("data-plot=") == 5
    assert "newCWV off" in page
    assert "newCWV + PRR, 10 % of loss" in page, "the map over the ranges of the topology"
    assert {path.name for path in tmp_path.iterdir()} >= {"burst-size.csv", "number-of-flows.csv", "scenario.toml"}


def test_a_restart_with_the_initial_window_costs_the_stock_less(newcwv):
    for claim in ("size-largest", "flows-largest"):
        readings = claims_of(newcwv)[claim].readings
        other = readings[bursts.restarted(bursts.MAIN)][0]
        assert 0 < other.value < readings[bursts.MAIN][0].value


def test_the_dispersion_of_starts_is_a_table_with_both_restarts(newcwv):
    (sheet,) = (one for one in newcwv.sheets if one.name == "dispersion")
    assert [row[:3] for row in sheet.rows] == [["4,380 bytes", "on", 1000], ["the initial window", "on", 1000]]
    by_claim = claims_of(newcwv)
    assert sheet.rows[0][3] == by_claim["flows-smallest"].measured.value
    assert sheet.rows[0][6] == by_claim["flows-largest"].measured.value


def test_the_map_covers_the_ranges_of_the_topology():
    paths = [one.overrides for one in figures.topology_readings(Text(""))]
    assert len(paths) == len(figures.RATES_MBPS) * len(figures.RTTS_MS) * len(figures.LOSSES_PERCENT)
    assert {one["bottleneck.rate"] for one in paths} >= {"1Mbps", "35Mbps"}
    assert {one["bottleneck.delay"] for one in paths} >= {"5ms", "60ms"}
    assert {one["bottleneck.loss"] for one in paths} >= {"0%", "10%"}


def test_starts_are_dispersed_as_the_readings_say():
    by_name = {one.name: one.overrides for one in bursts.FLOWS_ASSUMPTIONS}
    for nagle, names in bursts.DISPERSIONS.items():
        for ms, name in names.items():
            assert by_name[name].get("flows[0].nagle", True) is nagle
            assert by_name[name].get("flows[0].start_jitter", "1000ms").removesuffix("ms") in (str(ms), "0s")


def test_every_claim_of_prr_is_judged_under_every_pair(prr, tmp_path):
    assert all(len(one.readings) == 9 and one.measured is not None for one in prr.claims)
    prr.write(tmp_path)
    assert (tmp_path / "report.html").read_text().count("data-plot=") == 3


def test_random_loss_makes_transfers_longer(prr, tmp_path):
    prr.write(tmp_path)
    lines = (tmp_path / "runs-random-loss.csv").read_text().splitlines()
    rows = [line.split('",') if line.startswith('"') else line.split(",", 1) for line in lines[1:]]
    times = {}
    for name, rest in rows:
        variant, _seed, seconds, finished = rest.split(",")
        assert float(finished) == 1.0
        times.setdefault((int(name.strip('"').split(";")[0].split()[-1]), variant), []).append(float(seconds))
    for variant in ("freebsd-sack", "prr-ssrb"):
        means = [sum(times[percent, variant]) / len(times[percent, variant]) for percent in (1, 4, 10)]
        assert 4.0 < means[0] < means[1] < means[2]


def made(times):
    """A sweep over 1 and 2 whose variants took these times, by value and variant."""
    one = sweep.Sweep("length", "m", {1: {}, 2: {}})
    variants = (Variant("old", "Old"), Variant("new", "New"))
    names = {x: f"length {x}; main" for x in one.points}
    readings = tuple(Reading(name, Text("")) for name in names.values())
    cells = {(names[x], variant): {"time_s": np.array(values)} for (x, variant), values in times.items()}
    return sweep.Swept(one, Grid(readings, variants, {}, cells), (sweep.Assumption("main"),))


def test_a_benefit_is_the_part_of_the_time_that_is_saved():
    swept = made({(1, "old"): [2.0, 2.0], (1, "new"): [1.0, 1.0], (2, "old"): [4.0, 4.0], (2, "new"): [5.0, 5.0]})
    assert swept.benefit("main", 1, "new", "old").value == pytest.approx(50)
    assert swept.largest("main", "new", "old").value == pytest.approx(50)
    assert swept.smallest("main", "new", "old").value == pytest.approx(-25)
