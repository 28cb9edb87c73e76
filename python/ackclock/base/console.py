"""The console of the command line, which Rich draws tables and bars on."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from rich.console import Console
from rich.segment import Segment

from ackclock.base.shown import Shown, printable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn

    from rich.console import ConsoleOptions, RenderableType

__all__ = ["PipeConsole"]


class PipeConsole(Console):
    """Rich's console, with two differences.

    It does not end the process when the reader of its output has gone, and it shows what is not printable as escapes.
    """

    def on_broken_pipe(self) -> NoReturn:
        """Raises the error that the command line handles."""
        raise BrokenPipeError

    @property
    def file(self) -> IO[str]:
        """The stream below the one that escapes: the console writes its own styles."""
        stream = super().file
        # While a bar is drawn, the standard streams are Rich's own, above those that escape.
        return stream.stream if isinstance(stream, Shown) else stream

    @file.setter
    def file(self, stream: IO[str]) -> None:
        self._file = stream

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of what is drawn; those of the console itself, such as moves of the cursor, stay as they are."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text), style, control)
