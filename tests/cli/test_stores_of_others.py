"""Stores and baselines of others: no command executes what they bring."""

import json
from contextlib import chdir

import pytest

import ackclock
from ackclock.cc import registry
from ackclock.cli import main
from tests.helpers.scenarios import SWEPT

CONTROL = """
import pathlib
import ackclock

pathlib.Path({place!r}).write_text("executed")


@ackclock.congestion_control("brought")
class Brought(ackclock.WindowRules):
    def reduction(self, flow):
        return 0.5
"""
COMMANDS = {
    "ls": ["ls", "store"],
    "sql": ["sql", "store", "SELECT count(*) FROM flows"],
    "export": ["export", "store", "--of", "flows.goodput_bps", "--out", "x.csv"],
    "compare": ["compare", "store", "--against", "flows[0].cc=reno"],
    "report": ["report", "store"],
    "pack": ["pack", "store", "--out", "x.zip", "--without-wheel"],
    "sweep": ["sweep", "scenario.toml", "--vary", "flows[0].cc=reno,cubic", "--seeds", "2", "--out", "store"],
    "gate": ["gate", "scenario.toml", "--baseline", "gate.json", "--threads", "1"],
}


@pytest.fixture
def folder(tmp_path):
    """A store and a baseline that bring a congestion control in Python, which leaves a trace when it is executed."""
    trace = tmp_path / "trace"
    (tmp_path / "brought.py").write_text(CONTROL.format(place=str(trace)), encoding="utf-8")
    (tmp_path / "scenario.toml").write_text(SWEPT.replace("500ms", "200ms"), encoding="utf-8")
    with chdir(tmp_path), registry.adopted({}):
        registry.load("brought.py")
        ackclock.sweep("scenario.toml", {"flows[0].cc": ["reno", "brought"]}, seeds=2, out="store", threads=1).close()
        take = ["--baseline", "gate.json", "--update", "--reason", "x", "--threads", "1"]
        assert main(["gate", "scenario.toml", *take, "--set", 'flows[0].cc="brought"']) == 0
    assert trace.exists()
    trace.unlink()
    [sweep] = (tmp_path / "store/sweeps").iterdir()
    assert "executed" in json.dumps(json.loads(sweep.read_text(encoding="utf-8"))["algorithms"])
    (tmp_path / "brought.py").unlink()
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_of_a_store_or_a_baseline_is_executed(folder, capsys, name):
    with chdir(folder):
        status = main(COMMANDS[name])
    told = capsys.readouterr()
    # The scenario of the baseline names a congestion control that is not here.
    assert status == (2 if name == "gate" else 0), told.err
    assert not (folder / "trace").exists()
