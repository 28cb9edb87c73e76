"""Lines that need no parser: a command is called at once, because the import of Cyclopts takes longer than a short run.

A line is plain if its command has parameters of the types below and no others, and if each word is the full name of an
option, the value after it, or an argument. Values and arguments do not begin with a hyphen, nor as lists and objects of
JSON do. Every other line, right or wrong, is for `ackclock.cli.parser`. A test compares both over lines of all
commands.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from ackclock.cli import front
from ackclock.cli.listed import COMMANDS, option_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Call", "call", "plain"]

Call: TypeAlias = "tuple[Callable[..., object], list[Any], dict[str, Any]]"
"""A command with its arguments and its options."""

FLAG, LISTS = "bool", {"tuple[str, ...]": "str", "tuple[Path, ...]": "Path"}
"""The type of options without a value, and the types of options that can be repeated, with the type of their values."""

MOST_DIGITS = 18
"""Digits of a plain whole number."""

VARIADIC, KEYWORDS = 0x04, 0x08
"""Flags of a function's code: it takes any number of arguments, or of options."""


def call(words: Sequence[str]) -> object:
    """Calls the command of a line, and returns what the command returns."""
    found = plain(words)
    if found is not None:
        function, arguments, options = found
        return function(*arguments, **options)
    if front.show(words):
        return None
    from ackclock.cli import parser

    return parser.call(words)


def plain(words: Sequence[str]) -> Call | None:
    """The command of a plain line with its arguments; None if the line is not plain."""
    if not words or words[0] not in COMMANDS or any(word.lstrip()[:1] in ("", "[", "{") for word in words):
        return None
    module, _, name = COMMANDS[words[0]][0].partition(":")
    if name == "app":
        return None
    function: Callable[..., object] = getattr(import_module(f"ackclock.cli.{module}"), name)
    found = _bound(function, words[1:])
    return None if found is None else (function, *found)


def _bound(function: Callable[..., object], words: Sequence[str]) -> tuple[list[Any], dict[str, Any]] | None:
    """The arguments and options of a function in a plain line."""
    code = function.__code__
    if code.co_posonlyargcount != code.co_argcount or code.co_flags & KEYWORDS:
        return None
    variadic = bool(code.co_flags & VARIADIC)
    count = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[: count + variadic]
    types = {name: function.__annotations__[name] for name in names}
    if any(type_ not in (FLAG, *LISTS, *READERS) for type_ in types.values()):
        return None
    options = {f"--{option_of(name)}": name for name in names[code.co_argcount : count]}
    split = _split(words, options, types)
    if split is None:
        return None
    given, values = split
    kinds = [types[name] for name in names[: code.co_argcount]]
    kinds += [types[names[count]]] * (len(given) - len(kinds)) if variadic else []
    least = code.co_argcount - len(function.__defaults__ or ())
    needed = set(options.values()) - set(function.__kwdefaults__ or ())
    if not least <= len(given) <= len(kinds) or needed - set(values) or not READERS.keys() >= set(kinds):
        return None
    arguments = [READERS[kind](word) for kind, word in zip(kinds, given, strict=False)]
    return None if None in arguments else (arguments, values)


def _split(
    words: Sequence[str], options: dict[str, str], types: dict[str, str]
) -> tuple[list[str], dict[str, Any]] | None:
    """The arguments of a plain line, and the values of its options by parameter."""
    given: list[str] = []
    values: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            given.append(word)
            continue
        if word not in options:
            return None
        name = options[word]
        kind = types[name]
        if name in values and kind not in LISTS:
            return None
        if kind == FLAG:
            values[name] = True
            continue
        text = next(rest, "-")
        value = None if text.startswith("-") else READERS[LISTS.get(kind, kind)](text)
        if value is None:
            return None
        values[name] = (*values.get(name, ()), value) if kind in LISTS else value
    return given, values


def _whole(word: str) -> int | None:
    """A whole number in decimal digits."""
    usual = word.isascii() and word.isdecimal() and len(word) <= MOST_DIGITS
    return int(word) if usual and (word == "0" or word[0] != "0") else None


def _path(word: str) -> Any:
    from pathlib import Path

    return Path(word)


READERS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "str | None": str,
    "Path": _path,
    "Path | None": _path,
    "int": _whole,
    "int | None": _whole,
}
"""The functions that read a word as a value of a type; None if the word is not plain."""
