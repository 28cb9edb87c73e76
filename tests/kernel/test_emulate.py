"""Commands in emulated networks. They need root and TUN, and assert nothing of how fast the machine is."""

from __future__ import annotations

import csv
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ackclock
from ackclock.kernel import emulate as emulators

if TYPE_CHECKING:
    from collections.abc import Iterator

RIGHTS = sys.platform == "linux" and os.geteuid() == 0 and Path("/dev/net/tun").exists()
needs_rights = pytest.mark.skipif(not RIGHTS, reason="needs root and /dev/net/tun")

PATIENCE = 6000
"""Looks, a hundredth of a second apart, after which what should have gone is there to stay."""

ASK = """
import os, socket, sys, time
port, count, size = map(int, sys.argv[1:4])
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
    channel.settimeout(60)
    channel.connect((os.environ["ACKCLOCK_OUTSIDE"], port))
    began = time.monotonic()
    for number in range(count):
        channel.send(number.to_bytes(4) + bytes(size - 4))
    channel.send(b"")
    for _ in range(int(sys.argv[4])):
        answer = channel.recv(65536)
        print(int.from_bytes(answer[:4]), time.monotonic() - began)
"""
"""Sends numbered datagrams to the machine outside and prints the answers with their times."""


def run(*arguments: str, command: tuple[str, ...] = ("true",), code: int = 0) -> subprocess.CompletedProcess[str]:
    line = (sys.executable, "-m", "ackclock", "emulate", *arguments, "--", *command)
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture
def echo() -> Iterator[int]:
    """The port at which this machine sends every datagram back."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.bind(("", 0))
        port: int = channel.getsockname()[1]

        def answer() -> None:
            while True:
                data, sender = channel.recvfrom(65536)
                if sender[0] == "127.0.0.1":
                    return
                if data:
                    channel.sendto(data, sender)

        thread = threading.Thread(target=answer)
        thread.start()
        yield port
        channel.sendto(b"", ("127.0.0.1", port))
        thread.join()


def answers(done: subprocess.CompletedProcess[str]) -> list[tuple[int, float]]:
    lines = [line.split() for line in done.stdout.splitlines()]
    return [(int(number), float(time_s)) for number, time_s in lines]


def asking(port: int, count: int, size: int, expected: int) -> tuple[str, ...]:
    return (sys.executable, "-c", ASK, str(port), str(count), str(size), str(expected))


@needs_rights
def test_a_packet_takes_the_delay_of_both_directions(echo: int) -> None:
    done = run("--rate", "10Mbps", "--delay", "60ms", command=asking(echo, 1, 100, 1))
    [(number, time_s)] = answers(done)
    assert number == 0
    assert time_s >= 0.12


@needs_rights
def test_a_live_graph_shows_the_links_while_the_command_runs(echo: int, tmp_path: Path) -> None:
    """The command goes on until the test has seen what it sent on the page."""
    go = tmp_path / "go"
    waiting = f"""
import os, pathlib, socket, time
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
    while not pathlib.Path({str(go)!r}).exists():
        channel.sendto(bytes(1000), (os.environ["ACKCLOCK_OUTSIDE"], {echo}))
        time.sleep(0.01)
