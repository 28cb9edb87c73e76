"""The kinds of damage: which flows run, and how bad a run is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.judge.card.candidate import CANDIDATE, Candidate
from ackclock.judge.card.measures import goodput, queue_delay
from ackclock.judge.worst.bounds import Bounds
from ackclock.judge.worst.case import ATTACKED
from ackclock.results.fairness import bounded_harm

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.judge.worst.case import Case
    from ackclock.results.result import Result

__all__ = ["GOALS", "OTHER", "Goal"]

OTHER = "other"
"""The flow beside the attacked one."""
VICTIM = Candidate("cubic")
"""The flow to which harm is done."""
FROM = 0.2
"""Share of the run that does not count: the start, which would hide what comes later."""


@dataclass(frozen=True)
class Goal:
    """A kind of damage."""

    name: str
    text: str
    """The damage in words, without its unit."""
    unit: str
    beside: str
    """The flow beside the attacked one: another of the candidate, the victim, or none."""
    damage: Callable[[Case, Sequence[Result], float, float], float]
    """The damage of the runs of a case between two times, in `unit`."""
    scale: float
    """Damage that counts as one when a case is made small."""
    bounds: Bounds
    """Bounds of the search when none are given."""
    default_why: str
    """Reason for these bounds, for people."""

    def flows(self, candidate: Candidate, who: str) -> list[list[dict[str, Any]]]:
        """The flows of each run of a case: with the candidate, CUBIC or Reno in its place."""
        mine = candidate.placed(_bulk(ATTACKED), who)
        if self.beside == "equal":
            return [[mine, candidate.placed(_bulk(OTHER), who)]]
        if self.beside == "victim":
            victim = VICTIM.placed(_bulk(OTHER), CANDIDATE)
            return [[mine, victim], [victim]]
        return [[mine]]

    def of(self, case: Case, runs: Sequence[Result], duration_s: float) -> float:
        """The damage of the runs of a case; no damage if a number is missing."""
        value = self.damage(case, runs, FROM * duration_s, duration_s)
        return float(value) if np.isfinite(value) else 0.0


def _bulk(name: str) -> dict[str, Any]:
    return {"name": name, "app": "bulk"}


def _unused(case: Case, runs: Sequence[Result], from_s: float, to_s: float) -> float:
    """Share of the capacity that the flow does not use, per cent. Headers are part of it."""
    capacity = case.capacity(from_s, to_s)
    return 100 * (1 - goodput(runs[0], [ATTACKED], from_s, to_s) / capacity) if capacity > 0 else 0.0


def _delay(_: Case, runs: Sequence[Result], from_s: float, to_s: float) -> float:
    """95th percentile of the queueing delay at the bottleneck, ms."""
    return queue_delay(runs[0], from_s, to_s, 0.95)


def _gap(case: Case, runs: Sequence[Result], from_s: float, to_s: float) -> float:
    """Difference of the goodputs of two equal flows over the capacity, per cent."""
    capacity = case.capacity(from_s, to_s)
    mine, other = (goodput(runs[0], [name], from_s, to_s) for name in (ATTACKED, OTHER))
    return 100 * abs(mine - other) / capacity if capacity > 0 else 0.0


def _harm(_: Case, runs: Sequence[Result], from_s: float, to_s: float) -> float:
    """Harm to the goodput of a flow of CUBIC, per cent."""
    together, alone = (goodput(run, [OTHER], from_s, to_s) for run in runs)
    return 100 * bounded_harm(together, alone, more_is_better=True)


GOALS = {
    one.name: one
    for one in (
        Goal(
            "under-use", "Capacity that a flow alone does not use", "%", "none", _unused, 100.0,
            Bounds(losses=2, fades=1, bursts=1),
            "two lost packets, one fade and one burst of datagrams are what every long transfer meets",
        ),
        Goal(
            "delay", "95th percentile of the queueing delay", "ms", "none", _delay, 100.0,
            Bounds(jitter_ms=10.0, steps=1, bursts=1, buffer_bdp=(8.0, 8.0)),
            "the buffer is the same in all cases, since the deepest would always be the worst",
        ),
        Goal(
            "starvation", "Difference of the goodputs of two equal flows, over the capacity", "%", "equal", _gap, 100.0,
            Bounds(jitter_ms=5.0, rate_mbps=(20.0, 100.0), rtt_ms=(40.0, 100.0), buffer_bdp=(1.0, 8.0)),
            "a jitter of a few milliseconds (Arun, Alizadeh, Balakrishnan, SIGCOMM 2022)",
        ),
        Goal(
            "harm", "Harm to the goodput of a flow of CUBIC", "%", "victim", _harm, 100.0,
            Bounds(buffer_bdp=(0.25, 16.0)),
            "the path alone: rate, RTT and buffer",
        ),
    )
}  # fmt: skip
"""The kinds of damage by name."""
