"""Paths that nobody chose: rates, delays, queues and starts drawn once by a seed, for CUBIC alone."""

from __future__ import annotations

import math
from random import Random
from typing import NamedTuple

__all__ = ["PATHS", "SEED", "Path"]

SEED = 9743
"""The paths follow from it. It was fixed before the first comparison."""

COUNT = 20
RATES_MBPS = (1.0, 500.0)
DELAYS_MS = (1.0, 150.0)
"""Delay of a path in one direction."""
QUEUES_BDP = (0.25, 4.0)
LEAST_PACKETS = 10
"""No queue is shorter than the initial window."""
STARTS_S = (0.0, 1.0)
PACKETS = 30_000
"""A run lasts as long as the bottleneck takes for these, within the bounds of `DURATIONS_S`."""
DURATIONS_S = (4, 60)
PACKET_BITS = 12_000


class Path(NamedTuple):
    """A path with a bottleneck and a drop-tail queue, and when the flow starts."""

    rate_mbps: float
    delay_ms: float
    packets: int
    start_s: float
    duration_s: int

    @property
    def words(self) -> str:
        """Its rate, delay, queue and start, as the page names them."""
        path = f"{self.rate_mbps:g} Mbit/s, 2 x {self.delay_ms:g} ms, {self.packets} packets"
        return f"{path}, start at {self.start_s:.3f} s"


def _between(random: Random, bounds: tuple[float, float]) -> float:
    """A number within bounds, whose logarithm is uniform."""
    low, high = (math.log(bound) for bound in bounds)
    return math.exp(low + (high - low) * random.random())


def _path(random: Random) -> Path:
    rate = float(f"{_between(random, RATES_MBPS):.3g}")
    delay = float(f"{_between(random, DELAYS_MS):.3g}")
    bdp = rate * 1e6 * 2 * delay * 1e-3 / PACKET_BITS
    packets = max(LEAST_PACKETS, round(_between(random, QUEUES_BDP) * bdp))
    start = round(STARTS_S[0] + (STARTS_S[1] - STARTS_S[0]) * random.random(), 6)
    shortest, longest = DURATIONS_S
    duration = min(longest, max(shortest, round(PACKETS * PACKET_BITS / (rate * 1e6))))
    return Path(rate, delay, packets, start, duration)


def _paths() -> tuple[Path, ...]:
    random = Random(SEED)  # noqa: S311 -- a simulation's numbers
    return tuple(_path(random) for _ in range(COUNT))


PATHS = _paths()
