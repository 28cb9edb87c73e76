"""Tables in HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report.render import render
from ackclock.report.words import cell_text, counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

__all__ = ["cell_text", "counted", "html_table"]


def html_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    chosen_by: Sequence[str] | None = None,
    links: Mapping[tuple[int, int], str] | None = None,
    caption: str = "",
) -> Markup:
    """A table that scrolls sideways where the page is narrower than it; columns of numbers are aligned to the right.

    Parameters
    ----------
    columns, rows
        Headings and cells.
    chosen_by
        The text of each row by which the lists of a filter find it.
    links
        Row and column of a cell to the address that it leads to.
    caption
        A sentence above the table.

    Raises
    ------
    ValueError
        If a row does not have one cell a column.
    """
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"a row of {len(row)} cells in a table of {len(columns)} columns")
    numeric = [bool(rows) and all(_is_number(row[index]) for row in rows) for index in range(len(columns))]
    return render(
        "table.html",
        columns=columns,
        rows=rows,
        numeric=numeric,
        chosen_by=chosen_by,
        links=links or {},
        caption=caption,
    )


def _is_number(cell: object) -> bool:
    return cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool))
