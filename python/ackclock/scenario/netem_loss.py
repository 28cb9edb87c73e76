"""Tables of the family *netem_loss*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import Record

__all__ = ["Gemodel", "Name", "NetemLoss", "Random", "State"]

Name: TypeAlias = Literal["random",]
"""The names of the family *netem_loss* that need no values.

- ``random``: Each packet with the same probability, which may be correlated from packet to packet.
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Random(Record):
    """Each packet with the same probability, which may be correlated from packet to packet.

    Parameters
    ----------
    probability
        Probability of loss. Accepted: a probability such as "1%" (units: ppb, ppm, %). Default: "0%".
    correlation
        Correlation from packet to packet. It lowers the rate of losses, as in the kernel. Accepted: a probability such
        as "1%" (units: ppb, ppm, %). Default: "0%".
    """

    kind: ClassVar = "random"

    probability: str | None = None
    correlation: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class State(Record):
    """A Markov chain of four states: 1 received in a gap, 2 received in a burst, 3 lost in a burst, 4 lost in a gap.

    Parameters
    ----------
    p13
        Probability of a change from state 1 to state 3. Accepted: a probability such as "1%" (units: ppb, ppm, %).
    p31
        Probability of a change from state 3 to state 1. Accepted: a probability such as "1%" (units: ppb, ppm, %).
        Absent: 1 - p13.
    p32
        Probability of a change from state 3 to state 2. Accepted: a probability such as "1%" (units: ppb, ppm, %).
        Default: "0%".
    p23
        Probability of a change from state 2 to state 3. Accepted: a probability such as "1%" (units: ppb, ppm, %).
        Default: "100%".
    p14
        Probability of a change from state 1 to state 4. Accepted: a probability such as "1%" (units: ppb, ppm, %).
        Default: "0%".
    """

    kind: ClassVar = "state"

    p13: str
    p31: str | None = None
    p32: str | None = None
    p23: str | None = None
    p14: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Gemodel(Record):
    """The Gilbert-Elliott model.

    Parameters
    ----------
    p
        Probability of a change from the good to the bad state. Accepted: a probability such as "1%" (units: ppb, ppm,
        %).
    r
        Probability of a change from the bad to the good state. Accepted: a probability such as "1%" (units: ppb, ppm,
        %). Absent: 1 - p.
    bad_loss
        Probability of loss in the bad state, 1 - h. Accepted: a probability such as "1%" (units: ppb, ppm, %). Default:
        "100%".
    good_loss
        Probability of loss in the good state, 1 - k. Accepted: a probability such as "1%" (units: ppb, ppm, %).
        Default: "0%".
    """

    kind: ClassVar = "gemodel"

    p: str
    r: str | None = None
    bad_loss: str | None = None
    good_loss: str | None = None


NetemLoss: TypeAlias = Name | str | Random | State | Gemodel
"""Type of the fields that accept a table of the family *netem_loss*."""
