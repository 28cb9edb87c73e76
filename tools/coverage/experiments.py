"""Experiments that are drawn from a pool: how often an interval holds the truth, which the whole pool is."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import stats
from ackclock.stats.paired import one_sign

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from tools.coverage.pools import Pool

__all__ = ["KINDS", "SIZES", "Covered", "coverage"]

SIZES = (3, 5, 10, 20, 50)
"""Numbers of seeds of an experiment."""
BOOTSTRAPPED = 500
"""Experiments of a kind whose intervals are resampled, of which one takes milliseconds."""
DRAWN = 2000
"""Experiments of the other kinds."""


@dataclass(frozen=True)
class Covered:
    """Numbers of experiments of one kind and size, and of intervals that were right."""

    tried: int
    """Experiments that had an interval with a width."""
    held: int
    """Experiments whose interval held the truth."""
    noted: int
    """Experiments that the output notes as doubtful."""
    flat: int = 0
    """Experiments whose values were all the same, which the output tells in its own words."""

    def document(self) -> dict[str, Any]:
        """Returns the numbers as JSON."""
        return {"tried": self.tried, "held": self.held, "noted": self.noted, "flat": self.flat}


@dataclass(frozen=True)
class Kind:
    """A kind of estimate."""

    name: str
    estimate: Callable[[NDArray[np.float64], NDArray[np.float64]], Estimate]
    truth: Callable[[NDArray[np.float64], NDArray[np.float64]], float]
    experiments: int = DRAWN
    least: int = 2
    """The fewest seeds that have an interval in the output."""
    ratio: bool = False


def _ninetieth(values: NDArray[np.float64]) -> Estimate:
    return stats.quantile(values, 0.9)


def _of_treated(act: Callable[[NDArray[np.float64]], Any]) -> Callable[..., Any]:
    """A function of both samples that looks at the treated one alone."""
    return lambda treated, _control: act(treated)


KINDS = (
    Kind("mean", _of_treated(stats.mean), _of_treated(np.mean)),
    Kind("difference", stats.paired_difference, lambda treated, control: float((treated - control).mean())),
    Kind(
        "ratio",
        stats.relative_change,
        lambda treated, control: float(treated.mean() / control.mean() - 1),
        BOOTSTRAPPED,
        20,
        ratio=True,
    ),
    Kind("median", _of_treated(stats.median), _of_treated(np.median), BOOTSTRAPPED, 6),
    Kind(
        "90th percentile",
        _of_treated(_ninetieth),
        lambda treated, _: float(np.quantile(treated, 0.9)),
        BOOTSTRAPPED,
        29,
    ),
)


def coverage(name: str, pool: Pool, kind: Kind, size: int) -> Covered | None:
    """The coverage over experiments that draw so many seeds of the pool, each seed with its pair; None without one."""
    if size < kind.least or (kind.ratio and not one_sign(pool.control)):
        return None
    draw = np.random.default_rng([2026, zlib.crc32(f"{name} {kind.name}".encode()), size])
    truth = kind.truth(pool.treated, pool.control)
    tried = held = noted = flat = 0
    for _ in range(kind.experiments):
        chosen = draw.integers(0, pool.control.size, size)
        found = kind.estimate(pool.treated[chosen], pool.control[chosen])
        if not found.has_interval:
            continue
        tried += 1
        flat += found.low == found.high
        # The last digit of a mean depends on the order of its sum.
        slack = 1e-12 * abs(truth)
        held += found.low - slack <= truth <= found.high + slack
        noted += found.is_doubtful
    return Covered(tried, int(held), int(noted), int(flat)) if tried else None
