"""Gates over values that are drawn from pools: false alarms without a change, and the power against changes."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from ackclock.judge.gate import Entry, Expected, Made, Values
from ackclock.judge.gate.baseline import LEVEL, SEEDS
from ackclock.judge.gate.judge import Paired, judged
from ackclock.results.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tools.coverage.pools import Pool
    from tools.coverage.scenarios import Case

__all__ = ["CHANGES", "alarms", "power"]

CHANGES = (0.01, 0.02, 0.05, 0.1)
PER_SCENARIO = 50
"""Gates of each scenario without a change: a thousand with twenty scenarios."""
TRIALS = 60
"""Gates of each scenario and change."""


def verdict(case: Case, before: NDArray[np.float64], now: NDArray[np.float64], expected: Expected) -> str:
    """The verdict of a gate of one measure over so many seeds, by the default level."""
    values = Values(expected, tuple(before.tolist()))
    entry = Entry("0" * 16, Made("", ""), "", "", tuple(range(1, before.size + 1)), (values,))
    [found] = judged([Paired(case.name, values, tuple(now.tolist()))], {case.name: entry}, LEVEL)
    return found.verdict


def alarms(cases: Sequence[tuple[Case, Pool]]) -> dict[str, int]:
    """Gates whose build draws other random numbers, and behaves as the one before: how many, and how many fail."""
    gates = wrong = without = 0
    for case, pool in cases:
        draw = _draw(case, "alarms")
        own, bare = _expected(case), Expected(case.measure, "either", 0.0, 0.0)
        for _ in range(PER_SCENARIO):
            before, now = pool.control[draw.integers(0, pool.control.size, (2, SEEDS))]
            gates += 1
            wrong += verdict(case, before, now, own) == "worse"
            without += verdict(case, before, now, bare) == "worse"
    return {"gates": gates, "alarms": wrong, "alarms without a tolerance": without}


def power(case: Case, pool: Pool) -> dict[str, dict[str, float]]:
    """Measures how often a gate says "worse" of a build that makes every run worse by a share.

    Returns
    -------
    dict
        By change: with the same random numbers as before, with other ones, and with other ones under 100 seeds.
    """
    own = _expected(case)
    worse = -1 if own.direction == "higher" else 1
    draw = _draw(case, "power")
    found = {}
    for change in CHANGES:
        counts = dict.fromkeys(("same", "other", "other, 100 seeds"), 0)
        for _ in range(TRIALS):
            for name, size in (("same", SEEDS), ("other", SEEDS), ("other, 100 seeds", 100)):
                before, after = pool.control[draw.integers(0, pool.control.size, (2, size))]
                now = (before if name == "same" else after) * (1 + worse * change)
                counts[name] += verdict(case, before, now, own) == "worse"
        found[f"{change:g}"] = {name: count / TRIALS for name, count in counts.items()}
    return found


def _expected(case: Case) -> Expected:
    """The measure with its usual direction and tolerance."""
    return Expected.parse(str(Measure.parse(case.measure)))


def _draw(case: Case, what: str) -> np.random.Generator:
    return np.random.default_rng([2026, zlib.crc32(f"{case.name} {what}".encode())])
