"""Tables on standard output.

A table of which every text is plain and has room is drawn here; Rich draws all others. A test compares both.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ackclock.base.shown import printable
from ackclock.cli.screen import BOLD, simple_screen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ackclock.cli.screen import Screen

__all__ = ["print_table"]


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], keys: int = 1) -> None:
    """Prints a table. Columns of numbers are aligned to the right.

    On a narrow terminal, cells break between words. Columns that still have no room follow below, in a further table
    that begins with the first `keys` columns again. Without a terminal a row is one line, however long, for programs
    that read lines, unless the variable COLUMNS has a width; cells do not break. No text is cut off.
    """
    # Widths are those of the texts as they are shown.
    title, columns = printable(title), [printable(column) for column in columns]
    cells = [[printable(cell) for cell in row] for row in rows]
    terminal = sys.stdout.isatty()
    room = _terminal_width() if terminal else _width()
    texts = [[column, *(row[index] for row in cells)] for index, column in enumerate(columns)]
    for part in _folded([_least(text) if terminal else _whole(text) for text in texts], keys, room):
        _print_part(title, [texts[index] for index in part], room if terminal else sys.maxsize)
        title = ""


def _folded(widths: Sequence[int], keys: int, room: int) -> list[list[int]]:
    """The places of the columns of each table, so that each fits into `room` if it can; all begin with the keys."""
    while keys > 1 and sum(widths[:keys]) + GAP * keys > room / 2:
        keys -= 1
    parts = [list(range(min(keys, len(widths))))]
    for index in range(keys, len(widths)):
        if len(parts[-1]) > keys and sum(widths[at] + GAP for at in (*parts[-1], index)) > room:
            parts.append(list(range(keys)))
        parts[-1].append(index)
    return parts


def _print_part(title: str, texts: Sequence[Sequence[str]], room: int) -> None:
    widths = _widths(texts, room - GAP * len(texts))
    numeric = [bool(cells) and all(_is_number(cell) for cell in cells) for _, *cells in texts]
    screen = simple_screen()
    if screen is not None and _is_simple(title, texts, widths, screen):
        screen.write(_drawn(title, texts, widths, numeric, screen))
    else:
        _print_by_rich(title, texts, widths, numeric)


def _is_simple(title: str, texts: Sequence[Sequence[str]], widths: Sequence[int], screen: Screen) -> bool:
    """Whether a table has room, and texts of which Rich changes nothing."""
    width = sum(widths) + GAP * len(widths)
    fits = not screen.terminal or max(width, len(title)) <= min(width, screen.width)
    return (
        fits
        and all(all(column) and len(column) > 1 for column in texts)
        and list(widths) == [_whole(column) for column in texts]
        and all(_is_literal(text) for column in ([title], *texts) for text in column)
    )


def _is_literal(text: str) -> bool:
    """Whether Rich shows a text as it is: no wide characters, line breaks, backslashes or names of emoji."""
    return text.isascii() and text.isprintable() and text == text.strip() and "\\" not in text and text.count(":") < 2


def _drawn(
    title: str, texts: Sequence[Sequence[str]], widths: Sequence[int], numeric: Sequence[bool], screen: Screen
) -> Iterator[str]:
    """The lines of a table, as Rich draws them with the box SIMPLE_HEAD."""
    columns = [
        [f"{text:>{width}}" if right else f"{text:{width}}" for text in column]
        for column, width, right in zip(texts, widths, numeric, strict=True)
    ]
    width = sum(widths) + GAP * len(widths)
    blank = " " * width
    if title:
        yield screen.styled(BOLD, f"{title:{width}}" if screen.terminal else title)
    yield blank
    heads = [screen.styled(BOLD, head) for head, *_ in columns]
    yield f" {(screen.styled(BOLD, ' ') + ' ').join(heads)} "
    yield f" {'─' * (width - GAP)} "
    for row in zip(*(cells for _, *cells in columns), strict=True):
        yield f" {'  '.join(row)} "
    yield blank


def _print_by_rich(title: str, texts: Sequence[Sequence[str]], widths: Sequence[int], numeric: Sequence[bool]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table as RichTable

    from ackclock.base.console import PipeConsole

    table = RichTable(
        title=escape(title) or None,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for (column, *_), width, right in zip(texts, widths, numeric, strict=True):
        table.add_column(escape(column), justify="right" if right else "left", width=width)
    for row in zip(*(cells for _, *cells in texts), strict=True):
        table.add_row(*(escape(cell) for cell in row))
    width = sum(widths) + GAP * len(texts)
    console = PipeConsole()
    if not sys.stdout.isatty() or width > console.width:
        console = PipeConsole(width=width, soft_wrap=True)
    console.print(table)


def _terminal_width() -> int:
    """Width of a terminal, in characters."""
    screen = simple_screen()
    if screen is not None:
        return screen.width
    from ackclock.base.console import PipeConsole

    return PipeConsole().width


def _width() -> int:
    """Width of a table without a terminal, in characters."""
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdecimal() and int(given) else sys.maxsize


GAP = 2
"""Width of the space between columns, in characters."""


def _widths(columns: Sequence[Sequence[str]], room: int) -> list[int]:
    """Widths of columns. The widest get less than their texts need, as far as `room` requires and words allow."""
    widths = [_whole(column) for column in columns]
    least = [_least(column) for column in columns]
    while sum(widths) > room:
        breakable = [index for index, width in enumerate(widths) if width > least[index]]
        if not breakable:
            break
        widths[max(breakable, key=widths.__getitem__)] -= 1
    return widths


def _whole(column: Sequence[str]) -> int:
    """The width of a column whose cells do not break."""
    return max(_cells(text) for text in column)


def _least(column: Sequence[str]) -> int:
    """The width of a column whose cells break between words."""
    return max(_cells(word) for text in column for word in text.split() or [""])


def _cells(text: str) -> int:
    """The width of a text on a terminal; Chinese characters take two cells."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _is_number(cell: str) -> bool:
    return cell == "-" or cell.lstrip("-+").replace(".", "", 1).replace(",", "")[:1].isdigit()
