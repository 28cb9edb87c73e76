"""The fenced blocks of a page: what a reader is to save, to run and to see.

A block of sh or python is run, in the order of the page and all in one folder; python of a page shares its names. A
block of python or toml that begins with a comment of a file's name is saved under it instead. A block of text says
what the one before it prints, with ``...`` for what may differ. ``not-run="..."`` behind the language says why a
block is not run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

RUN = ("sh", "python")
SAVED = ("toml", "python")
OURS = (*dict.fromkeys(RUN + SAVED), "text")
"""Languages with rules. Of others, as tcl, anything may stand on a page."""

_FENCE = re.compile(r"^```(?P<language>\w+)(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"# (?P<name>[\w./-]+\.(?:toml|py|csv))\n")
_REASON = re.compile(r'\s+not-run="(?P<reason>[^"]+)"')


class BlockError(ValueError):
    """A block that breaks the rules; the message has its line."""


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    language: str
    text: str
    line: int
    """Number of the line of the page on which the first line of `text` stands, from 1."""
    reason: str | None
    """The reason why the block is not run; None if it is run."""
    prints: str | None = None
    """The output of the block that the page shows; None if it shows none."""

    @property
    def name(self) -> str | None:
        """The file to save it as, if it is one."""
        found = _NAME.match(self.text)
        return found["name"] if found and self.language in SAVED else None


def blocks(page: str) -> list[Block]:
    """The blocks of a page in order, those of text with the ones that print them.

    Raises
    ------
    BlockError
        If a block is neither run nor saved nor says why it is not, or nothing is run that would print a text.
    """
    found: list[Block] = []
    previous: re.Match[str] | None = None
    for match in _FENCE.finditer(page):
        language, info, text = match.group("language", "info", "text")
        line = page[: match.start("text")].count("\n") + 1
        reason = _REASON.fullmatch(info)
        if info.strip() and reason is None:
            raise BlockError(f'line {line}: {info.strip()} is not of the form not-run="why"')
        block = Block(language, text, line, reason and reason["reason"])
        if language == "text" and reason is None:
            printing = found[-1] if previous and not page[previous.end() : match.start()].strip() else None
            if printing is None or printing.language not in RUN or printing.name or printing.reason:
                raise BlockError(f"line {line}: a text that no block before it prints")
            found[-1] = Block(printing.language, printing.text, printing.line, None, text)
        elif language == "toml" and not (block.name or reason):
            raise BlockError(f"line {line}: toml without the name of a file in its first line")
        elif language in OURS:
            found.append(block)
        previous = match
    return found


def plain(page: str) -> str:
    """The page without what stands behind the languages of its blocks."""
    return _FENCE.sub(lambda match: f"```{match['language']}\n{match['text']}```", page)


def agrees(printed: str, expected: str) -> bool:
    """Whether a text is what was printed, but for white space at the ends of lines and what ``...`` stands for.

    It stands for anything within a line; alone on a line for any number of lines.
    """
    pattern = "".join(
        r"(?:[^\n]*\n)*" if line == "..." else re.escape(line).replace(r"\.\.\.", r"[^\n]*") + r"\n"
        for line in _lines(expected)
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(printed))) is not None


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]
