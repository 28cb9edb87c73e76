"""Pairs of replications with common random numbers: what a treatment changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ackclock.stats.estimate import (
    RESAMPLES,
    Bootstrap,
    Estimate,
    Method,
    bootstrap,
    check_level,
    pair_of,
    without_interval,
)
from ackclock.stats.intervals import check_quantile, enough_for, mean, quantiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Comparison",
    "compare",
    "paired_difference",
    "quantile_change",
    "quantile_difference",
    "relative_benefit",
    "relative_change",
]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a treatment changes, pair by pair."""

    difference: Estimate
    """Treated minus control, in `unit`."""
    relative: Estimate | None
    """The same over the control: 0.04 is +4 %. None where the control's values do not all have one sign."""
    n: int
    """Pairs."""
    unit: str = ""
    """Of the difference, such as ``bps``; empty for a plain number."""


def compare(
    treated: ArrayLike, control: ArrayLike, *, q: float | None = None, level: float = 0.95, unit: str = ""
) -> Comparison:
    """The paired difference and the relative change, of means or, with `q`, of quantiles.

    Parameters
    ----------
    treated, control
        One number a replication, in the same order of seeds.
    q
        Compare this quantile of both (0.5: the medians) instead of the means.
    level
        Confidence of the intervals.
    unit
        Of the numbers, to go with the result.

    Raises
    ------
    ValueError
        If the samples are not pairs of finite numbers, or `q` or the level is none.
    """
    first, second = pair_of(treated, control)
    relative = None
    if q is None:
        difference = paired_difference(first, second, level=level)
        if one_sign(second):
            relative = relative_change(first, second, level=level)
    else:
        difference = quantile_difference(first, second, q, level=level)
        if one_sign(second):
            relative = quantile_change(first, second, q, level=level)
    return Comparison(difference, relative, first.size, unit)


def paired_difference(
    treated: ArrayLike,
    control: ArrayLike,
    *,
    level: float = 0.95,
    method: Method = "t",
    resamples: int = RESAMPLES,
) -> Estimate:
    """The mean of `treated` minus `control`, pair by pair: positive when the treatment raises the number.

    Its interval is that of the `mean` of the differences, with what is said there.

    Raises
    ------
    ValueError
        If the samples are not pairs of finite numbers, or the level or the method is none.
    """
    first, second = pair_of(treated, control)
    return mean(first - second, level=level, method=method, resamples=resamples)


def relative_change(
    treated: ArrayLike,
    control: ArrayLike,
    *,
    level: float = 0.95,
    method: Bootstrap = "BCa",
    resamples: int = RESAMPLES,
) -> Estimate:
    """The ratio of the two means minus one (0.04 is +4 %), by resampling whole pairs.

    Raises
    ------
    ValueError
        If the samples are not pairs, or the control's values do not all have one sign: a change relative to a number
        that may be zero means nothing.

    Notes
    -----
    How often 95 % intervals (BCa) cover the truth, over 1,000 synthetic experiments with goodputs that vary by 40 %
    between seeds: 81 % with 5 pairs, 87 % with 10, 92 % with 20, 94 % with 100. With fewer than 20 pairs, look at
    `paired_difference` before believing a change.
    """
    first, second = pair_of(treated, control)

    def change(treated: NDArray[np.float64], control: NDArray[np.float64], axis: int = -1) -> Any:
        return (treated - control).mean(axis=axis) / control.mean(axis=axis)

    return _change(change, first, second, first.size >= 2, level, method, resamples)


def relative_benefit(
    treated: ArrayLike,
    control: ArrayLike,
    *,
    better: Literal["more", "less"],
    level: float = 0.95,
    method: Bootstrap = "BCa",
    resamples: int = RESAMPLES,
) -> Estimate:
    """What the treatment improves, over the size of the control's mean: positive is a benefit, negative a harm.

    Parameters
    ----------
    treated, control
        One number a replication, in the same order of seeds.
    better
        ``more`` where a larger number is the better one (goodput), ``less`` where a smaller one is (completion time).
    level, method, resamples
        As in `relative_change`, from which it differs in the sign alone: a rise of negative numbers is a rise.

    Raises
    ------
    ValueError
        As `relative_change`, and for another `better`.
    """
    if better not in ("more", "less"):
        raise ValueError(f"what is better is more or less, not {better!r}")
    change = relative_change(treated, control, level=level, method=method, resamples=resamples)
    negative = bool((np.asarray(control) < 0).all())
    return change.scaled(-1 if negative != (better == "less") else 1)


def quantile_difference(
    treated: ArrayLike,
    control: ArrayLike,
    q: float,
    *,
    level: float = 0.95,
    method: Bootstrap = "BCa",
    resamples: int = RESAMPLES,
) -> Estimate:
    """The quantile of `treated` minus that of `control`, by resampling whole pairs.

    It is the difference of the quantiles, such as what a treatment does to the slowest twentieth, and not the quantile
    of the differences: that is `quantile` of ``treated - control``.

    Raises
    ------
    ValueError
        If the samples are not pairs of finite numbers, or `q`, the level or the method is none.
    """
    check_level(level)
    check_quantile(q)
    first, second = pair_of(treated, control)
    statistic = quantiles(q)

    def difference(treated: NDArray[np.float64], control: NDArray[np.float64], axis: int = -1) -> Any:
        return statistic(treated, axis) - statistic(control, axis)

    value = float(difference(first, second))
    if not enough_for(q, first.size, level):
        return without_interval(value, first.size, level, method)
    if _constant(first - second, first):
        return Estimate(value, value, value, first.size, level, method)
    return bootstrap(difference, (first, second), value, level, method, resamples)


def quantile_change(
    treated: ArrayLike,
    control: ArrayLike,
    q: float,
    *,
    level: float = 0.95,
    method: Bootstrap = "BCa",
    resamples: int = RESAMPLES,
) -> Estimate:
    """The ratio of the two quantiles minus one (0.04 is +4 %), by resampling whole pairs.

    Raises
    ------
    ValueError
        As `relative_change`, and where `q` is no quantile.
    """
    check_level(level)
    check_quantile(q)
    first, second = pair_of(treated, control)
    statistic = quantiles(q)

    def change(treated: NDArray[np.float64], control: NDArray[np.float64], axis: int = -1) -> Any:
        return statistic(treated, axis) / statistic(control, axis) - 1

    return _change(change, first, second, enough_for(q, first.size, level), level, method, resamples)


def one_sign(control: NDArray[np.float64]) -> bool:
    """Whether numbers are all above or all below zero."""
    return bool((control > 0).all() or (control < 0).all())


def _constant(differences: NDArray[np.float64], values: NDArray[np.float64]) -> bool:
    return bool(np.ptp(differences) <= 1e-12 * np.abs(values).max())


def _change(
    change_of: Callable[..., Any],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    enough: bool,
    level: float,
    method: Bootstrap,
    resamples: int,
) -> Estimate:
    check_level(level)
    if not one_sign(second):
        raise ValueError("a relative change needs control values of one sign")
    change = float(change_of(first, second))
    if not enough:
        return without_interval(change, first.size, level, method)
    if _constant(first - second * (1 + change), first):
        return Estimate(change, change, change, first.size, level, method)
    return bootstrap(change_of, (first, second), change, level, method, resamples)
