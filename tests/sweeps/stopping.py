"""Stopping a sweep by signals at moments that are the same on every machine."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.helpers.scenarios import SWEPT
from tests.helpers.stores import bytes_of


def runs_on_disk(root: Path) -> set[Path]:
    """The files of finished runs and the parts in a store."""
    return {path for folder in ("pending", "parts") for path in root.glob(f"{folder}/[!.]*")}


def stopped(tmp_path, seeds, duration, kills, kill):
    """The bytes of a store that a sweep wrote at once, and of one that it wrote after it was stopped some times."""
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(SWEPT.replace("500ms", duration))
    command = [sys.executable, "-m", "ackclock", "sweep", str(scenario), "--seeds", str(seeds)]
    command += ["--vary", "flows[0].cc=reno,cubic"]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    subprocess.run([*command, "--out", str(whole)], check=True, capture_output=True)
    draw = random.Random(7)
    for _ in range(kills):
        process = subprocess.Popen([*command, "--out", str(broken)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        # The signal comes after a number of files of runs: a time would be another moment on another machine.
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
