"""Comparison of the fates of packets in a kernel and in our disciplines."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from statistics import fmean, variance
from typing import TYPE_CHECKING

from ackclock import _core
from ackclock.stats.intervals import t_quantile
from tools.queues.patterns import packets
from tools.queues.plan import CREDIT_NS, ETHERNET, FRAME, SEEDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.queues.patterns import Packet
    from tools.queues.plan import Case

__all__ = ["LEVEL", "MEASURES", "WITHIN_NS", "Pair", "Sample", "fates", "measured", "pair", "sample", "samples"]

WITHIN_NS = 20_000
"""Largest difference of the times at which a packet leaves."""
LAG_NS = 700
"""Time from the sender's look at its clock to the kernel's look with which a class of htb begins to send."""
HOSTS = (1, 2, 0)
"""Source and destination of all packets, and their code point."""
AT_ONCE_NS = 5_000
"""Longest time from the sender's look at its clock until a packet leaves that does not wait."""
LEVEL = 0.999
"""Level of the interval of a difference of two means."""
DELAY = "delay, ms"
MEASURES = ("drops", "marks", DELAY)
"""Measures of a run of a discipline that draws random numbers."""

Fate = tuple[int, int] | None
"""Time (ns) and ECN field with which a packet left; None if it was dropped."""


def _seed(number: int) -> bytes:
    return hashlib.sha256(f"queues {number}".encode()).digest()


def fates(case: Case, arrived: Sequence[Packet], number: int = 0) -> list[Fate]:
    """The fates of packets in our discipline, with one of its seeds."""
    header = ETHERNET if case.adds_header else 0
    rows = [(one.at + case.phase_ns, one.size - header, one.flow, 0, one.ecn) for one in arrived]
    outcomes = _core.replay_queue(
        case.queue, case.rate, case.limit, list(case.given.items()), rows, _seed(number), FRAME - header,
        netem=case.netem, idle=case.shapes, headers=[HOSTS] * len(rows),
    )  # fmt: skip
    return [
        (at - case.phase_ns, ecn) if fate == "sent" and at is not None and ecn is not None else None
        for fate, at, ecn in outcomes
    ]


@dataclass(frozen=True)
class Pair:
    """A run of a discipline that does not draw, beside that of the kernel."""

    case: str
    pattern: str
    packets: int
    drops: tuple[int, int]
    """Ours and the kernel's."""
    marks: tuple[int, int]
    same: int
    """Packets with the same fate: dropped in both, or sent with the same ECN field in both."""
    sent: int
    """Packets that were sent in both."""
    near: int
    """Packets of `sent` that left within WITHIN_NS of each other."""
    first: int | None
    """Number of the first packet with another fate or another time."""

    @property
    def holds(self) -> bool:
        """Whether every packet has the same fate and leaves at the same time."""
        return self.first is None


def handed(case: Case, arrived: Sequence[Packet], theirs: Sequence[Fate]) -> list[Packet]:
    """The packets as our discipline gets them: so that our wire is busy for the same times as the class of htb.

    A packet that the kernel sends at once ends an idle time, after which the class has its credit.
    """
    if case.shapes:
        return list(arrived)
    found: list[Packet] = []
    for one, fate in zip(arrived, theirs, strict=True):
        at = one.at - CREDIT_NS + LAG_NS if fate and fate[0] - one.at < AT_ONCE_NS else one.at
        found.append(replace(one, at=max(at, found[-1].at) if found else at))
    return found


def pair(case: Case, pattern: str, arrived: Sequence[Packet], theirs: Sequence[Fate]) -> Pair:
    """Compares our fates of packets with the kernel's."""
    ours = fates(case, handed(case, arrived, theirs))
    same = [(one is None) == (other is None) and (one or (0, 0))[1] == (other or (0, 0))[1]
            for one, other in zip(ours, theirs, strict=True)]  # fmt: skip
    gaps = [abs(one[0] - other[0]) if one and other else None for one, other in zip(ours, theirs, strict=True)]
    wrong = (
        number
        for number, (alike, gap) in enumerate(zip(same, gaps, strict=True))
        if not alike or (gap is not None and gap > WITHIN_NS)
    )
    return Pair(
        case.name, pattern, len(arrived),
        (ours.count(None), list(theirs).count(None)),
        (_marks(arrived, ours), _marks(arrived, theirs)),
        sum(same), sum(gap is not None for gap in gaps),
        sum(gap is not None and gap <= WITHIN_NS for gap in gaps),
        next(wrong, None),
    )  # fmt: skip


def _marks(arrived: Sequence[Packet], found: Sequence[Fate]) -> int:
    return sum(fate is not None and fate[1] != one.ecn for one, fate in zip(arrived, found, strict=True))


def measured(arrived: Sequence[Packet], found: Sequence[Fate]) -> list[float]:
    """Measures of a run: drops, marks, and the mean queueing delay in ms."""
    delays = [fate[0] - one.at for one, fate in zip(arrived, found, strict=True) if fate]
    return [found.count(None), _marks(arrived, found), fmean(delays) / 1e6]


def samples(case: Case, pattern: str) -> list[list[float]]:
    """Measures of our runs, with one seed each."""
    arrived = packets(pattern)
    return [measured(arrived, fates(case, arrived, number)) for number in range(SEEDS)]


@dataclass(frozen=True)
class Sample:
    """A measure of the runs of a discipline that draws, beside that of the kernel."""

    case: str
    pattern: str
    measure: str
    ours: float
    theirs: float
    width: float
    """Half of the width of the interval of the difference; for delays, plus WITHIN_NS."""

    @property
    def holds(self) -> bool:
        """Whether the interval of the difference has zero in it."""
        return abs(self.ours - self.theirs) <= self.width + 1e-9


def sample(
    case: Case, pattern: str, ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]]
) -> list[Sample]:
    """Compares the means of our runs with those of the kernel's."""
    found = []
    for number, measure in enumerate(MEASURES):
        one, other = ([run[number] for run in runs] for runs in (ours, theirs))
        error = math.sqrt(variance(one) / len(one) + variance(other) / len(other))
        width = t_quantile(min(len(one), len(other)), LEVEL) * error
        if measure == DELAY:
            width += WITHIN_NS / 1e6
        found.append(Sample(case.name, pattern, measure, fmean(one), fmean(other), width))
    return found
