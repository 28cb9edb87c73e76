"""The help of the command line as a whole, and its version, as `ackclock.cli.parser` prints them.

They need neither the commands nor the libraries, whose imports take most of the time. A test compares both.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from ackclock.cli.listed import COMMANDS, NAME, SUMMARY
from ackclock.cli.screen import BOLD, CYAN, simple_screen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ackclock.cli.screen import Screen

__all__ = ["show"]

LEAST_WIDTH = 60
"""Width in characters below which the names of commands would be folded."""


def show(words: Sequence[str]) -> bool:
    """Prints what a line without a command asks for; False if the line or the output needs the parser."""
    screen = simple_screen()
    if screen is None or len(words) > 1:
        return False
    if words and words[0] == "--version":
        from ackclock.base import build

        version = build.described()
        if len(version) > screen.width:
            return False
        screen.write([version])
        return True
    if (words and words[0] not in ("--help", "-h")) or screen.width < LEAST_WIDTH:
        return False
    screen.write(_help(screen))
    return True


def _help(screen: Screen) -> Iterator[str]:
    rows = {name: summary for name, (_, summary) in sorted(COMMANDS.items())}
    rows |= {"--help (-h)": "Display this message and exit.", "--version": "Display application version."}
    names = max(map(len, rows))
    yield screen.styled(BOLD, "Usage: ") + screen.styled(BOLD, f"{NAME} COMMAND")
    yield ""
    *lines, last = textwrap.wrap(SUMMARY, screen.width)
    # The blank at which a line is broken stays if there is room for it.
    yield from (f"{line} "[: screen.width] for line in lines)
    yield last
    yield ""
    yield "╭─ Commands " + "─" * (screen.width - 13) + "╮"
    room = screen.width - names - 6
    for name, summary in rows.items():
        head = screen.styled(CYAN, f"{name:{names}}") + screen.styled(CYAN, "  ")
        for line in textwrap.wrap(summary, room):
            yield f"│ {head}{line:{room}} │"
            head = screen.styled(CYAN, " " * (names + 2))
    yield "╰" + "─" * (screen.width - 2) + "╯"
