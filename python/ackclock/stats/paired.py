"""Comparisons of pairs of replications with common random numbers: the effect of a treatment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ackclock.base.hooks import Hook
from ackclock.stats.estimate import (
    RESAMPLES,
    Bootstrap,
    Estimate,
    Method,
    bootstrap,
    check_level,
    pair_of,
    skewness_of,
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

_html: Hook[[Comparison], str] = Hook("comparison.html")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The effect of a treatment, from pairs."""

    difference: Estimate
    """Treated minus control, in `unit`."""
    relative: Estimate | None
    """The difference over the control: 0.04 is +4 %. None if the control's values do not all have the same sign."""
    n: int
    """Number of pairs."""
    unit: str = ""
    """Unit of the difference, such as ``bps``; empty for a plain number."""

    def _repr_html_(self) -> str:
        return _html(self)


def compare(
    treated: ArrayLike, control: ArrayLike, *, q: float | None = None, level: float = 0.95, unit: str = ""
) -> Comparison:
    """The paired difference and the relative change, of means or, with `q`, of quantiles.

    Parameters
    ----------
    treated, control
        One number per replication, in the same order of seeds.
    q
        Compare this quantile of both (0.5: the medians) instead of the means.
    level
        Confidence level of the intervals.
    unit
        Unit of the numbers, which is stored with the result.

    Raises
    ------
    ValueError
        If the samples are not pairs of finite numbers, or `q` or `level` is not valid.
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
    """The mean of `treated` minus `control` by pairs: positive if the treatment raises the number.

    The interval is that of the `mean` of the differences, with the coverage stated there.

    Raises
    ------
    ValueError
        If the samples are not pairs of finite numbers, or `level` or `method` is not valid.
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
    """The ratio of the two means minus one (0.04 is +4 %), with whole pairs resampled.

    Raises
    ------
    ValueError
        If the samples are not pairs, or the control's values do not all have the same sign: a change relative to a
        number that may be zero is not meaningful.

    Notes
    -----
    Coverage of 95 % intervals (BCa), over 1,000 synthetic experiments with goodputs that vary by 40 % between seeds: 81
    % with 5 pairs, 87 % with 10, 92 % with 20, 94 % with 100. With fewer than 20 pairs, check `paired_difference`
    before you rely on a relative change.
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
    """The improvement by the treatment, relative to the control's mean: positive is a benefit, negative a harm.

    Parameters
    ----------
    treated, control
        One number per replication, in the same order of seeds.
    better
        ``more`` if larger numbers are better (goodput), ``less`` if smaller ones are (completion time).
    level, method, resamples
        As in `relative_change`. The result differs only in its sign: an increase of negative numbers is an increase.

    Raises
    ------
    ValueError
        As for `relative_change`, and if `better` is not valid.
    """
    if better not in ("more", "less"):
        raise ValueError(f"better must be more or less, not {better!r}")
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
    """The quantile of `treated` minus that of `control`, with whole pairs resampled.

    This is the difference of the quantiles, such as the effect of a treatment on the slowest twentieth. For the
    quantile of the differences, use `quantile` of ``treated - control``.

    Raises
    ------
    ValueError
        If the samples are not pairs of finite numbers, or `q`, `level` or `method` is not valid.
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
    """The ratio of the two quantiles minus one (0.04 is +4 %), with whole pairs resampled.

    Raises
    ------
    ValueError
        As for `relative_change`, and if `q` is not valid.
    """
    check_level(level)
    check_quantile(q)
    first, second = pair_of(treated, control)
    statistic = quantiles(q)

    def change(treated: NDArray[np.float64], control: NDArray[np.float64], axis: int = -1) -> Any:
        return statistic(treated, axis) / statistic(control, axis) - 1

    return _change(change, first, second, enough_for(q, first.size, level), level, method, resamples)


def one_sign(control: NDArray[np.float64]) -> bool:
    """Whether all numbers are above zero, or all below zero."""
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
        raise ValueError("a relative change needs control values that are all positive or all negative")
    change = float(change_of(first, second))
    if not enough:
        return without_interval(change, first.size, level, method)
    if _constant(first - second * (1 + change), first):
        return Estimate(change, change, change, first.size, level, method)
    skewness = skewness_of(first - second * (1 + change))
    return bootstrap(change_of, (first, second), change, level, method, resamples, skewness)
