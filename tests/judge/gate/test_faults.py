"""An update of a baseline that is ended, or whose disk is full, at its calls; and two updates at once."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import chdir

import pytest

from ackclock.cli import main
from ackclock.judge import gate
from tests.helpers.everywhere import Trial, full, killed, undisturbed
from tests.helpers.places import ROOT
from tests.helpers.scenarios import SWEPT
from tests.judge.gate.parts import entry

pytestmark = pytest.mark.slow

TAKE = ["--baseline", "gate.json", "--update", "--reason", "more", "--threads", "1"]


def act(folder):
    with chdir(folder):
        return main(["gate", "b.toml", *TAKE])


def state(folder):
    document = json.loads((folder / "gate.json").read_text(encoding="utf-8"))
    for one in document["scenarios"].values():
        del one["updated"]
    return document


def sound(folder):
    assert "a" in gate.Baseline.read(folder / "gate.json").scenarios


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A baseline of one scenario, and another scenario."""
    made = tmp_path_factory.mktemp("updates")
    (made / "first").mkdir()
    for name, duration in (("a", "200ms"), ("b", "250ms")):
        (made / f"first/{name}.toml").write_text(SWEPT.replace("500ms", duration), encoding="utf-8")
    with chdir(made / "first"):
        assert main(["gate", "a.toml", *TAKE]) == 0
    return made


@pytest.fixture(scope="module")
def trial(root):
    made = Trial(lambda folder: shutil.copytree(root / "first", folder, dirs_exist_ok=True), act, state, sound)
    undisturbed(made, root)
    return made


@pytest.mark.parametrize("fault", [killed, full], ids=["killed", "a full disk"])
def test_an_update_leaves_the_old_baseline_or_the_new_one(root, trial, fault):
    tried, wrong = fault(trial, root)
    assert wrong == []
    assert tried >= 3


def test_an_update_keeps_what_another_one_has_written_meanwhile(tmp_path):
    rows = [[1.0] * 20]
    path = tmp_path / "gate.json"
    first = gate.Baseline({"a": entry(rows)}, 0.99)
    first.write(path)
    mine = gate.Baseline({"a": entry(rows), "b": entry(rows)}, 0.99)
    gate.Baseline({"a": entry(rows, reason="theirs"), "c": entry(rows)}, 0.95).write(path)
    now = mine.renew(path, ["b"], first)
    assert gate.Baseline.read(path) == now
    assert sorted(now.scenarios) == ["a", "b", "c"]
    assert now.scenarios["a"].reason == "theirs"
    assert now.level == 0.95, "what was not asked for stays as it is there"


def test_two_updates_at_once_both_stay(root, tmp_path):
    shutil.copytree(root / "first", tmp_path, dirs_exist_ok=True)
    (tmp_path / "c.toml").write_text((tmp_path / "b.toml").read_text().replace("10ms", "12ms"), encoding="utf-8")
    path = os.pathsep.join([str(ROOT / "python"), str(ROOT)])
    both = [
        subprocess.Popen(
            [sys.executable, "-m", "ackclock", "gate", f"{name}.toml", *TAKE],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": path},
            stdout=subprocess.DEVNULL,
        )
        for name in ("b", "c")
    ]
    assert [one.wait() for one in both] == [0, 0]
    assert sorted(gate.Baseline.read(tmp_path / "gate.json").scenarios) == ["a", "b", "c"]