"""
    out = tmp_path / "out"
    line = (sys.executable, "-m", "ackclock", "emulate", "--live", "--rate", "10Mbps", "--delay", "5ms")
    line += ("--share", "1", "--out", str(out), "--", sys.executable, "-c", waiting)
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        assert "live graph at http://127.0.0.1:" in said
        address, _, token = said.split()[-1].partition("?token=")
        request = urllib.request.Request(f"{address}api/live", headers={"Authorization": f"Bearer {token}"})
        try:
            for _ in range(PATIENCE):
                with urllib.request.urlopen(request) as answer:
                    figures = {one["title"]: one for one in json.loads(answer.read())["figures"]}
                rates = {one["label"]: one["y"] for one in figures.get("Rate", {"series": []})["series"]}
                if any(rate > 0 for rate in rates.get("bottleneck.reverse", [])):
                    break
                time.sleep(0.01)
            else:
                pytest.fail("nothing was seen")
        finally:
            go.touch()
            error = process.stderr.read()
        assert process.wait() == 0, error
    assert {"Rate", "Queue"} <= figures.keys()
    # What the page drew is in the folder, and ends where the table of links does at the latest.
    looks = list(csv.DictReader((out / "looks.csv").read_text(encoding="utf-8").splitlines()))
    assert [*looks[0]] == ["time_s", "link", "bytes", "packets", "drops", "queue_packets", "queue_bytes"]
    totals = {row["link"]: row for row in csv.DictReader((out / "links.csv").read_text(encoding="utf-8").splitlines())}
    for link in ("bottleneck", "bottleneck.reverse"):
        counts = [int(row["packets"]) for row in looks if row["link"] == link]
        assert counts == sorted(counts)
        assert 0 < counts[-1] <= int(totals[link]["packets"])


@needs_rights
def test_networks_can_be_nested(echo: int) -> None:
    inner = (sys.executable, "-m", "ackclock", "emulate", "--rate", "10Mbps", "--delay", "50ms", "--")
    outermost = (
        "import os, sys; os.environ['OUTERMOST'] = os.environ['ACKCLOCK_OUTSIDE']; os.execvp(sys.argv[1], sys.argv[1:])"
    )
    command = list(asking(echo, 1, 100, 1))
    command[2] = command[2].replace("ACKCLOCK_OUTSIDE", "OUTERMOST")
    keep = (sys.executable, "-c", outermost)
    done = run("--rate", "10Mbps", "--delay", "40ms", command=(*keep, *inner, *command))
    [(_, time_s)] = answers(done)
    assert time_s >= 0.18


@needs_rights
def test_the_packets_that_a_scenario_loses_are_lost(echo: int, tmp_path: Path) -> None:
    scenario = tmp_path / "lossy.toml"
    scenario.write_text(
        """
        duration = "1s"
        [bottleneck]
        rate = "10Mbps"
        delay = "1ms"
        loss = { kind = "list", packets = [2] }
        reverse_loss = { kind = "list", packets = [3, 4] }
        [[flows]]
        name = "one"
        app = "bulk"
        """
    )
    out = tmp_path / "out"
    done = run("--scenario", str(scenario), "--out", str(out), "--share", "1", command=asking(echo, 6, 100, 3))
    # The command is at the sink: its packets take the reverse direction, which loses the third and the fourth. Of the
    # four answers the second one is lost.
    assert [number for number, _ in answers(done)] == [0, 4, 5]
    summary = json.loads((out / "summary.json").read_text())
    assert [link["losses"] for link in summary["links"]] == [1, 2]
    # The empty datagram at the end is a packet, too.
    assert [link["packets"] for link in summary["links"]] == [3, 5]
    assert summary["packets"] == 4 + 7
    assert (out / "links.csv").read_text().count("\n") == 3


@needs_rights
def test_a_queue_without_room_drops_and_the_command_can_be_the_source(echo: int, tmp_path: Path) -> None:
    # A thousand datagrams of 1,000 bytes at 1 Mbit/s take 8 s; they are sent at once, or all but at once.
    out = tmp_path / "out"
    limits = ("--rate", "1Mbps", "--queue", "5 packets", "--side", "source", "--out", str(out), "--share", "1")
    run(*limits, command=asking(echo, 1000, 1000, 1))
    summary = json.loads((out / "summary.json").read_text())
    forward, reverse = summary["links"]
    assert forward["link"] == "bottleneck"
    assert forward["queue_drops"] > 0
    # What is neither dropped nor sent is in the queue or on the wire. The kernel refuses answers that come after the
    # command has ended, and each refusal is a packet, too.
    assert -reverse["packets"] <= 1001 - forward["packets"] - forward["drops"] <= 7


@needs_rights
def test_mahimahi_traces_are_the_rates_of_the_two_directions(echo: int, tmp_path: Path) -> None:
    fast, slow = tmp_path / "fast.trace", tmp_path / "slow.trace"
    fast.write_text("\n".join(str(ms) for ms in range(1, 101)) + "\n")
    slow.write_text("100\n")
    done = run("--uplink", str(fast), "--downlink", str(slow), command=asking(echo, 3, 1400, 3))
    times = [time_s for _, time_s in answers(done)]
    # One packet of 1,428 bytes fits into an opportunity of 1,504; the next fits no more.
    assert times[2] - times[0] >= 0.15


@needs_rights
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("sh", "-c", "exit 7"), 7),
        (("sh", "-c", "kill -TERM $$"), 128 + signal.SIGTERM),
        (("no-such-program",), 127),
        (("/dev/null",), 126),
    ],
)
def test_the_exit_status_is_that_of_the_command(command: tuple[str, ...], code: int) -> None:
    run("--rate", "10Mbps", command=command, code=code)


@needs_rights
def test_the_library_says_what_was_measured() -> None:
    scenario = {
        "name": "library",
        "duration": "1s",
        "bottleneck": {"rate": "10Mbps", "delay": "5ms"},
        "flows": [{"app": "bulk", "count": 2}],
    }
    done = emulators.emulate(scenario, ("true",), flow=1, side="source", seed=3)
    assert (done.status, done.valid) == (0, True)
    assert (done.meta["seed"], done.meta["flow"], done.meta["packets"]) == (3, 1, 0)
    assert done.meta["rtt_ms"] >= 10
    assert done.meta["scenario_hash"] == ackclock.run(scenario).meta["scenario_hash"]
    assert [row["link"] for row in done.links.rows()] == ["bottleneck", "bottleneck.reverse"]


def left(marker: str) -> list[str]:
    """The processes that have a word in their command line, and the devices of emulators."""
    found = [link.name for link in Path("/sys/class/net").iterdir() if link.name.startswith("ackclock")]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if marker in line:
            found.append(line)
    return found


@needs_rights
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_when_the_emulator_is_killed(number: signal.Signals, tmp_path: Path) -> None:
    marker = f"emulated-{os.getpid()}-{number.value}"
    ready = tmp_path / "ready"
    inner = f"sleep 1000 & touch {ready}; : {marker}; wait"
    line = (sys.executable, "-m", "ackclock", "emulate", "--rate", "1Mbps", "--", "sh", "-c", inner)
    with subprocess.Popen(line, stderr=subprocess.DEVNULL) as process:
        while not ready.exists():
            assert process.poll() is None
            time.sleep(0.01)
        mine = {name for name in left(marker) if name.startswith("ackclock")}
        process.send_signal(number)
        process.wait()
    # The kernel ends the namespaces after the process; how long that takes is its own affair.
    for _ in range(PATIENCE):
        if not any(marker in one for one in left(marker)) and not mine & set(left(marker)):
            return
        time.sleep(0.01)
    pytest.fail(f"still there: {left(marker)}")


def refused(*arguments: str) -> str:
    return run(*arguments, code=2).stderr


def test_wrong_input_is_refused_before_anything_starts(tmp_path: Path) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text('duration = "1s"\n[bottleneck]\nrate = "1Mbps"\ndelay = "10ms"\n[[flows]]\napp = "bulk"\n')
    assert "no rate: expected --rate" in refused()
    assert "--rate: a scenario has its own network" in refused("--rate", "1Mbps", "--scenario", str(scenario))
    assert "bottleneck.rate" in refused("--rate", "1")
    assert "bottleneck.queue" in refused("--rate", "1Mbps", "--queue", "long")
    assert "no flow 3; the scenario has 1" in refused("--scenario", str(scenario), "--flow", "3")
    assert "--share 2: expected" in refused("--rate", "1Mbps", "--share", "2")
    assert "absent.trace" in refused("--uplink", "absent.trace", "--downlink", "absent.trace")


def test_a_machine_without_the_means_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario: dict[str, Any] = {
        "duration": "1s",
        "bottleneck": {"rate": "1Mbps", "delay": "10ms"},
        "flows": [{"app": "bulk"}],
    }
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(emulators.EmulateError, match="needs ip; on Debian: apt-get install iproute2"):
        emulators.emulate(scenario, ("true",))
