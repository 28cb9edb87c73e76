"""Old names in scenarios, which the engine reads for one release: warnings of them, and text without them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ackclock import _core
from ackclock._errors import RenamedWarning, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ackclock.scenario._source import Text

__all__ = ["OldName", "migrated", "old_names", "replace", "warn"]

FORMAT = "format = 1"
"""The line that states the present format of scenarios."""


class OldName(TypedDict):
    """An old name in a scenario."""

    steps: list[str | int]
    """Path of the value, with the old key at its end if the key is renamed. All other keys are present names."""
    line: int | None
    """Line of the text, counted from 1, where it is known."""
    part: Literal["key", "value"]
    """Whether the key or the value is renamed."""
    old: str
    new: str
    message: str
    """Line, path, old name and present name."""


def old_names(text: Text, overrides: Iterable[tuple[str, str]] = ()) -> list[OldName]:
    """Returns the old names in a text and in overrides, those of outer tables before those of inner ones."""
    return _core.old_names(text.text, text.format, list(overrides))


def warn(text: Text, overrides: Iterable[tuple[str, str]] = ()) -> None:
    """Issues a `RenamedWarning` for each old name in a text and in overrides."""
    prefix = f"{text.name}: " if text.name else ""
    for name in old_names(text, overrides):
        remedy = "; `ackclock migrate` replaces it" if name["line"] is not None else ""
        # The caller of the public function is not at a fixed depth; the message names the place in the scenario.
        warnings.warn(prefix + name["message"] + remedy, RenamedWarning, stacklevel=3)


def replace(table: dict[str, Any], names: Iterable[OldName]) -> None:
    """Replaces the old names in the dict of a scenario."""
    for name in names:
        *outer, last = name["steps"]
        parent: Any = table
        for step in outer:
            parent = parent[step]
        if name["part"] == "key":
            parent[name["new"]] = parent.pop(last)
        else:
            parent[last] = name["new"]


def migrated(text: Text) -> str:
    """Returns the TOML of a scenario with present names and its format; comments and layout are kept.

    Raises
    ------
    ScenarioError
        With everything that is wrong with the scenario, or if an old name is written in a form that cannot be replaced.
    """
    from ackclock.scenario._source import Text, canonical

    expected = canonical(text)
    written = text.text
    for name in old_names(text):
        try:
            written = _replaced(written, name)
        except (LookupError, TypeError, AttributeError):
            raise _by_hand(text, name) from None
    if "format" not in _document(written):
        written = _with_format(written)
    result = Text(written, name=text.name, folder=text.folder)
    left = old_names(result)
    if left:
        raise _by_hand(text, left[0])
    if canonical(result) != expected:
        raise ScenarioError.of("the rewritten scenario has another meaning; replace its old names by hand", text.name)
    return written


def _by_hand(text: Text, name: OldName) -> ScenarioError:
    message = f"{name['message']}; it cannot be replaced here, so replace it by hand"
    return ScenarioError.of(message, text.name)


def _document(text: str) -> Any:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise ScenarioError.of(f"not TOML 1.0, which is what can be rewritten: {error}") from None


def _replaced(text: str, name: OldName) -> str:
    """The text of a document with one name replaced."""
    import tomlkit

    document = _document(text)
    *outer, last = name["steps"]
    if name["part"] == "value":
        parent: Any = document
        for step in outer:
            parent = parent[step]
        parent[last] = name["new"]
        return tomlkit.dumps(document)
    found = False
    for body in _bodies(document, outer):
        for index, (key, item) in enumerate(body):
            if key is not None and key.key == last:
                body[index] = (_with_name(key, name["new"]), item)
                _forget_headers(item)
                found = True
    if not found:
        raise LookupError(last)
    return tomlkit.dumps(document)


def _bodies(item: Any, steps: Sequence[str | int]) -> Iterator[list[tuple[Any, Any]]]:
    """The lists of keys and values of a table. A table whose keys are dotted, or in several places, has several."""
    from tomlkit import TOMLDocument

    if steps and isinstance(steps[0], int):
        yield from _bodies(item[steps[0]], steps[1:])
        return
    body = item.body if isinstance(item, TOMLDocument) else item.value.body
    if not steps:
        yield body
        return
    for key, inner in body:
        if key is not None and key.key == steps[0]:
            yield from _bodies(inner, steps[1:])


def _with_name(key: Any, name: str) -> Any:
    """A key with another name, and with the space around it and the dots after it."""
    from tomlkit.items import SingleKey

    written = key.as_string()
    renamed = SingleKey(name, sep=key.sep, original=name + written[len(written.rstrip()) :])
    renamed._dotted = key.is_dotted()  # tomlkit has no other way to say so
    return renamed


def _forget_headers(item: Any) -> None:
    """Lets the headers of a table and of the tables in it follow from their keys."""
    from tomlkit.items import AoT, Table

    if isinstance(item, AoT):
        for table in item.body:
            _forget_headers(table)
    elif isinstance(item, Table):
        item.display_name = None
        for _, inner in item.value.body:
            _forget_headers(inner)


def _with_format(text: str) -> str:
    """The text with its format before the first statement, after the comment at the head of the file."""
    lines = text.splitlines(keepends=True)
    first = next(index for index, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#"))
    newline = "\r\n" if lines[first].endswith("\r\n") else "\n"
    gap = newline if lines[first].lstrip().startswith("[") else ""
    return "".join([*lines[:first], FORMAT + newline + gap, *lines[first:]])
