"""Reading JSON that somebody else may have written: one kind of error for everything that is wrong with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DocumentError", "parse", "parse_object", "texts"]


class DocumentError(ValueError):
    """A text is no JSON document that ackclock reads; the message says why, without the name of the file."""

    code = "ACK012"


def parse(text: str | bytes) -> Any:
    """The value of a JSON text.

    Refused are, besides text that is not JSON in UTF-8: objects in which a member stands twice, of which readers see
    different ones; the numbers NaN and Infinity, which JSON lacks; numbers too long to be converted; and nesting that
    is too deep for the reader.

    Raises
    ------
    DocumentError
        For each of these.
    """
    try:
        given = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(given, object_pairs_hook=_once, parse_constant=_constant)
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
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DocumentError(f"{json.dumps(twice)} stands twice in one object")
    return found


def _constant(name: str) -> NoReturn:
    raise DocumentError(f"{name} is no number of JSON")
