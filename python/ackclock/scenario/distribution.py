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
    """Always the same.

    Parameters
    ----------
    value
        The value.
    """

    kind: ClassVar = "constant"

    value: T


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Exponential(Record, Generic[T]):
    """Exponentially distributed.

    Parameters
    ----------
    mean
        The mean.
    """

    kind: ClassVar = "exponential"

    mean: T


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Uniform(Record, Generic[T]):
    """Uniformly distributed over the whole numbers of the smallest unit.

    Parameters
    ----------
    min
        The least value.
    max
        The largest value.
    """

    kind: ClassVar = "uniform"

    min: T
    max: T


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Pareto(Record, Generic[T]):
    """Pareto distributed: above x with probability (scale / x)^shape.

    Parameters
    ----------
    shape
        The exponent of the tail; the mean is infinite up to one. Accepted: a number from 0.01 to 100.
    scale
        The least value. Absent: as mean and shape have it.
    mean
        The mean, as it is without cap; for a shape above one. Absent: as scale and shape have it.
    cap
        Larger draws become this. Absent: no bound.
    """

    kind: ClassVar = "pareto"

    shape: float
    scale: T | None = None
    mean: T | None = None
    cap: T | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class ShiftedPareto(Record, Generic[T]):
    """Pareto distributed once shift is added: above x with probability (scale / (x + shift))^shape, before plus.

    Parameters
    ----------
    shape
        The exponent of the tail; the mean is infinite up to one. Accepted: a number from 0.01 to 100.
    scale
        The least value before the shift.
    shift
        What is taken off each draw.
    plus
        What is added to each draw. Absent: nothing.
    cap
        Larger draws, with what is added, become this. Absent: no bound.
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
        The median.
    sigma
        The standard deviation of the natural logarithm. Accepted: a number from 0.001 to 10.
    cap
        Larger draws become this. Absent: no bound.
    """

    kind: ClassVar = "log-normal"

    median: T
    sigma: float
    cap: T | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Empirical(Record, Generic[T]):
    """As measured: values and the part of all that is not above each, with straight lines between.

    Parameters
    ----------
    values
        Values.
    probabilities
        Of each value, the probability that a draw is not above it. Accepted: a list with at least one probability, each
        a number from 0 to 1, in ascending order.
    """

    kind: ClassVar = "empirical"

    values: Sequence[T]
    probabilities: Sequence[float]


Distribution: TypeAlias = (
    T | Constant[T] | Exponential[T] | Uniform[T] | Pareto[T] | ShiftedPareto[T] | LogNormal[T] | Empirical[T]
)
"""What a field accepts that takes a table of the family *distribution*."""
