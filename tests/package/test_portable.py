"""The paths that other systems than Linux take, as far as Linux can take them."""

import importlib.util
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from ackclock._errors import RefusedError
from ackclock.engine import bench
from ackclock.store import layout
from ackclock.sweeps import isolated
from ackclock.sweeps.vary import SweepError
from tests.helpers.scenarios import SMALL

WITHOUT = """
import signal, sys
for name in ("setitimer", "SIGALRM", "SIGHUP", "ITIMER_REAL"):
    delattr(signal, name)
sys.modules["fcntl"] = sys.modules["resource"] = None
from ackclock._entry import main
sys.exit(main())
"""
"""The command line without what Windows lacks of the standard library."""


def test_a_run_needs_nothing_that_windows_lacks(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    command = [sys.executable, "-c", WITHOUT, "run", "small.toml", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)


def test_the_lock_of_windows_is_of_a_byte_that_nobody_reads(tmp_path, monkeypatch):
    """The module msvcrt is played by a list of what it was asked for."""
    asked = []

    def locking(descriptor, mode, count):
        import os

        asked.append((os.lseek(descriptor, 0, os.SEEK_CUR), mode, count))
        if len(asked) > 1:
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    store = SimpleNamespace(lock=tmp_path / "lock", root=tmp_path)
    with layout.writing(store):
        assert (tmp_path / "lock").read_text().startswith("process ")
        with pytest.raises(layout.StoreError, match="another sweep is writing to it"), layout.writing(store):
            pass
    assert asked == [(1 << 30, 2, 1)] * 2


def test_without_posix_runs_stay_in_the_process_and_memory_is_not_limited(monkeypatch):
    monkeypatch.setattr(isolated, "POSIX", False)
    here = SimpleNamespace(keep=SimpleNamespace(measure=None), perform=lambda cancel, progress: (b"done", True))
    assert isolated.isolated(here, None, None) == (b"done", True)
    assert isolated.limit_of(None) is None
    with pytest.raises(SweepError, match="cannot limit the memory"):
        isolated.limit_of("4GiB")


def test_a_benchmark_is_refused_where_nothing_is_measured(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RefusedError, match="run it on Linux or macOS"):
        bench.measure(["W1"])
