"""Exact tests of paired differences by signed ranks.

They need no assumption on the form of the distribution but symmetry. Two samples of one distribution have differences
that are symmetric about zero, whatever that distribution is: a comparison without an effect is therefore exact.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ackclock.stats.estimate import check_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Shift", "signed_rank_interval", "signed_rank_p"]


class Shift(NamedTuple):
    """The centre of paired differences, with an interval."""

    value: float
    """The Hodges-Lehmann estimate: the median of the means of all pairs of differences."""
    low: float
    """Lower end; minus infinity if there are too few differences for the level."""
    high: float
    """Upper end; infinity if there are too few differences for the level."""


def signed_rank_interval(differences: ArrayLike, *, level: float = 0.95) -> Shift:
    """The centre of paired differences with the interval of Wilcoxon's signed-rank test.

    Parameters
    ----------
    differences
        One number per pair. Infinity is accepted, as the worst of all ranks, but not of both signs.
    level
        Confidence level. An interval needs n differences with 2^-n <= (1 - level) / 2: six at 95 %.

    Returns
    -------
    Shift
        In the unit of the differences. With ties the interval covers at least `level` (Pratt and Gibbons 1981).

    Raises
    ------
    ValueError
        If there are no differences, one is NaN, both infinities occur, or `level` is not between 0 and 1.

    Notes
    -----
    Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd edition, sections 3.2 and 3.3.
    """
    check_level(level)
    means = np.sort(_pair_means(differences))
    middle = means.size // 2
    # numpy's median subtracts, which fails for infinity.
    value = (
        means[middle] if means.size % 2 or means[middle] == means[middle - 1] else means[middle - 1 : middle + 1].mean()
    )
    n = round((math.sqrt(8 * means.size + 1) - 1) / 2)
    # P(T+ <= k) = P(T+ >= N - k); the ends are the (k+1)-th means from below and from above.
    tail = _tail(n)[::-1]
    inside = int(np.searchsorted(tail, (1 - level) / 2 * (1 + 1e-12), side="right"))
    if inside == 0:
        return Shift(float(value), -math.inf, math.inf)
    return Shift(float(value), float(means[inside - 1]), float(means[-inside]))


def signed_rank_p(differences: ArrayLike, margin: float = 0.0) -> float:
    """The one-sided p-value of the hypothesis that differences are centred at `margin` or below.

    Parameters
    ----------
    differences
        One number per pair, as for `signed_rank_interval`.
    margin
        The largest difference that does not matter, in the unit of the differences.

    Returns
    -------
    float
        The exact probability of the signed-rank statistic or a larger one (Wilcoxon 1945). The smallest possible
        p-value of n pairs is 2^-n. Ties and differences equal to `margin` make the p-value larger.

    Raises
    ------
    ValueError
        If there are no differences, one is NaN, or both infinities occur.
    """
    means = _pair_means(differences)
    n = round((math.sqrt(8 * means.size + 1) - 1) / 2)
    return float(_tail(n)[np.count_nonzero(means > margin)])


def _pair_means(differences: ArrayLike) -> NDArray[np.float64]:
    """The means of all pairs of differences, each with itself too: Walsh averages."""
    sample = np.asarray(differences, dtype=np.float64).ravel()
    if not sample.size:
        raise ValueError("the sample is empty")
    if np.isnan(sample).any() or (np.isposinf(sample).any() and np.isneginf(sample).any()):
        raise ValueError("the sample holds NaN, or infinities of both signs")
    first, second = _pairs(sample.size)
    # Equal numbers have exactly themselves as mean.
    return np.asarray(np.where(sample[first] == sample[second], sample[first], sample[first] / 2 + sample[second] / 2))


@cache
def _pairs(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The indices of all pairs of n differences."""
    return np.triu_indices(n)


@cache
def _tail(n: int) -> NDArray[np.float64]:
    """P(T+ >= t) for t from 0 to n (n + 1) / 2, where T+ is the sum of the ranks with a positive sign."""
    chance = np.zeros(n * (n + 1) // 2 + 1)
    chance[0] = 1.0
    for rank in range(1, n + 1):
        moved = np.zeros_like(chance)
        moved[rank:] = chance[:-rank]
        chance = (chance + moved) / 2
    # Summed from the small end, so that the tail keeps its relative precision.
    return np.cumsum(chance[::-1])[::-1]
