"""Medians over all senders of all replications, and functions of several medians, with intervals.

The senders of a replication share a link and are no independent sample, so whole replications are resampled: the same
ones for all schemes, whose traffic has the same seeds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.remy.measures import of_sender

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ackclock.studies.framework import Grid

__all__ = ["Sample", "estimate", "samples"]

RESAMPLES = 1000


class Sample:
    """One number a sender and replication: its median, and those of the resampled replications."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        """Takes an array of replications by senders."""
        self.values = values
        self.median = float(np.median(values))
        count = len(values)
        picks = np.random.default_rng(stats.RESAMPLING_SEED).integers(count, size=(RESAMPLES, count))
        self.resampled: NDArray[np.float64] = np.median(values[picks].reshape(RESAMPLES, -1), axis=1)

    @property
    def replications(self) -> int:
        """Number of replications."""
        return len(self.values)


def samples(grid: Grid, reading: str, measure: str, senders: int) -> dict[str, Sample]:
    """Variant to the sample of its senders."""
    return {
        variant.name: Sample(
            np.stack(
                [grid.values(reading, variant.name, of_sender(measure, index)) for index in range(senders)], axis=1
            )
        )
        for variant in grid.variants
    }


def estimate(what: Callable[..., NDArray[np.float64]], *of: Sample) -> stats.Estimate:
    """A function of medians, with the 95 % interval of the resampled ones."""
    value, count = float(what(*(np.asarray(one.median) for one in of))), of[0].replications
    if count < 2:
        return stats.Estimate(value, math.nan, math.nan, count, method="percentile")
    low, high = np.quantile(what(*(one.resampled for one in of)), [0.025, 0.975])
    return stats.Estimate(value, float(low), float(high), count, method="percentile")
