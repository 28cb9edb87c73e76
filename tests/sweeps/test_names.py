"""Names of sweeps, the list of a store's sweeps, and measures that are refused before the first run."""

from __future__ import annotations

import json

import pytest

import ackclock
from ackclock.cli import main
from ackclock.results.measure import Measure, MeasureError
from ackclock.sweeps import SweepError

CCS = {"flows[0].cc": ["reno", "cubic"]}


def swept(small, out, *, seeds=1, vary=CCS, **options):
    with ackclock.sweep(small, vary, seeds=seeds, overrides={"duration": "2s"}, out=out, **options) as store:
        return store.sweeps[0]


def test_a_sweep_has_the_name_that_it_is_given(small, tmp_path):
    one = swept(small, tmp_path / "s", name="controls")
    two = swept(small, tmp_path / "s", vary={"bottleneck.queue": ["1bdp", "2bdp"]}, name="buffers")
    assert (one.name, two.name) == ("controls", "buffers")
    with ackclock.open(tmp_path / "s", sweep="buffers") as store:
        assert [sweep.id for sweep in store.sweeps] == [two.id]
    with ackclock.open(tmp_path / "s") as store:
        assert [sweep.name for sweep in store.sweeps] == ["controls", "buffers"]


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 101])
def test_a_name_that_cannot_be_shown_is_refused(small, tmp_path, name):
    with pytest.raises(SweepError, match="accepted: 1 to 100 characters"):
        swept(small, tmp_path / "s", name=name)
    assert not (tmp_path / "s").exists()


def test_more_seeds_make_no_ambiguity(small, tmp_path):
    swept(small, tmp_path / "s", seeds=1)
    swept(small, tmp_path / "s", vary={"bottleneck.queue": ["1bdp", "2bdp"]}, name="buffers")
    more = swept(small, tmp_path / "s", seeds=2)
    with ackclock.open(tmp_path / "s") as store:
        assert [sweep.name for sweep in store.sweeps] == ["buffers", "small"]
    with ackclock.open(tmp_path / "s", sweep="small") as store:
        assert [sweep.id for sweep in store.sweeps] == [more.id]
        assert [one.estimate.n for one in store.estimates("flows.goodput_bps")] == [2, 2]
    with ackclock.open(tmp_path / "s", covered=True) as store:
        assert len(store.sweeps) == 3


def test_ls_lists_every_sweep(small, tmp_path, capsys):
    swept(small, tmp_path / "s", seeds=1)
    swept(small, tmp_path / "s", seeds=3)
    assert main(["ls", str(tmp_path / "s"), "--json"]) == 0
    one, two = json.loads(capsys.readouterr().out)
    assert [(row["name"], row["points"], row["seeds"], row["done"], row["missing"]) for row in (one, two)] == [
        ("small", 2, 1, 2, 0),
        ("small", 2, 3, 6, 0),
    ]
    assert one["varied"] == ["flows[0].cc"]
    assert main(["ls", str(tmp_path / "s")]) == 0
    assert one["id"] in capsys.readouterr().out
    assert main(["ls", str(tmp_path / "none")]) == 2


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("flows.godput_bps", "did you mean goodput_bps"),
        ("flow.goodput_bps", "did you mean flows"),
        ("nothing.at_all", "there are"),
    ],
)
def test_a_measure_that_no_run_has_is_refused_before_the_first(scenario_file, tmp_path, capsys, text, meant):
    with pytest.raises(MeasureError, match=meant):
        Measure.parse(text).check()
    assert main(["sweep", str(scenario_file), "--of", text, "--out", str(tmp_path / "s")]) == 2
    assert meant in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "s").exists()


def test_measures_of_the_user_are_not_checked():
    Measure.parse("measures.whatever").check()
    Measure.parse("p95(window.srtt_ms)").check()


def test_a_sweep_without_of_prints_the_usual_measures(scenario_file, tmp_path, capsys):
    assert main(["sweep", str(scenario_file), "--set", "duration=2s", "--out", str(tmp_path / "s")]) == 0
    out = capsys.readouterr().out
    # The applications decide: the film's stalls come first, then the transfers, the delay, and the flow in bulk.
    usual = ["dash.stall_s", "completions.mean_s", "links[bottleneck].queue_delay_mean_ms", "flows[one].goodput_bps"]
    places = [out.find(measure) for measure in usual]
    assert -1 not in places
    assert places == sorted(places)


def test_a_run_and_a_sweep_do_not_share_a_folder(scenario_file, tmp_path, capsys):
    of_run, of_sweep = str(tmp_path / "run"), str(tmp_path / "sweep")
    short = ["--set", "duration=2s", "--out"]
    assert main(["run", str(scenario_file), *short, of_run]) == 0
    assert main(["sweep", str(scenario_file), *short, of_sweep]) == 0
    capsys.readouterr()
    assert main(["sweep", str(scenario_file), *short, of_run]) == 2
    assert "holds the results of a run; name another folder" in capsys.readouterr().err
    assert main(["run", str(scenario_file), *short, of_sweep]) == 2
    assert "holds a store of sweeps, which nothing replaces" in capsys.readouterr().err
