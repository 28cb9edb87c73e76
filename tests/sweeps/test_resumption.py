"""Stopping a sweep never loses a run: started again, it ends with the same store."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ackclock
from tests.helpers.scenarios import SWEPT
from tests.helpers.stores import bytes_of


def runs_on_disk(root: Path) -> set[Path]:
    """The files of finished runs and the parts in a store."""
    return {path for folder in ("pending", "parts") for path in root.glob(f"{folder}/[!.]*")}


class TestResumption:
    def test_what_has_finished_is_not_run_again(self, tmp_path):
        out = tmp_path / "out"
        ran = []

        def measure(result):
            ran.append(result.seed)
            return {"x": float(result.seed)}

        ackclock.sweep(SWEPT, seeds=3, measure=measure, out=out).close()
        ackclock.sweep(SWEPT, seeds=3, measure=measure, out=out).close()
        assert sorted(ran) == [1, 2, 3]
        # A larger sweep takes over what a smaller one has done.
        with ackclock.sweep(SWEPT, seeds=5, measure=measure, out=out) as store:
            assert sorted(ran) == [1, 2, 3, 4, 5]
            assert list(store.table("measures")["x"]) == [1, 2, 3, 4, 5]
        with ackclock.open(out) as store:
            assert len(store.runs) == 5
            assert len(store.sweeps) == 2

    @pytest.mark.parametrize("kill", ["SIGKILL", "SIGINT", "SIGTERM"])
    def test_a_sweep_that_was_stopped_ends_with_the_same_store(self, tmp_path, kill):
        """A short form of the thousand runs below."""
        killed, runs = self._stopped(tmp_path, 60, "200ms", kills=4, kill=kill)
        assert killed == runs

    @staticmethod
    def _stopped(tmp_path, seeds, duration, kills, kill):
        scenario = tmp_path / "scenario.toml"
        scenario.write_text(SWEPT.replace("500ms", duration))
        command = [sys.executable, "-m", "ackclock", "sweep", str(scenario), "--seeds", str(seeds)]
        command += ["--vary", "flows[0].cc=reno,cubic"]
        whole, broken = tmp_path / "whole", tmp_path / "broken"
        subprocess.run([*command, "--out", str(whole)], check=True, capture_output=True)
        draw = random.Random(7)
        for _ in range(kills):
            process = subprocess.Popen(
                [*command, "--out", str(broken)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            # Once it has put so many files of runs on disk: a time would be another moment on another machine.
            left = draw.randint(1, 5)
            known = runs_on_disk(broken)
            while process.poll() is None and len(runs_on_disk(broken) - known) < left:
                time.sleep(0.002)
            process.send_signal(getattr(signal, kill))
            told = process.communicate()[1].decode()
            assert "Traceback" not in told
            assert process.returncode in (0, -signal.SIGKILL, 128 + getattr(signal, kill)), told
        subprocess.run([*command, "--out", str(broken)], check=True, capture_output=True)
        return bytes_of(whole), bytes_of(broken)

    def test_a_thousand_runs_killed_twenty_times(self, tmp_path):
        whole, broken = self._stopped(tmp_path, 500, "150ms", kills=20, kill="SIGKILL")
        assert whole == broken
        with ackclock.open(tmp_path / "broken") as store:
            assert (store.finished, store.failed, store.complete) == (1000, 0, True)
            assert len(store.sql("SELECT DISTINCT run FROM flows")) == 1000
            assert len(store.table("flows")) == 1000
