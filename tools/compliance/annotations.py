"""Annotations in the sources, in the syntax of duvet.

::

    //= https://www.rfc-editor.org/rfc/rfc6298#section-5
    //= type=exception
    //= reason=Linux restarts the timer with each retransmission.
    //# When an ACK is received that acknowledges new data, restart the
    //# retransmission timer

Without a type the code below obeys the requirement; ``test`` stands above a test that proves it; ``exception`` stands
above code that deviates, and needs a reason. Lines that follow each other with the same mark are one text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SCRIPTS = "crates/ackclock-drill/tests/scripts"
"""packetdrill scripts: a test of ackclock-drill runs all of them, so each is a test."""

KINDS = {"implementation", "test", "exception"}

_TARGET = re.compile(r"https://www\.rfc-editor\.org/rfc/rfc(\d+)#(?:section|appendix)-([\w.]+)$")
_ITEM = re.compile(
    r"(?:pub(?:\([\w:]+\))? )?(?:const |async |unsafe )*(?:fn|struct|enum|trait|const|static|type|mod) (\w+)"
)
_FUNCTION = re.compile(r"(?:pub(?:\([\w:]+\))? )?(?:const |async |unsafe )*fn (\w+)")


@dataclass(frozen=True)
class Annotation:
    """A quotation of a requirement in a source."""

    path: str
    """Path from the root of the repository, with slashes."""
    line: int
    place: str
    """The function or other item that the annotation stands in or above; empty in a script."""
    kind: str
    rfc: int
    section: str
    quote: str
    reason: str = ""

    @property
    def where(self) -> str:
        """The line, for messages."""
        return f"{self.path}:{self.line}"


def scan(root: Path = ROOT) -> tuple[list[Annotation], list[str]]:
    """All annotations of the Rust sources and packetdrill scripts under `root`, and what is wrong with others."""
    found: list[Annotation] = []
    wrong: list[str] = []
    for path in sorted([*root.glob("crates/**/*.rs"), *(root / SCRIPTS).rglob("*.pkt")]):
        name = path.relative_to(root).as_posix()
        for one in read(name, path.read_text(encoding="utf-8")):
            if isinstance(one, Annotation):
                found.append(one)
            else:
                wrong.append(one)
    return found, wrong


def read(path: str, text: str) -> Iterator[Annotation | str]:
    """The annotations of a source, and a message for each that cannot be read."""
    if "//=" not in text and "//#" not in text:
        return
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        begin = at
        fields: list[str] = []
        quote: list[str] = []
        while at < len(lines) and (line := lines[at].strip()).startswith("//=") and not quote:
            fields.append(line[3:].strip())
            at += 1
        while at < len(lines) and (line := lines[at].strip()).startswith("//#"):
            quote.append(line[3:].strip())
            at += 1
        if at == begin:
            at += 1
            continue
        yield _annotation(path, lines, begin, at, fields, " ".join(quote))


def _annotation(path: str, lines: list[str], begin: int, end: int, fields: list[str], quote: str) -> Annotation | str:
    where = f"{path}:{begin + 1}"
    target = _TARGET.match(fields[0]) if fields else None
    if target is None:
        return f"{where}: an annotation begins with //= https://www.rfc-editor.org/rfc/rfcN#section-S"
    if not quote:
        return f"{where}: an annotation ends with its quotation, //# ..."
    kind, reason = "implementation", ""
    for index, field in enumerate(fields[1:]):
        key, _, value = field.partition("=")
        if key == "type":
            kind = value
        elif key == "reason":
            # The reason may go on over lines.
            reason = " ".join([value, *fields[index + 2 :]])
            break
        else:
            return f"{where}: //= {field}: accepted are type=... and reason=..."
    if kind not in KINDS:
        return f"{where}: type={kind}: accepted are {', '.join(sorted(KINDS))}"
    if (kind == "exception") != bool(reason):
        return f"{where}: an exception needs a reason, and only an exception has one"
    if path.endswith(".pkt"):
        if kind != "test":
            return f"{where}: a script is a test: //= type=test"
        place = ""
    else:
        below = _below(lines, end)
        is_test = any(line.startswith("#[test]") for line in below)
        function = _FUNCTION.match(below[-1]) if below else None
        if kind == "test" and not (is_test and function):
            return f"{where}: type=test stands directly above a function with #[test]"
        if kind != "test" and (is_test or "/src/" not in path):
            return f"{where}: a test needs //= type=test"
        place = _place(lines, end)
    return Annotation(path, begin + 1, place, kind, int(target[1]), target[2], quote, reason)


def _below(lines: list[str], at: int) -> list[str]:
    """The attributes that follow, up to and with the first line of code."""
    found = []
    for line in lines[at:]:
        text = line.strip()
        if not text or text.startswith("//"):
            continue
        found.append(text)
        if not text.startswith("#["):
            break
    return found


def _place(lines: list[str], at: int) -> str:
    """The name of the item that follows, or of the function or other item that encloses the line.

    Sources are formatted, so that the encloser is the nearest item above that is indented less.
    """
    below = _below(lines, at)
    if below and (item := _ITEM.match(below[-1])):
        return item[1]
    code = next((line for line in lines[at:] if line.strip() and not line.strip().startswith("//")), "")
    indent = len(code) - len(code.lstrip())
    for line in reversed(lines[:at]):
        text = line.lstrip()
        if text and len(line) - len(text) < indent:
            if item := _ITEM.match(text):
                return item[1]
            if not text.startswith("//"):
                # The end of a signature is as far to the left as its beginning, which is still to come.
                indent = len(line) - len(text) + text.startswith((")", "where"))
    return ""
