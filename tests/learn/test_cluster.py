"""Searches whose runs are done by the workers of a real Dask scheduler on the loopback interface."""

import json
import signal
import threading

import pytest

from ackclock import ClusterError, _core, learn
from ackclock.cli import main
from ackclock.learn.cluster import remote
from ackclock.learn.training import complete
from tests.helpers.designs import DESIGN, OPTIONS, SMALL

pytestmark = pytest.mark.slow


@pytest.fixture
def design(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(DESIGN)
    return path


def test_a_search_on_a_cluster_gives_the_same_table_also_when_a_worker_dies(cluster, design, tmp_path):
    first, _ = cluster.workers(2)

    def kill(training):
        if training.status["decisions"] == 5:
            first.send_signal(signal.SIGKILL)

    far = learn.train(design, tmp_path / "far.dna", cluster=cluster.address, report=kill, **SMALL)
    assert first.wait() == -signal.SIGKILL
    near = learn.train(design, tmp_path / "near.dna", threads=2, **SMALL)
    assert far.status == near.status
    assert far.table.read_bytes() == near.table.read_bytes()
    logs = [learn.Log.read(training.log) for training in (far, near)]
    assert logs[0].decisions == logs[1].decisions
    assert any('"do":"split"' in line for line in logs[0].decisions)
    assert {session.get("where") for session in logs[0].sessions} == {f"Dask scheduler at {cluster.address}"}
    assert logs[0].cpu_s > 0.3 * logs[1].cpu_s, "the time of the workers counts"


def test_a_search_goes_on_on_a_cluster_from_the_command_line(cluster, design, tmp_path):
    cluster.workers(1)
    table = tmp_path / "small.dna"
    assert "goes on" in learn.train(design, table, threads=1, seconds=0, **SMALL).why
    command = ["learn", str(design), "--out", str(table), *OPTIONS, "--cluster", f"file:{cluster.file}"]
    assert main(command) == 0
    near = learn.train(design, tmp_path / "near.dna", threads=2, **SMALL)
    assert table.read_bytes() == near.table.read_bytes()


def test_a_search_on_a_cluster_is_stopped_from_another_thread(cluster, design, tmp_path):
    cluster.workers(1)
    cancel = _core.Cancel()

    def stop(training):
        if training.status["decisions"] == 3:
            threading.Thread(target=cancel.cancel).start()

    options = {**SMALL, "rules": 100, "patience": 100}
    training = learn.train(design, tmp_path / "x.dna", cluster=cluster.address, cancel=cancel, report=stop, **options)
    assert training.why == "stopped; the same command goes on"
    assert len(learn.Log.read(training.log).decisions) >= 3


def test_a_lost_scheduler_ends_the_search_with_its_decisions_kept(cluster, design, tmp_path):
    cluster.workers(1)

    def kill(training):
        if training.status["decisions"] == 2:
            cluster.stop()

    table = tmp_path / "x.dna"
    with pytest.raises(ClusterError, match="the scheduler is lost; what was done is kept"):
        learn.train(design, table, cluster=cluster.address, report=kill, **SMALL)
    kept = learn.Log.read(learn.log_of(table)).decisions
    near = learn.train(design, tmp_path / "near.dna", threads=2, **SMALL)
    assert 2 <= len(kept) < near.status["decisions"]
    assert learn.train(design, table, threads=2, **SMALL).table.read_bytes() == near.table.read_bytes()


def test_without_a_scheduler_nothing_is_written(design, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("ackclock.sweeps.scheduler.CONNECT_S", 1)
    table = tmp_path / "out" / "x.dna"
    assert main(["learn", str(design), "--out", str(table), "--cluster", "tcp://127.0.0.1:9"]) == 2
    assert "no Dask scheduler answers there" in capsys.readouterr().err
    assert main(["learn", str(design), "--out", str(table), "--cluster", "tcp://127.0.0.1:9", "--threads", "2"]) == 2
    assert "with --cluster the workers do the runs" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["small.toml"]


def test_a_worker_of_another_version():
    with pytest.raises(ClusterError, match=r"a worker has ackclock .*, and this task is of 9\.9; install the same"):
        remote(("name", DESIGN, "{}", "."), "validation", [], None, "9.9")


def test_networks_of_a_worker_are_those_of_the_search(tmp_path):
    settings = '{"specimens": 4, "validation": 3}'
    search = _core.Search(DESIGN, settings, [])
    networks = _core.Networks(DESIGN, settings, "validation")
    scores = networks.scores([(network, search.table) for network in range(3)])
    assert sum(score[0] for score in scores) / sum(score[1] for score in scores) == search.validate(1)
    memories = networks.memories([(1, search.table)], 0)
    assert len(memories[0]) % 8 == 0
    assert sum(scores[1][2]) > 0
    assert len(memories[0]) > 0
    with pytest.raises(ValueError, match="there is no network 3; there are 3"):
        networks.scores([(3, search.table)])
    with pytest.raises(ValueError, match=r"byte"):
        networks.scores([(0, b"\x0a\x40")])


def test_answers_of_another_number_end_the_step():
    class Short:
        def scores(self, purpose, trials, rule):
            return [(0.0, 1, [1], 1)]

    search = _core.Search(DESIGN, json.dumps(complete(SMALL)), [])
    with pytest.raises(ValueError, match="scores: not 4 answers"):
        search.step(1, None, Short())
