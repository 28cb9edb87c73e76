"""What all figures share: a style for papers, axes with shared time, legends beside the data, and files."""

from __future__ import annotations

from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from ackclock import files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
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
    "logarithmic",
    "panels",
    "paper",
    "round_ticks",
    "save",
    "text_width",
    "words",
]

COLUMN = 3.5
"""Inches: the width of a column on a page of two, for which the fonts are made."""

SIZE = 8.0
"""Points, of labels; ticks and legends are a point smaller."""

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
"""Settings of matplotlib for a figure of one column: those of the figures here, whatever the user's own are."""

INK = "#404040"
"""Of what belongs to no flow or scheme in particular."""

METADATA: dict[str, dict[str, Any]] = {".pdf": {"CreationDate": None}, ".png": {}, ".svg": {"Date": None}}
"""By suffix that `save` takes, what of a file would tell the time."""

Drawn: TypeAlias = "Axes | Figure | NDArray[Any]"
"""What a function here returns: axes, or an array of those that share one; also a whole figure."""


@contextmanager
def paper() -> Iterator[None]:
    """Settings for papers: what is drawn in the block has fonts that are legible at a column's width."""
    with mpl.rc_context(PAPER):
        yield


def axes_or(ax: Axes | None, height: float = 2.2) -> Axes:
    """The axes given, or those of a new figure of one column and so many inches."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    _, axes = plt.subplots(figsize=(COLUMN, height), layout="constrained")
    return axes


def panels(heights: Sequence[float]) -> NDArray[Any]:
    """Axes one below the other in a new figure, with so many inches each and one time axis."""
    from matplotlib import pyplot as plt

    size = (COLUMN, float(sum(heights)))
    _, axes = plt.subplots(
        len(heights), 1, sharex=True, figsize=size, height_ratios=list(heights), layout="constrained"
    )
    return np.asarray(axes)


def words(name: str) -> str:
    """A name as a label: neither a formula nor, with an underscore in front, left out of legends."""
    text = name.replace("$", r"\$")
    return f"\u200b{text}" if text.startswith("_") else text


def text_width(text: str, size: float) -> float:
    """The width of a text in points."""
    font = FontProperties(family=PAPER["font.family"], size=size)
    return float(TextPath((0, 0), text, prop=font).get_extents().width) if text.strip() else 0.0


def legend(axes: Axes, more: Sequence[Line2D] = ()) -> None:
    """A legend above the axes, where no data is, in as many columns as there is width for; none without entries."""
    handles: list[Artist]
    handles, labels = axes.get_legend_handles_labels()
    handles += more
    labels += [str(line.get_label()) for line in more]
    if not handles:
        return
    # In ems, as in PAPER: the line, the gap to the text, and the gap to the next column.
    size = SIZE - 1
    widths = [text_width(label, size) + 2.3 * size for label in labels]
    columns = _columns(widths, 1.2 * size, 72 * float(figure_of(axes).get_figwidth()) * 0.8)
    axes.legend(handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns)


def _columns(widths: Sequence[float], gap: float, room: float) -> int:
    """The columns of the fewest rows in which entries of these widths, filled in column by column, fit side by side."""
    for rows in range(1, len(widths)):
        columns = -(-len(widths) // rows)
        taken = [max(column) for column in np.array_split(widths, columns)]
        if sum(taken) + gap * (columns - 1) <= room:
            return columns
    return 1


def from_zero(axes: Axes) -> None:
    """Begins the y axis at zero and ends it a little above the data; round ticks on a linear x axis."""
    top = float(axes.dataLim.y1)
    axes.set_ylim(0, 1.06 * top if np.isfinite(top) and top > 0 else 1)
    round_ticks(axes)


def round_ticks(axes: Axes) -> None:
    """About five round ticks on an x axis that is not logarithmic."""
    if axes.get_xscale() == "linear":
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))


def logarithmic(axes: Axes) -> None:
    """Makes the x axis logarithmic, with a handful of ticks that are written as plain numbers."""
    axes.set_xscale("log")
    low, high = sorted(axes.get_xlim())
    locator: Locator = MaxNLocator(5)
    if high / low > 4:
        locator = LogLocator(subs=(1.0,) if high / low > 200 else (1.0, 2.0, 5.0))
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def save(drawn: Drawn, path: str | Path) -> None:
    """Writes a figure as PDF, PNG or SVG, by the suffix: the same bytes each time, and the file whole or not at all.

    `drawn` is what a function of `ackclock.plot` returns, or any figure or axes of matplotlib.

    Raises
    ------
    ValueError
        If the suffix is another one.
    OSError
        If the file cannot be written; what was there before is still there.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in METADATA:
        known = ", ".join(METADATA)
        raise ValueError(f"{path}: a figure is written as {known}; {suffix or 'no suffix'} is none of them")
    content = BytesIO()
    with paper():
        figure_of(drawn).savefig(content, format=suffix[1:], metadata=METADATA[suffix])
    try:
        files.write_bytes(target, content.getvalue())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def figure_of(drawn: Drawn) -> Figure:
    """The whole figure that axes belong to."""
    if isinstance(drawn, Figure):
        return drawn
    first = drawn.flat[0] if isinstance(drawn, np.ndarray) else drawn
    figure = first.get_figure(root=True)
    if not isinstance(figure, Figure):
        raise ValueError("the axes are in no figure")
    return figure
