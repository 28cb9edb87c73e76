"""A number with its interval, the samples that it may come from, and resampling."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

__all__ = ["RESAMPLES", "RESAMPLING_SEED", "Bootstrap", "Estimate", "Method"]

Bootstrap: TypeAlias = Literal["percentile", "BCa"]
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


def sample_of(values: ArrayLike) -> NDArray[np.float64]:
    """Replications as an array; refuses none at all, NaN and infinity."""
    sample = np.asarray(values, dtype=np.float64).ravel()
    if sample.size == 0:
        raise ValueError("the sample is empty")
    if not np.isfinite(sample).all():
        raise ValueError("the sample holds NaN or infinity")
    return sample


def pair_of(treated: ArrayLike, control: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two samples of the same size."""
    first, second = sample_of(treated), sample_of(control)
    if first.size != second.size:
        raise ValueError(f"pairs are needed: {first.size} values against {second.size}")
    return first, second


def check_level(level: float) -> None:
    """Refuses what is no level of confidence."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level is between 0 and 1, not {level}")


def without_interval(value: float, n: int, level: float, method: Method) -> Estimate:
    """Of a sample that is too small to have an interval."""
    return Estimate(value, math.nan, math.nan, n, level, method)


def bootstrap(
    statistic: Callable[..., Any],
    samples: tuple[NDArray[np.float64], ...],
    value: float,
    level: float,
    method: Bootstrap,
    resamples: int,
) -> Estimate:
    """An interval from resampling the replications, all samples with the same indices.

    Where leaving out one replication never changes the statistic (ties around a median), BCa has nothing to take its
    acceleration from: the interval is then that of the percentile method, and the estimate says so.
    """
    from scipy import stats as scipy_stats

    if method not in ("percentile", "BCa"):
        raise ValueError(f"a bootstrap method is percentile or BCa, not {method!r}")
    if resamples < 1:
        raise ValueError(f"the number of resamples is at least 1, not {resamples}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy_stats.DegenerateDataWarning)
        warnings.filterwarnings("ignore", "invalid value encountered", RuntimeWarning)
        interval = scipy_stats.bootstrap(
            samples,
            statistic,
            paired=True,
            vectorized=True,
            n_resamples=resamples,
            confidence_level=level,
            method=method,
            rng=np.random.default_rng(RESAMPLING_SEED),
        ).confidence_interval
    estimate = Estimate(value, float(interval.low), float(interval.high), samples[0].size, level, method)
    if method == "BCa" and not estimate.has_interval:
        return bootstrap(statistic, samples, value, level, "percentile", resamples)
    return estimate
