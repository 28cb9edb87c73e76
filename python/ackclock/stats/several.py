"""Several comparisons at once: p-values of paired differences, and Holm's procedure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.stats import student
from ackclock.stats.estimate import check_level
from ackclock.stats.intervals import t_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.stats.estimate import Estimate

__all__ = ["Corrected", "holm", "p_value"]


@dataclass(frozen=True, slots=True)
class Corrected:
    """One of several tests after Holm's correction."""

    p: float
    """Adjusted p-value: the smallest family-wise error rate at which the test rejects."""
    level: float
    """The confidence level at which Holm's procedure makes this test, such as 0.9875 for the first of four at 0.95."""
    rejected: bool
    """Whether the test rejects, with a family-wise error rate of one minus the level of the family."""


def holm(p_values: Sequence[float], *, level: float = 0.95) -> list[Corrected]:
    """Corrects the p-values of several tests: any false rejection then has a probability of at most one minus `level`.

    The tests may depend on each other in any way (Holm 1979, A simple sequentially rejective multiple test procedure).

    Raises
    ------
    ValueError
        If a p-value is not from 0 to 1, or the level is not between 0 and 1.
    """
    check_level(level)
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"a p-value is from 0 to 1; found {', '.join(f'{p:g}' for p in p_values)}")
    count = len(p_values)
    found: dict[int, Corrected] = {}
    reached = 0.0
    for rank, place in enumerate(sorted(range(count), key=p_values.__getitem__)):
        left = count - rank
        reached = max(reached, min(1.0, left * p_values[place]))
        found[place] = Corrected(reached, 1 - (1 - level) / left, reached <= 1 - level)
    return [found[place] for place in range(count)]


def p_value(difference: Estimate) -> float | None:
    """The two-sided p-value of a mean difference whose interval is Student's: how often chance gives as much.

    None without an interval, and where all differences are the same: nothing random is left to compare with.

    Raises
    ------
    ValueError
        If the interval is not Student's.
    """
    if difference.method != "t":
        raise ValueError(f"a p-value needs an interval with the method t, not {difference.method}")
    if not difference.has_interval or difference.low == difference.high:
        return None
    error = difference.half_width / t_quantile(difference.n, difference.level)
    return student.two_sided(difference.n - 1, difference.value / error)
