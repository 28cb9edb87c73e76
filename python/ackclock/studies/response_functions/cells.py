"""The transfers: algorithms x loss rates x first losses, under every reading; and the closed forms."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import Experiment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.results.result import Result
    from ackclock.scenario import Text
    from ackclock.stats import Estimate
    from ackclock.studies.framework import Lab

__all__ = [
    "ALGORITHMS",
    "ASSUMPTIONS",
    "MAIN",
    "Algorithm",
    "Assumption",
    "Transfer",
    "Windows",
    "cycle_windows",
    "mathis",
    "run_transfers",
]

RTT_S = 0.1
SEGMENT = 1460
EXPONENTS = (2, 3, 4, 5, 6)
"""Loss rates 1e-2 to 1e-6."""
SHORT_EXPONENTS = (2, 3, 4)
"""Exponents of the loss rates under the readings beside the main one."""
QUICK = {True: (2, 3, 4), False: (2, 3)}
"""Exponents of a quick run: True for the main reading, False for the others."""

MEASURED = 4
"""Cycles, from one loss to the next, over which the window is averaged."""
STARTS = (0.9, 1.0, 1.1)
"""First losses, as parts of the largest window of theory: what differs between replications, for nothing is random."""
RANDOM_CYCLES = 200
"""Losses in a run with random loss."""


def mathis(p: float) -> float:
    """Average window of Reno in segments at a loss rate, for periodic loss and no recovery (Mathis et al. 1997)."""
    return math.sqrt(1.5 / p)


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A congestion control with its published response function."""

    name: str
    label: str
    window: Callable[[float], float]
    """Average window in segments by loss rate."""
    peak: float
    """Largest window of a cycle over the average."""
    warm_up: Mapping[int, int]
    """Cycles until the window repeats itself, by the exponent of the loss rate."""


def _reno(p: float) -> float:
    return 1.2 / math.sqrt(p)


def _cubic(p: float) -> float:
    return float(max(_reno(p), 1.054 * (RTT_S / p) ** 0.75))


def _highspeed(p: float) -> float:
    return float(max(_reno(p), 0.12 / p**0.835))


def _scalable(p: float) -> float:
    return max(_reno(p), 0.08 / p)


ALGORITHMS = (
    Algorithm("reno", "Reno", _reno, 4 / 3, dict.fromkeys(EXPONENTS, 4)),
    Algorithm("cubic", "CUBIC (RFC 9438)", _cubic, 1.2, {2: 100, 3: 100, 4: 100, 5: 60, 6: 20}),
    Algorithm("highspeed", "HighSpeed", _highspeed, 1.2, dict.fromkeys(EXPONENTS, 8)),
    Algorithm("scalable", "Scalable", _scalable, 1.08, dict.fromkeys(EXPONENTS, 14)),
)


@dataclass(frozen=True, slots=True)
class Assumption:
    """An assumption about a setting that the formulas leave open. The main assumption changes nothing."""

    name: str
    overrides: Mapping[str, object] = field(default_factory=dict)
    random: bool = False
    warm_up: int | None = None
    """Cycles before the average, where they are not those of the algorithm."""
    exponents: Sequence[int] = SHORT_EXPONENTS


MAIN = "periodic loss, SACK, every segment acknowledged"

ASSUMPTIONS = (
    Assumption(MAIN, exponents=EXPONENTS),
    Assumption("acknowledgments delayed", {"flows[0].delayed_ack": "100ms"}),
    Assumption("NewReno without SACK", {"flows[0].recovery": "newreno", "flows[0].sack": False}),
    Assumption("proportional rate reduction", {"flows[0].recovery": "prr"}),
    Assumption("averaged from the sixth loss on", warm_up=6, exponents=(2, 3, 4, 5)),
    Assumption("random loss", random=True),
)


@dataclass(frozen=True, slots=True)
class Transfer:
    """One run."""

    assumption: Assumption
    algorithm: Algorithm
    exponent: int
    replication: int
    """Number from zero: that of the start, or that of the seed less one."""

    @property
    def p(self) -> float:
        """The loss rate."""
        return float(10**-self.exponent)

    @property
    def warm_up(self) -> int:
        """Cycles before those that count."""
        return self.algorithm.warm_up[self.exponent] if self.assumption.warm_up is None else self.assumption.warm_up

    def overrides(self) -> dict[str, object]:
        """The overrides of the scenario for this transfer."""
        cycles = RANDOM_CYCLES if self.assumption.random else self.warm_up + MEASURED + 2
        first = self.algorithm.window(self.p) * self.algorithm.peak * STARTS[self.replication]
        return {
            "flows[0].cc": self.algorithm.name,
            **loss(self.exponent, round(first), random=self.assumption.random),
            **size(self.exponent, cycles),
            **self.assumption.overrides,
        }


