"""One sample of independent replications: its mean, its median, any quantile."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.stats.estimate import (
    RESAMPLES,
    Bootstrap,
    Estimate,
    Method,
    bootstrap,
    check_level,
    sample_of,
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
        One number a replication.
    level
        Confidence of the interval.
    method
        ``t``: Student's t. ``percentile`` and ``BCa``: bootstrap (Efron 1987), for skewed samples.
    resamples
        Of the bootstrap.

    Returns
    -------
    Estimate
        In the unit of the values; without an interval when there is one value only.

    Raises
    ------
    ValueError
        If there is no value, one is NaN or infinite, or the level or the method is none.

    Notes
    -----
    How often 95 % intervals cover the truth, over 10,000 (t) and 1,000 (bootstrap) synthetic experiments:

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

    So the bootstrap is not for small samples, where its intervals are too narrow by a factor of about
    sqrt((n - 1) / n) and by having no heavier tails than the normal distribution (Hesterberg 2015).
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
        return Estimate(centre, centre - half, centre + half, sample.size, level, method)
    return bootstrap(np.mean, (sample,), centre, level, method, resamples)


def t_quantile(n: int, level: float) -> float:
    """What a standard error of `n` replications is multiplied by: Student's t with n - 1 degrees of freedom."""
    from scipy import special

    return float(special.stdtrit(n - 1, (1 + level) / 2))


def quantile(
    values: ArrayLike, q: float, *, level: float = 0.95, method: Bootstrap = "BCa", resamples: int = RESAMPLES
) -> Estimate:
    """The quantile of independent replications, interpolated (type 7 of Hyndman and Fan 1996), by bootstrap.

    Parameters
    ----------
    values
        One number a replication.
    q
        Which quantile, between 0 and 1: 0.95 is the value that one replication in twenty exceeds.
    level
        Confidence of the interval.
    method
        ``BCa`` or ``percentile`` (Efron 1987).
    resamples
        Of the bootstrap.

    Returns
    -------
    Estimate
        In the unit of the values. Without an interval where even from the smallest to the largest value the quantile
        lies less often than `level`, as 1 - q^n - (1 - q)^n says (David and Nagaraja 2003, section 7.1): below 6
        replications for a median at 95 %, below 59 for the 5th and 95th percentile.

    Raises
    ------
    ValueError
        If there is no value, one is NaN or infinite, `q` is not between 0 and 1, or the level or the method is none.

    Notes
    -----
    How often 95 % intervals cover the truth, over 1,000 synthetic experiments: a median of lognormal values 93 to 94 %
    from 6 replications by both methods; the 95th percentile of exponential ones 95 % (BCa) and 83 % (percentile) with
    60 replications, 93 % with 150. The interval of a tail rests on the few values beyond it.
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
    """Refuses what is no quantile of a distribution: the extremes have no interval."""
    if not 0 < q < 1:
        raise ValueError(f"a quantile with an interval lies between 0 and 1, not at {q}")


def enough_for(q: float, n: int, level: float) -> bool:
    """Whether from the smallest of `n` values to the largest a quantile lies as often as `level`."""
    return 1 - q**n - (1 - q) ** n >= level


def quantiles(q: float) -> Callable[..., Any]:
    """The statistic for resampling."""
    return lambda sample, axis=-1: np.quantile(sample, q, axis=axis)
