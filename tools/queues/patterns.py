"""The packets that arrive: patterns that are drawn once, each from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["PATTERNS", "RATE", "Packet", "packets"]

RATE = 5_000_000
"""Rate of the wire, bit/s."""
LENGTH_S = 2.25
"""Time in which packets arrive."""
LARGE, MIDDLE, SMALL = 1514, 614, 114
"""Sizes of frames, bytes: with the 14 bytes of Ethernet's header, which the kernel counts."""
NOT_ECT, ECT1, ECT0, CE = 0, 1, 2, 3


@dataclass(frozen=True)
class Packet:
    """A packet that arrives."""

    at: int
    """ns from the start."""
    size: int
    """Bytes of the frame."""
    flow: int
    ecn: int
    """The two bits of the ECN field."""


@dataclass(frozen=True)
class Flow:
    """A flow of packets of one size at random times."""

    share: float
    """Its load, as a share of the wire's rate."""
    size: int
    ecn: int

    def times(self, chance: random.Random, begin_s: float, end_s: float, scale: float = 1.0) -> Iterator[float]:
        """Times of a Poisson process, s."""
        gap_s = self.size * 8 / (self.share * scale * RATE)
        at = begin_s + chance.expovariate(1) * gap_s
        while at < end_s:
            yield at
            at += chance.expovariate(1) * gap_s


FLOWS = (
    Flow(0.45, LARGE, ECT0),
    Flow(0.35, LARGE, NOT_ECT),
    Flow(0.25, MIDDLE, NOT_ECT),
    Flow(0.15, LARGE, ECT1),
    Flow(0.03, SMALL, NOT_ECT),
)
"""Flows with 1.23 times the wire's rate together; the last one is sparse."""


def _overload(chance: random.Random) -> Iterator[tuple[float, int, int, int]]:
    for number, flow in enumerate(FLOWS):
        for at in flow.times(chance, 0, LENGTH_S):
            yield at, flow.size, number, flow.ecn


def _bursts(chance: random.Random) -> Iterator[tuple[float, int, int, int]]:
    at = 0.0
    while (at := at + chance.expovariate(1 / 0.06)) < LENGTH_S:
        number = chance.randrange(4)
        size = chance.choice((LARGE, LARGE, MIDDLE))
        for _ in range(chance.randint(5, 40)):
            yield at, size, number, FLOWS[number].ecn
    for at in FLOWS[4].times(chance, 0, LENGTH_S):
        yield at, SMALL, 4, CE if chance.random() < 0.1 else NOT_ECT


def _waves(chance: random.Random) -> Iterator[tuple[float, int, int, int]]:
    begin = 0.0
    while begin < LENGTH_S:
        for length, scale in ((0.4, 1.4), (0.35, 0.3)):
            for number, flow in enumerate(FLOWS):
                for at in flow.times(chance, begin, begin + length, scale):
                    yield at, flow.size, number, flow.ecn
            begin += length


PATTERNS: dict[str, tuple[str, Callable[[random.Random], Iterator[tuple[float, int, int, int]]]]] = {
    "overload": ("Five Poisson flows with 1.23 times the rate of the wire.", _overload),
    "bursts": ("Bursts of 5 to 40 packets of four flows every 60 ms on average, and a sparse flow.", _bursts),
    "waves": ("The five flows at 1.4 and at 0.3 times their rates in turn, for 400 and 350 ms.", _waves),
}
"""Patterns by name: a description, and the packets as times (s), sizes, flows and ECN fields."""


def packets(pattern: str) -> list[Packet]:
    """The packets of a pattern, in the order of their times. The same name gives the same packets."""
    drawn = PATTERNS[pattern][1](random.Random(pattern))  # noqa: S311 -- traffic, not a secret
    ordered = sorted((round(at * 1e9), number, size, flow, ecn) for number, (at, size, flow, ecn) in enumerate(drawn))
    return [Packet(at, size, flow, ecn) for at, _, size, flow, ecn in ordered]
