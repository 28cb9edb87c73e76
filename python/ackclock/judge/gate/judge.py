"""The judgement of a gate: pairs by seed, an interval, a tolerance, and one error level for all measures.

The hypotheses are two per measure: its change is centred at the tolerance or below, upwards and downwards. Each is
tested with the exact signed-rank test, and Holm's correction holds for all measures of all scenarios. If a build
behaves as the build of the baseline did, differences are symmetric about zero, whatever their distribution is. The
probability of any false alarm is then at most 1 - level.

The first look at a few seeds can only accept a scenario. It therefore saves runs and adds no false alarms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ackclock.results.measure import Measure
from ackclock.stats.ranks import Shift, signed_rank_interval, signed_rank_p
from ackclock.stats.several import holm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.judge.gate.baseline import Entry, Made, Values
    from ackclock.judge.gate.expected import Expected

__all__ = ["INTERVAL", "Judged", "Paired", "Verdict", "Verdicts", "accepted", "fewest_seeds", "judged"]

INTERVAL = 0.95
"""Level of the interval of a single measure, which is shown and which can accept a measure."""

Verdict: TypeAlias = Literal["worse", "better", "same", "within", "open"]
"""
``same``: every value is the baseline's. ``within``: the whole interval is within the tolerance. ``worse`` and
``better``: the change is beyond the tolerance, at the level of all measures together. ``open``: none of these.
"""


@dataclass(frozen=True, slots=True)
class Paired:
    """A measure of a scenario under the same seeds, then and now."""

    scenario: str
    values: Values
    now: tuple[float, ...]
    """One value per seed, for as many seeds as were run; NaN where a run has no value."""

    @property
    def before(self) -> tuple[float, ...]:
        """The baseline's values under the same seeds."""
        return self.values.values[: len(self.now)]

    @property
    def differences(self) -> list[float]:
        """Now minus baseline, by seed. A run without a value is the worst of all."""
        worst = -math.inf if self.values.expected.direction == "higher" else math.inf
        pairs = zip(self.now, self.before, strict=True)
        return [worst if math.isnan(now) else now - before for now, before in pairs]

    def within(self) -> bool:
        """Whether the interval of the change is within the tolerance."""
        found = signed_rank_interval(self.differences, level=INTERVAL)
        return found.low >= -self.values.tolerance and found.high <= self.values.tolerance