def loss(exponent: int, first: int, *, random: bool = False) -> dict[str, object]:
    """The loss of a rate of 10^-exponent."""
    if random:
        return {"bottleneck.loss": f"{100 * 10**-exponent:g}%"}
    return {"bottleneck.loss": {"kind": "periodic", "every": 10**exponent, "first": max(first, 4)}}


def size(exponent: int, cycles: int) -> dict[str, object]:
    """The size of a transfer that meets so many losses, and does not end with one: half a period more."""
    return {"flows[0].app.size": f"{(2 * cycles + 1) * 10**exponent // 2 * SEGMENT}B"}


def cycle_windows(result: Result, period: int) -> NDArray[np.float64]:
    """Packets per round-trip time between each loss and the next, `period` packets later, as they were repaired."""
    events = result.events
    if "timeout" in events["event"]:
        raise ValueError("a timeout: the cycles are not those of congestion avoidance")
    losses = events["time_s"][events["event"] == "recovery_started"]
    return np.asarray(period * RTT_S / np.diff(losses.astype(np.float64)), dtype=np.float64)


def _measure(result: Result, *, random: bool, exponent: int, warm_up: int) -> dict[str, float]:
    """The average window: the average sending rate in packets per round-trip time (RFC 3649 section 5)."""
    if random:
        (row,) = result.transfers.rows()
        return {"window": float(row["bytes"] / SEGMENT * RTT_S / row["duration_s"])}
    windows = cycle_windows(result, 10**exponent)[warm_up:][:MEASURED]
    if len(windows) < MEASURED:
        raise ValueError(f"1e-{exponent}: too few losses")
    # Each cycle carries as many packets: over all of them the rate is the harmonic mean.
    return {"window": float(1 / np.mean(1 / windows))}


@dataclass(frozen=True, slots=True)
class Windows:
    """Every measured window, in segments, by assumption, algorithm and exponent of the loss rate; one a replication."""

    values: Mapping[tuple[str, str, int], NDArray[np.float64]]

    def mean(self, assumption: str, algorithm: str, exponent: int) -> Estimate:
        """The mean over the replications."""
        return stats.mean(self.values[assumption, algorithm, exponent])

    def exponents(self, assumption: str, algorithm: str) -> list[int]:
        """The loss rates that were run."""
        return [exponent for chosen, name, exponent in self.values if (chosen, name) == (assumption, algorithm)]

    def readings(self, algorithm: str, exponent: int) -> dict[str, Estimate]:
        """The mean under every assumption that was run."""
        return {
            assumption: self.mean(assumption, name, at)
            for assumption, name, at in self.values
            if (name, at) == (algorithm, exponent)
        }


def run_transfers(lab: Lab, text: Text) -> Windows:
    """Runs everything; in a quick run without the smallest loss rates."""
    keys = [
        (assumption, algorithm, exponent)
        for assumption in ASSUMPTIONS
        for algorithm in ALGORITHMS
        for exponent in assumption.exponents
        if not lab.quick or exponent in QUICK[assumption.name == MAIN]
    ]
    transfers = [_experiment(Transfer(*key, replication), text) for key in keys for replication in range(len(STARTS))]
    windows = iter(float(measured["window"][0]) for measured in lab.measure(transfers))
    named = [(assumption.name, algorithm.name, exponent) for assumption, algorithm, exponent in keys]
    return Windows({name: np.array([next(windows) for _ in STARTS]) for name in named})


def _experiment(one: Transfer, text: Text) -> Experiment:
    """A transfer as the laboratory runs it."""
    params = {
        "choice": one.assumption.name,
        "algorithm": one.algorithm.name,
        "exponent": one.exponent,
        "replication": one.replication,
    }
    measure = partial(_measure, random=one.assumption.random, exponent=one.exponent, warm_up=one.warm_up)
    return Experiment(params, text, one.overrides(), [one.replication + 1], measure)
