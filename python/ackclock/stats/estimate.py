"""Estimates with intervals, checks of samples, and bootstrap resampling."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

__all__ = ["RESAMPLES", "RESAMPLING_SEED", "Bootstrap", "Estimate", "Method", "doubt"]

Bootstrap: TypeAlias = Literal["percentile", "BCa"]
Method: TypeAlias = Literal["t", "percentile", "BCa"]

RESAMPLES = 2000
"""Number of bootstrap resamples: intervals of means at 95 % vary by about 1 % of their width."""

RESAMPLING_SEED = 20_140_319

NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured number with its confidence interval, in the unit of the measure."""

    value: float
    """The number itself."""
    low: float
    """Lower end of the interval; NaN if the sample is too small for an interval."""
    high: float
    """Upper end of the interval; NaN if the sample is too small for an interval."""
    n: int
    """Number of replications, or of pairs of replications."""
    level: float = 0.95
    """Confidence level of the interval."""
    method: Method = "t"
    """Method by which the interval was computed: Student's t, or percentiles or BCa of bootstrap samples."""
    skewness: float = 0.0
    """Skewness of the sample from which the interval is, of differences that of the differences."""

    @property
    def has_interval(self) -> bool:
        """Whether the sample was large enough for an interval."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    @property
    def is_doubtful(self) -> bool:
        """Whether fewer than 90 of 100 such 95 % intervals may hold the truth (docs/coverage.md).

        The sample is small, or it has a long tail for its size: rare values are likely to be missing, or to be too
        many. An interval without a width is not called doubtful, because its values did not vary.
        """
        if not self.has_interval or self.low == self.high:
            return False
        return self.n < FEW or abs(self.skewness) > TAIL * math.sqrt(self.n)

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def scaled(self, factor: float) -> Estimate:
        """The estimate in another unit: a factor of 100 gives percent, 1e-3 gives kbit/s from bit/s."""
        # Adding zero turns minus zero into zero.
        low, high = sorted((self.low * factor + 0.0, self.high * factor + 0.0))
        return Estimate(self.value * factor + 0.0, low, high, self.n, self.level, self.method, self.skewness)

    def within(self, least: float, most: float) -> Estimate:
        """The estimate with an interval that ends at the bounds of the number: Jain's index is never above 1."""
        if not self.has_interval:
            return self
        return replace(self, low=max(self.low, least), high=min(self.high, most))

    def document(self) -> dict[str, Any]:
        """The estimate as a JSON object: mean, ci (two numbers or null) and n."""
        return {"mean": self.value, "ci": [self.low, self.high] if self.has_interval else None, "n": self.n}


def doubt(count: int, total: int) -> str:
    """A sentence on intervals that are doubtful, for people."""
    which = "the interval is" if total == 1 else f"{count} of {total} intervals are"
    return (
        f"{which} from fewer than {FEW} seeds, or from values with a long tail: fewer than 90 of 100 such intervals "
        "may hold the truth; run more seeds"
    )


FEW = 5
"""Replications below which nothing tells whether the distribution has a long tail."""
TAIL = 0.3
"""Skewness over the root of the number of replications above which an interval is doubtful.

Both numbers are from the table of docs/coverage.md. Of intervals of kinds that hold the truth in fewer than 90 of 100
cases they tell three quarters, and a fifth of those of kinds that hold it in 93 or more.
"""


def skewness_of(sample: NDArray[np.float64]) -> float:
    """The third central moment over the standard deviation cubed; 0 for fewer than three values or equal ones.

    Its absolute value is at most (n - 2) / sqrt(n - 1), which it has if all values but one are the same.
    """
    if sample.size < 3 or np.ptp(sample) == 0:
        return 0.0
    scaled = (sample - sample.mean()) / np.ptp(sample)
    return float(np.mean(scaled**3) / np.mean(scaled**2) ** 1.5)


def sample_of(values: ArrayLike) -> NDArray[np.float64]:
    """Replications as an array. Raises a ValueError if there are none, or if one is NaN or infinite."""
    sample = np.asarray(values, dtype=np.float64).ravel()
    if sample.size == 0:
        raise ValueError("the sample is empty")
    if not np.isfinite(sample).all():
        raise ValueError("the sample holds NaN or infinity")
    return sample


def pair_of(treated: ArrayLike, control: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two samples as arrays. Raises a ValueError if their sizes differ."""
    first, second = sample_of(treated), sample_of(control)
    if first.size != second.size:
        raise ValueError(f"pairs are needed, but there are {first.size} and {second.size} values")
    return first, second


def check_level(level: float) -> None:
    """Raises a ValueError if the confidence level is not between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"the confidence level must be between 0 and 1, not {level}")


def without_interval(value: float, n: int, level: float, method: Method) -> Estimate:
    """An estimate without an interval, from a sample that is too small for one."""
    return Estimate(value, math.nan, math.nan, n, level, method)


def bootstrap(
    statistic: Callable[..., Any],
    samples: tuple[NDArray[np.float64], ...],
    value: float,
    level: float,
    method: Bootstrap,
    resamples: int,
    skewness: float = 0.0,
) -> Estimate:
    """An interval from resampling the replications, with the same indices for all samples.

    BCa has no acceleration if leaving out a replication never changes the statistic (ties around a median). The
    interval is then that of the percentile method, and the estimate's `method` says so.
    """
    if method not in ("percentile", "BCa"):
        raise ValueError(f"the bootstrap method must be percentile or BCa, not {method!r}")
    if resamples < 1:
        raise ValueError(f"the number of resamples must be at least 1, not {resamples}")
    n = samples[0].size
    drawn = np.random.default_rng(RESAMPLING_SEED).integers(0, n, (resamples, n))
    found = statistic(*(sample[drawn] for sample in samples), axis=-1)
    tail = (1 - level) / 2
    shares = (tail, 1 - tail)
    if method == "BCa":
        corrected = _corrected(statistic, samples, found, tail)
        if corrected is None:
            return bootstrap(statistic, samples, value, level, "percentile", resamples, skewness)
        shares = corrected
    low, high = np.quantile(found, shares).tolist()
    return Estimate(value, low, high, n, level, method, skewness)


def _corrected(
    statistic: Callable[..., Any],
    samples: tuple[NDArray[np.float64], ...],
    found: NDArray[np.float64],
    tail: float,
) -> tuple[float, float] | None:
    """The shares of the resamples below the ends of a BCa interval; None where bias or acceleration do not exist.

    Efron 1987; Efron and Tibshirani 1993, equations 14.9 to 14.15. Ties count half.
    """
    own = float(statistic(*samples, axis=-1))
    below = float(np.mean(found < own) + np.mean(found <= own)) / 2
    n = samples[0].size
    others = ~np.eye(n, dtype=bool)
    left_out = statistic(*(np.broadcast_to(one, (n, n))[others].reshape(n, n - 1) for one in samples), axis=-1)
    deviations = left_out.mean() - left_out
    squares = float(np.sum(deviations**2))
    if not 0 < below < 1 or not squares > 0:
        return None
    acceleration = float(np.sum(deviations**3)) / (6 * squares**1.5)
    bias = NORMAL.inv_cdf(below)

    def share(z: float) -> float:
        moved = bias + z
        return NORMAL.cdf(bias + moved / (1 - acceleration * moved))

    z = NORMAL.inv_cdf(tail)
    return share(z), share(-z)
