"""Measures the emulator in real time and prints a table: ``python -m tools.emulator`` as root, in about two minutes.

Goodput at three rates, the RTT of pings alone and beside busy processes, and what 50 emulators and 50 runs
on the kernel leave behind, half of which are killed at random moments. It needs Debian's iputils-ping.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MEASURE = str(Path(__file__).with_name("measure.py"))
TCP_CONGESTION = 13
PAYLOAD = 1448 / 1500
"""Share of the rate that is not headers: IPv4, and TCP with timestamps."""
RUNS = (("1Mbps", "100ms", "5.0", "20.0"), ("20Mbps", "20ms", "3.0", "10.0"), ("100Mbps", "10ms", "3.0", "10.0"))
"""Rate, delay in each direction, and the seconds that are skipped and measured."""
SHELLS = 50
KEPT = 4
"""Parts of a second after which a killed process may still be there."""


def emulated(options: list[str], *measure: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the document of the measurement inside the emulated network, and the document of the emulator."""
    line = [sys.executable, "-m", "ackclock", "emulate", "--json", *options, "--", sys.executable, MEASURE, *measure]
    out = subprocess.run(line, capture_output=True, text=True, check=True).stdout  # noqa: S603 -- our own command
    first, _, rest = out.partition("\n")
    return json.loads(first), json.loads(rest)


@contextlib.contextmanager
def sender(cc: str) -> Iterator[int]:
    """A port that sends to whoever connects, as fast as it can."""
    with socket.create_server(("", 0)) as server:
        server.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, cc.encode())

        def serve() -> None:
            with contextlib.suppress(OSError), server.accept()[0] as stream:
                while True:
                    stream.sendall(bytes(1 << 16))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        thread.join(5)


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """Processes that do nothing as fast as they can."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def goodputs() -> None:
    """Prints goodput over rate less headers."""
    for rate, delay, skip, take in RUNS:
        with sender("reno") as port:
            options = ["--rate", rate, "--delay", delay, "--queue", "1bdp"]
            found, said = emulated(options, str(port), skip, take)
        ideal = int(rate.removesuffix("Mbps")) * 1e6 * PAYLOAD
        late = said["lateness"]
        print(  # noqa: T201 -- what this is for
            f"| {rate}, {delay} each way | {found['goodput_bps'] / 1e6:.3f} Mbit/s | "
            f"{(found['goodput_bps'] / ideal - 1) * 100:+.2f} % | "
            f"p50 {late['p50_ms'] * 1e3:.0f}, p99 {late['p99_ms'] * 1e3:.0f}, p99.9 {late['p999_ms'] * 1e3:.0f}, "
            f"max {late['max_ms'] * 1e3:.0f} us | {'valid' if said['valid'] else 'invalid'} |"
        )


def delays() -> None:
    """Prints quantiles of the RTT of pings, which the kernels at both ends answer and time."""
    for load in (0, 2):
        pings = "ping -q -c 1 $ACKCLOCK_OUTSIDE >/dev/null; exec ping -c 1000 -i 0.005 $ACKCLOCK_OUTSIDE"
        line = [sys.executable, "-m", "ackclock", "emulate", "--rate=100Mbps", "--delay=20ms", "--", "sh", "-c", pings]
        with busy(load):
            out = subprocess.run(line, capture_output=True, text=True, check=True).stdout  # noqa: S603 -- our own command
        times = sorted(float(time) for time in re.findall(r"time=([0-9.]+) ms", out))
        middle, late = times[len(times) // 2], times[len(times) * 99 // 100]
        print(  # noqa: T201 -- what this is for
            f"| {len(times)} pings over 20 ms each way beside {load} busy processes | "
            f"p50 {middle:.2f}, p99 {late:.2f}, max {times[-1]:.2f} ms |"
        )


def inventory() -> set[str]:
    """Namespaces, devices, routes and mounts of the machine, and the processes of emulators."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found.add(str((process / "ns/net").readlink()))
            found.add(str((process / "ns/pid").readlink()))
            line = (process / "cmdline").read_bytes().decode(errors="replace")
            if "inside.py" in line or "runner.py" in line or "emulated-sleeper" in line:
                found.add(f"process {line}")
    found |= {f"device {link.name}" for link in Path("/sys/class/net").iterdir()}
    found |= {f"route {line}" for line in Path("/proc/net/route").read_text().splitlines()}
    found |= {f"mount {line}" for line in Path("/proc/self/mounts").read_text().splitlines()}
    found |= {f"file {one}" for one in Path("/tmp").iterdir() if one.name.startswith("ackclock")}  # noqa: S108
    return found


SCENARIO = """
duration = "1s"
[bottleneck]
rate = "10Mbps"
delay = "10ms"
[[flows]]
app = "bulk"
count = 2
"""


def leftovers(what: str, line: Callable[[int], list[str]]) -> None:
    """Starts emulators or runs in groups of ten, kills half of them, and prints what is left."""
    before = inventory()
    draw = random.Random(1)  # noqa: S311 -- the moments need not be secret
    killed = ended = 0
    for _ in range(SHELLS // 10):
        group = [
            subprocess.Popen(line(number), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 -- ours
            for number in range(10)
        ]
        for number, process in enumerate(group):
            if number % 2:
                time.sleep(draw.random() / KEPT)
                process.send_signal(draw.choice([signal.SIGKILL, signal.SIGTERM]))
                killed += 1
            process.wait()
            ended += 1
    time.sleep(1)
    left = inventory() - before
    print(f"| {ended} {what}, {killed} of them killed | left behind: {', '.join(sorted(left)) or 'nothing'} |")  # noqa: T201


def emulator(number: int) -> list[str]:
    """A command line of an emulator; every other one would last."""
    command = "sleep 1000 & sleep 1; : emulated-sleeper; wait" if number % 2 else "sleep 1; : emulated-sleeper"
    return [sys.executable, "-m", "ackclock", "emulate", "--rate", "1Mbps", "--", "sh", "-c", command]


def live(folder: Path) -> list[str]:
    """A command line of a run on the running kernel."""
    path = folder / "scenario.toml"
    path.write_text(SCENARIO)
    return [sys.executable, "-m", "ackclock", "run", str(path), "--backend", "linux"]


if __name__ == "__main__":
    goodputs()
    delays()
    with tempfile.TemporaryDirectory() as folder:
        runs = live(Path(folder))
        leftovers("runs on the kernel", lambda _: runs)
    leftovers("emulators", emulator)
