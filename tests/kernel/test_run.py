"""Runs in a kernel of the user's cache, for machines that have built one; and how runs end."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ackclock
from ackclock import kernel
from ackclock.base.workplace import workplace
from ackclock.cli import main
from ackclock.kernel import machine
from ackclock.kernel.builds import Built

SCENARIO = """
duration = "5s"
[bottleneck]
rate = "20Mbps"
delay = "20ms"
queue = { kind = "drop-tail", limit = "67 packets" }
[[flows]]
name = "only"
app = "bulk"
stack = "linux"
cc = "reno"
[probes]
window = true
"""


@pytest.fixture
def built():
    found = [one for one in kernel.built() if one.version.startswith("6.12.") and one.hz == 1000]
    if not found:
        pytest.skip("no kernel 6.12 with 1000 Hz in the user's cache; `ackclock kernel build` builds one")
    return found[0]


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "one.toml"
    path.write_text(SCENARIO)
    return path


def fake(tmp_path, script):
    """A kernel that is a shell script."""
    folder = tmp_path / "kernel"
    folder.mkdir()
    (folder / "linux").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "linux").chmod(0o755)
    return Built("6.12.117", 1000, "source", "0" * 16, (), folder)


def processes(text):
    """The processes whose command line has this text."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes()
        except OSError:
            continue
        if text.encode() in line:
            found.append(line)
    return found


def test_a_flow_alone_is_that_of_the_simulator(built, scenario):
    found = kernel.run(scenario, built)
    [theirs] = found.tables["flows"].rows()
    [ours] = ackclock.run(scenario).flows.rows()
    assert theirs["goodput_bps"] == pytest.approx(ours["goodput_bps"], rel=0.001)
    assert abs(theirs["recoveries"] - ours["recoveries"]) <= 1
    assert found.meta["backend"] == f"linux:{built.version}"
    window = found.tables["window"]
    assert 490 <= len(window) <= 500
    # Until its handshake has taken 40 ms the kernel counts in segments of its smallest size.
    assert set(window["cwnd"][5:] % 1448) == {0}


def test_a_run_is_repeatable(built, scenario):
    """No other packets take places in the queue: router solicitations, for example, leave at random times.

    Vegas stays where its first seconds have led it, so that one such packet shows in the whole run.
    """
    shallow = {
        "duration": "10s",
        "bottleneck.rate": "50Mbps",
        "bottleneck.delay": "15ms",
        "bottleneck.queue.limit": "31 packets",
        "flows[0].cc": "vegas-linux",
    }
    first, again = (kernel.run(scenario, built, shallow).tables["flows"] for _ in range(2))
    assert list(first.rows()) == list(again.rows())


def test_what_a_run_measures_is_written_whole(built, scenario, tmp_path, capsys):
    scenario.write_text(scenario.read_text().replace('"5s"', '"1s"'))
    out = tmp_path / "out"
    assert main(["kernel", "run", str(scenario), "--hz", "1000", "--out", str(out), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert json.loads((out / "summary.json").read_text()) == document
    assert document["kernel"]["hz"] == 1000
    files = ["ackclock.json", "flows.csv", "summary.json", "transfers.csv", "window.csv"]
    assert sorted(path.name for path in out.iterdir()) == files


def test_transfers_and_bursts_have_their_times(built, scenario):
    app = {"flows[0].app": {"kind": "transfer", "size": "14480B"}}
    [row] = kernel.run(scenario, built, app).tables["transfers"].rows()
    # The handshake takes 40 ms, and the initial window of ten segments 20 ms and ten transmissions of 0.6 ms.
    assert row["duration_s"] == pytest.approx(0.066, abs=0.002)
    app = {"flows[0].app": {"kind": "bursts", "size": "14480B", "interval": "1s", "count": 3}}
    rows = list(kernel.run(scenario, built, app).tables["transfers"].rows())
    assert [round(row["start_s"]) for row in rows] == [0, 1, 2]
    assert all(row["bytes"] == 14_480 for row in rows)


def test_a_run_without_an_answer_is_ended_by_the_watchdog(tmp_path):
    mark = f"sleep-{tmp_path.name}"
    one = fake(tmp_path, f"sh -c 'exec sleep 600 # {mark}' & wait")
    with pytest.raises(kernel.KernelError, match=r"did not end within 0\.5 s"):
        machine.ask(one, {}, 0.5)
    assert processes(str(tmp_path / "kernel")) == []


def test_a_kernel_that_panics_shows_its_last_lines(tmp_path):
    one = fake(tmp_path, "echo 'Kernel panic - not syncing'; exit 1")
    with pytest.raises(kernel.KernelError, match=r"(?s)gave no answer.*Kernel panic"):
        machine.ask(one, {}, 60)


def test_an_error_inside_is_told(tmp_path):
    answer = """echo '{"error": "no namespace"}' > "${one#uml_dir=}/answer.json\""""
    script = f'for one; do case "$one" in uml_dir=*) {answer};; esac; done'
    with pytest.raises(kernel.KernelError, match=r"(?s)failed:.no namespace"):
        machine.ask(fake(tmp_path, script), {}, 60)


def test_a_run_whose_parent_is_killed_ends(tmp_path):
    one = fake(tmp_path, f"echo $$ > {tmp_path}/running; exec sleep 600")
    code = f"""
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from ackclock.kernel import machine
from ackclock.kernel.builds import Built
from ackclock.base.workplace import workplace
machine.ask(Built("6.12.117", 1000, "source", "0", (), Path({str(one.folder)!r})), {{}}, 600)
"""
    killed = subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"TMPDIR": str(tmp_path)})
    running = tmp_path / "running"
    while not (running.exists() and running.read_text()):
        assert killed.poll() is None
        time.sleep(0.01)
    killed.kill()
    killed.wait()
    child = Path("/proc") / running.read_text().strip()
    while child.exists():
        time.sleep(0.01)


def test_a_version_that_is_not_built_is_refused(monkeypatch, tmp_path, capsys, scenario):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert main(["kernel", "run", str(scenario), "--version", "6.13"]) == 2
    assert (
        "no kernel 6.13 has been built; there are: none; `ackclock kernel build` builds one" in capsys.readouterr().err
    )
    assert main(["kernel", "list"]) == 0
    assert "no kernel has been built" in capsys.readouterr().out


def test_a_run_removes_what_killed_runs_left(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left, other = tmp_path / "ackclock-kernel-left", tmp_path / "other"
    for folder in (left, other):
        folder.mkdir()
        (folder / "log").write_text("")
    with workplace(tmp_path, "ackclock-kernel-") as running:
        assert not left.exists()
        with pytest.raises(kernel.KernelError):
            machine.ask(fake(tmp_path, "exit 1"), {}, 60)
        assert running.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kernel", "other"]


def test_folders_of_runs_that_begin_together_stay(tmp_path):
    def stays(_):
        with workplace(tmp_path, "one-") as folder:
            (folder / "file").write_text("")
            return (folder / "file").exists()

    with ThreadPoolExecutor(8) as executor:
        assert all(executor.map(stays, range(400)))
    assert list(tmp_path.iterdir()) == []
