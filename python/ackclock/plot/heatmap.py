"""A map of a benefit over two parameters: numbers in coloured cells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import Normalize

from ackclock.plot.canvas import axes_or, figure_of, paper, text_width
from ackclock.stats import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = ["ABSENT", "COLOURS", "benefit_map", "ink"]

COLOURS = "RdBu"
"""Colour map of ColorBrewer that is safe for colour-blind readers: red below zero, blue above, white at zero."""

ABSENT = "#d0d0d0"
LARGEST, SMALLEST = 7.0, 3.5
"""Size range of the numbers, points."""


def benefit_map(
    cells: Mapping[tuple[float, float], Estimate | float],
    *,
    x_label: str,
    y_label: str,
    label: str = "benefit (%)",
    number: str = "{:+.1f}",
    limit: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A number for each pair of values of two parameters, as colour and as text; colours are symmetric around zero.

    A number in parentheses has an interval that includes zero. Rows and columns are in the order of their values, from
    the lower left, and have equal widths. A pair without a number, or with NaN, is a grey cell with a dash.

    Parameters
    ----------
    cells
        Numbers by pairs of a column's and a row's value.
    label
        Label of the colours, with the unit.
    number
        Format of the numbers, for ``str.format``.
    limit
        Number at which the colour is darkest; by default the largest absolute value. Larger numbers have the same
        colour.
    x_label, y_label
        Labels of the two parameters, with their units.
    ax
        Axes to draw on; by default those of a new figure.
    """
    if not cells:
        raise ValueError("cells is empty; a map needs at least one cell")
    columns, rows = (sorted({pair[at] for pair in cells}) for at in (0, 1))
    values = np.full((len(rows), len(columns)), np.nan)
    texts = np.full(values.shape, "\u2013", dtype=object)
    for (x, y), cell in cells.items():
        at = rows.index(y), columns.index(x)
        value = cell.value if isinstance(cell, Estimate) else float(cell)
        if math.isfinite(value):
            values[at] = value
            texts[at] = _text(cell, number.format(value).replace("-", "\u2212"))
    most = np.nanmax(np.abs(values)) if np.isfinite(values).any() else 0.0
    if limit is not None and not 0 < limit < math.inf:
        raise ValueError(f"the limit of the colours must be above 0 and finite, not {limit}")
    # If all values are zero, all cells are white, whatever the limit.
    limit = limit if limit is not None else float(most) or 1.0
    with paper():
        height = min(4.5, 0.9 + 0.34 * len(rows))
        axes = axes_or(ax, height)
        colours = mpl.colormaps[COLOURS].with_extremes(bad=ABSENT)
        image = axes.imshow(values, cmap=colours, norm=Normalize(-limit, limit), origin="lower", aspect="auto")
        size = _size(texts, axes, len(columns))
        for (row, column), text in np.ndenumerate(texts):
            background = colours(image.norm(values[row, column]) if np.isfinite(values[row, column]) else np.ma.masked)
            axes.text(column, row, text, ha="center", va="center", fontsize=size, color=ink(background))
        axes.set_xticks(range(len(columns)), [f"{value:g}" for value in columns])
        axes.set_yticks(range(len(rows)), [f"{value:g}" for value in rows])
        axes.set(xlabel=x_label, ylabel=y_label)
        axes.grid(visible=False)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        beyond = "both" if most > limit else "neither"
        bar = figure_of(axes).colorbar(image, ax=axes, label=label, extend=beyond, aspect=25, pad=0.02)
        bar.outline.set_visible(False)
    return axes


def _text(cell: Estimate | float, text: str) -> str:
    if isinstance(cell, Estimate) and cell.has_interval and cell.low <= 0 <= cell.high:
        return f"({text})"
    return text


def _size(texts: Any, axes: Axes, columns: int) -> float:
    """Size in points at which the widest number fits into a cell."""
    # In a figure with one map, labels and the colour bar take a quarter of the width.
    cell = 0.92 * 72 * 0.72 * figure_of(axes).get_figwidth() * axes.get_position().width / 0.775 / columns
    widest = max(text_width(text, 1.0) for text in {*texts.flat})
    return max(SMALLEST, min(LARGEST, cell / widest))


def ink(background: ArrayLike) -> str:
    """Black or white, whichever has the larger contrast with the background (WCAG 2.2), which is at least 4.5."""
    coded = np.asarray(background, dtype=np.float64)[:3]
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ (0.2126, 0.7152, 0.0722))
    return "black" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "white"
