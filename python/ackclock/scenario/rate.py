"""Tables of the family *rate*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import FilePath, Record

__all__ = ["Cellular", "Form", "Name", "PacketTrace", "Rate", "Series", "Step", "Steps", "Trace", "Unit"]

Form: TypeAlias = Literal[
    "auto",
    "pensieve",
    "hsdpa",
    "columns",
]
"""Form of the file. Without a header, two columns are those of Pensieve, and six those of the HSDPA logs.

- ``auto``: found out
- ``pensieve``: seconds and Mbit/s; a rate holds up to its time
- ``hsdpa``: time, ms, latitude, longitude, bytes, ms; the logs of Riiser et al.
- ``columns``: columns with a header or numbers; a rate holds from its time on
"""

Unit: TypeAlias = Literal[
    "bit/s",
    "kbit/s",
    "Mbit/s",
    "Gbit/s",
    "B/s",
    "kB/s",
    "MB/s",
]
"""Unit of the rates.

- ``bit/s``: bits per second
- ``kbit/s``: 1,000 bits per second
- ``Mbit/s``: 1,000,000 bits per second
- ``Gbit/s``: 1,000,000,000 bits per second
- ``B/s``: bytes per second
- ``kB/s``: 1,000 bytes per second
- ``MB/s``: 1,000,000 bytes per second
"""

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
class Series(Record):
    """A measured rate: a file with a time and a rate in each line, whose form is found out or named.

    After the end of the file it starts again.

    Parameters
    ----------
    file
        The file. Accepted: the path, from the scenario's folder, of a file of times and rates such as "bus.log".
    sha256
        SHA-256 of the file in hexadecimal; a file with another is refused. Accepted: 64 hexadecimal digits. Absent:
        whatever the file has.
    form
        Form of the file. Without a header, two columns are those of Pensieve, and six those of the HSDPA logs.
        Accepted: auto, pensieve, hsdpa, columns. Default: "auto".
    time
        Column of the times: its name in the header, or its number from 1. Times are seconds, milliseconds where the
        name says so or where they count from 1970, or dates with times. Accepted: a name of ASCII letters, digits,
        spaces and _ + -. Absent: found out.
    rate
        Column of the rates: its name in the header, or its number from 1. Accepted: a name of ASCII letters, digits,
        spaces and _ + -. Absent: found out.
    unit
        Unit of the rates. Accepted: bit/s, kbit/s, Mbit/s, Gbit/s, B/s, kB/s, MB/s. Absent: found out by the name of
        the column.
    """

    kind: ClassVar = "series"

    file: FilePath
    sha256: str | None = None
    form: Form | None = None
    time: str | None = None
    rate: str | None = None
    unit: Unit | None = None


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


Rate: TypeAlias = Name | Steps | Trace | PacketTrace | Series | Cellular
"""Type of the fields that accept a table of the family *rate*."""
