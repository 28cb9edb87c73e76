"""The declarations of results tables and their columns, as the engine has them."""

from __future__ import annotations

import json
from typing import TypedDict

from ackclock import _core

__all__ = ["ASKED", "KEYS", "PROBES", "SUMMARISED", "TABLES", "Column", "Declaration", "column_unit"]


class Column(TypedDict):
    """The declaration of a column."""

    name: str
    type: str
    """``whole number``, ``number``, ``text`` or ``truth value``."""
    unit: str
    """``s``, ``ms``, ``bit/s``, ``bytes``, or empty."""
    key: bool
    """Whether the column names the component of a row, in a table of which replications have a summary."""
    about: str


class Declaration(TypedDict):
    """The declaration of a table."""

    name: str
    about: str
    asked: str | None
    """The setting with which a scenario asks for the table."""
    series: bool
    """Whether the rows are in the order of time."""
    columns: list[Column]


TABLES: dict[str, Declaration] = {table["name"]: table for table in json.loads(_core.tables())}
"""Every table that a run may give, by name."""

ASKED = {name: table["asked"] for name, table in TABLES.items() if table["asked"] is not None}
"""The tables that a run writes only when its scenario asks for them, and how to ask."""

PROBES = {name: asked for name, asked in ASKED.items() if TABLES[name]["series"]}
"""Tables of `ASKED` that are traces; the JSON document of a run does not contain them."""

KEYS = {
    name: keys
    for name, table in TABLES.items()
    if (keys := tuple(column["name"] for column in table["columns"] if column["key"]))
}
"""The tables whose declarations name the component of a row, with the columns that name it."""

SUMMARISED = {**KEYS, **dict.fromkeys(("delays", "limits", "tmix"), ("flow",))}
"""The tables with one row for each flow, link or client, with the columns that name it."""

_UNITS = {column["name"]: column["unit"] for table in TABLES.values() for column in table["columns"]}
_ENDINGS = {"_s": "s", "_ms": "ms", "_bps": "bit/s", "_bytes": "bytes"}


def column_unit(name: str) -> str:
    """The unit of a column of any table: as declared, else by the ending of its name; empty if it has none."""
    if name in _UNITS:
        return _UNITS[name]
    return next((unit for ending, unit in _ENDINGS.items() if name.endswith(ending)), "")
