"""Runs that end their process, for lack of memory or otherwise: each is one recorded failure, and the sweep goes on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ackclock
from ackclock.sweeps import SweepError
from ackclock.sweeps.isolated import limit_of
from ackclock.sweeps.journal import Journal
from tests.helpers.places import ROOT
from tests.helpers.processes import is_alive
from tests.helpers.scenarios import SWEPT
from tests.helpers.stores import bytes_of

pytestmark = pytest.mark.slow

GROWING = """
duration = "10h"
[bottleneck]
rate = "1Gbps"
delay = "5ms"
[[flows]]
name = "one"
app = "bulk"
[probes]
packets = true
"""
"""Its tables grow by some hundred megabytes a second."""


def goodput(result):
    return {"goodput": result.flows["goodput_bps"][0]}


def dies(result):
    """Ends the process as the system does when memory runs out, under the seed 2."""
    if result.seed == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return goodput(result)


def no_memory(result):
    if result.seed == 2:
        raise MemoryError
    return goodput(result)


def waits(result):
    """Says which process it is in, and does not end."""
    Path(os.environ["SAYS"]).write_text(str(os.getpid()))
    time.sleep(3600)
    return goodput(result)


def failures(store):
    return {row["seed"]: row["error"] for row in store.failures.rows()}


def test_a_run_without_memory_is_recorded_and_not_tried_again(tmp_path):
    """The engine's tables meet the limit of their process, in the middle of the run."""
    vary = {"duration": ["500ms", "10h"]}
    for start in (1, 2):
        with ackclock.sweep(GROWING, vary, seeds=1, out=tmp_path / "s", memory="512MiB", tables=["flows"]) as store:
            assert (store.failed, len(store.sweeps[0].runs)) == (1, 2)
            [row] = store.failures.rows()
            assert row["point"] == 1
            assert row["error"] in (
                "the process of the run aborted (SIGABRT), as it does when memory runs out",
                "the run needs more memory than its process may take (MemoryError)",
            )
            assert store.sql("SELECT count(*) AS n FROM flows")["n"][0] == 1
            finished = [start["finished"] for start in store.provenance()]
        assert finished == [2, 0][:start], "the second start finds both, the failed one too"


def test_what_was_under_way_when_a_sweep_was_killed_has_a_process_of_its_own(tmp_path):
    code = f"""
import ackclock
from {__name__} import dies
with ackclock.sweep({SWEPT!r}, seeds=[1, 2, 3], out="s", threads=1, measure=dies) as store:
    print(store.failed)
"""
    ends = []
    for _ in range(3):
        command = [sys.executable, "-c", code]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
        ends.append((done.returncode, done.stdout))
    assert ends == [(-signal.SIGKILL, ""), (0, "1\n"), (0, "1\n")], done.stderr
    with ackclock.open(tmp_path / "s") as store:
        killed = "the process of the run was killed (SIGKILL), as the system does when memory runs out"
        assert failures(store) == {2: killed}
        assert sorted(store.sql("SELECT seed FROM measures JOIN runs USING (run)")["seed"].tolist()) == [1, 3]
        # The first run is done again only where the second one ended the process before the first was on disk.
        assert [start["finished"] for start in store.provenance()][1:] in ([2, 0], [3, 0])
    assert [path.name for path in (tmp_path / "s" / "provenance").iterdir() if "under" in path.name] == []


def test_an_error_for_lack_of_memory_is_recorded(tmp_path):
    for _ in range(2):
        with ackclock.sweep(SWEPT, seeds=3, out=tmp_path / "s", measure=no_memory) as store:
            assert failures(store) == {2: "the run needs more memory than its process may take (MemoryError)"}


def test_processes_leave_the_same_bytes(tmp_path):
    """Whether a function can be imported by another process or not, and whether tables are kept or not."""
    vary = {"bottleneck.queue": ["1bdp", "9 packets"]}
    for name, measure in (("no", None), ("local", lambda result: goodput(result)), ("known", goodput)):
        stores = []
        for memory in (None, "2GiB"):
            out = tmp_path / f"{name}-{memory}"
            ackclock.sweep(SWEPT, vary, seeds=2, out=out, measure=measure, memory=memory).close()
            stores.append(bytes_of(out))
        assert stores[0] == stores[1], name
        assert any(path.endswith("flows.parquet") for path in stores[0])


def test_a_congestion_control_in_python_runs_in_a_process_of_its_own(tmp_path):
    from ackclock.cc import registry

    (tmp_path / "mine.py").write_text(
        "import ackclock\n\n@ackclock.congestion_control('isolated-mine')\nclass Mine(ackclock.WindowRules):\n"
        "    def reduction(self, flow):\n        return 0.8\n"
    )
    registry.load(tmp_path / "mine.py")
    own = {"flows[0].cc": "isolated-mine"}
    runs = []
    for memory in (None, "2GiB"):
        with ackclock.sweep(SWEPT, seeds=1, overrides=own, out=tmp_path / f"{memory}", memory=memory) as store:
            assert failures(store) == {}
        runs.append(bytes_of(tmp_path / f"{memory}"))
    assert runs[0] == runs[1]


def test_the_process_of_a_run_ends_with_the_sweep(tmp_path):
    code = f"""
import ackclock
from {__name__} import waits
ackclock.sweep({SWEPT!r}, seeds=1, out="s", measure=waits, memory="2GiB")
"""
    said = tmp_path / "said"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "SAYS": str(said)}
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env=environment) as parent:
        while not (said.exists() and said.read_text()):
            assert parent.poll() is None
            time.sleep(0.01)
        child = int(said.read_text())
        assert child != parent.pid
        assert is_alive(child)
        parent.kill()
    while is_alive(child):
        time.sleep(0.01)


@pytest.mark.parametrize("memory", ["4", "4 parsecs", "-1GiB", "1MiB", "nanGiB", 5, "1e300GiB"])
def test_a_memory_that_is_none_is_refused(memory):
    with pytest.raises(SweepError, match="accepted: at least 512MiB, as 4GiB"):
        limit_of(memory)


def test_a_memory_is_read():
    assert limit_of("1.5 GiB") == limit_of(3 << 29) == 3 << 29
    assert limit_of(None) is None


def test_a_journal_knows_who_was_under_way(tmp_path):
    path = tmp_path / "journal"
    with Journal(path) as journal:
        for key in ("a", "b", "c"):
            journal.began(key)
        journal.ended("b")
        assert Journal(path).suspects == {"a", "c"}
        # A process that is killed again before it came to a suspect leaves it one.
        with Journal(path) as second:
            second.began("a")
            second.ended("a")
            assert Journal(path).suspects == {"c"}
    assert not path.exists()


def test_a_damaged_journal_and_a_full_disk_keep_nobody_from_running(tmp_path):
    path = tmp_path / "journal"
    path.write_bytes(b"+a\n\xff\x00nonsense\n-b\n+")
    assert Journal(path).suspects >= {"a"}
    with Journal(tmp_path / "no" / "folder") as journal:
        journal.began("a")
        journal.ended("a")
