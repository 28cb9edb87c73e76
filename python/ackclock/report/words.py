"""Cells and counts as people read them."""

from __future__ import annotations

import math

__all__ = ["cell_text", "counted", "interval_text"]


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


def interval_text(value: float, low: float, high: float, *, signed: bool = False) -> str:
    """A number with its interval in brackets; without an interval, whose ends are NaN, the number alone."""
    text = f"{'+' if signed and value > 0 else ''}{cell_text(float(value))}"
    return (
        text if math.isnan(low) or math.isnan(high) else f"{text} [{cell_text(float(low))}, {cell_text(float(high))}]"
    )
