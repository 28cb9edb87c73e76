"""Tables of the family *pacing*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import Record

__all__ = ["AfterIdle", "Fq", "Name", "Off", "Pacing"]

Name: TypeAlias = Literal[
    "off",
    "fq",
    "after-idle",
]
"""The names of the family *pacing* that need no values.

- ``off``: Segments leave as soon as the window allows them.
- ``fq``: Segments are spread over the smoothed RTT, as by Linux's FQ queue discipline.
- ``after-idle``: Data that is sent into an empty path is spread over one RTT (RFC 7661 section 4.4.2).
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Off(Record):
    """Segments leave as soon as the window allows them."""

    kind: ClassVar = "off"


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Fq(Record):
    """Segments are spread over the smoothed RTT, as by Linux's FQ queue discipline.

    Parameters
    ----------
    slow_start_percent
        Gain in slow start, in per cent. Accepted: a whole number of per cent from 1 to 100000. Default: 200.
    avoidance_percent
        Gain in congestion avoidance, in per cent. Accepted: a whole number of per cent from 1 to 100000. Default: 120.
    quantum
        Volume that may leave back to back after an idle period. Accepted: an amount of data above zero such as "2
        packets" or "3000B". Default: "2 packets".
    """

    kind: ClassVar = "fq"

    slow_start_percent: int | None = None
    avoidance_percent: int | None = None
    quantum: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class AfterIdle(Record):
    """Data that is sent into an empty path is spread over one RTT (RFC 7661 section 4.4.2)."""

    kind: ClassVar = "after-idle"


Pacing: TypeAlias = Name | Off | Fq | AfterIdle
"""Type of the fields that accept a table of the family *pacing*."""
