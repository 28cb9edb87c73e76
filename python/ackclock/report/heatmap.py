"""A number over two parameters as a table of coloured cells: readable at any width and without a script."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.report.colours import mix, readable_on
from ackclock.report.render import render
from ackclock.report.words import cell_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

    from ackclock.stats import Estimate

__all__ = ["HeatMap"]

LOW, HIGH = "#b2182b", "#2166ac"
"""Colours of ColorBrewer's RdBu, safe for the colour-blind: red below zero, blue above, white where nothing changes."""

WHITE = "#ffffff"


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A number for each pair of a column's and a row's value, as colour and as text."""

    x_label: str
    y_label: str
    columns: Sequence[str]
    rows: Sequence[str]
    """Names of the rows, from the bottom to the top."""
    cells: Mapping[tuple[int, int], Estimate]
    """Estimates by the numbers of column and row; a pair without an estimate is an empty cell."""
    unit: str = ""
    diverging: bool = False
    """Whether colours are symmetric around zero; a number in parentheses then has an interval with zero in it."""
    middle: float | None = None
    """Number around which the colours are symmetric, if that is not zero; numbers have no signs and parentheses."""
    dense: bool = False
    """Whether the cells are small and the names of the columns upright, as for some 30 columns."""

    def html(self, identifier: str) -> Markup:
        """The body of the figure."""
        if not self.cells:
            raise ValueError("a heat-map has no cell")
        values = [cell.value for cell in self.cells.values()]
        limits = min(values), max(values)
        rows = [
            (self.rows[row], [self._cell(self.cells.get((column, row)), limits) for column in range(len(self.columns))])
            for row in reversed(range(len(self.rows)))
        ]
        return render(
            "heat.html",
            identifier=identifier,
            x_label=self.x_label,
            y_label=self.y_label,
            columns=self.columns,
            rows=rows,
            dense=self.dense,
        )

    def _cell(self, cell: Estimate | None, limits: tuple[float, float]) -> dict[str, str] | None:
        """The style, the text and the text on hovering of a cell; None for an empty cell."""
        if cell is None or not math.isfinite(cell.value):
            return None
        background = self._colour(cell.value, *limits)
        # Three digits are what a cell has room for on a phone; hovering tells the rest.
        text = f"{cell.value:,.0f}" if abs(cell.value) >= 100 else f"{cell.value:.3g}"
        told = f"{cell_text(float(cell.value))} {self.unit}".strip() + f", n = {cell.n}"
        if self.diverging:
            text = text if cell.value <= 0 else f"+{text}"
            if cell.has_interval and cell.low <= 0 <= cell.high:
                text = f"({text})"
        if cell.has_interval:
            told += f", {100 * cell.level:g} % interval {cell_text(float(cell.low))} to {cell_text(float(cell.high))}"
        return {"style": f"background:{background};color:{readable_on(background)}", "text": text, "told": told}

    def _colour(self, value: float, low: float, high: float) -> str:
        if self.middle is not None:
            low, value, high = (number - self.middle for number in (low, value, high))
        elif not self.diverging:
            return mix("#f7fbff", "#08519c", (value - low) / (high - low) if high > low else 0.3)
        most = max(abs(low), abs(high)) or 1.0
        return mix(WHITE, HIGH if value > 0 else LOW, abs(value) / most)
