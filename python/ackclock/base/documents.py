"""Reading JSON that somebody else may have written: one kind of error for everything that is wrong with it."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DocumentError", "check_texts", "parse", "parse_object", "texts"]

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape of a character or of half a character outside the first 65,536."""


class DocumentError(ValueError):
    """A text is no JSON document that ackclock reads; the message says why, without the name of the file."""

    code = "ACK012"


def parse(text: str | bytes) -> Any:
    """The value of a JSON text.

    Refused are, besides text that is not JSON in UTF-8: objects in which a member stands twice, of which readers see
    different ones; the numbers NaN and Infinity, which JSON lacks; numbers too long to be converted; and nesting that
    is too deep for the reader, and escapes of half a character, which no text in UTF-8 has.

    Raises
    ------
    DocumentError
        For each of these.
    """
    try:
        given = text.decode("utf-8") if isinstance(text, bytes) else text
        found = json.loads(given, object_pairs_hook=_once, parse_constant=_constant)
        check_texts(given, found)
        return found
    except DocumentError:
        raise
    except UnicodeDecodeError as error:
        raise DocumentError(f"not UTF-8 text at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise DocumentError(f"line {error.lineno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise DocumentError("nested too deeply") from None
    except ValueError:
        # Python converts no whole number of more than some thousands of digits.
        raise DocumentError("a number is too long") from None


def check_texts(text: str, found: object) -> None:
    """Sees that the texts of a value have whole characters: an escape may stand for a half of one.

    Raises
    ------
    DocumentError
        If a text has half of a character, which nothing can print or write.
    """
    try:
        if SURROGATE.search(text):
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise DocumentError("half of a character, as \\ud800 is, is no text") from None


def parse_object(text: str | bytes) -> dict[str, Any]:
    """The members of a JSON object; raises as `parse`, and for any other value."""
    found = parse(text)
    if not isinstance(found, dict):
        raise DocumentError("no JSON object")
    return found


def texts(value: object) -> list[str]:
    """A list of texts, as it is in a document.

    Raises
    ------
    DocumentError
        If the value is anything else.
    """
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise DocumentError("expected a list of texts")
    return value


def _once(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise DocumentError(f"{json.dumps(twice)} stands twice in one object")
    return found


def _constant(name: str) -> NoReturn:
    raise DocumentError(f"{name} is no number of JSON")
