"""Sweeps over a real Dask scheduler and two workers on the loopback interface."""

import json
import signal
import subprocess
import sys

import pytest

import ackclock
from ackclock import ClusterError
from ackclock.cc import templates
from ackclock.sweeps import cluster as backends
from tests.helpers.crates import cargo, needs_cargo
from tests.helpers.scenarios import SWEPT
from tests.helpers.stores import bytes_of

pytestmark = pytest.mark.slow

GRID = {"flows[0].cc": ["reno", "cubic"]}
LONG = SWEPT.replace("500ms", "20s")


def test_a_worker_that_dies_changes_nothing(cluster, tmp_path):
    """Killed in the middle: the other does its runs, and the store is the local one's, byte for byte."""
    first, _ = cluster.workers(2)
    fractions = []

    def watch(fraction):
        fractions.append(fraction)
        if 0.2 < fraction < 1 and first.poll() is None:
            first.send_signal(signal.SIGKILL)

    ackclock.sweep(LONG, GRID, seeds=15, out=tmp_path / "far", cluster=cluster.address, progress=watch).close()
    assert first.wait() == -signal.SIGKILL
    assert any(0.2 < fraction < 0.9 for fraction in fractions)
    ackclock.sweep(LONG, GRID, seeds=15, out=tmp_path / "near").close()
    assert bytes_of(tmp_path / "far") == bytes_of(tmp_path / "near")
    account = json.loads((tmp_path / "far" / "provenance" / "1.json").read_text())
    assert account["where"] == f"Dask scheduler at {cluster.address}"


def test_an_algorithm_in_python_goes_along(cluster, tmp_path):
    """Its file is sent; when it changes, so do the results, on workers that had loaded the old one too."""
    cluster.workers(1)
    file = tmp_path / "mine.py"
    (tmp_path / "hello.toml").write_text(SWEPT)
    for name, gain in (("one", 1), ("two", 2)):
        file.write_text(
            "import ackclock\n\n@ackclock.congestion_control('cluster-mine')\nclass Mine(ackclock.WindowRules):\n"
            f"    '''Mine.'''\n    def increase(self, flow):\n        return {gain}\n"
        )
        for place, options in (("far", ["--cluster", f"file:{cluster.file}"]), ("near", [])):
            command = [sys.executable, "-m", "ackclock", "sweep", "hello.toml", "--load", "mine.py", "--seeds", "3"]
            command += ["--set", "flows[0].cc=cluster-mine", "--out", f"{place}-{name}", *options]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        assert bytes_of(tmp_path / f"far-{name}") == bytes_of(tmp_path / f"near-{name}")
    assert bytes_of(tmp_path / "far-one") != bytes_of(tmp_path / "far-two")


@needs_cargo
def test_a_library_goes_along(cluster, tmp_path):
    cluster.workers(1)
    crate = templates.write_crate("cluster-own", within=tmp_path)
    cargo(crate, "build", "--release")
    (tmp_path / "hello.toml").write_text(SWEPT)
    for place, options in (("far", ["--cluster", f"file:{cluster.file}"]), ("near", [])):
        command = [sys.executable, "-m", "ackclock", "sweep", "hello.toml", "--load", "cluster-own", "--seeds", "3"]
        command += ["--set", "flows[0].cc=cluster-own", "--out", place, *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert bytes_of(tmp_path / "far") == bytes_of(tmp_path / "near")


def test_without_a_worker(cluster, tmp_path, monkeypatch):
    connected = backends.Cluster(cluster.address)
    try:
        # Connecting may take its time; no worker ever comes.
        monkeypatch.setattr("ackclock.sweeps.scheduler.CONNECT_S", 1)
        with pytest.raises(ClusterError, match="no worker within 1 s; start one with `dask worker`"):
            next(connected.run(None, [], lambda part: None, None))
    finally:
        connected.close()


def test_without_a_scheduler(tmp_path, monkeypatch):
    monkeypatch.setattr("ackclock.sweeps.scheduler.CONNECT_S", 1)
    with pytest.raises(ClusterError, match="no Dask scheduler answers there"):
        ackclock.sweep(SWEPT, out=tmp_path / "out", cluster="tcp://127.0.0.1:9")
    with pytest.raises(ClusterError, match=r"none\.json: no such file, so no Dask scheduler answers there"):
        ackclock.sweep(SWEPT, out=tmp_path / "out", cluster=f"file:{tmp_path / 'none.json'}")


def test_a_worker_of_another_version(tmp_path):
    from ackclock.sweeps.cluster import remote

    with pytest.raises(ClusterError, match=r"a worker has ackclock .*, and this task is of 9\.9; install the same"):
        remote("k", None, "h", "n", None, {}, "9.9")
