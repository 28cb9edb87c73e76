"""The types of a pack's documents: every member that is used is of the type that ackclock writes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ackclock.base.shown import one_line
from ackclock.judge.packs.archive import PackError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["check_accounts", "check_document", "check_sweep"]


def is_text(value: Any) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


def is_number(value: Any) -> bool:
    """Whether a value is a number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_digest(value: Any) -> bool:
    """Whether a value is a SHA-256 in hexadecimal."""
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def is_list(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """The kind of lists whose members are of a kind."""
    return lambda value: isinstance(value, list) and all(map(kind, value))


def is_table(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """The kind of objects whose values are of a kind."""
    return lambda value: isinstance(value, dict) and all(map(kind, value.values()))


def is_pair(*kinds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """The kind of lists with so many members, each of its kind."""
    return lambda value: (
        isinstance(value, list)
        and len(value) == len(kinds)
        and all(kind(one) for kind, one in zip(kinds, value, strict=True))
    )


def is_none_or(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """The kind of values that are none, or of a kind."""
    return lambda value: value is None or kind(value)


def is_param(value: Any) -> bool:
    """Whether a value is one of a varied field."""
    return isinstance(value, str | bool | int | float)


def is_any(_: Any) -> bool:
    """Every value."""
    return True


def is_object(kinds: Mapping[str, Callable[[Any], bool]], optional: tuple[str, ...] = ()) -> Callable[[Any], bool]:
    """The kind of objects with these members and no others, each of its kind."""
    return lambda value: isinstance(value, dict) and not any(_wrong(value, kinds, optional))


def _wrong(
    value: Mapping[str, Any], kinds: Mapping[str, Callable[[Any], bool]], optional: tuple[str, ...]
) -> list[str]:
    """The members of an object that are missing, unknown, or of another type."""
    found = [
        name
        for name, kind in kinds.items()
        if (name in value or name not in optional) and (name not in value or not kind(value[name]))
    ]
    return found + [name for name in value if name not in kinds]


BACKEND = r"linux:[0-9A-Za-z][0-9A-Za-z._+~-]*"
"""A kernel of the cache by its digest, or the running kernel by its release; never the path of a source tree."""
DOCUMENT = {
    "format": is_number,
    "version": is_text,
    "engine": is_text,
    "revision": is_none_or(is_text),
    "host": is_table(is_any),
    "environment": is_table(is_text),
    "commands": is_list(is_text),
    "sweeps": is_list(is_object({"id": is_text, "name": is_text})),
    "results": is_table(is_table(is_digest)),
    "failures": is_table(is_text),
    "wheel": is_none_or(is_text),
}
SCENARIO = {"name": is_text, "format": lambda value: value in ("toml", "json"), "text": is_text}
POINT = {
    "params": is_table(is_param),
    "scenario": lambda value: type(value) is int and value >= 0,
    "overrides": is_list(is_pair(is_text, is_text)),
    "scenario_hash": is_text,
    "files": is_list(is_pair(is_text, is_digest)),
    "backend": lambda value: isinstance(value, str) and re.fullmatch(BACKEND, value) is not None,
    "weight": is_number,
}
SWEEP = {
    "id": is_text,
    "name": is_text,
    "version": is_text,
    "engine": is_text,
    "keep": is_pair(is_none_or(is_list(is_text)), is_any, is_any),
    "terms": is_table(is_any),
    "request": is_none_or(is_table(is_any)),
    "algorithms": is_table(is_pair(is_text, is_text)),
    "scenarios": is_list(is_object(SCENARIO)),
    "points": is_list(is_object(POINT, ("files", "backend", "weight"))),
    "population": is_list(is_text),
    "measures": is_list(is_text),
    "competing": is_list(is_list(is_text)),
    "runs": is_list(is_pair(is_text, is_any, is_any)),
}


def check_document(document: Mapping[str, Any]) -> None:
    """Refuses the document of a pack in which a member is missing, unknown, or of another type."""
    _check("ackclock-pack.json", document, DOCUMENT, ())


def check_sweep(document: Mapping[str, Any]) -> None:
    """Refuses the document of a sweep of which this is true."""
    name = f"sweep {document.get('id')}"
    _check(name, document, SWEEP, ("population", "measures", "competing"))
    if not all(one["scenario"] < len(document["scenarios"]) for one in document["points"]):
        raise PackError(f"{one_line(name)}: damaged: a point names a scenario that is not there")


def check_accounts(accounts: list[Any]) -> None:
    """Refuses accounts of starts without a command."""
    for one in accounts:
        if not isinstance(one, dict) or not is_list(is_text)(one.get("command")):
            raise PackError("provenance: damaged: a start of a sweep has no command")


def _check(
    name: str, document: Mapping[str, Any], kinds: Mapping[str, Callable[[Any], bool]], optional: tuple[str, ...]
) -> None:
    wrong = _wrong(document, kinds, optional)
    if wrong:
        raise PackError(f"{one_line(name)}: damaged: {one_line(wrong[0])} is missing, unknown or of another type")
