"""Base of the typed objects of a scenario: frozen tables that are written to a scenario and read from one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import PurePath
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from ackclock.scenario._document import Document

__all__ = ["FilePath", "Record", "read"]

FilePath = str | os.PathLike[str]
"""The path of a file that a scenario names, from the scenario's folder."""

R = TypeVar("R", bound="Document")


@dataclass(frozen=True, kw_only=True, repr=False)
class Record(Document):
    """A table of a scenario. What is None is left out, and the engine's default holds."""

    __slots__ = ()

    def __post_init__(self) -> None:
        """Lists become tuples: what is frozen does not change."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, list):
                object.__setattr__(self, field.name, tuple(value))

    def document(self) -> dict[str, Any]:
        """The table as a dict of what JSON and TOML can hold, with the keys that were given."""
        kind = getattr(type(self), "kind", None)
        document = {} if kind is None else {"kind": kind}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                document[field.name.rstrip("_")] = _plain(value)
        return document

    def __repr__(self) -> str:
        given = [(field.name, getattr(self, field.name)) for field in fields(self)]
        arguments = ", ".join(f"{name}={_shown(value)}" for name, value in given if value is not None)
        return f"{_called(type(self))}({arguments})"


def _plain(value: object) -> Any:
    match value:
        case Record():
            return value.document()
        case tuple() | list():
            return [_plain(one) for one in value]
        case os.PathLike():
            return os.fspath(value)
    return value


def _shown(value: object) -> str:
    """Tuples as the lists that people write."""
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, tuple) else repr(value)


def _called(cls: type[Record]) -> str:
    """The name as people import it: a class of a public module with the module's name in front."""
    module = cls.__module__.rpartition(".")[2]
    return cls.__name__ if module.startswith("_") else f"{module}.{cls.__name__}"


def read(cls: type[R], table: Mapping[str, Any], folder: str = "") -> R:
    """The object of a table that the engine has accepted; the paths in it start at `folder`."""
    types = _types(cls)  # type: ignore[arg-type]  # it takes the hash of the objects for that of the class
    given = {name: _read(types[name], table[key], folder) for name in types if (key := name.rstrip("_")) in table}
    return cls(**given)


@cache
def _types(cls: type[Document]) -> dict[str, list[Any]]:
    """The accepted types of each field."""
    hints = get_type_hints(cls)
    return {field.name: _alternatives(hints[field.name]) for field in fields(cls)}  # type: ignore[arg-type]  # a record


def _alternatives(hint: Any) -> list[Any]:
    """The types that a type is the union of."""
    if get_origin(hint) in (Union, UnionType):
        return [one for part in get_args(hint) for one in _alternatives(part)]
    return [hint]


def _read(types: list[Any], value: object, folder: str) -> Any:
    if isinstance(value, Mapping):
        classes = [get_origin(one) or one for one in types]
        records = [one for one in classes if isinstance(one, type) and issubclass(one, Record)]
        # Where a table may leave its kind out, it is of the first.
        kind = value.get("kind", getattr(records[0], "kind", None)) if records else None
        chosen = next((one for one in records if getattr(one, "kind", None) == kind), None)
        return dict(value) if chosen is None else read(chosen, value, folder)
    if isinstance(value, list):
        items = next(_alternatives(get_args(one)[0]) for one in types if get_origin(one) is Sequence)
        return tuple(_read(items, one, folder) for one in value)
    if isinstance(value, str) and os.PathLike[str] in types:
        return str(PurePath(folder, value))
    return value