@dataclass(frozen=True, slots=True)
class Judged:
    """A measure of a scenario with its verdict."""

    scenario: str
    """Name of the scenario."""
    expected: Expected
    """The measure with direction and tolerance."""
    seeds: tuple[int, ...]
    """The seeds that were run."""
    before: float
    """Mean of the baseline under these seeds."""
    now: float
    """Mean under these seeds, of the runs with a value; NaN if there is none."""
    change: Shift
    """Centre of the differences by seed, now minus baseline, with the interval of this measure alone."""
    tolerance: float
    """Tolerance in the unit of the measure."""
    p: float
    """The smaller p-value of both sides, adjusted for all measures of the gate."""
    verdict: Verdict
    """``same`` as every value of the baseline, ``within`` the tolerance, ``worse`` or ``better``, or ``open``."""
    valueless: int
    """Number of runs without a value."""
    differences: tuple[float, ...]
    """Now minus baseline, by seed."""

    @property
    def unit(self) -> str:
        """Unit of the measure, such as ``bps``; empty for a plain number."""
        return Measure.parse(self.expected.measure).unit

    def document(self) -> dict[str, Any]:
        """The judgement as JSON, where null stands for a number that is not finite."""
        numbers = {
            "baseline": self.before,
            "now": self.now,
            "change": self.change.value,
            "low": self.change.low,
            "high": self.change.high,
            "tolerance": self.tolerance,
            "p": self.p,
        }
        return {
            "scenario": self.scenario,
            "measure": self.expected.measure,
            "unit": self.unit,
            "direction": self.expected.direction,
            **{name: _finite(number) for name, number in numbers.items()},
            "verdict": self.verdict,
            "seeds": list(self.seeds),
            "differences": [_finite(one) for one in self.differences],
            "valueless": self.valueless,
        }


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The result of a gate."""

    judged: tuple[Judged, ...]
    """All measures of all scenarios."""
    level: float
    """Probability that a gate raises no false alarm."""
    made: Mapping[str, tuple[Made, Made]]
    """Build of the baseline and present build, for each scenario."""
    reasons: Mapping[str, tuple[str, str]]
    """Date and reason of the last update, for each scenario."""
    runs: int
    """Number of runs that the gate took."""
    notes: tuple[str, ...] = ()
    """Sentences on what else differs from the baseline."""

    def having(self, *verdicts: Verdict) -> list[Judged]:
        """The measures with one of these verdicts."""
        return [one for one in self.judged if one.verdict in verdicts]

    def failed(self, *, strict: bool = False) -> bool:
        """Whether there is a regression or, with `strict`, an improvement that the baseline does not have."""
        return bool(self.having("worse", "better") if strict else self.having("worse"))

    def document(self, *, strict: bool = False) -> dict[str, Any]:
        """The JSON document of ``ackclock gate --json``."""
        scenarios = {
            name: {
                "baseline": str(before),
                "now": str(now),
                "updated": self.reasons[name][0],
                "reason": self.reasons[name][1],
            }
            for name, (before, now) in self.made.items()
        }
        return {
            "passed": not self.failed(strict=strict),
            "strict": strict,
            "level": self.level,
            "runs": self.runs,
            "scenarios": scenarios,
            "measures": [one.document() for one in self.judged],
            "notes": list(self.notes),
        }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def fewest_seeds(measures: int, level: float) -> int:
    """The fewest seeds with which a regression of one of so many measures can be shown at a level.

    The smallest p-value of n pairs is 2^-n, and each measure has two hypotheses.
    """
    return math.ceil(math.log2(2 * measures / (1 - level)) - 1e-9)


def accepted(pairs: Sequence[Paired]) -> bool:
    """Whether the first look accepts a scenario: all of its measures are within their tolerances."""
    return all(one.within() for one in pairs)


def judged(pairs: Sequence[Paired], entries: Mapping[str, Entry], level: float) -> tuple[Judged, ...]:
    """The verdicts over all measures of all scenarios.

    Parameters
    ----------
    pairs
        All measures.
    entries
        The baseline's scenarios by name.
    level
        Probability that there is no false alarm.
    """
    sides: list[float] = []
    for one in pairs:
        # Measures that the first look accepted have p-values above one half, and count among the tests.
        differences, tolerance = one.differences, one.values.tolerance
        sides.append(signed_rank_p(differences, tolerance))
        sides.append(signed_rank_p([-each for each in differences], tolerance))
    adjusted = [one.p for one in holm(sides, level=level)]
    found = []
    for index, one in enumerate(pairs):
        up, down = adjusted[2 * index : 2 * index + 2]
        differences = one.differences
        valued = [each for each in one.now if not math.isnan(each)]
        found.append(
            Judged(
                scenario=one.scenario,
                expected=one.values.expected,
                seeds=entries[one.scenario].seeds[: len(one.now)],
                before=math.fsum(one.before) / len(one.before),
                now=math.fsum(valued) / len(valued) if valued else math.nan,
                change=signed_rank_interval(differences, level=INTERVAL),
                tolerance=one.values.tolerance,
                p=min(up, down),
                verdict=_verdict(one, up, down, level),
                valueless=len(one.now) - len(valued),
                differences=tuple(differences),
            )
        )
    return tuple(found)


def _verdict(pair: Paired, up: float, down: float, level: float) -> Verdict:
    # 1 - level is not exact, and 2^-n can be the bound itself.
    bound = (1 - level) * (1 + 1e-9)
    direction = pair.values.expected.direction
    if up <= bound:
        return "better" if direction == "higher" else "worse"
    if down <= bound:
        return "better" if direction == "lower" else "worse"
    if pair.now == pair.before:
        return "same"
    return "within" if pair.within() else "open"
