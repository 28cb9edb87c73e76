"""Text of others on a terminal: characters that are not printable appear as escapes.

A terminal obeys control characters. The names, labels and messages of a file that somebody else wrote could move the
cursor, hide text, or have the terminal answer as if its user had typed. Everything that the command line prints passes
the streams of this module.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Shown", "one_line", "printable", "shortened", "shown_streams"]

KEPT = "\n\t"
"""Characters that are not printable and that a stream lets through."""


def printable(text: str) -> str:
    """The text with every character that is not printable as an escape of Python; line breaks and tabs stay.

    Printable is what `str.isprintable` says: no control characters, no marks that change the direction of writing, no
    characters without a width, and no blanks other than the space.
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in KEPT else _escaped(one) for one in text)


def one_line(text: str) -> str:
    """The text in one line: as `printable`, with line breaks and tabs as escapes too.

    A name with a line break in it could otherwise pass for a line of ackclock's own.
    """
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


LONGEST = 2000
"""Characters of a line of a message that are shown."""
KEPT_AT_THE_END = 300


def shortened(text: str) -> str:
    """The text with its long lines shortened in the middle: a file may have a name or a value of any length."""
    if len(text) <= LONGEST:
        return text
    return "\n".join(map(_shortened, text.split("\n")))


def _shortened(line: str) -> str:
    if len(line) <= LONGEST:
        return line
    left_out = len(line) - LONGEST
    return f"{line[: LONGEST - KEPT_AT_THE_END]} [{left_out} characters] {line[-KEPT_AT_THE_END:]}"


def _escaped(character: str) -> str:
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


class Shown:
    """A text stream that writes `printable` text into another stream; all else is that of the other stream."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        """The other stream."""

    def write(self, text: str) -> int:
        """Writes a text."""
        self.stream.write(printable(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Writes several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class Messages(Shown):
    """Standard error. A message that cannot be written, as into a file on a full disk, is lost, and nothing else is."""

    def write(self, text: str) -> int:
        """Writes a text, or nothing from the first failure on."""
        try:
            return super().write(text)
        except OSError:
            self._give_up()
            return len(text)

    def flush(self) -> None:
        """Writes what is buffered, or nothing from the first failure on."""
        try:
            self.stream.flush()
        except OSError:
            self._give_up()

    def _give_up(self) -> None:
        # The stream keeps what it could not write, and the interpreter would fail on it again at the end.
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.stream.fileno())


@contextmanager
def shown_streams() -> Iterator[None]:
    """Has standard output and standard error show what is not printable as escapes."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        one if isinstance(one, Shown) else kind(one) for one, kind in zip(before, (Shown, Messages), strict=True)
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
