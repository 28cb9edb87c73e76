"""Estimates from one sample of independent replications: mean, median and quantiles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.stats import student
from ackclock.stats.estimate import (
    RESAMPLES,
    Bootstrap,
    Estimate,
    Method,
    bootstrap,
    check_level,
    sample_of,
    skewness_of,
    without_interval,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

__all__ = ["mean", "median", "quantile"]


def mean(values: ArrayLike, *, level: float = 0.95, method: Method = "t", resamples: int = RESAMPLES) -> Estimate:
    """The mean of independent replications.

    Parameters
    ----------
    values
        One number per replication.
    level
        Confidence level of the interval.
    method
        ``t``: Student's t. ``percentile`` and ``BCa``: bootstrap (Efron 1987), for skewed samples.
    resamples
        Number of bootstrap resamples.

    Returns
    -------
    Estimate
        In the unit of the values; without an interval if there is only one value.

    Raises
    ------
    ValueError
        If there are no values, a value is NaN or infinite, or `level` or `method` is not valid.

    Notes
    -----
    Coverage of 95 % intervals, over 10,000 (t) and 1,000 (bootstrap) synthetic experiments:

    ================================  =====  =====  =====  =======
    replications                      5      10     30     100
    ================================  =====  =====  =====  =======
    t, normal                         95 %   95 %   95 %   95 %
    t, exponential (skewness 2)       88 %   90 %   93 %   94 %
    ================================  =====  =====  =====  =======

    ================================  =====  =====  =====  =======
    replications                      5      10     20     40
    ================================  =====  =====  =====  =======
    percentile, BCa: normal           81 %   89 %   93 %   95 %
    percentile: exponential           77 %   84 %   89 %   92 %
    BCa: exponential                  80 %   85 %   91 %   92 %
    ================================  =====  =====  =====  =======

    The bootstrap is not suitable for small samples. Its intervals are too narrow by a factor of about sqrt((n - 1) /
    n), and its tails are no heavier than those of the normal distribution (Hesterberg 2015).
    """
    check_level(level)
    sample = sample_of(values)
    centre = float(sample.mean())
    if sample.size < 2:
        return without_interval(centre, 1, level, method)
    if np.ptp(sample) == 0:
        return Estimate(centre, centre, centre, sample.size, level, method)
    if method == "t":
        half = t_quantile(sample.size, level) * float(sample.std(ddof=1)) / math.sqrt(sample.size)
        return Estimate(centre, centre - half, centre + half, sample.size, level, method, skewness_of(sample))
    return bootstrap(np.mean, (sample,), centre, level, method, resamples, skewness_of(sample))


def t_quantile(n: int, level: float) -> float:
    """Factor of the standard error of `n` replications: Student's t with n - 1 degrees of freedom."""
    return student.quantile(n - 1, (1 + level) / 2)


def quantile(
    values: ArrayLike, q: float, *, level: float = 0.95, method: Bootstrap = "BCa", resamples: int = RESAMPLES
) -> Estimate:
    """The quantile of independent replications, interpolated (type 7 of Hyndman and Fan 1996), by bootstrap.

    Parameters
    ----------
    values
        One number per replication.
    q
        The quantile, between 0 and 1: one replication in twenty exceeds the quantile 0.95.
    level
        Confidence level of the interval.
    method
        ``BCa`` or ``percentile`` (Efron 1987).
    resamples
        Number of bootstrap resamples.

    Returns
    -------
    Estimate
        In the unit of the values. The smallest and the largest value enclose the quantile with probability 1 - q^n - (1
        - q)^n (David and Nagaraja 2003, section 7.1); below `level`, the estimate has no interval. At 95 %, a median
        needs 6 replications, and the 5th and 95th percentile need 59.

    Raises
    ------
    ValueError
        If there are no values, a value is NaN or infinite, or `q`, `level` or `method` is not valid.

    Notes
    -----
    Coverage of 95 % intervals, over 1,000 synthetic experiments: for a median of lognormal values, 93 to 94 % from 6
    replications on with both methods. For the 95th percentile of exponential values, 95 % (BCa) and 83 % (percentile)
    with 60 replications, and 93 % with 150. The interval of a tail depends on the few values beyond the quantile.
    """
    check_level(level)
    check_quantile(q)
    sample = sample_of(values)
    centre = float(np.quantile(sample, q))
    if not enough_for(q, sample.size, level):
        return without_interval(centre, sample.size, level, method)
    if np.ptp(sample) == 0:
        return Estimate(centre, centre, centre, sample.size, level, method)
    return bootstrap(quantiles(q), (sample,), centre, level, method, resamples)


def median(
    values: ArrayLike, *, level: float = 0.95, method: Bootstrap = "BCa", resamples: int = RESAMPLES
) -> Estimate:
    """The median of independent replications with a bootstrap interval: `quantile` at 0.5, with its errors."""
    return quantile(values, 0.5, level=level, method=method, resamples=resamples)


def check_quantile(q: float) -> None:
    """Raises a ValueError if `q` is not between 0 and 1; the extremes have no interval."""
    if not 0 < q < 1:
        raise ValueError(f"a quantile with an interval must be between 0 and 1, not {q}")


def enough_for(q: float, n: int, level: float) -> bool:
    """Whether the smallest and largest of `n` values enclose the quantile with a probability of at least `level`."""
    return 1 - q**n - (1 - q) ** n >= level


def quantiles(q: float) -> Callable[..., Any]:
    """The quantile as a function for resampling."""
    return lambda sample, axis=-1: np.quantile(sample, q, axis=axis)
