"""Tables of the family *loss*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import Record

__all__ = [
    "Fades",
    "GilbertElliott",
    "GilbertElliottTime",
    "Interference",
    "List",
    "Loss",
    "Name",
    "Periodic",
    "Random",
    "Steps",
    "StepsStep",
]

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


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class GilbertElliottTime(Record):
    """Losses in good and bad periods of exponential lengths: the Gilbert-Elliott model in time.

    Parameters
    ----------
    good_time
        Mean length of the good periods. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
    bad_time
        Mean length of the bad periods. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
    good_loss
        Probability of loss in the good state. Accepted: a probability such as "1%" (units: ppb, ppm, %). Default: "0%".
    bad_loss
        Probability of loss in the bad state. Accepted: a probability such as "1%" (units: ppb, ppm, %). Default:
        "100%".
    """

    kind: ClassVar = "gilbert-elliott-time"

    good_time: str
    bad_time: str
    good_loss: str | None = None
    bad_loss: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Fades(Record):
    """Losses in fades that come at random.

    Parameters
    ----------
    interval
        Mean time from the end of a fade to the start of the next. Accepted: a time above zero such as "200ms" (units:
        ns, us, ms, s, min, h).
    duration
        Mean length of a fade. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
    sigma
        Standard deviation of the logarithm of the lengths, which are log-normal then; zero for fades of one length.
        Accepted: a number from 0 to 5. Absent: exponential lengths.
    loss
        Probability of loss in a fade. Accepted: a probability such as "1%" (units: ppb, ppm, %). Default: "100%".
    clear_loss
        Probability of loss between fades. Accepted: a probability such as "1%" (units: ppb, ppm, %). Default: "0%".
    """

    kind: ClassVar = "fades"

    interval: str
    duration: str
    sigma: float | None = None
    loss: str | None = None
    clear_loss: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Interference(Record):
    """Losses in bursts at a fixed distance in time.

    Parameters
    ----------
    period
        Time from the start of one burst to the start of the next. Accepted: a time from "1us" to "87600h" (units: ns,
        us, ms, s, min, h).
    duration
        Length of each burst. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
    phase
        Start of the first burst. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    loss
        Probability of loss in a burst. Accepted: a probability such as "1%" (units: ppb, ppm, %). Default: "100%".
    clear_loss
        Probability of loss between bursts. Accepted: a probability such as "1%" (units: ppb, ppm, %). Default: "0%".
    """

    kind: ClassVar = "interference"

    period: str
    duration: str
    phase: str | None = None
    loss: str | None = None
    clear_loss: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class StepsStep(Record):
    """A probability of loss that holds from a given time.

    Parameters
    ----------
    at
        Time at which the probability begins; the first step begins at 0s. Accepted: a time such as "200ms" (units: ns,
        us, ms, s, min, h).
    probability
        Probability of loss. Accepted: a probability such as "1%" (units: ppb, ppm, %).
    """

    at: str
    probability: str


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Steps(Record):
    """A probability of loss that changes in steps over time.

    Parameters
    ----------
    steps
        The probabilities, in the order of their times. Accepted: a list with at least one step, each of class
        `StepsStep`.
    repeat_every
        Period after which the steps start again. Accepted: a time from "1ms" to "87600h" (units: ns, us, ms, s, min,
        h). Absent: it does not.
    """

    kind: ClassVar = "steps"

    steps: Sequence[StepsStep]
    repeat_every: str | None = None


Loss: TypeAlias = (
    Name | str | Random | Periodic | GilbertElliott | List | GilbertElliottTime | Fades | Interference | Steps
)
"""Type of the fields that accept a table of the family *loss*."""
