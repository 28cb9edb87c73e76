"""Tables of the family *distribution*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeAlias, TypeVar

from ackclock.scenario._record import Record

__all__ = ["Constant", "Distribution", "Empirical", "Exponential", "LogNormal", "Pareto", "ShiftedPareto", "Uniform"]

T = TypeVar("T", str, int)
"""`str` for times and volumes, `int` for numbers of things."""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Constant(Record, Generic[T]):
    """The same value for each use.

    Parameters
    ----------
    value
        Value of every draw.
    """

    kind: ClassVar = "constant"

    value: T


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Exponential(Record, Generic[T]):
    """Exponentially distributed.

    Parameters
    ----------
    mean
        Mean of the distribution.
    """

    kind: ClassVar = "exponential"

    mean: T


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Uniform(Record, Generic[T]):
    """Uniformly distributed over the integers of the smallest unit.

    Parameters
    ----------
    min
        Minimum value.
    max
        Maximum value.
    """

    kind: ClassVar = "uniform"

    min: T
    max: T


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Pareto(Record, Generic[T]):
    """Pareto distributed: a draw exceeds x with probability (scale / x)^shape.

    Parameters
    ----------
    shape
        Exponent of the tail; the mean is infinite for a shape up to one. Accepted: a number from 0.01 to 100.
    scale
        Minimum value. Absent: as mean and shape have it.
    mean
        Mean without the cap; it requires a shape above one. Absent: as scale and shape have it.
    cap
        Maximum value; larger draws become this value. Absent: no bound.
    """

    kind: ClassVar = "pareto"

    shape: float
    scale: T | None = None
    mean: T | None = None
    cap: T | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class ShiftedPareto(Record, Generic[T]):
    """Shifted Pareto: a draw, before plus is added, exceeds x with probability (scale / (x + shift))^shape.

    Parameters
    ----------
    shape
        Exponent of the tail; the mean is infinite for a shape up to one. Accepted: a number from 0.01 to 100.
    scale
        Minimum value before the shift.
    shift
        Value that is subtracted from each draw.
    plus
        Value that is added to each draw. Absent: nothing.
    cap
        Maximum value after plus is added; larger draws become this value. Absent: no bound.
    """

    kind: ClassVar = "shifted-pareto"

    shape: float
    scale: T
    shift: T
    plus: T | None = None
    cap: T | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class LogNormal(Record, Generic[T]):
    """Log-normally distributed.

    Parameters
    ----------
    median
        Median of the distribution.
    sigma
        Standard deviation of the natural logarithm. Accepted: a number from 0.001 to 10.
    cap
        Maximum value; larger draws become this value. Absent: no bound.
    """

    kind: ClassVar = "log-normal"

    median: T
    sigma: float
    cap: T | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Empirical(Record, Generic[T]):
    """An empirical distribution, given by points of its cumulative distribution function with linear interpolation.

    Parameters
    ----------
    values
        Values of the distribution, in ascending order.
    probabilities
        Probability for each value that a draw does not exceed it, in ascending order. Accepted: a list with at least
        one probability, each a number from 0 to 1, in ascending order.
    """

    kind: ClassVar = "empirical"

    values: Sequence[T]
    probabilities: Sequence[float]


Distribution: TypeAlias = (
    T | Constant[T] | Exponential[T] | Uniform[T] | Pareto[T] | ShiftedPareto[T] | LogNormal[T] | Empirical[T]
)
"""Type of the fields that accept a table of the family *distribution*."""
