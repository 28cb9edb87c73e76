"""Scenarios as Python hands them over: file, text, dict or object. The schema itself belongs to the engine."""

from __future__ import annotations

import json
import os
import re
import reprlib
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias

from ackclock import _core
from ackclock._errors import ScenarioError
from ackclock.base import reading
from ackclock.base.near import near_path
from ackclock.cc import registry
from ackclock.scenario._document import Document
from ackclock.scenario._renamed import old_names, replace, warn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario._scenario import Scenario

__all__ = [
    "Overrides",
    "Source",
    "Text",
    "catalogue",
    "check",
    "event_schema",
    "foreign",
    "load",
    "named",
    "override_pairs",
    "schema",
]

Source: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Scenario | Text"
"""A scenario: the path of a TOML file, TOML text (a `str` with a line break), a dict of that shape, or an object."""

Overrides: TypeAlias = Mapping[str, object] | Iterable[tuple[str, object]]
"""Values that replace the scenario's, by key path: ``{"bottleneck.rate": "2Mbps", "flows[0].cc": "reno"}``."""


class Text(NamedTuple):
    """A scenario as text, before the engine has looked at it."""

    text: str
    format: Literal["toml", "json"] = "toml"
    name: str = ""
    """Name of the text in messages: that of its file, where there is a file."""
    folder: str = ""
    """Folder to which paths in the text are relative: that of its own file, or else the current folder."""


def load(source: Source) -> Text:
    """Turns any spelling of a scenario into text.

    Raises
    ------
    ScenarioError
        If the file cannot be read, is not UTF-8, or the dict holds what a scenario cannot.
    """
    match source:
        case Text():
            return source
        case str() if "\n" in source:
            return Text(_unicode(source))
        case str() | os.PathLike():
            return _load_file(Path(source))
        case Mapping():
            return Text(_json(source), "json")
        case Root():
            return Text(_json(source.document()), "json")
    raise TypeError(f"a scenario is a path, TOML text, a dict or a Scenario, not {type(source).__name__}")


BARE = re.compile("[A-Za-z0-9_-]+")
"""A key that TOML takes without quotes."""

MOST_BYTES = 1 << 24
"""Largest scenario file, in bytes. A device such as /dev/zero has no end."""


def _load_file(path: Path) -> Text:
    name = str(path)
    try:
        data = reading.contents(path, MOST_BYTES)
    except FileNotFoundError:
        raise ScenarioError.of(f"no such file{near_path(path, '*.toml')}", name) from None
    except IsADirectoryError:
        raise ScenarioError.of("this is a directory; a scenario is a TOML file", name) from None
    except OSError as error:
        raise ScenarioError.of(f"cannot be read: {error.strerror}; a scenario is a page of TOML", name) from None
    except ValueError:
        raise ScenarioError.of("no file can have this name", repr(name)) from None
    try:
        return Text(data.decode(), name=name, folder=str(path.parent))
    except UnicodeDecodeError as error:
        byte = data[error.start]
        message = f"not UTF-8 text: byte 0x{byte:02x} at offset {error.start}; a scenario is a TOML file"
        raise ScenarioError.of(message, name) from None


def _json(value: object) -> str:
    try:
        return _unicode(json.dumps(value, allow_nan=False, ensure_ascii=False))
    except ScenarioError:
        raise
    except (TypeError, ValueError) as error:
        raise ScenarioError.of(f"{reprlib.repr(value)} cannot be part of a scenario: {error}") from None
    except RecursionError:
        raise ScenarioError.of("nested too deeply for a scenario") from None


def _unicode(text: str) -> str:
    """The text, unless it has surrogates: bytes of a command line that are not UTF-8 arrive as such."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ScenarioError.of(f"not Unicode text: {text[error.start]!r} at character {error.start}") from None
    return text


@contextmanager
def named(text: Text) -> Iterator[None]:
    """Puts the name of the scenario's file into the errors of the block."""
    try:
        yield
    except ScenarioError as error:
        error.source = error.source or text.name
        raise


def override_pairs(overrides: Overrides | None) -> list[tuple[str, str]]:
    """Overrides as the engine takes them: pairs of a key path and a value as text, in the order given."""
    if overrides is None:
        return []
    given: object = overrides
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"overrides are a dict or pairs of a key path and a value, not {reprlib.repr(given)}")
    pairs = given.items() if isinstance(given, Mapping) else given
    try:
        return [_override(pair) for pair in pairs]
    except RecursionError:
        raise ScenarioError.of("an override is nested too deeply for a scenario") from None


def _override(pair: object) -> tuple[str, str]:
    match pair:
        case (str(path), value):
            return _unicode(path), _unicode(value) if isinstance(value, str) else _toml(value)
    raise TypeError(f"an override is a key path and a value, not {reprlib.repr(pair)}")


