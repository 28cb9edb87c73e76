"""People who come from Mahimahi and flent: traces as links, a command behind them, and named tests with a figure."""

import csv
import gzip
import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.helpers.terminal import Terminal
from tests.uses.pages import words

RIGHTS = sys.platform == "linux" and os.geteuid() == 0 and Path("/dev/net/tun").exists()
needs_rights = pytest.mark.skipif(not RIGHTS, reason="needs root and /dev/net/tun")

MAHIMAHI = """\
duration = "6s"

[bottleneck]
rate = { kind = "trace", file = "down.trace" }
reverse_rate = { kind = "trace", file = "up.trace" }
delay = "20ms"
queue = "100 packets"

[[flows]]
name = "download"
stack = "linux"
app = "bulk"
"""


@pytest.fixture
def shell(tmp_path):
    with Terminal(tmp_path) as one:
        yield one


def test_a_trace_of_mahimahi_is_the_rate_of_a_link(shell):
    shell.run("seq 1 1000 | tee up.trace > down.trace")
    shell.write("mahimahi.toml", MAHIMAHI)
    document = shell.json("ackclock run mahimahi.toml --json")
    (link,) = [one for one in document["links"] if one["name"] == "bottleneck"]
    # A delivery of 1500 bytes in each millisecond is 12 Mbit/s.
    assert link["utilisation"] > 0.9
    assert 10e6 < document["flows"][0]["goodput_bps"] <= 12e6 * 1448 / 1500
    assert link["queue_delay_ms"]["p99"] <= 101


@needs_rights
def test_a_command_behind_the_traces_leaves_its_links_over_time(shell, tmp_path):
    shell.run("seq 1 1000 | tee up.trace > down.trace")
    pinged = (
        "python -c 'import os, socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
        """[s.sendto(bytes(1000), (os.environ["ACKCLOCK_OUTSIDE"], 9)) for _ in range(50)]; """
        "import time; time.sleep(0.5)'"
    )
    shell.run(f"ackclock emulate --downlink down.trace --uplink up.trace --delay 20ms --share 1 --out out -- {pinged}")
    with (tmp_path / "out/looks.csv").open(encoding="utf-8", newline="") as file:
        looks = [row for row in csv.DictReader(file) if row["link"] == "bottleneck.reverse"]
    assert len(looks) >= 3
    counts = [int(row["packets"]) for row in looks]
    assert counts == sorted(counts)
    with (tmp_path / "out/links.csv").open(encoding="utf-8", newline="") as file:
        (link,) = [row for row in csv.DictReader(file) if row["link"] == "bottleneck.reverse"]
    # The command sends over the reverse direction.
    assert 50 <= counts[-1] <= int(link["packets"])


def test_a_test_of_flent_is_a_scenario_with_its_figure_and_grade(shell, tmp_path):
    shell.run("ackclock new scenario rrul")
    told = words(shell.run("ackclock plot rrul.toml load --set duration=20s --out rrul.png"))
    grade = told.partition("bufferbloat: grade ")[2].partition(";")[0]
    assert grade in {"C", "D", "F"}
    assert (tmp_path / "rrul.png").read_bytes().startswith(b"\x89PNG")
    better = "--set bottleneck.queue=cake --set bottleneck.reverse_queue=cake"
    told = words(shell.run(f"ackclock plot rrul.toml load --set duration=20s {better} --out cake.pdf"))
    assert told.partition("bufferbloat: grade ")[2].startswith("A")


def test_a_file_of_flent_is_laid_over_a_run(shell, tmp_path):
    measured = {
        "version": 4,
        "metadata": {"NAME": "tcp_1down", "TITLE": "", "TIME": "2025-11-28T10:15:00.000000", "STEP_SIZE": 1.0},
        "x_values": [float(at) for at in range(12)],
        "results": {"TCP download": [None, None, *[8.0] * 10], "Ping (ms) ICMP": [40.0] * 12},
        "raw_values": {},
    }
    with gzip.open(tmp_path / "home.flent.gz", "wt", encoding="utf-8") as file:
        json.dump(measured, file)
    shell.run("ackclock new scenario tcp_ndown")
    told = words(
        shell.run(
            "ackclock plot tcp_ndown.toml load --set flows.download.count=1 --set duration=12s "
            "--reference home.flent.gz --out mine.png"
        )
    )
    # The means of the file are beside those of the run.
    assert re.search(r"download Mbit/s [\d.]+ 8\b", told), told
    assert re.search(r"ping, Ping \(ms\) ICMP [\w ()]*[\d.]+ 40\b", told), told
    assert (tmp_path / "mine.png").exists()
