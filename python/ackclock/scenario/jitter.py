"""Tables of the family *jitter*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from ackclock.scenario._record import Record

__all__ = ["Empirical", "Exponential", "Jitter", "Normal", "Uniform"]


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Uniform(Record):
    """Uniform between zero and the maximum.

    Parameters
    ----------
    max
        The largest extra delay. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h).
    reorder
        Whether a packet may overtake the packet sent before it; without reordering it arrives no earlier than that
        packet. Default: False.
    """

    kind: ClassVar = "uniform"

    max: str
    reorder: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Normal(Record):
    """Normal; negative draws become zero.

    Parameters
    ----------
    mean
        The mean extra delay, before negative draws become zero. Accepted: a time such as "200ms" (units: ns, us, ms, s,
        min, h).
    sd
        The standard deviation, before negative draws become zero. Accepted: a time such as "200ms" (units: ns, us, ms,
        s, min, h).
    reorder
        Whether a packet may overtake the packet sent before it; without reordering it arrives no earlier than that
        packet. Default: False.
    """

    kind: ClassVar = "normal"

    mean: str
    sd: str
    reorder: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Exponential(Record):
    """Exponential.

    Parameters
    ----------
    mean
        The mean extra delay. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h).
    reorder
        Whether a packet may overtake the packet sent before it; without reordering it arrives no earlier than that
        packet. Default: False.
    """

    kind: ClassVar = "exponential"

    mean: str
    reorder: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Empirical(Record):
    """One of a list of delays, each with the same probability.

    Parameters
    ----------
    values
        The extra delays. Accepted: a list with at least one extra delay, each a time such as "200ms" (units: ns, us,
        ms, s, min, h).
    reorder
        Whether a packet may overtake the packet sent before it; without reordering it arrives no earlier than that
        packet. Default: False.
    """

    kind: ClassVar = "empirical"

    values: Sequence[str]
    reorder: bool | None = None


Jitter: TypeAlias = str | Uniform | Normal | Exponential | Empirical
"""Type of the fields that accept a table of the family *jitter*."""
