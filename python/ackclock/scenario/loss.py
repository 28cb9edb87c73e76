"""Tables of the family *loss*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import Record

__all__ = ["GilbertElliott", "List", "Loss", "Name", "Periodic", "Random"]

Name: TypeAlias = Literal["random",]
"""The names of the family *loss* that need no values.

- ``random``: Each packet is lost with the same probability, whatever became of the others.
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Random(Record):
    """Each packet is lost with the same probability, whatever became of the others.

    Parameters
    ----------
    probability
        Part of the packets that is lost, on average. Accepted: a probability such as "1%" (units: ppb, ppm, %).
        Default: "0%".
    """

    kind: ClassVar = "random"

    probability: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Periodic(Record):
    """One packet of so many is lost, always the same distance apart.

    Parameters
    ----------
    every
        One packet of so many is lost, retransmissions counted like the others. Accepted: a whole number of packets from
        1 to 9007199254740992.
    first
        The first packet that is lost, counted from one. Accepted: a whole number of packets from 1 to 9007199254740992.
        Absent: the value of every.
    """

    kind: ClassVar = "periodic"

    every: int
    first: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class GilbertElliott(Record):
    """Bursts: a good and a bad state with a loss of their own, between which a packet may change (Gilbert, Elliott).

    Parameters
    ----------
    p
        Probability that a packet changes the good state for the bad one. Accepted: a probability such as "1%" (units:
        ppb, ppm, %).
    r
        Probability that a packet changes the bad state for the good one. Accepted: a probability such as "1%" (units:
        ppb, ppm, %).
    good_loss
        Probability of loss in the good state, 1 - k in Elliott's terms. Accepted: a probability such as "1%" (units:
        ppb, ppm, %). Default: "0%".
    bad_loss
        Probability of loss in the bad state, 1 - h in Elliott's terms. Accepted: a probability such as "1%" (units:
        ppb, ppm, %). Default: "100%".
    """

    kind: ClassVar = "gilbert-elliott"

    p: str
    r: str
    good_loss: str | None = None
    bad_loss: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class List(Record):
    """The packets of the numbers given.

    Parameters
    ----------
    packets
        The packets that are lost, counted from one, retransmissions like the others. Accepted: a list with at least one
        packet, each a whole number of packets from 1 to 9007199254740992, in ascending order.
    """

    kind: ClassVar = "list"

    packets: Sequence[int]


Loss: TypeAlias = Name | str | Random | Periodic | GilbertElliott | List
"""What a field accepts that takes a table of the family *loss*."""
