"""Text in tables of Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["cell", "table_row"]


def cell(text: str) -> str:
    """A text as a cell of a table: a bar would end the cell, and a line break the row."""
    return text.replace("|", "\\|").replace("\n", " ")


def table_row(texts: Iterable[str]) -> str:
    """Texts as a row of a table."""
    return f"| {' | '.join(map(cell, texts))} |"
