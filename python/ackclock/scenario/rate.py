"""Tables of the family *rate*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import FilePath, Record

__all__ = ["Cellular", "Name", "PacketTrace", "Rate", "Step", "Steps", "Trace"]

Name: TypeAlias = Literal["cellular",]
"""The names of the family *rate* that need no values.

- ``cellular``: A cellular network, modelled as by the authors of Sprout (Winstein, Sivaraman, Balakrishnan, NSDI 2013):
  deliveries of 1500 bytes form a Poisson process whose rate is a Brownian motion with outages.
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Step(Record):
    """A rate that holds from a given time.

    Parameters
    ----------
    at
        Time at which the rate begins; the first step begins at 0s. Accepted: a time such as "200ms" (units: ns, us, ms,
        s, min, h).
    rate
        The rate. Accepted: a rate such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps).
    """

    at: str
    rate: str


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Steps(Record):
    """A rate that changes in steps.

    A packet that is on the wire at a change is sent partly at the old rate and partly at the new one.

    Parameters
    ----------
    steps
        The rates, in the order of their times; a rate of zero is an outage. Accepted: a list with at least one step,
        each of class `Step`.
    repeat_every
        Period after which the steps start again. Accepted: a time from "1ms" to "87600h" (units: ns, us, ms, s, min,
        h). Absent: it does not.
    """

    kind: ClassVar = "steps"

    steps: Sequence[Step]
    repeat_every: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Trace(Record):
    """A delivery trace in Mahimahi's format.

    Each line is a time in whole milliseconds at which 1500 bytes can be delivered. After the time of the last line the
    trace starts again.

    Parameters
    ----------
    file
        The trace. Accepted: the path, from the scenario's folder, of a delivery trace such as "Verizon-LTE-short.down".
    sha256
        SHA-256 of the file in hexadecimal; a file with another is refused. Accepted: 64 hexadecimal digits. Absent:
        whatever the file has.
    """

    kind: ClassVar = "trace"

    file: FilePath
    sha256: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class PacketTrace(Record):
    """A delivery trace in the same format for whole packets.

    Each line is a time at which one packet of at most 1500 bytes can be delivered, however small it is, as in the trace
    link of the authors of TCP ex Machina (Winstein, Balakrishnan, SIGCOMM 2013). A larger packet takes several.

    Parameters
    ----------
    file
        The trace. Accepted: the path, from the scenario's folder, of a delivery trace such as "Verizon-LTE-short.down".
    sha256
        SHA-256 of the file in hexadecimal; a file with another is refused. Accepted: 64 hexadecimal digits. Absent:
        whatever the file has.
    """

    kind: ClassVar = "packet-trace"

    file: FilePath
    sha256: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Cellular(Record):
    """A cellular network, modelled as by the authors of Sprout (Winstein, Sivaraman, Balakrishnan, NSDI 2013).

    Deliveries of 1500 bytes form a Poisson process whose rate is a Brownian motion with outages.

    Parameters
    ----------
    max_rate
        Maximum rate; the paper uses 1000 packets of 1500 bytes per second. Accepted: a rate from "1bps" to "100Gbps"
        (units: bps, kbps, Mbps, Gbps, Tbps). Default: "12Mbps".
    sigma
        Noise power of the rate, in packets per second per square root of a second. Accepted: a number from 1 to
        1000000. Default: 200.
    outage_escape
        The rate at which outages end, per second. Accepted: a number from 0.001 to 1000000. Default: 1.
    """

    kind: ClassVar = "cellular"

    max_rate: str | None = None
    sigma: float | None = None
    outage_escape: float | None = None


Rate: TypeAlias = Name | Steps | Trace | PacketTrace | Cellular
"""Type of the fields that accept a table of the family *rate*."""
