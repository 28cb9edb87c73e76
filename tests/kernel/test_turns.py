"""Locks between runs: in a folder of one user, with an end to the waiting."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ackclock import _core
from ackclock._errors import Cancelled, RefusedError
from ackclock.kernel import turns

fcntl = pytest.importorskip("fcntl")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Locks of the test alone."""
    monkeypatch.setattr(turns, "SYSTEM", tmp_path / "none")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / "ackclock"


class Clock:
    """A clock that goes on while somebody rests."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def rest(self, span: float) -> None:
        self.now += span


def test_the_folder_is_one_that_nobody_else_can_open(place):
    assert turns.folder() == place
    assert place.stat().st_mode & 0o777 == 0o700
    place.chmod(0o755)
    with pytest.raises(RefusedError, match="not this user's alone"):
        turns.folder()
    place.rmdir()
    place.symlink_to(place.parent)
    with pytest.raises(RefusedError, match="not this user's alone"):
        turns.folder()


def test_without_folders_of_the_system_locks_are_beside_the_cache(tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert turns.folder() == tmp_path / "cache/ackclock/locks"


def test_root_has_its_locks_in_the_folder_of_the_system(tmp_path, monkeypatch):
    (tmp_path / "run").mkdir()
    monkeypatch.setattr(turns, "SYSTEM", tmp_path / "run")
    monkeypatch.setattr(os, "geteuid", lambda: (tmp_path / "run").stat().st_uid)
    expected = tmp_path / "run/ackclock" if os.geteuid() == 0 else tmp_path / "ackclock"
    assert turns.folder() == expected


def test_waiting_says_for_what_and_gives_up(caplog):
    clock = Clock()
    waiting = turns.turn("runs", "another run", 30.0, clock=clock, rest=clock.rest)
    with turns.turn("runs", "x", 0.0), pytest.raises(turns.BusyError, match="waited 30 s for another run"), waiting:
        pass
    assert 30 <= clock.now < 31
    assert [record.message for record in caplog.records] == ["waits for another run, and gives up after 30 s"]
    with turns.turn("runs", "another run", 0.0):
        pass


def test_some_share_a_lock_and_one_has_it_alone():
    shared = [turns.turn("runs", "x", 0.0, alone=False) for _ in range(3)]
    with shared[0], shared[1], pytest.raises(turns.BusyError), turns.turn("runs", "x", 0.0):
        pass
    with turns.turn("runs", "x", 0.0), pytest.raises(turns.BusyError), shared[2]:
        pass


def test_waiting_can_be_cancelled():
    cancel = _core.Cancel()
    cancel.cancel()
    with turns.turn("runs", "x", 0.0), pytest.raises(Cancelled), turns.turn("runs", "x", 9.0, cancel=cancel):
        pass


def test_no_lock_is_of_a_file_that_others_can_open():
    """Files that every user can read, as device nodes and modules, can be locked by every user."""
    package = Path(turns.__file__).parents[1]

    def with_text(text):
        return {path.name for path in package.rglob("*.py") if text in path.read_text(encoding="utf-8")}

    assert with_text(".flock(") == {"locks.py"}
    # Each of the others locks a file or a folder of the store, the log or the work of this user.
    assert with_text("locks.take(") == {"turns.py", "workplace.py", "layout.py", "log.py"}
