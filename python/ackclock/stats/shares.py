"""Fairness of shares, and quantiles of values that were counted in bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.stats.estimate import sample_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["jain", "quantile_of_bins"]


def jain(allocations: ArrayLike) -> float:
    """Jain's fairness index of shares, (sum x)^2 / (n sum x^2): 1 when all are equal, 1/n when one has everything.

    Nothing at all for anybody counts as fair: 1.
    """
    shares = sample_of(allocations)
    if (shares < 0).any():
        raise ValueError("a share is not negative")
    total = float(np.square(shares).sum())
    return 1.0 if total == 0 else float(shares.sum()) ** 2 / (shares.size * total)


def quantile_of_bins(upto: ArrayLike, counts: ArrayLike, quantile: float) -> float:
    """The quantile of values that were counted in bins, `upto` being the largest value of each; nan without values.

    Bins may come in any order and several times, so those of several flows and runs can be thrown together:
    ``quantile_of_bins(table["upto_s"], table["count"], 0.95)`` of a table `completion_bins`. It is the smallest `upto`
    that at least so large a part of the values does not exceed, so it is off by at most the width of a bin.
    """
    if not 0 <= quantile <= 1:
        raise ValueError(f"a quantile lies between 0 and 1, not at {quantile}")
    bounds, numbers = np.asarray(upto, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    if bounds.shape != numbers.shape:
        raise ValueError(f"{bounds.size} bins have {numbers.size} counts")
    order = np.argsort(bounds, kind="stable")
    total = np.cumsum(numbers[order])
    if not total.size or total[-1] <= 0:
        return float("nan")
    rank = max(1.0, np.ceil(quantile * total[-1]))
    return float(bounds[order][np.searchsorted(total, rank)])
