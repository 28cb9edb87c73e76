"""Verdicts of rows: the candidate beside CUBIC and Reno in the same place, under the same seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ackclock import stats
from ackclock.judge.card.candidate import BESIDE, CANDIDATE, CUBIC
from ackclock.results.fairness import bounded_harm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.judge.card.perform import Cell, Numbers
    from ackclock.judge.card.section import Row
    from ackclock.stats import Estimate

__all__ = [
    "AS_GOOD", "BETWEEN", "FACT", "LEVEL", "NOT_SHOWN", "RULE", "VERDICTS", "WORSE", "Beside", "Judged", "beside",
    "judged", "verdict_of",
]  # fmt: skip

AS_GOOD, BETWEEN, WORSE, FACT, NOT_SHOWN = "as good", "between", "worse", "fact", "not shown"
VERDICTS = (AS_GOOD, BETWEEN, WORSE, FACT, NOT_SHOWN)
LEVEL = 0.95

RULE = (
    "Each number of the candidate is compared with the number of CUBIC, and with that of Reno, in the same place of "
    "the same scenario under the same seeds. The candidate is worse than one of them if the whole 95 % interval of the "
    "paired difference (Student's t over the seeds) is on the bad side of zero. A row is “as good” if the candidate "
    "is not worse than CUBIC; “worse” if it is worse than CUBIC and worse than Reno, which are all algorithms in use "
    "that the card runs; and “between” if it is worse than CUBIC alone. RFC 9743 has no thresholds, and this rule adds "
    "none: a small difference that every seed shows counts like a large one, so read the numbers beside the colour."
)
"""The rule of the colours, which every page prints."""


@dataclass(frozen=True)
class Beside:
    """The candidate's numbers minus those of another algorithm, by pairs of the same seed."""

    difference: Estimate | None
    """Difference of the numbers; None if no seed has a number of both algorithms."""
    lacking: int
    """Seeds under which the candidate has no number and the other algorithm has one."""
    direction: str

    @property
    def worse(self) -> bool:
        """Whether the whole interval is on the bad side of zero, or the candidate lacks a number."""
        return self.lacking > 0 or self._beyond(1.0)

    @property
    def better(self) -> bool:
        """Whether the whole interval is on the good side of zero, and the candidate lacks no number."""
        return not self.lacking and self._beyond(-1.0)

    def _beyond(self, sign: float) -> bool:
        if self.difference is None or not self.difference.has_interval:
            return False
        upward = sign * (1.0 if self.direction == "lower" else -1.0)
        return self.difference.low > 0 if upward > 0 else self.difference.high < 0


