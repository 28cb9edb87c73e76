"""Packing and verifying that are ended, or whose disk is full, at their calls; and two packs of one name."""

import hashlib
import shutil
from contextlib import chdir

import pytest

from ackclock.cli import main
from ackclock.judge import packs
from tests.helpers.everywhere import Trial, full, killed, undisturbed
from tests.judge.packs.parts import made

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A store, and a pack of it."""
    folder = tmp_path_factory.mktemp("packs")
    (folder / "made").mkdir()
    made(folder / "made")
    return folder


def act(folder):
    there = (folder / "x.zip").exists()
    with chdir(folder):
        status = main(["pack", "store", "--out", "x.zip", "--without-wheel"])
    # A pack that is there is whole, which `sound` has seen, and is not written twice.
    return 0 if there and status == 2 else status


def state(folder):
    return hashlib.sha256((folder / "x.zip").read_bytes()).hexdigest()


def test_a_pack_is_there_whole_or_not_at_all(root):
    def sound(folder):
        if (folder / "x.zip").exists():
            assert state(folder) == state(root / "whole/work")

    trial = Trial(lambda folder: shutil.copytree(root / "made/store", folder / "store"), act, state, sound)
    undisturbed(trial, root)
    for fault in (killed, full):
        tried, wrong = fault(trial, root, step=4)
        assert wrong == []
        assert tried > 5


def test_verifying_leaves_nothing(root, tmp_path):
    def verify(folder):
        return main(["verify", str(folder / "one.zip"), "--threads", "1"])

    trial = Trial(lambda folder: shutil.copy(root / "made/one.zip", folder), verify, lambda folder: None)
    undisturbed(trial, tmp_path)
    for fault, step in ((killed, 7), (full, 3)):
        tried, wrong = fault(trial, tmp_path, step=step)
        assert wrong == []
        assert tried > 5


def test_a_pack_of_a_name_that_another_process_has_taken_meanwhile_is_refused(root, tmp_path, monkeypatch):
    out = tmp_path / "x.zip"
    whole = packs.archive.digests

    def slowly(result):
        out.write_bytes(b"another pack")
        return whole(result)

    monkeypatch.setattr(packs.archive, "digests", slowly)
    with pytest.raises(packs.PackError, match="exists already"):
        packs.pack(root / "made/store", out, without_wheel=True)
    assert [path.name for path in tmp_path.iterdir()] == ["x.zip"]
    assert out.read_bytes() == b"another pack"
