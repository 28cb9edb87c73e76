"""`ackclock new` that is ended, or whose disk is full, at each of its calls: whole files or none."""

from contextlib import chdir
from pathlib import Path

import pytest

from ackclock.cli import main
from tests.helpers.everywhere import Trial, full, killed, undisturbed

WORKFLOW = ".github/workflows/ackclock-gate.yml"
MADE = {
    ("scenario", "remycc"): ["remycc.dna", "remycc.toml"],
    ("cc", "my-own"): ["my_own.py"],
    ("abr", "my-rule"): ["my_rule.py"],
    ("workflow",): [WORKFLOW],
}


def state(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("words", MADE, ids=" ".join)
@pytest.mark.parametrize("fault", [killed, full])
def test_its_files_are_there_whole_or_not_at_all(tmp_path, monkeypatch, words, fault):
    # A wheel of this installation would take seconds.
    monkeypatch.setattr("ackclock.judge.gate.workflow._requirement", lambda _: "ackclock")
    names = MADE[words]

    def act(folder):
        there = all((folder / name).exists() for name in names)
        with chdir(folder):
            status = main(["new", *words])
        # What is whole is not written twice.
        return 0 if there and status == 2 else status

    def sound(folder):
        whole = state(tmp_path / "whole/work")
        assert all(content == whole[name] for name, content in state(folder).items() if ".partial-" not in name)

    trial = Trial(lambda _: None, act, state, sound)
    undisturbed(trial, tmp_path)
    assert sorted(state(tmp_path / "whole/work")) == names
    tried, wrong = fault(trial, tmp_path)
    assert wrong == []
    assert tried >= len(names)


def test_a_start_that_was_killed_between_two_files_is_completed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "scenario", "remycc"]) == 0
    whole = state(tmp_path)
    Path("remycc.dna").unlink()
    assert main(["new", "scenario", "remycc"]) == 0
    assert state(tmp_path) == whole
    assert main(["new", "scenario", "remycc"]) == 2
    assert "remycc.toml exists; it is not overwritten" in capsys.readouterr().err
