"""A map of numbers over names: rows and columns of a matrix of algorithms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.colors import Normalize

from ackclock.plot.canvas import figure_of, paper, words
from ackclock.plot.heatmap import ABSENT, COLOURS, ink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = ["matrix_map"]

CELL = 0.23
"""Width and height of a cell, inches."""
SEQUENTIAL = "Blues"
"""Colour map of ColorBrewer for numbers without a middle."""
NUMBER = 5.5
"""Size of the numbers, points."""


def matrix_map(
    values: ArrayLike, rows: Sequence[str], columns: Sequence[str], *, label: str, middle: float | None = None
) -> Axes:
    """A number for each pair of a row and a column, as colour and as text; the first row is at the top.

    Parameters
    ----------
    values
        One row of numbers for each of `rows`; NaN is a grey cell.
    rows, columns
        Their names.
    label
        Label of the colours, with the unit.
    middle
        Number that has no colour, around which the colours are symmetric; None for colours from low to high.
    """
    from matplotlib import pyplot as plt

    cells = np.asarray(values, dtype=np.float64)
    if cells.shape != (len(rows), len(columns)) or not np.isfinite(cells).any():
        raise ValueError(
            f"values of shape {cells.shape} for {len(rows)} rows and {len(columns)} columns, all NaN or not"
        )
    low, high = float(np.nanmin(cells)), float(np.nanmax(cells))
    if middle is not None:
        most = max(high - middle, middle - low) or 1.0
        low, high = middle - most, middle + most
    with paper():
        size = (CELL * len(columns) + 2.0, CELL * len(rows) + 1.1)
        _, axes = plt.subplots(figsize=size, layout="constrained")
        colours = mpl.colormaps[SEQUENTIAL if middle is None else COLOURS].with_extremes(bad=ABSENT)
        image = axes.imshow(cells, cmap=colours, norm=Normalize(low, high))
        shades = np.asarray(image.norm(cells))
        for (row, column), value in np.ndenumerate(cells):
            if math.isfinite(value):
                colour = ink(colours(shades[row, column]))
                axes.text(column, row, _text(value), ha="center", va="center", fontsize=NUMBER, color=colour)
        axes.set_xticks(range(len(columns)), [words(one) for one in columns], rotation=90)
        axes.set_yticks(range(len(rows)), [words(one) for one in rows])
        axes.xaxis.tick_top()
        axes.grid(visible=False)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        bar = figure_of(axes).colorbar(image, ax=axes, label=label, aspect=40, pad=0.02)
        bar.outline.set_visible(False)
    return axes


def _text(value: float) -> str:
    """A number in at most three characters where that is possible."""
    rounded = f"{value:.0f}"
    return f"{value:.1f}".removeprefix("0") if 0.05 <= value < 9.95 and value != round(value) else rounded
