"""A table with lists above it that leave rows out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report.render import render
from ackclock.report.tables import html_table
from ackclock.report.words import cell_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

__all__ = ["filtered_table"]


def filtered_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    by: Mapping[str, Sequence[object]],
    *,
    what: str,
    links: Mapping[tuple[int, int], str] | None = None,
) -> Markup:
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
    chosen_by = [" ".join(str(places[name][texts[name][row]]) for name in known) for row in range(len(rows))]
    table = html_table(columns, rows, chosen_by=chosen_by, links=links)
    return render("filtered.html", lists=known, what=what.capitalize(), count=len(rows), table=table)
