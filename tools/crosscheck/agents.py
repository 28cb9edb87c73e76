"""The agents of ns-2 and the stacks named after them, packet by packet: ``python -m tools.crosscheck.agents``.

Each agent sends over several bottlenecks with a drop-tail queue, in ns-2 and here. Two runs agree as long as a sender
sends the same packets in the same order, and not more than a millisecond apart. The table says for how many of the
packets that is so, and what the whole runs have in common. The first packet has 1000 bytes in ns-2 and 1040 here.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import ackclock
from tools.crosscheck.simulators import MissingError, Ns2

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["AGENTS", "NETWORKS", "Agreement", "Network", "compare", "ours", "theirs"]

AGENTS = {"ns2-newreno": "Newreno", "ns2-sack": "Sack1", "ns2-linux": "Linux/reno", "ns2-linux, cubic": "Linux/cubic"}
"""Stack, and congestion control where it is not the stack's, to the agent and its module."""

PAYLOAD = 1000
APART_S = 1e-3

Sent = list[tuple[float, int]]
"""Time in seconds and number of each packet that a sender sends, the first number 0."""


@dataclass(frozen=True, slots=True)
class Network:
    """A dumbbell with access links that add nothing, and the flows over it, each half a second after the one before."""

    rate_bps: int
    delay_ms: int
    queue: int
    flows: int
    seconds: int

    def __str__(self) -> str:
        return f"{self.rate_bps / 1e6:g} Mbit/s, {self.delay_ms} ms, {self.queue} packets, {self.flows} flows"


NETWORKS = (
    Network(1_000_000, 50, 10, 1, 20),
    Network(10_000_000, 20, 40, 1, 20),
    Network(10_000_000, 20, 10, 1, 20),
    Network(2_000_000, 100, 100, 1, 20),
    Network(1_000_000, 10, 4, 1, 20),
    Network(10_000_000, 20, 50, 2, 20),
    Network(5_000_000, 50, 30, 4, 20),
)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of the runs of one stack over one network: ours and theirs."""

    same: int
    """Packets of the first flow before the first difference."""
    sent: tuple[int, int]
    """Packets of all flows: ours, theirs."""
    resent: tuple[int, int]
    """Retransmissions of all flows: ours, theirs."""
    first: int
    """Packets of the first flow in ns-2."""

    @classmethod
    def of(cls, ours: Sequence[Sent], theirs: Sequence[Sent]) -> Agreement:
        """Computes the agreement from the packets of each flow."""
        same = 0
        for (our_time, our_number), (their_time, their_number) in zip(ours[0], theirs[0], strict=False):
            if our_number != their_number or abs(our_time - their_time) > APART_S:
                break
            same += 1
        return cls(
            same,
            (sum(map(len, ours)), sum(map(len, theirs))),
            (sum(map(_resent, ours)), sum(map(_resent, theirs))),
            len(theirs[0]),
        )


def _resent(sent: Sent) -> int:
    return len(sent) - len({number for _, number in sent})


def ours(stack: str, network: Network) -> list[Sent]:
    """The packets that the flows send here."""
    name, _, control = stack.partition(", ")
    chosen = {"stack": name} | ({"cc": control} if control else {})
    result = ackclock.run(
        {
            "duration": f"{network.seconds}s",
            "packet_size": f"{PAYLOAD + 40}B",
            "bottleneck": {
                "rate": f"{network.rate_bps}bps",
                "delay": f"{network.delay_ms}ms",
                "queue": f"{network.queue} packets",
                "reverse_queue": "10000 packets",
            },
            "access": {"rate": "10Gbps"},
            "probes": {"packets": True},
            "flows": [
                {
                    "name": f"flow{index}",
                    "app": {"kind": "bulk"},
                    **chosen,
                    "receive_buffer": "100MB",
                    "start": f"{500 * index}ms",
                }
                for index in range(network.flows)
            ],
        }
    )
    sent: list[Sent] = [[] for _ in range(network.flows)]
    table = result.packets
    columns = ("time_s", "flow", "side", "event", "seq", "len")
    for time, flow, side, event, seq, size in zip(*(list(table[name]) for name in columns), strict=True):
        if side == "source" and event == "sent" and size:
            sent[int(str(flow).removeprefix("flow"))].append((float(time), int(seq) // PAYLOAD))
    return sent


def theirs(agent: str, network: Network) -> list[Sent]:
    """The packets that the flows send in ns-2."""
    script = str(resources.files(__package__).joinpath("agents.tcl"))
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        numbers = [network.rate_bps, network.delay_ms / 1e3, network.queue, network.flows, network.seconds]
        words = ["ns", script, agent, *map(str, numbers), str(trace)]
        subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
        lines = [line.split() for line in trace.read_text().splitlines()]
    sent: list[Sent] = [[] for _ in range(network.flows)]
    for line in lines:
        if line[0] == "+" and line[4] == "tcp":
            sent[int(line[7])].append((float(line[1]), int(line[10])))
    return sent


def compare(stack: str, network: Network) -> Agreement:
    """Runs both."""
    return Agreement.of(ours(stack, network), theirs(AGENTS[stack], network))


def main() -> int:
    """Prints the table."""
    try:
        Ns2().install()
    except MissingError as error:
        sys.stderr.write(f"crosscheck: {error}\n")
        return 2
    say = sys.stdout.write
    say("| stack | network | same packets | sent here, ns-2.35 | resent here, ns-2.35 |\n|---|---|---|---|---|\n")
    for stack in AGENTS:
        for network in NETWORKS:
            one = compare(stack, network)
            say(
                f"| {stack} | {network} | {one.same} of {one.first} | {one.sent[0]}, {one.sent[1]} "
                f"| {one.resent[0]}, {one.resent[1]} |\n"
            )
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
