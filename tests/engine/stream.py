"""Parts of all references: the random numbers of the engine, a queue before a wire, random traffic."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from ackclock import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MASK = 2**64 - 1


class Stream:
    """Xoshiro256++ (Blackman, Vigna, 2019), seeded with its state, little-endian: the engine's `Random`."""

    def __init__(self, seed: bytes) -> None:
        self.state = [int.from_bytes(seed[at : at + 8], "little") for at in range(0, 32, 8)]
        assert any(self.state), "a state of zeros never leaves zero"

    def bits(self) -> int:
        """Uniform in 0 to 2^64 - 1."""
        a, b, c, d = self.state
        result = (rotated((a + d) & MASK, 23) + a) & MASK
        c ^= a
        d ^= b
        self.state = [a ^ d, b ^ c, c ^ (b << 17 & MASK), rotated(d, 45)]
        return result

    def unit(self) -> float:
        """Uniform in [0, 1)."""
        return (self.bits() >> 11) / 2**53


def rotated(value: int, by: int) -> int:
    return (value << by | value >> (64 - by)) & MASK


@dataclass
class Packet:
    """A packet that arrives: ns, bytes, flow, class, and the two bits of its ECN field."""

    at: int
    size: int
    flow: int = 0
    service: int = 0
    ecn: int = 0
    number: int = field(default=0, compare=False)


Outcome = tuple[str, int | None, int | None]


class Reference(Protocol):
    """A slow queue; times are ns.

    It tells of drops by `drop(packet, cause)`, and is asked for a packet whenever the wire is free, as a driver asks,
    also when nothing waits. The engine makes that last call later, just before the next packet comes.
    """

    def enqueue(self, now: int, packet: Packet) -> None: ...
    def dequeue(self, now: int) -> Packet | int | None:
        """A packet, or when there will be one, or None where nothing waits."""


class Replay:
    """Packets through a slow queue before a wire of fixed rate, in exact arithmetic, as `replay_queue` does."""

    def __init__(self, rate: int, make: Callable[[Callable[[Packet, str], None]], Reference]) -> None:
        self.rate = rate
        self.queue = make(self.drop)
        self.now = 0
        # The wire is free from here on, in 1/rate ns; what has waited starts then, however it rounds.
        self.free = 0
        self.outcomes: dict[int, Outcome] = {}
        self.wake: int | None = None

    def drop(self, packet: Packet, cause: str) -> None:
        assert packet.number not in self.outcomes, "dropped or sent twice"
        self.outcomes[packet.number] = (cause, self.now, None)

    def poll(self) -> None:
        """The wire is free: the queue is asked once."""
        free = -(-self.free // self.rate)
        answer = self.queue.dequeue(self.now)
        self.wake = None
        if isinstance(answer, int):
            self.wake = max(answer, self.now + 1)
        elif answer is not None:
            assert answer.number not in self.outcomes, "dropped or sent twice"
            self.outcomes[answer.number] = ("sent", self.now, answer.ecn)
            follows = answer.at < self.now == free
            start = self.free if follows else self.now * self.rate
            self.free = start + answer.size * 8 * 10**9
            self.wake = -(-self.free // self.rate)

    def serve(self, until: int) -> None:
        while self.wake is not None and self.wake <= until:
            self.now = self.wake
            self.poll()

    def run(self, packets: list[Packet]) -> list[Outcome]:
        for number, original in enumerate(packets):
            packet = replace(original, number=number)
            self.serve(packet.at)
            self.now = packet.at
            self.queue.enqueue(self.now, packet)
            if -(-self.free // self.rate) <= self.now:
                self.poll()
            elif self.wake is None:
                self.wake = -(-self.free // self.rate)
        self.serve(MASK)
        return [self.outcomes.get(number, ("waits", None, None)) for number in range(len(packets))]


def replay(
    name: str,
    rate: int,
    limit: tuple[str, int] | None,
    parameters: Mapping[str, float],
    packets: list[Packet],
    seed: bytes,
    packet_size: int = 1500,
) -> list[Outcome]:
    """The fate of the packets in the engine."""
    rows = [(packet.at, packet.size, packet.flow, packet.service, packet.ecn) for packet in packets]
    return _core.replay_queue(name, rate, limit, list(parameters.items()), rows, seed, packet_size)


def traffic(
    seed: int,
    count: int,
    rate: int,
    load: tuple[float, ...] = (0.3, 0.9, 1.0, 1.5, 3.0),
    sizes: tuple[int, ...] = (1500, 1500, 1500, 576, 40),
    flows: int = 5,
    services: int = 1,
    ecn: tuple[int, ...] = (0,),
) -> list[Packet]:
    """Poisson arrivals, some in bursts, at loads that change every hundred or so, with idle times between."""
    draw = random.Random(seed)
    mean = sum(sizes) / len(sizes) * 8e9 / rate
    packets: list[Packet] = []
    now, level = 0, load[0]
    while len(packets) < count:
        if draw.random() < 0.01:
            level = draw.choice(load)
            now += int(draw.choice((0, 1, 30)) * mean)
        now += int(draw.expovariate(level / mean))
        for _ in range(draw.choice((1, 1, 1, 1, 6))):
            flow, service = draw.randrange(flows), draw.randrange(services)
            packets.append(Packet(now, draw.choice(sizes), flow, service, draw.choice(ecn)))
    return packets
