"""A command in an emulated network, and what the emulator measured of itself."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ackclock import _core
from ackclock.base import build
from ackclock.base.table import Table
from ackclock.kernel.emulate.looks import Looks
from ackclock.kernel.emulate.outside import EmulateError, Outside, program
from ackclock.scenario._source import load, named, override_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from ackclock.scenario._source import Overrides, Source

__all__ = ["Emulated", "emulate"]

Side = Literal["source", "sink"]
PROGRAM = Path(__file__).with_name("inside.py")
EVERY_NS = 100_000_000
"""Nanoseconds between two looks at the network."""
PRIORITY = 50
"""Priority of the thread that forwards, among those that run before all others (SCHED_FIFO)."""


@dataclass(frozen=True)
class Emulated:
    """Result of a command in an emulated network."""

    status: int
    """Exit status of the command; 128 and the signal's number if a signal ended it."""
    meta: dict[str, Any]
    """Origin of the numbers: name, scenario_hash, version, revision, backend, seed, flow, side, duration_s, packets,
    rtt_ms, lateness, share and valid."""
    links: Table
    """The table ``links`` of a run, with a row for each direction of each link."""
    looks: Table
    """The links over time, a row for each link every tenth of a second: ``time_s``, ``link``, the counts ``bytes``,
    ``packets`` and ``drops`` since the start, and ``queue_packets`` and ``queue_bytes``."""

    @property
    def valid(self) -> bool:
        """Whether 99 % of the packets left the network no later than the stated share of the RTT after their time."""
        return bool(self.meta["valid"])

    def document(self) -> dict[str, Any]:
        """The JSON document of ``ackclock emulate --json``."""
        return self.meta | {"status": self.status, "links": list(self.links.rows())}

    def write(self, folder: Path) -> None:
        """Writes ``summary.json``, ``links.csv`` and ``looks.csv`` into an existing folder."""
        from ackclock.base import files

        files.write_json(folder / "summary.json", self.document())
        files.write_csv(folder / "links.csv", self.links)
        files.write_csv(folder / "looks.csv", self.looks)


def emulate(
    scenario: Source,
    command: Sequence[str],
    overrides: Overrides | None = None,
    *,
    flow: int = 0,
    side: Side = "sink",
    seed: int | None = None,
    share: float = 0.02,
    watched: Callable[[Looks], AbstractContextManager[object]] | None = None,
) -> Emulated:
    """Runs a command in the network of a scenario.

    The command is in network, process and mount namespaces of its own. It reaches the machine at the address in its
    environment variable ACKCLOCK_OUTSIDE, and the machine reaches it at ACKCLOCK_INSIDE; both are IPv4. The standard
    streams are those of the caller. The main thread has to be the one that calls.

    Parameters
    ----------
    scenario
        The scenario. Its links are used, and of its flows the route and the access links of one.
    command
        The program and its arguments.
    overrides
        Values that replace the scenario's.
    flow
        Index of the flow whose route all packets take; each copy counts.
    side
        The end of the flow at which the command is: ``sink`` receives over the forward direction of the links.
    seed
        Seed of losses and queues, instead of the scenario's.
    share
        The share of the RTT that the 99th percentile of the lateness may have in a valid run.
    watched
        Gives a context that is open while the command runs, for example of a live graph.

    Raises
    ------
    ScenarioError
        With everything that is wrong with the scenario.
    EmulateError
        If the machine lacks something, or if the emulator failed.
    """
    if not command:
        raise EmulateError("no command: expected a program and its arguments")
    if sys.platform != "linux":
        raise EmulateError(f"emulation needs Linux, and this is {sys.platform}")
    text = load(scenario)
    pairs = override_pairs(overrides)
    with named(text):
        document, digest, _ = _core.read_scenario(text.text, text.format, pairs, text.folder, [])
        canonical: dict[str, Any] = json.loads(document)
        emulator = _core.Emulator(text.text, text.format, pairs, text.folder, seed=seed)
    if not 0 <= flow < len(emulator.rtts_ms):
        raise EmulateError(f"no flow {flow}; the scenario has {len(emulator.rtts_ms)}, counted from 0")
    packet_size = int(str(canonical["packet_size"]).removesuffix("B"))
    looks = Looks(emulator)
    watching = contextlib.nullcontext() if watched is None else watched(looks)
    status, found, links = _run(emulator, list(command), flow, side, packet_size, watching)
    rtt_ms = emulator.rtts_ms[flow]
    late_ms = found["lateness"]["p99_ms"]
    meta = {
        "name": canonical["name"],
        "scenario_hash": digest,
        "version": _core.version(),
        "revision": build.revision(),
        "backend": f"emulator on Linux {platform.release()}",
        "seed": canonical["seed"] if seed is None else seed,
        "flow": flow,
        "side": side,
        **found,
        "rtt_ms": rtt_ms,
        "share": share,
        # Without packets nothing was late, and without delays every lateness would be too much.
        "valid": late_ms is None or rtt_ms == 0 or late_ms <= share * rtt_ms,
    }
    return Emulated(status, meta, Table(links), looks.table())


def _run(
    emulator: _core.Emulator,
    command: list[str],
    flow: int,
    side: Side,
    mtu: int,
    watching: AbstractContextManager[object],
) -> tuple[int, dict[str, Any], Any]:
    outside = Outside(mtu)
    with contextlib.ExitStack() as stack:
        stack.callback(outside.close)
        block = outside.block
        environment = os.environ | {"ACKCLOCK_OUTSIDE": block.outside, "ACKCLOCK_INSIDE": block.inside}
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        stack.callback(ours.close)
        process = subprocess.Popen(  # noqa: S603 -- a fixed program
            (sys.executable, "-I", "-S", str(PROGRAM), str(theirs.fileno())),
            env=environment,
            pass_fds=(theirs.fileno(),),
        )
        theirs.close()
        stack.callback(_end, process)
        place = {"inside": block.inside, "outside": block.outside, "prefix": block.network.prefixlen}
        ours.send(json.dumps({"command": command, "network": place | {"ip": program(), "mtu": mtu}}).encode())
        answer, descriptors, _, _ = socket.recv_fds(ours, 1 << 16, 1)
        for descriptor in descriptors:
            stack.callback(os.close, descriptor)
        if not descriptors:
            problem = json.loads(answer or b"{}").get("error", "the program in the namespaces ended")
            raise EmulateError(f"the namespaces of the command: {problem}")
        tuns = (outside.tun, descriptors[0]) if side == "sink" else (descriptors[0], outside.tun)
        with watching, _forwarding(emulator, (flow, *tuns)) as result:
            ours.send(b"g")
            status = process.wait()
        return status, *result[0]


@contextlib.contextmanager
def _forwarding(emulator: _core.Emulator, pair: tuple[int, int, int]) -> Iterator[list[Any]]:
    """Forwards packets on a thread of its own; the result is in the list at the end."""
    result: list[Any] = []
    failure: list[BaseException] = []
    stop, stopper = os.pipe()

    def forward() -> None:
        # Without the right to it the emulator is later under load, which it measures.
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        try:
            result.append(emulator.forward([pair], stop, every=EVERY_NS))
        except BaseException as error:  # noqa: BLE001 -- it is raised where the caller waits
            failure.append(error)

    thread = threading.Thread(target=forward, name="ackclock-emulator")
    thread.start()
    try:
        yield result
    finally:
        os.close(stopper)
        thread.join()
        os.close(stop)
    if failure:
        raise EmulateError(f"the emulator failed: {failure[0]}") from failure[0]


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the program in the namespaces, and with it everything that runs in them."""
    process.kill()
    process.wait()
