"""The first rows of a table as lines of text, within a width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.base.shown import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["preview"]

WIDTH = 100
"""Characters of a line, at most; a single column may be wider."""

LONGEST = 40
"""Characters of a cell, at most; longer text is cut and ends in three dots."""

GAP = "  "


def preview(columns: Sequence[str], units: Sequence[str], rows: Sequence[Sequence[Any]], total: int) -> str:
    """Lines with the names of the columns, their units, the rows, and how many rows there are in all.

    Columns that have no room beside the others follow below. Empty cells are a dash.
    """
    if not columns:
        return f"{total:,} rows, no columns"
    texts = []
    for place, (name, unit) in enumerate(zip(columns, units, strict=True)):
        cells = [row[place] for row in rows]
        right = all(cell is None or (isinstance(cell, (int, float)) and not isinstance(cell, bool)) for cell in cells)
        text = [one_line(name), unit, *(_told(cell) for cell in cells)]
        width = max(len(one) for one in text)
        texts.append([one.rjust(width) if right and cells else one.ljust(width) for one in text])
    blocks: list[list[list[str]]] = [[]]
    used = 0
    for text in texts:
        if blocks[-1] and used + len(text[0]) > WIDTH:
            blocks.append([])
            used = 0
        blocks[-1].append(text)
        used += len(text[0]) + len(GAP)
    lines: list[str] = []
    for block in blocks:
        made = [GAP.join(cells).rstrip() for cells in zip(*block, strict=True)]
        # A block without units has no line for them.
        lines += [*made, ""] if made[1] else [made[0], *made[2:], ""]
    shape = f"{total:,} row{'s' * (total != 1)}, {len(columns)} column{'s' * (len(columns) != 1)}"
    left = total - len(rows)
    return "\n".join([*lines[:-1], f"[{shape}{f'; the first {len(rows)} rows are shown' if left else ''}]"])


def _told(cell: Any) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.9g}"
    text = one_line(str(cell))
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
