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

- ``random``: Each packet is lost with the same probability, independently of the others.
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Random(Record):
    """Each packet is lost with the same probability, independently of the others.

    Parameters
    ----------
    probability
        Fraction of the packets that is lost, on average. Accepted: a probability such as "1%" (units: ppb, ppm, %).
        Default: "0%".
    """

    kind: ClassVar = "random"

    probability: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Periodic(Record):
    """One packet in a fixed number of packets is lost, at equal distances.

    Parameters
    ----------
    every
        Number of packets from one lost packet to the next; retransmissions count as packets. Accepted: a whole number
        of packets from 1 to 9007199254740992.
    first
        Number of the first packet that is lost, counted from one. Accepted: a whole number of packets from 1 to
        9007199254740992. Absent: the value of every.
    """

    kind: ClassVar = "periodic"

    every: int
    first: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class GilbertElliott(Record):
    """Losses in bursts: each packet may change the state, which is good or bad (Gilbert, Elliott).

    Parameters
    ----------
    p
        Probability that the state changes from good to bad after a packet. Accepted: a probability such as "1%" (units:
        ppb, ppm, %).
    r
        Probability that the state changes from bad to good after a packet. Accepted: a probability such as "1%" (units:
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
    """The packets with the given numbers are lost.

    Parameters
    ----------
    packets
        Numbers of the packets that are lost, counted from one; retransmissions count as packets. Accepted: a list with
        at least one packet, each a whole number of packets from 1 to 9007199254740992, in ascending order.
    """

    kind: ClassVar = "list"

    packets: Sequence[int]


Loss: TypeAlias = Name | str | Random | Periodic | GilbertElliott | List
"""Type of the fields that accept a table of the family *loss*."""
