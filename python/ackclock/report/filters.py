"""A table with lists above it that leave rows out."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ackclock.report.tables import cell_text, html_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["filtered_table"]


def filtered_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    by: Mapping[str, Sequence[object]],
    *,
    what: str,
    links: Mapping[tuple[int, int], str] | None = None,
) -> str:
    """A table of which lists of values choose the rows; without a script, all of them.

    Parameters
    ----------
    columns, rows
        As for `html_table`.
    by
        Name of a list to the value of each row. One that is the same in all rows chooses nothing, and has no list.
    what
        The rows' name, in the plural.
    links
        Row and column of a cell to what it leads to.
    """
    texts = {name: [cell_text(value) for value in values] for name, values in by.items()}
    for name, values in texts.items():
        if len(values) != len(rows):
            raise ValueError(f"{name}: {len(values)} values for {len(rows)} rows")
    known = {name: list(dict.fromkeys(values)) for name, values in texts.items() if len({*values}) > 1}
    places = {name: {value: at for at, value in enumerate(values)} for name, values in known.items()}
    marks = [f'data-of="{" ".join(str(places[name][texts[name][row]]) for name in known)}"' for row in range(len(rows))]
    table = html_table(columns, rows, marks=marks, links=links)
    lists = "".join(
        f'<label>{escape(name)} <select><option value="">all</option>'
        + "".join(f'<option value="{at}">{escape(value)}</option>' for at, value in enumerate(values))
        + "</select></label>"
        for name, values in known.items()
    )
    count = f"<p>{escape(what.capitalize())}: <output>{len(rows)}</output></p>"
    return f'<div class="filtered"><p class="controls">{lists}</p>{count}{table}</div>\n'
