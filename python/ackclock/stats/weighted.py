"""Weighted means over points, such as the paths of a population, whose replications may share their seeds."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.stats import student
from ackclock.stats.estimate import Estimate, check_level, sample_of, without_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Mean", "mean_of", "normalised", "population_mean", "weighted_mean"]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its standard error, before a level of confidence is chosen."""

    value: float
    error: float
    """Standard error; NaN if the replications are too few for one."""
    freedom: float
    """Degrees of freedom of the standard error."""
    n: int
    """Number of different seeds."""

    def estimate(self, level: float = 0.95) -> Estimate:
        """The mean with its interval by Student's t."""
        check_level(level)
        if math.isnan(self.error):
            return without_interval(self.value, self.n, level, "t")
        half = student.quantile(self.freedom, (1 + level) / 2) * self.error if self.error else 0.0
        return Estimate(self.value, self.value - half, self.value + half, self.n, level, "t")

    def p_value(self) -> float | None:
        """The two-sided p-value of a true mean of zero, by Student's t; None if the standard error is zero or NaN.

        Values that are the same under all seeds tell nothing about chance.
        """
        if not self.error > 0:
            return None
        return student.two_sided(self.freedom, self.value / self.error)


def normalised(weights: Sequence[float]) -> NDArray[np.float64]:
    """Weights with a sum of 1.

    Raises
    ------
    ValueError
        If there are no weights, all are zero, or some are negative, infinite or NaN. The message lists all of those.
    """
    found = np.asarray(weights, dtype=np.float64)
    wrong = [f"weight {number} is {one:g}" for number, one in enumerate(found) if not (math.isfinite(one) and one >= 0)]
    if wrong:
        raise ValueError(f"{', '.join(wrong)}; accepted: finite numbers of at least 0, counted from 0")
    if not found.any():
        raise ValueError("all weights are zero" if found.size else "there are no weights")
    # The largest weight becomes 1 first: a sum of large weights could be infinite.
    found = found / float(found.max())
    return found / float(found.sum())


def mean_of(values: ArrayLike) -> Mean:
    """The mean of independent replications at one point."""
    sample = sample_of(values)
    n = sample.size
    error = math.nan if n < 2 else 0.0 if np.ptp(sample) == 0 else float(sample.std(ddof=1)) / math.sqrt(n)
    return Mean(float(sample.mean()), error, n - 1, n)


def population_mean(
    samples: Sequence[ArrayLike],
    weights: Sequence[float],
    *,
    seeds: Sequence[ArrayLike] | None = None,
    level: float = 0.95,
) -> Estimate:
    """The weighted mean of the means of several points, such as the paths of a population.

    Parameters
    ----------
    samples
        One sample per point: one number per replication.
    weights
        One number per point, at least 0; they are divided by their sum. Points of weight 0 are ignored.
    seeds
        One array per point: the seeds of its replications. Without them the samples are independent.
    level
        Confidence level of the interval.

    Returns
    -------
    Estimate
        In the unit of the values, with the number of different seeds; without an interval if a point has one value.

    Raises
    ------
    ValueError
        If a sample is empty or has NaN, the numbers of samples, weights and seeds differ, or weights are not valid.

    Notes
    -----
    Points are strata and seeds are replications within points. With independent samples, the variance is the sum of
    w_i^2 s_i^2 / n_i, and the degrees of freedom are those of Satterthwaite (Cochran, Sampling Techniques, 3rd edition
    1977, section 5.4, equation 5.16).

    Points that share seeds share random draws, so that their errors do not cancel: with the formula above, 20 equal
    points that move together have intervals that are too narrow by a factor of 4.5. The contributions of one seed to
    all points are therefore added before they are squared. Seeds that the same points have form a group, and
    Satterthwaite's formula combines the groups. If all points have the same n seeds, this is Student's interval with n
    - 1 degrees of freedom over the weighted sums by seed; if no seed is shared, it is Cochran's.

    Coverage of 95 % intervals over 1,000 synthetic populations is 93 to 97 %, with independent points of 4 to 12
    replications, and with points of 8 replications that share their seeds.
    """
    arrays = [sample_of(one) for one in samples]
    if seeds is None:
        ends = np.cumsum([0, *(one.size for one in arrays)])
        named = [np.arange(start, end) for start, end in itertools.pairwise(ends)]
    else:
        named = [np.asarray(one).ravel() for one in seeds]
    return weighted_mean(arrays, named, weights).estimate(level)


def weighted_mean(
    samples: Sequence[NDArray[np.float64]], seeds: Sequence[NDArray[np.generic]], weights: Sequence[float]
) -> Mean:
    """Computes the mean as `population_mean` does, before a level is chosen."""
    if not len(samples) == len(seeds) == len(weights):
        raise ValueError(f"there are {len(samples)} samples, {len(seeds)} arrays of seeds and {len(weights)} weights")
    for sample, named in zip(samples, seeds, strict=True):
        if sample.size != named.size or np.unique(named).size != named.size:
            raise ValueError("every replication of a point needs a seed of its own")
    parts = [(w, x, s) for w, x, s in zip(normalised(weights), samples, seeds, strict=True) if w]
    value = float(sum(weight * sample.mean() for weight, sample, _ in parts))
    sums: dict[object, float] = {}
    points: dict[object, list[int]] = {}
    for number, (weight, sample, named) in enumerate(parts):
        n = sample.size
        # With this factor, the expected square of the sum is the variance of the mean.
        scale = weight / n * math.sqrt(n / (n - 1)) if n > 1 else math.nan
        # A constant sample has no error, whatever the rounding of its mean.
        errors = np.zeros(n) if np.ptp(sample) == 0 else sample - sample.mean()
        for seed, error in zip(named.tolist(), errors.tolist(), strict=True):
            sums[seed] = sums.get(seed, 0.0) + scale * error
            points.setdefault(seed, []).append(number)
    groups: dict[tuple[int, ...], list[float]] = {}
    for seed, total in sums.items():
        groups.setdefault(tuple(points[seed]), []).append(total * total)
    variances = [(math.fsum(squares), max(1, len(squares) - 1)) for squares in groups.values()]
    variance = math.fsum(one for one, _ in variances)
    if not variance > 0:
        return Mean(value, math.sqrt(variance), math.inf, len(sums))
    freedom = variance**2 / math.fsum(one**2 / freedom for one, freedom in variances)
    return Mean(value, math.sqrt(variance), freedom, len(sums))
