"""Jain's fairness index, and quantiles of values counted in bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.stats.estimate import sample_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["jain", "quantile_of_bins"]


def jain(allocations: ArrayLike) -> float:
    """Jain's fairness index of shares, (sum x)^2 / (n sum x^2): 1 if all are equal, 1/n if one share is everything.

    The index is 1 if all shares are zero.
    """
    shares = sample_of(allocations)
    if (shares < 0).any():
        raise ValueError("shares must not be negative")
    total = float(np.square(shares).sum())
    return 1.0 if total == 0 else float(shares.sum()) ** 2 / (shares.size * total)


def quantile_of_bins(upto: ArrayLike, counts: ArrayLike, quantile: float) -> float:
    """The quantile of values counted in bins, given the largest value `upto` of each bin; NaN without values.

    Bins may come in any order and several times, so the bins of several flows and runs can be combined:
    ``quantile_of_bins(table["upto_s"], table["count"], 0.95)`` of a table `completion_bins`. The result is the smallest
    `upto` that at least the given share of the values does not exceed. It is too large by at most the width of a bin.
    """
    if not 0 <= quantile <= 1:
        raise ValueError(f"the quantile must be between 0 and 1, not {quantile}")
    bounds, numbers = np.asarray(upto, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    if bounds.shape != numbers.shape:
        raise ValueError(f"{bounds.size} bins have {numbers.size} counts")
    order = np.argsort(bounds, kind="stable")
    total = np.cumsum(numbers[order])
    if not total.size or total[-1] <= 0:
        return float("nan")
    rank = max(1.0, np.ceil(quantile * total[-1]))
    return float(bounds[order][np.searchsorted(total, rank)])
