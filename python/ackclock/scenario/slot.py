"""Tables of the family *slot*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from ackclock.scenario._record import Record
from ackclock.scenario.delay_table import DelayTable

__all__ = ["Slot", "Table", "Uniform"]


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Uniform(Record):
    """Uniform between two bounds.

    Parameters
    ----------
    min
        Shortest time from slot to slot. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h).
    max
        Longest time from slot to slot. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
        Absent: the value of min.
    packets
        Largest number of packets in a slot. Accepted: a whole number of packets from 1 to 2147483647. Absent:
        unlimited.
    bytes
        Number of bytes that ends a slot. Accepted: a volume from "1B" to "2147483647B" (units: B, kB, KiB, MB, MiB, GB,
        GiB). Absent: unlimited.
    """

    kind: ClassVar = "uniform"

    min: str
    max: str | None = None
    packets: int | None = None
    bytes: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Table(Record):
    """Drawn from a table.

    Parameters
    ----------
    delay
        Mean time from slot to slot. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h).
    jitter
        Jitter: the unit of the table. Accepted: a time from "1ns" to "2147483647ns" (units: ns, us, ms, s, min, h).
    distribution
        The table. Accepted: a class of `ackclock.scenario.delay_table`.
    packets
        Largest number of packets in a slot. Accepted: a whole number of packets from 1 to 2147483647. Absent:
        unlimited.
    bytes
        Number of bytes that ends a slot. Accepted: a volume from "1B" to "2147483647B" (units: B, kB, KiB, MB, MiB, GB,
        GiB). Absent: unlimited.
    """

    kind: ClassVar = "table"

    delay: str
    jitter: str
    distribution: DelayTable
    packets: int | None = None
    bytes: str | None = None


Slot: TypeAlias = str | Uniform | Table
"""Type of the fields that accept a table of the family *slot*."""
