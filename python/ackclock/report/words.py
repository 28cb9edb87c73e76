"""Cells and counts as people read them."""

from __future__ import annotations

import math

__all__ = ["cell_text", "counted"]


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
