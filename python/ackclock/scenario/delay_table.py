"""Tables of the family *delay_table*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import FilePath, Record

__all__ = ["DelayTable", "Name", "Normal", "Pareto", "Paretonormal", "Table"]

Name: TypeAlias = Literal[
    "normal",
    "pareto",
    "paretonormal",
]
"""The names of the family *delay_table* that need no values.

- ``normal``: Normal: the jitter is the standard deviation.
- ``pareto``: Pareto with shape 3 and mean zero.
- ``paretonormal``: A quarter of the normal and three quarters of the Pareto distribution's value.
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Normal(Record):
    """Normal: the jitter is the standard deviation."""

    kind: ClassVar = "normal"


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Pareto(Record):
    """Pareto with shape 3 and mean zero."""

    kind: ClassVar = "pareto"


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Paretonormal(Record):
    """A quarter of the normal and three quarters of the Pareto distribution's value."""

    kind: ClassVar = "paretonormal"


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Table(Record):
    """A table from a file in the format of iproute2, such as /usr/lib/tc/experimental.dist.

    Parameters
    ----------
    file
        The table. Accepted: the path, from the scenario's folder, of a delay table of iproute2 such as
        "experimental.dist".
    sha256
        SHA-256 of the file in hexadecimal; a file with another is refused. Accepted: 64 hexadecimal digits. Absent:
        whatever the file has.
    """

    kind: ClassVar = "table"

    file: FilePath
    sha256: str | None = None


DelayTable: TypeAlias = Name | Normal | Pareto | Paretonormal | Table
"""Type of the fields that accept a table of the family *delay_table*."""
