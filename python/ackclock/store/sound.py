"""Whether the documents of a store have what its readers expect: somebody else may have written or changed them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from ackclock.results.declared import KEYS, TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["check", "check_account", "wrong_column"]

Kind = type | tuple[type, ...]

SCALAR = (str, int, float, bool, type(None))
"""Kinds of values of a setting that was varied."""


def check(document: Mapping[str, Any]) -> None:
    """Sees that the document of a sweep has the members that are read, each of its kind; `runs` is not looked at.

    Raises
    ------
    ValueError
        If it has not. The message names the member.
    """
    _members(document, {"name": str, "version": str, "scenarios": list, "points": list})
    _optional(document, {"id": str, "engine": str, "request": (dict, type(None)), "terms": dict, "algorithms": dict})
    for name in ("measures", "population"):
        _all(name, document.get(name, []), lambda one: isinstance(one, str))
    _all("competing", document.get("competing", []), lambda one: _are(one, str))
    _all("algorithms", list(document.get("algorithms", {}).values()), lambda one: one is None or _pair(one))
    for text in document["scenarios"]:
        _members(text, {"name": str, "format": str, "text": str})
        if text["format"] not in ("toml", "json"):
            raise ValueError("format is toml or json")
    for point in document["points"]:
        _members(point, {"params": dict, "scenario": int, "overrides": list, "scenario_hash": str})
        _all("params", list(point["params"].values()), lambda one: isinstance(one, SCALAR))
        _all("overrides", point["overrides"], _pair)
        _all("files", point.get("files", []), _pair)
        if not 0 <= point["scenario"] < len(document["scenarios"]):
            raise ValueError("scenario is the number of a scenario")


def check_account(account: Mapping[str, Any]) -> None:
    """The same for the account of a start of a sweep."""
    nothing = type(None)
    _members(account, {"sweep": str, "command": list, "version": str, "host": dict, "where": str, "finished": int})
    _members(account, {"git": (dict, nothing), "began": str, "ended": (str, nothing)})
    _members(account["host"], {"python": str})
    _all("command", account["command"], lambda one: isinstance(one, str))
    if account["git"] is not None:
        _members(account["git"], {"commit": str, "modified": bool})
    for time in (account["began"], account["ended"]):
        if time is not None:
            datetime.fromisoformat(time)


TYPES = {
    "text": {"VARCHAR"},
    "truth value": {"BOOLEAN"},
    "whole number": {"BIGINT", "UBIGINT", "INTEGER", "UINTEGER", "SMALLINT", "USMALLINT", "TINYINT", "UTINYINT"},
}
ALIKE = TYPES["text"] | TYPES["truth value"]
RECORDS = {"status": "VARCHAR", "error": "VARCHAR", "details": "VARCHAR", "duration_s": "DOUBLE"}
TYPES["number"] = {"DOUBLE", "FLOAT", *TYPES["whole number"]}
"""The types of DuckDB that a declared column may have."""


def wrong_column(table: str, types: Mapping[str, str]) -> str | None:
    """A column of a table that is missing or has another type than ackclock writes; None if there is none.

    `types` has the type of each column, as DuckDB calls it.
    """
    if types.get("run") != "VARCHAR":
        return "run"
    if table == "runs":
        return next((name for name, kind in RECORDS.items() if types.get(name, kind) != kind), None)
    odd = (name for name, kind in types.items() if kind not in TYPES["number"] | ALIKE)
    if (found := next(odd, None)) is not None:
        return found
    declared = TABLES[table]["columns"] if table in TABLES else []
    keys = KEYS.get(table, ())
    for column in declared:
        given = types.get(column["name"])
        if (given is None and column["name"] in keys) or (given is not None and given not in TYPES[column["type"]]):
            return column["name"]
    return None


def _members(document: object, kinds: Mapping[str, Kind]) -> None:
    if not isinstance(document, dict):
        raise ValueError("expected an object")
    _optional(document, kinds)
    missing = [name for name in kinds if name not in document]
    if missing:
        raise ValueError(f"lacks {missing[0]}")


def _optional(document: Mapping[str, Any], kinds: Mapping[str, Kind]) -> None:
    for name, kind in kinds.items():
        value = document.get(name)
        if name in document and not (isinstance(value, kind) and (type(value) is not bool or kind is bool)):
            raise ValueError(f"{name} is of another kind")


def _all(name: str, values: object, is_sound: Callable[[Any], bool]) -> None:
    if not isinstance(values, list) or not all(is_sound(one) for one in values):
        raise ValueError(f"{name} has something of another kind")


def _are(value: object, kind: Kind) -> bool:
    return isinstance(value, list) and all(isinstance(one, kind) for one in value)


def _pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and _are(value, str)
