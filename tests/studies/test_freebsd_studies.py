"""The studies freebsd-prr and freebsd-newcwv on the real engine, at a size of seconds."""

import numpy as np
import pytest

from ackclock.scenario import Text
from ackclock.studies import freebsd_newcwv, freebsd_prr
from ackclock.studies.framework import Grid, Lab, Reading, Variant, sweep
from ackclock.studies.freebsd_newcwv import readings as bursts
from ackclock.studies.freebsd_prr import readings as transfers


@pytest.fixture(scope="module")
def newcwv():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bursts, "ASSUMPTIONS", bursts.ASSUMPTIONS[:1])
        patch.setattr(bursts, "FLOWS_ASSUMPTIONS", bursts.FLOWS_ASSUMPTIONS[:1])
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
    assert page.count("data-plot=") == 4
    assert "newCWV off" in page
    assert {path.name for path in tmp_path.iterdir()} >= {"burst-size.csv", "number-of-flows.csv", "scenario.toml"}


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
