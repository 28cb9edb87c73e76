"""Many comparisons at once: p-values of paired differences, and Holm's correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.stats.intervals import t_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.stats.estimate import Estimate

__all__ = ["holm", "p_value"]


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
    from scipy import special

    error = difference.half_width / t_quantile(difference.n, difference.level)
    return float(2 * special.stdtr(difference.n - 1, -abs(difference.value) / error))


def holm(p_values: Sequence[float], level: float = 0.05) -> list[bool]:
    """Which differences remain after Holm's correction: the probability of one wrong or more is at most `level`.

    The smallest p-value is compared with level / n, the next with level / (n - 1), and so on; the first that is larger
    ends the list (Holm 1979, A simple sequentially rejective multiple test procedure).

    Raises
    ------
    ValueError
        If a p-value is not between 0 and 1.
    """
    if not all(0 <= one <= 1 for one in p_values):
        raise ValueError(f"p-values must be between 0 and 1, not {[*p_values]}")
    kept = [False] * len(p_values)
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda at: p_values[at])):
        if p_values[index] > level / (len(p_values) - rank):
            break
        kept[index] = True
    return kept
