"""Statistics of replications: means, quantiles, paired changes and fairness, each with a confidence interval.

Paired comparisons use replications that share their seeds: the same random draws under two variants, so that
differences are effects of the variant. Bootstrap resampling is seeded and so gives the same interval every time.

- An `Estimate` is a number with its interval.
- `mean`, `median` and `quantile` estimate from replications.
- `paired_difference`, `relative_change` and similar functions estimate from pairs, and `compare` gives the usual two
  estimates at once.
- `Precision` tells when an interval is narrow enough and how many replications to add; `replications_needed` gives the
  total number.
- `mser5` and `without_warmup` remove the initial transient of a series.
"""

from __future__ import annotations

from ackclock.stats.estimate import RESAMPLES, RESAMPLING_SEED, Estimate, Method
from ackclock.stats.intervals import mean, median, quantile
from ackclock.stats.paired import (
    Comparison,
    compare,
    paired_difference,
    quantile_change,
    quantile_difference,
    relative_benefit,
    relative_change,
)
from ackclock.stats.precision import Precision, replications_needed
from ackclock.stats.shares import jain, quantile_of_bins
from ackclock.stats.warmup import mser5, warmup_end, without_warmup

__all__ = [
    "RESAMPLES",
    "RESAMPLING_SEED",
    "Comparison",
    "Estimate",
    "Method",
    "Precision",
    "compare",
    "jain",
    "mean",
    "median",
    "mser5",
    "paired_difference",
    "quantile",
    "quantile_change",
    "quantile_difference",
    "quantile_of_bins",
    "relative_benefit",
    "relative_change",
    "replications_needed",
    "warmup_end",
    "without_warmup",
]
