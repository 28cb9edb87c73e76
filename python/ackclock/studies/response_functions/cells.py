"""What is run: algorithms x loss rates x first losses, under every reading, and the closed forms beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock._run import Job
from ackclock.scenario import Text, override_pairs
from ackclock.studies.lab import Cell as StudyCell
from ackclock.studies.study import page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.result import Result
    from ackclock.stats import Estimate
    from ackclock.studies.lab import Lab

__all__ = [
    "ALGORITHMS",
    "CHOICES",
    "MAIN",
    "Algorithm",
    "Cell",
    "Choice",
    "Windows",
    "cycle_windows",
    "job",
    "mathis",
    "run_cells",
]

RTT_S = 0.1
SEGMENT = 1460
EXPONENTS = (2, 3, 4, 5, 6)
"""Loss rates 1e-2 to 1e-6."""
SHORT_EXPONENTS = (2, 3, 4)
"""Of the readings beside the main one."""
QUICK = {True: (2, 3, 4), False: (2, 3)}
"""Of a quick run: under the main reading, and under the others."""

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
class Choice:
    """One way to read what the formulas leave open. The main one changes nothing."""

    name: str
    overrides: Mapping[str, object] = field(default_factory=dict)
    random: bool = False
    warm_up: int | None = None
    """Cycles before the average, where they are not those of the algorithm."""
    exponents: Sequence[int] = SHORT_EXPONENTS


MAIN = "periodic loss, SACK, every segment acknowledged"

CHOICES = (
    Choice(MAIN, exponents=EXPONENTS),
    Choice("acknowledgments delayed", {"flows[0].delayed_ack": "100ms"}),
    Choice("NewReno without SACK", {"flows[0].recovery": "newreno", "flows[0].sack": False}),
    Choice("proportional rate reduction", {"flows[0].recovery": "prr"}),
    Choice("averaged from the sixth loss on", warm_up=6, exponents=(2, 3, 4, 5)),
    Choice("random loss", random=True),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One run."""

    choice: Choice
    algorithm: Algorithm
    exponent: int
    replication: int
    """From zero: the number of the start, or of the seed less one."""

    @property
    def p(self) -> float:
        """The loss rate."""
        return float(10**-self.exponent)

    @property
    def warm_up(self) -> int:
        """Cycles before those that count."""
        return self.algorithm.warm_up[self.exponent] if self.choice.warm_up is None else self.choice.warm_up

    def overrides(self) -> dict[str, object]:
        """What the cell sets in the scenario."""
        cycles = RANDOM_CYCLES if self.choice.random else self.warm_up + MEASURED + 2
        first = self.algorithm.window(self.p) * self.algorithm.peak * STARTS[self.replication]
        return {
            "flows[0].cc": self.algorithm.name,
            **loss(self.exponent, round(first), random=self.choice.random),
            **size(self.exponent, cycles),
            **self.choice.overrides,
        }


def loss(exponent: int, first: int, *, random: bool = False) -> dict[str, object]:
    """The loss of a rate of 10^-exponent."""
    if random:
        return {"bottleneck.loss": f"{100 * 10**-exponent:g}%"}
    return {"bottleneck.loss": {"kind": "periodic", "every": 10**exponent, "first": max(first, 4)}}


def size(exponent: int, cycles: int) -> dict[str, object]:
    """The size of a transfer that meets so many losses, and does not end with one: half a period more."""
    return {"flows[0].app.size": f"{(2 * cycles + 1) * 10**exponent // 2 * SEGMENT}B"}


def job(overrides: Mapping[str, object], seed: int = 1) -> Job:
    """The run of the study's scenario with these values."""
    text = Text(page(__package__, "scenario.toml"), name="response_functions/scenario.toml")
    return Job(text, tuple(override_pairs(overrides)), seed)


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
    """Every measured window, in segments, by choice, algorithm and exponent of the loss rate; one a replication."""

    values: Mapping[tuple[str, str, int], NDArray[np.float64]]

    def mean(self, choice: str, algorithm: str, exponent: int) -> Estimate:
        """The mean over the replications."""
        return stats.mean(self.values[choice, algorithm, exponent])

    def exponents(self, choice: str, algorithm: str) -> list[int]:
        """The loss rates that were run."""
        return [exponent for chosen, name, exponent in self.values if (chosen, name) == (choice, algorithm)]

    def readings(self, algorithm: str, exponent: int) -> dict[str, Estimate]:
        """The mean under every choice that was run."""
        return {
            choice: self.mean(choice, name, at)
            for choice, name, at in self.values
            if (name, at) == (algorithm, exponent)
        }


def run_cells(lab: Lab) -> Windows:
    """Runs everything; in a quick run without the smallest loss rates."""
    keys = [
        (choice, algorithm, exponent)
        for choice in CHOICES
        for algorithm in ALGORITHMS
        for exponent in choice.exponents
        if not lab.quick or exponent in QUICK[choice.name == MAIN]
    ]
    cells = [_run_of(Cell(*key, replication)) for key in keys for replication in range(len(STARTS))]
    windows = iter(float(measured["window"][0]) for measured in lab.measure(cells))
    named = [(choice.name, algorithm.name, exponent) for choice, algorithm, exponent in keys]
    return Windows({name: np.array([next(windows) for _ in STARTS]) for name in named})


def _run_of(cell: Cell) -> StudyCell:
    """A cell as the laboratory runs it."""
    params = {
        "choice": cell.choice.name,
        "algorithm": cell.algorithm.name,
        "exponent": cell.exponent,
        "replication": cell.replication,
    }
    measure = partial(_measure, random=cell.choice.random, exponent=cell.exponent, warm_up=cell.warm_up)
    return StudyCell(params, job({}).scenario, cell.overrides(), [cell.replication + 1], measure)
