"""Tables in HTML."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["cell_text", "counted", "html_table"]


def counted(number: int, what: str) -> str:
    """A number of things that have a plain plural: 1 run, 2 runs."""
    return f"{number} {what}{'s' * (number != 1)}"


def cell_text(cell: object) -> str:
    """A cell as people read it: numbers to four significant digits (whole numbers whole), an empty cell as a dash."""
    match cell:
        case None:
            return "-"
        case bool():
            return "yes" if cell else "no"
        case int():
            return f"{cell:,}"
        case float() if math.isnan(cell):
            return "-"
        case float() if abs(cell) >= 1000:
            return f"{cell:,.0f}"
        case float():
            return f"{cell:.4g}"
    return str(cell)


def html_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    marks: Sequence[str] | None = None,
    links: Mapping[tuple[int, int], str] | None = None,
) -> str:
    """A table that scrolls sideways where the page is narrower than it; columns of numbers are aligned to the right.

    Parameters
    ----------
    columns, rows
        Headings and cells.
    marks
        Attributes of each row's element, in HTML.
    links
        Row and column of a cell to what it leads to.

    Raises
    ------
    ValueError
        If a row does not have one cell a column.
    """
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"a row of {len(row)} cells in a table of {len(columns)} columns")
    numeric = [bool(rows) and all(_is_number(row[index]) for row in rows) for index in range(len(columns))]
    kinds = [' class="number"' if number else "" for number in numeric]
    head = "".join(f'<th scope="col"{kind}>{escape(column)}</th>' for column, kind in zip(columns, kinds, strict=True))
    body = ""
    for number, row in enumerate(rows):
        body += f"<tr {marks[number]}>" if marks is not None else "<tr>"
        for at, cell in enumerate(row):
            text, link = escape(cell_text(cell)), (links or {}).get((number, at))
            inside = text if link is None else f'<a href="{escape(link)}">{text}</a>'
            body += f"<td{kinds[at]}>{inside}</td>"
        body += "</tr>\n"
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>\n'


def _is_number(cell: object) -> bool:
    return cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool))