def _toml(value: object) -> str:
    """A value as TOML, which JSON is too but for its tables."""
    if isinstance(value, Document):
        return _toml(value.document())
    if isinstance(value, Mapping):
        return "{" + ", ".join(_pairs(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(cell) for cell in value) + "]"
    if value is None:
        raise ScenarioError.of("None cannot be part of a scenario; leave the key out")
    return _json(value)


def _pairs(table: Mapping[Any, object]) -> list[str]:
    """The keys of a table and their values as TOML."""
    keys = ((str(key), value) for key, value in table.items())
    return [f"{key if BARE.fullmatch(key) else _json(key)} = {_toml(value)}" for key, value in keys]


def _document(document: Mapping[str, Any]) -> str:
    """The text of a TOML file."""
    tables = {key: value for key, value in document.items() if isinstance(value, dict)}
    lists = {key: value for key, value in document.items() if isinstance(value, list)}
    lines = [f"{key} = {_toml(value)}" for key, value in document.items() if key not in tables | lists]
    for key, table in tables.items():
        lines += ["", f"[{key}]", *_pairs(table)]
    for key, rows in lists.items():
        for row in rows:
            lines += ["", f"[[{key}]]", *_pairs(row)]
    return "\n".join(lines) + "\n"


def as_toml(text: Text, pairs: Iterable[tuple[str, str]]) -> str:
    """A scenario with its overrides as the text of a TOML file: its own text, or its canonical form if overridden."""
    pairs = list(pairs)
    return text.text if text.format == "toml" and not pairs else _document(canonical(text, pairs))


def check(scenario: Source, overrides: Overrides | None = None) -> dict[str, Any]:
    """The scenario in its canonical form, every default filled in, without running it.

    A file that it names, such as the table of a RemyCC, has its SHA-256 there, and is refused with any other content.
    Each old name in the scenario is told by a `RenamedWarning`; the canonical form has the present names.

    Raises
    ------
    ScenarioError
        With everything that is wrong.
    """
    text = load(scenario)
    with named(text):
        pairs = override_pairs(overrides)
        checked = canonical(text, pairs)
    warn(text, pairs)
    return checked


def canonical(text: Text, pairs: Iterable[tuple[str, str]] = ()) -> dict[str, Any]:
    """The canonical form of a scenario, without warnings.

    Raises
    ------
    ScenarioError
        With everything that is wrong.
    """
    with named(text):
        document = _core.check(text.text, text.format, list(pairs), text.folder, registry.algorithms())
    checked: dict[str, Any] = json.loads(document)
    return checked


def foreign(canonical: Mapping[str, Any]) -> bool:
    """Whether a canonical scenario names a transport of a library, whose code may crash or block its process."""
    named = (flow.get("transport") for flow in canonical["flows"])
    return any(isinstance(one, dict) and "library" in one for one in named)


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a scenario, for editors and validators.

    What is registered in Python is among the congestion controls and the rate adaptations.
    """
    document: dict[str, Any] = json.loads(_core.schema())
    flow = document["properties"]["flows"]["items"]["properties"]
    flow["cc"]["oneOf"] += registry.schemas("cc")
    for app in flow["app"]["oneOf"]:
        if "abr" in app.get("properties", ()):
            app["properties"]["abr"]["oneOf"] += registry.schemas("abr")
    return document


def event_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a line of the event log that `ackclock.trace` writes."""
    document: dict[str, Any] = json.loads(_core.event_schema())
    return document


def catalogue() -> dict[str, list[dict[str, Any]]]:
    """The names that a scenario can use: kind (``cc``, ``validation``, ...) to a list of name, summary and source.

    A stack has ``fields`` as well: its table, a list of field, value and source. Congestion controls and rate
    adaptations that are registered come after those of the engine.
    """
    kinds: dict[str, list[dict[str, Any]]] = json.loads(_core.catalogue())
    for kind in ("cc", "abr"):
        kinds[kind] += registry.rows(kind)
    return kinds


class Root(Document):
    """The methods of a `Scenario` that other tables lack."""

    __slots__ = ()

    @classmethod
    def load(cls, source: Source) -> Self:
        """The object of a scenario in any spelling, with what it says and no defaults filled in.

        Paths in it that start at its file's folder start at the current one afterwards. Comments are lost.

        Raises
        ------
        ScenarioError
            With everything that is wrong with it, of which a `Scenario` itself knows nothing before it runs.
        """
        import tomllib

        from ackclock.scenario._record import read

        text = load(source)
        check(text)
        try:
            table = json.loads(text.text) if text.format == "json" else tomllib.loads(text.text)
        except tomllib.TOMLDecodeError as error:
            raise ScenarioError.of(f"not TOML 1.0, which Python's objects are read from: {error}", text.name) from None
        # The engine has checked it; an object is of the present format.
        table.pop("format", None)
        replace(table, old_names(text))
        return read(cls, table, text.folder)

    def to_toml(self) -> str:
        """The scenario as the TOML of a file."""
        return _document(self.document())
