"""Tables of the family *arrival*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import Record

__all__ = ["Arrival", "Name", "Poisson", "Staggered", "Together"]

Name: TypeAlias = Literal["together",]
"""The names of the family *arrival* that need no values.

- ``together``: All copies start at once.
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Together(Record):
    """All copies start at once."""

    kind: ClassVar = "together"


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Poisson(Record):
    """Copies start as a Poisson process: the time between two starts is exponential.

    Copies whose start would come after the end of the run do not start.

    Parameters
    ----------
    rate
        Mean number of starts per second. Accepted: a number from 0.000001 to 1000000.
    """

    kind: ClassVar = "poisson"

    rate: float


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Staggered(Record):
    """Copies start at a fixed interval, the first at once.

    Parameters
    ----------
    interval
        Time from one start to the next. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
    """

    kind: ClassVar = "staggered"

    interval: str


Arrival: TypeAlias = Name | Together | Poisson | Staggered
"""Type of the fields that accept a table of the family *arrival*."""