@dataclass(frozen=True)
class Judged:
    """A row of the card."""

    cell: Cell
    row: Row
    values: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """The numbers of the candidate, of CUBIC and of Reno by seed, in the unit of the row; NaN where there is none."""
    beside: Mapping[str, Beside] = field(default_factory=dict)
    reason: str = ""
    """Reason why the row is not shown."""

    @property
    def verdict(self) -> str:
        """The verdict by `RULE`."""
        if self.reason:
            return NOT_SHOWN
        return FACT if not self.row.direction else verdict_of(self.beside)

    @property
    def better(self) -> bool:
        """Whether the candidate is better than CUBIC, by the same rule with the other side of zero."""
        return bool(self.row.direction) and not self.reason and self.beside[CUBIC].better

    def mean(self, who: str) -> float:
        """Mean over the seeds that have a number; NaN if none has one or the row is not shown."""
        finite = [value for value in self.values.get(who, ()) if math.isfinite(value)]
        return sum(finite) / len(finite) if finite else math.nan

    @property
    def distance(self) -> float:
        """Distance from the nearest algorithm that the candidate is worse than, from 0 to 1; 0 if there is none.

        Numbers differ by a share of the larger one; harm, which is in per cent of a number already, by its difference.
        """
        if not self.row.direction or self.reason:
            return 0.0
        return min((self._from(who) for who, one in self.beside.items() if one.worse), default=0.0)

    def _from(self, who: str) -> float:
        mine, other = self.mean(CANDIDATE), self.mean(who)
        if not (math.isfinite(mine) and math.isfinite(other)):
            return 1.0
        whole = 100.0 if self.row.harm else max(abs(mine), abs(other))
        return min(abs(mine - other) / whole, 1.0) if whole else 0.0

    def document(self) -> dict[str, Any]:
        """The row for JSON."""
        return {
            "scenario": self.cell.scenario.name,
            "point": self.cell.point.name,
            "row": self.row.text,
            "unit": self.row.unit,
            "better": self.row.direction or None,
            "measure": self.row.measure,
            "args": self.row.args,
            "harm_of": list(self.row.harm) or None,
            "verdict": self.verdict,
            "better_than_cubic": self.better,
            "distance": self.distance,
            "reason": self.reason or None,
            "values": {who: [_number(value) for value in values] for who, values in self.values.items()},
            "mean": {who: _number(self.mean(who)) for who in self.values},
            "difference": {
                who: {
                    **(
                        _interval(one.difference) if one.difference is not None else {"value": None, "ci": [None, None]}
                    ),
                    "worse": one.worse,
                    "better": one.better,
                    "without_value": one.lacking,
                }
                for who, one in self.beside.items()
                if self.row.direction
            },
        }


def verdict_of(found: Mapping[str, Beside]) -> str:
    """The verdict from the comparisons with CUBIC and the other algorithms."""
    if not found[CUBIC].worse:
        return AS_GOOD
    return WORSE if all(one.worse for one in found.values()) else BETWEEN


def judged(numbers: Numbers) -> list[Judged]:
    """All rows of a card, in the order of its sections."""
    return [_judged(numbers, cell, row) for cell in numbers.plan.cells for row in cell.scenario.rows]


def _judged(numbers: Numbers, cell: Cell, row: Row) -> Judged:
    values: dict[str, list[float]] = {}
    for who in (CANDIDATE, *BESIDE):
        found = _values(numbers, cell, row, who)
        if isinstance(found, str):
            if who == CANDIDATE or row.direction:
                return Judged(cell, row, reason=found)
            # A fact of the candidate needs no number beside it.
            found = [math.nan] * len(numbers.plan.seeds)
        values[who] = found
    if not any(math.isfinite(value) for found in values.values() for value in found):
        return Judged(cell, row, reason="no run has a value")
    compared = {who: beside(values[CANDIDATE], values[who], row.direction) for who in BESIDE}
    return Judged(cell, row, values, compared)


def _values(numbers: Numbers, cell: Cell, row: Row, who: str) -> list[float] | str:
    together = numbers.of(cell, row, who)
    if isinstance(together, str) or not row.harm:
        return together if isinstance(together, str) else [row.scale * value for value in together]
    alone = numbers.of(cell, row, who, row.harm)
    if isinstance(alone, str):
        return alone
    return [
        100 * bounded_harm(one, other, more_is_better=row.better == "higher")
        for one, other in zip(together, alone, strict=True)
    ]


def beside(candidate: Sequence[float], other: Sequence[float], direction: str) -> Beside:
    """The candidate beside another algorithm; seeds under which the other has no number are left out."""
    pairs = [(a, b) for a, b in zip(candidate, other, strict=True) if math.isfinite(b)]
    whole = [(a, b) for a, b in pairs if math.isfinite(a)]
    difference = stats.paired_difference(*zip(*whole, strict=True), level=LEVEL) if whole else None
    return Beside(difference, len(pairs) - len(whole), direction)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _interval(one: Estimate | None) -> dict[str, Any]:
    if one is None:
        return {"value": None, "ci": [None, None], "n": 0}
    return {"value": _number(one.value), "ci": [_number(one.low), _number(one.high)], "n": one.n}
