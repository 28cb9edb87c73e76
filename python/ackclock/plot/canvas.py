"""Shared parts of all figures: a style for papers, axes with shared time, legends above the data, and files."""

from __future__ import annotations

from contextlib import contextmanager
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from ackclock.base import files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.ticker import Locator
    from matplotlib.typing import RcKeyType
    from numpy.typing import NDArray

__all__ = [
    "COLUMN",
    "INK",
    "PAPER",
    "Drawn",
    "axes_or",
    "from_zero",
    "legend",
    "legend_columns",
    "logarithmic",
    "panels",
    "paper",
    "round_ticks",
    "save",
    "text_width",
    "words",
]

COLUMN = 3.5
"""Width in inches of a column on a two-column page, for which the fonts are chosen."""

SIZE = 8.0
"""Size of labels in points; ticks and legends are a point smaller."""

PAPER: dict[RcKeyType, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": SIZE,
    "axes.labelsize": SIZE,
    "axes.titlesize": SIZE,
    "xtick.labelsize": SIZE - 1,
    "ytick.labelsize": SIZE - 1,
    "legend.fontsize": SIZE - 1,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.xmargin": 0.01,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.1,
    "lines.markersize": 4.0,
    "lines.solid_joinstyle": "round",
    "legend.frameon": False,
    "legend.borderaxespad": 0.2,
    "legend.columnspacing": 1.2,
    "legend.handlelength": 1.8,
    "legend.handletextpad": 0.5,
    "figure.dpi": 160.0,
    "savefig.dpi": 300.0,
    "savefig.bbox": None,
    "savefig.transparent": False,
    "pdf.fonttype": 42,
    "pdf.compression": 6,
    "svg.fonttype": "path",
    "svg.hashsalt": "ackclock",
}
"""Settings of matplotlib for the figures of this package, at the width of one column; they override the user's own."""

INK = "#404040"
"""Colour of elements that belong to no flow or scheme."""

METADATA: dict[str, dict[str, Any]] = {".pdf": {"CreationDate": None}, ".png": {}, ".svg": {"Date": None}}
"""Metadata by suffix that `save` sets so that files contain no time."""

Drawn: TypeAlias = "Axes | Figure | NDArray[Any]"
"""Result of the figure functions: axes, or an array of axes with a shared time axis; a whole figure is accepted too."""


@contextmanager
def paper() -> Iterator[None]:
    """Settings for papers: figures drawn in the block have fonts that are legible at a column's width."""
    with mpl.rc_context(PAPER):
        yield


def axes_or(ax: Axes | None, height: float = 2.2) -> Axes:
    """The given axes, or those of a new figure of one column and `height` inches."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    _, axes = plt.subplots(figsize=(COLUMN, height), layout="constrained")
    return axes


def panels(heights: Sequence[float]) -> NDArray[Any]:
    """Axes one below the other in a new figure, with the given heights in inches and a shared time axis."""
    from matplotlib import pyplot as plt

    size = (COLUMN, float(sum(heights)))
    _, axes = plt.subplots(
        len(heights), 1, sharex=True, figsize=size, height_ratios=list(heights), layout="constrained"
    )
    return np.asarray(axes)


def words(name: str) -> str:
    """A name as a label: not interpreted as a formula, and shown in legends even if it begins with an underscore."""
    text = name.replace("$", r"\$")
    return f"\u200b{text}" if text.startswith("_") else text


def text_width(text: str, size: float) -> float:
    """Width of a text in points."""
    font = FontProperties(family=PAPER["font.family"], size=size)
    return float(TextPath((0, 0), text, prop=font).get_extents().width) if text.strip() else 0.0


def legend(axes: Axes, more: Sequence[Artist] = ()) -> None:
    """Adds a legend above the axes, in as many columns as fit; none if there are no entries."""
    handles: list[Artist]
    handles, labels = axes.get_legend_handles_labels()
    handles += more
    labels += [str(line.get_label()) for line in more]
    if not handles:
        return
    # These are the widths of PAPER in ems: the line, the gap to the text, and the gap to the next column.
    size = SIZE - 1
    widths = [text_width(label, size) + 2.3 * size for label in labels]
    columns = legend_columns(widths, 1.2 * size, 72 * float(figure_of(axes).get_figwidth()) * 0.8)
    axes.legend(handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns)


def legend_columns(widths: Sequence[float], gap: float, room: float) -> int:
    """The number of columns for the fewest rows in which entries of these widths, filled column by column, fit."""
    for rows in range(1, len(widths)):
        columns = -(-len(widths) // rows)
        taken = [max(column) for column in np.array_split(widths, columns)]
        if sum(taken) + gap * (columns - 1) <= room:
            return columns
    return 1


def from_zero(axes: Axes) -> None:
    """Starts the y axis at zero and ends it slightly above the data; sets round ticks on a linear x axis."""
    top = float(axes.dataLim.y1)
    axes.set_ylim(0, 1.06 * top if np.isfinite(top) and top > 0 else 1)
    round_ticks(axes)


def round_ticks(axes: Axes) -> None:
    """Sets about five round ticks on an x axis that is not logarithmic."""
    if axes.get_xscale() == "linear":
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))


MOST_TICKS = 9
"""Points of an axis that are ticks themselves."""


def logarithmic(axes: Axes, points: Sequence[float] = ()) -> None:
    """Makes the x axis logarithmic, with a few ticks that are written as plain numbers.

    The `points` of the data are the ticks, if they are few and have room beside one another. Otherwise the ticks are
    round numbers.
    """
    axes.set_xscale("log")
    places = sorted(set(points))
    low, high = sorted(axes.get_xlim())
    locator: Locator = MaxNLocator(5)
    if 2 <= len(places) <= MOST_TICKS and _apart(axes, places):
        locator = FixedLocator(places)
    elif high / low > 4:
        locator = LogLocator(subs=(1.0,) if high / low > 200 else (1.0, 2.0, 5.0))
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _apart(axes: Axes, places: Sequence[float]) -> bool:
    """Whether the numbers at these places of a logarithmic axis do not touch one another."""
    width = 72 * float(figure_of(axes).get_figwidth()) * 0.8
    scale = width / np.log(places[-1] / places[0])
    texts = [text_width(f"{place:g}", SIZE - 1) for place in places]
    return all(
        (np.log(right) - np.log(left)) * scale > (texts[at] + texts[at + 1]) / 2 + 3
        for at, (left, right) in enumerate(pairwise(places))
    )


def save(drawn: Drawn, path: str | Path) -> None:
    """Writes a figure as PDF, PNG or SVG, depending on the suffix.

    The bytes are the same each time, and an incomplete file is never left. `drawn` is the result of a function of
    `ackclock.plot`, or any figure or axes of matplotlib.

    Raises
    ------
    ValueError
        If the suffix is not one of these.
    OSError
        If the file cannot be written; an existing file is then unchanged.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in METADATA:
        known = ", ".join(METADATA)
        raise ValueError(f"{path}: {suffix or 'no suffix'} is not a format for figures; accepted: {known}")
    content = BytesIO()
    with paper():
        figure_of(drawn).savefig(content, format=suffix[1:], metadata=METADATA[suffix])
    try:
        files.write_bytes(target, content.getvalue())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def figure_of(drawn: Drawn) -> Figure:
    """The figure to which axes belong."""
    if isinstance(drawn, Figure):
        return drawn
    first = drawn.flat[0] if isinstance(drawn, np.ndarray) else drawn
    figure = first.get_figure(root=True)
    if not isinstance(figure, Figure):
        raise ValueError("the axes do not belong to a figure")
    return figure
