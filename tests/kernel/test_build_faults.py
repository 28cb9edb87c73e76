"""A build that is ended, or whose disk is full, at its calls: the cache has the whole kernel or none, nothing else."""

import os
import sys
from types import SimpleNamespace
from unittest import mock

import pytest

from ackclock import kernel
from ackclock.cli import main
from tests.helpers.everywhere import Trial, full, killed, undisturbed
from tools.faults.subjects import source

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="kernels in user mode need Linux"),
]


def surroundings(folder):
    programs = os.pathsep.join([str(folder / "programs"), os.environ["PATH"]])
    return mock.patch.dict(os.environ, PATH=programs, XDG_CACHE_HOME=str(folder / "cache"))


def act(folder):
    with surroundings(folder):
        return main(["kernel", "build", "--source", str(folder / "linux")])


def state(folder):
    with surroundings(folder):
        return [(one.version, one.binary.read_bytes()) for one in kernel.built()]


def sound(folder):
    assert all(len(binary) == 20_000 for _, binary in state(folder))


@pytest.mark.parametrize("fault", [killed, full], ids=["killed", "a full disk"])
def test_a_build_leaves_a_whole_kernel_or_none(tmp_path, fault):
    trial = Trial(lambda folder: source(SimpleNamespace(work=folder)), act, state, sound)
    undisturbed(trial, tmp_path)
    tried, wrong = fault(trial, tmp_path, step=3)
    assert wrong == []
    assert tried > 5


@pytest.mark.parametrize(
    "text", ["", "[]", "[" * 100_000, '{"hz": 1000}', '{"hz": ' + "9" * 5000 + "}", '{"hz": 1, "hz": 2}', "\x00"]
)
def test_a_kernel_whose_description_is_damaged_has_one_message(tmp_path, monkeypatch, capsys, text):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "ackclock/kernels" / ("0" * 16)
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(text, encoding="utf-8")
    assert main(["kernel", "list"]) == 2
    told = capsys.readouterr().err
    assert "does not describe a kernel" in told
    assert str(folder) in told


def test_a_user_without_a_home_directory_is_told(monkeypatch, capsys):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("pathlib.Path.home", nowhere)
    assert main(["kernel", "list"]) == 2
    assert "no home directory for the cache of kernels; accepted: HOME or XDG_CACHE_HOME" in capsys.readouterr().err
