"""The codes of the errors that ackclock raises or prints on purpose, and what each of them means.

A code belongs to a kind of error, not to a sentence: messages may change, codes do not. An exception of ackclock has
its code as the attribute ``code``. The command line prints it after the message, and ``ackclock explain CODE`` prints
the explanation. A new kind gets a new number; a number is never used again.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = [
    "ARGUMENTS",
    "SYNTAX",
    "SYSTEM",
    "UNKNOWN_COMMAND",
    "UNKNOWN_OPTION",
    "USAGE",
    "VALUE",
    "Code",
    "code_of",
    "codes",
]

USAGE, UNKNOWN_COMMAND, UNKNOWN_OPTION, ARGUMENTS, VALUE, SYNTAX, SYSTEM = (f"ACK00{digit}" for digit in range(1, 8))
"""The codes that the command line gives to mistakes in its arguments, and to errors of the operating system."""


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of error."""

    code: str
    """``ACK`` and three digits."""
    name: str
    """The kind in a few words."""
    means: str
    """Situation in which the error occurs."""
    example: str
    """A command that gives the error, or a situation."""
    remedy: str
    """The next step of the person who sees the error."""


@cache
def codes() -> dict[str, Code]:
    """Every kind of error, by its code."""
    read = tomllib.loads(Path(__file__).with_name("codes.toml").read_text(encoding="utf-8"))
    return {
        code: Code(code, **{field: " ".join(text.split()) for field, text in told.items()})
        for code, told in read.items()
    }


def code_of(error: BaseException) -> str | None:
    """The code of an error; None if it is not one of ackclock's.

    A command that gives the message of another error in its own words keeps the code of the other error.
    """
    code = getattr(error, "code", None)
    if not isinstance(code, str):
        return None
    if code == USAGE and error.__context__ is not None:
        return code_of(error.__context__) or code
    return code
