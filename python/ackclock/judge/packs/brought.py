"""The code that a pack brings: congestion controls, and transports of libraries."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.base.documents import DocumentError, parse
from ackclock.base.shown import one_line
from ackclock.cc import libraries

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["code_of"]

LIBRARY = "library"
"""The key of a transport's library in a scenario."""


def code_of(sweeps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each piece of code in words; nothing of a pack has been executed.

    A scenario that may name a library counts, whether it does or not: before the engine has read it, this is not known
    for certain.
    """
    found: dict[str, None] = {}
    for sweep in sweeps:
        for name, _ in sweep["algorithms"].values():
            kind = "library" if Path(name).suffix in libraries.SUFFIXES else "Python"
            found[f"{one_line(name)} ({kind})"] = None
        for point in sweep["points"]:
            pairs = [*point["overrides"], *point.get("files", [])]
            if any(LIBRARY in text for pair in pairs for text in pair) or _names_one(sweep, point):
                found["the library of a transport"] = None
    return list(found)


def _names_one(sweep: Mapping[str, Any], point: Mapping[str, Any]) -> bool:
    text = sweep["scenarios"][point["scenario"]]
    try:
        table = parse(text["text"]) if text["format"] == "json" else tomllib.loads(text["text"])
        return LIBRARY in _keys(table)
    except (DocumentError, ValueError, RecursionError):
        return True


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for one in value.values():
            yield from _keys(one)
    elif isinstance(value, list):
        for one in value:
            yield from _keys(one)
