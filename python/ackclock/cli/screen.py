"""Standard output as Rich sees it, for text that is simple enough to be written without Rich.

The import of Rich takes longer than a short run. A test compares what is written here with what Rich writes.
"""

from __future__ import annotations

import builtins
import os
import sys
from typing import TYPE_CHECKING

from ackclock.base.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

__all__ = ["Screen", "simple_screen"]

WIDTH = 80
"""Width where no terminal tells one, in characters."""

ASKED = ("FORCE_COLOR", "JPY_PARENT_PID", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
"""Environment variables with which only Rich knows what to do."""

RESET = "\x1b[0m"
BOLD, CYAN = "\x1b[1m", "\x1b[36m"


class Screen:
    """A file, a pipe, or a terminal that shows Unicode and the usual colours."""

    def __init__(self, stream: TextIO, width: int, *, terminal: bool) -> None:
        self.width = width
        """Width in characters."""
        self.terminal = terminal
        self._stream = stream

    def styled(self, style: str, text: str) -> str:
        """The text, in a style on a terminal."""
        return f"{style}{text}{RESET}" if self.terminal and text else text

    def write(self, lines: Iterable[str]) -> None:
        """Writes lines that are printable."""
        self._stream.write("".join(f"{line}\n" for line in lines))
        self._stream.flush()


def simple_screen() -> Screen | None:
    """Standard output; None where the system or an environment variable asks for something out of the ordinary."""
    # Like Rich's console: styles go past the stream that escapes what is not printable.
    stream = sys.stdout.stream if isinstance(sys.stdout, Shown) else sys.stdout
    terminal = stream.isatty()
    unusual = (
        sys.platform == "win32"
        or any(os.environ.get(name) for name in ASKED)
        or "FORCE_COLOR" in os.environ
        # Rich's own stream, while it draws a bar, and the shells of IPython and IDLE.
        or hasattr(stream, "rich_proxied_file")
        or hasattr(builtins, "get_ipython")
        or "idlelib" in sys.modules
        or not (stream.encoding or "utf-8").lower().startswith("utf")
        or (terminal and os.environ.get("TERM", "").lower() in ("dumb", "unknown"))
    )
    return None if unusual else Screen(stream, _width(), terminal=terminal)


def _width() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit():
        return int(columns)
    for descriptor in range(3):
        try:
            return os.get_terminal_size(descriptor).columns or WIDTH
        except OSError:
            continue
    return WIDTH
