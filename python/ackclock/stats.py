"""Statistics of replications: means, paired changes and fairness, each with its interval.

Paired comparisons take replications that share their seeds: the same random draws under two variants, so that what
differs is what the variant does. Bootstrap resampling is seeded, and so gives the same interval every time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Estimate", "Method", "jain", "mean", "paired_difference", "quantile_of_bins", "relative_change"]

Method: TypeAlias = Literal["t", "percentile", "BCa"]

RESAMPLES = 2000
"""Bootstrap resamples: enough for 95 % intervals of means to be steady to about a hundredth of their width."""

RESAMPLING_SEED = 20_140_319


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured number with its confidence interval, in the unit of what was measured."""

    value: float
    low: float
    """Lower end of the interval; NaN when the sample is too small to have one."""
    high: float
    """Upper end of the interval; NaN when the sample is too small to have one."""
    n: int
    """Replications (or pairs of them)."""
    level: float = 0.95
    method: Method = "t"

    @property
    def has_interval(self) -> bool:
        """Whether the sample was large enough for an interval."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def scaled(self, factor: float) -> Estimate:
        """The same in another unit: 100 for per cent, 1e-3 for kbit/s from bit/s."""
        # Adding zero turns minus zero into zero.
        low, high = sorted((self.low * factor + 0.0, self.high * factor + 0.0))
        return Estimate(self.value * factor + 0.0, low, high, self.n, self.level, self.method)

    def document(self) -> dict[str, Any]:
        """As a JSON object: mean, ci (two numbers or null) and n."""
        return {"mean": self.value, "ci": [self.low, self.high] if self.has_interval else None, "n": self.n}


def _sample(values: ArrayLike) -> NDArray[np.float64]:
    sample = np.asarray(values, dtype=np.float64).ravel()
    if sample.size == 0:
        raise ValueError("the sample is empty")
    if not np.isfinite(sample).all():
        raise ValueError("the sample holds NaN or infinity")
    return sample


def _pair(treated: ArrayLike, control: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first, second = _sample(treated), _sample(control)
    if first.size != second.size:
        raise ValueError(f"pairs are needed: {first.size} values against {second.size}")
    return first, second


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"a confidence level is between 0 and 1, not {level}")


def mean(values: ArrayLike, *, level: float = 0.95, method: Method = "t") -> Estimate:
    """The mean of independent replications.

    Parameters
    ----------
    values
        One number a replication.
    level
        Confidence of the interval.
    method
        ``t``: Student's t. ``percentile`` and ``BCa``: bootstrap (Efron 1987), for skewed samples.
    """
    _check_level(level)
    sample = _sample(values)
    centre = float(sample.mean())
    if sample.size < 2:
        return Estimate(centre, math.nan, math.nan, 1, level, method)
    if np.ptp(sample) == 0:
        return Estimate(centre, centre, centre, sample.size, level, method)
    if method == "t":
        from scipy import special

        quantile = float(special.stdtrit(sample.size - 1, (1 + level) / 2))
        half = quantile * float(sample.std(ddof=1)) / math.sqrt(sample.size)
        return Estimate(centre, centre - half, centre + half, sample.size, level, method)
    return _bootstrap(np.mean, (sample,), centre, level, method)


def paired_difference(treated: ArrayLike, control: ArrayLike, *, level: float = 0.95, method: Method = "t") -> Estimate:
    """The mean of `treated` minus `control`, pair by pair: positive when the treatment raises the number."""
    first, second = _pair(treated, control)
    return mean(first - second, level=level, method=method)


def relative_change(
    treated: ArrayLike, control: ArrayLike, *, level: float = 0.95, method: Literal["percentile", "BCa"] = "BCa"
) -> Estimate:
    """The ratio of the two means minus one (0.04 is +4 %), by resampling whole pairs.

    Raises
    ------
    ValueError
        If the samples are not pairs, or the control's values do not all have one sign: a change relative to a number
        that may be zero means nothing.
    """
    _check_level(level)
    first, second = _pair(treated, control)
    if not ((second > 0).all() or (second < 0).all()):
        raise ValueError("a relative change needs control values of one sign")

    def ratio(
        treated: NDArray[np.float64], control: NDArray[np.float64], axis: int = -1
    ) -> np.float64 | NDArray[np.float64]:
        change: np.float64 | NDArray[np.float64] = (treated - control).mean(axis=axis) / control.mean(axis=axis)
        return change

    change = float(ratio(first, second))
    if first.size < 2:
        return Estimate(change, math.nan, math.nan, 1, level, method)
    if np.ptp(first - second * (1 + change)) <= 1e-12 * float(np.abs(first).max()):
        return Estimate(change, change, change, first.size, level, method)
    return _bootstrap(ratio, (first, second), change, level, method)


def _bootstrap(
    statistic: Callable[..., Any],
    samples: tuple[NDArray[np.float64], ...],
    value: float,
    level: float,
    method: Literal["percentile", "BCa"],
) -> Estimate:
    """An interval from resampling the replications, all samples with the same indices."""
    from scipy import stats as scipy_stats

    result = scipy_stats.bootstrap(
        samples,
        statistic,
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        confidence_level=level,
        method=method,
        rng=np.random.default_rng(RESAMPLING_SEED),
    )
    interval = result.confidence_interval
    return Estimate(value, float(interval.low), float(interval.high), samples[0].size, level, method)


def jain(allocations: ArrayLike) -> float:
    """Jain's fairness index of shares, (sum x)^2 / (n sum x^2): 1 when all are equal, 1/n when one has everything.

    Nothing at all for anybody counts as fair: 1.
    """
    shares = _sample(allocations)
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
