"""The figures of a report, as data."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from markupsafe import Markup

from ackclock.report.colours import on_dark
from ackclock.report.packing import packed
from ackclock.report.render import render
from ackclock.report.words import cell_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from ackclock.stats import Estimate

__all__ = ["Intervals", "Lane", "Plot", "Reference", "Row", "Series", "linear_ticks", "plot_html", "share_x"]

Kind: TypeAlias = Literal["line", "step", "points", "interval", "band", "bars", "marks", "spans"]

DIGITS = 7
"""Significant digits of plotted numbers: a microsecond in ten seconds, and far below a pixel."""


def _numbers(values: ArrayLike, digits: int) -> list[float | int | None]:
    array = np.asarray(values, dtype=np.float64).ravel()
    return [_short(float(f"{value:.{digits}g}")) if math.isfinite(value) else None for value in array]


def _short(value: float) -> float | int:
    """A whole number without the point that JSON would write."""
    return int(value) if value.is_integer() else value


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a plot: numbers of equal length; NaN in `y` is a gap."""

    label: str
    x: ArrayLike
    y: ArrayLike
    colour: str
    kind: Kind = "line"
    low: ArrayLike | None = None
    """Lower ends of what the kinds ``interval``, ``band`` and ``bars`` draw."""
    high: ArrayLike | None = None
    """Upper ends of what the kinds ``interval``, ``band`` and ``bars`` draw."""
    dashed: bool = False
    dash: Sequence[float] = ()
    """Lengths of dashes and gaps in line widths, as a `Style` of the palette has them."""
    marker: str = "o"
    """The marker of series with marked points, by its name in matplotlib."""
    faint: bool = False
    """Thin and pale, behind what it belongs to; points are small dots."""
    filled: bool = False
    """Thin, with the area below it pale, behind what it belongs to."""
    digits: int = DIGITS
    """Significant digits of its numbers in the page."""
    to: ArrayLike | None = None
    """Ends of what the kind ``spans`` draws, which begin at `x`; NaN for what goes on."""
    lane: ArrayLike | None = None
    """Numbers of the plot's lanes that ``marks`` and ``spans`` are in."""
    count: int | None = None
    """The number of all events, of which marks and spans may show some; the legend has it."""
    parts: tuple[int, int] | None = None
    """Parts of one to which x and the other columns are rounded if there are many points, see `packed`."""

    def data(self) -> dict[str, Any]:
        """Returns the series in the form that the page's script reads, in order of x."""
        x = np.asarray(self.x, dtype=np.float64).ravel()
        order = np.argsort(x, kind="stable")
        columns = {"x": x, "y": self.y}
        if self.kind in ("interval", "band", "bars"):
            if self.low is None or self.high is None:
                raise ValueError(f"series {self.label!r}: an interval needs low and high")
            columns |= {"low": self.low, "high": self.high}
        if self.kind == "spans" and self.to is None:
            raise ValueError(f"series {self.label!r}: spans need their ends")
        columns |= {name: given for name, given in (("to", self.to), ("lane", self.lane)) if given is not None}
        data: dict[str, Any] = {
            "label": self.label if self.count is None else f"{self.label} ({self.count:,})",
            "colour": self.colour,
            "dark": on_dark(self.colour),
            "kind": self.kind,
            "marker": self.marker,
        }
        if self.dashed or self.dash:
            data["dash"] = [2 * length for length in self.dash] or [6, 4]
        if self.faint:
            data["faint"] = True
        if self.filled:
            data["filled"] = True
        for name, values in columns.items():
            column = np.asarray(values, dtype=np.float64).ravel()
            if column.size != x.size:
                raise ValueError(f"series {self.label!r}: {column.size} values of {name} for {x.size} of x")
            if self.kind in ("marks", "spans") and name == "y":
                # What is above the lines has no value.
                data[name] = []
            elif self.parts is not None:
                data[name] = packed(column[order], self.parts[name != "x"])
            else:
                data[name] = _numbers(column[order], self.digits)
        if not np.isfinite(x).all():
            raise ValueError(f"series {self.label!r}: x holds NaN or infinity")
        return data

    def ends(self) -> list[float]:
        """The least and the largest x; none if it has no point."""
        x = np.asarray(self.x, dtype=np.float64).ravel()
        return [float(x.min()), float(x.max())] if x.size else []


@dataclass(frozen=True, slots=True)
class Lane:
    """A row above the lines of a plot, which marks and spans are in."""

    label: str
    colour: str

    def data(self) -> dict[str, str]:
        """Returns the entry in the form that the page's script reads."""
        return {"label": self.label, "colour": self.colour, "dark": on_dark(self.colour)}


@dataclass(frozen=True, slots=True)
class Plot:
    """An interactive plot: hover for the values, drag to zoom, double-click to see all again."""

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    caption: str = ""
    command: str = ""
    """The command that repeats the figure's numbers."""
    seed: int | None = None
    """The seed of the run that is drawn."""
    from_zero: bool = True
    """Whether the y axis begins at zero."""
    x_log: bool = False
    """Whether the x axis is logarithmic: all of it is above zero."""
    tall: float = 1.0
    """Its height, in those of a plot that stands alone."""
    lanes: Sequence[Lane] = ()
    """Rows of marks and spans, from the top."""
    y_names: Sequence[str] = ()
    """Names of the values 0, 1, 2 and so on of y, where y is no quantity."""

    def data(self) -> dict[str, Any]:
        """Returns the figure in the form that the page's script reads."""
        if not self.series:
            raise ValueError(f"figure {self.title!r} has no series")
        data: dict[str, Any] = {
            "title": self.title,
            "x_label": self.x_label,
            "y_label": self.y_label,
            "from_zero": self.from_zero,
            "series": [series.data() for series in self.series],
        }
        if self.x_log:
            if any(x <= 0 for x in self.ends()):
                raise ValueError(f"figure {self.title!r}: a logarithmic axis has no place for 0")
            data["x_log"] = True
        if self.tall != 1.0:
            data["tall"] = self.tall
        if self.lanes:
            data["lanes"] = [lane.data() for lane in self.lanes]
        if self.y_names:
            data["y_names"] = list(self.y_names)
        return data

    def ends(self) -> list[float]:
        """The least and the largest x of each series."""
        return [x for series in self.series for x in series.ends()]

    def html(self, identifier: str) -> Markup:
        """The body of the figure."""
        return plot_html(self.data(), identifier)


def plot_html(data: Mapping[str, Any], identifier: str) -> Markup:
    """The body of a plot that is data already."""
    # "<" is escaped so that no label can end the script element.
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return render("plot.html", identifier=identifier, title=data["title"], data=Markup(text))  # noqa: S704


def share_x(figures: Sequence[dict[str, Any]], plots: Sequence[Plot]) -> None:
    """Gives plots that are data already one range of x, that of all of `plots`."""
    every = [x for plot in plots for x in plot.ends()]
    for figure in figures if every else ():
        figure["x_range"] = [min(every), max(every)]


@dataclass(frozen=True, slots=True)
class Row:
    """One interval: the group it is listed under, what it is of, and the number."""

    group: str
    label: str
    estimate: Estimate
    colour: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A vertical line to compare intervals with, as a published value."""

    at: float
    label: str
    colour: str = "var(--quiet)"


@dataclass(frozen=True, slots=True)
class Intervals:
    """Intervals one below the other on a common axis, grouped: readable at any width and without a script."""

    title: str
    x_label: str
    rows: Sequence[Row]
    caption: str = ""
    command: str = ""
    seed: int | None = None
    references: Sequence[Reference] = ()

    def html(self, identifier: str) -> Markup:
        """The body of the figure."""
        return render("intervals.html", identifier=identifier, **self.places())

    def places(self) -> dict[str, Any]:
        """Rows, ticks and references with their places on the axis, from 0 to 100."""
        if not self.rows:
            raise ValueError(f"figure {self.title!r} has no rows")
        ends = [value for row in self.rows for value in (row.estimate.value, row.estimate.low, row.estimate.high)]
        finite = [value for value in ends if math.isfinite(value)]
        ticks = linear_ticks([*finite, *(line.at for line in self.references)])
        low, span = ticks[0], ticks[-1] - ticks[0]

        def place(value: float) -> float:
            return 100 * (value - low) / span

        rows: list[dict[str, Any]] = []
        group: str | None = None
        for row in self.rows:
            rows.append(_interval_row(row, place) | {"group": None if row.group == group else row.group})
            group = row.group
        lines = [
            {"at": place(one.at), "value": float(one.at), "label": one.label, "colour": one.colour}
            for one in self.references
        ]
        return {
            "rows": rows,
            "ticks": [{"at": place(tick), "value": tick} for tick in ticks],
            "references": lines,
            "x_label": self.x_label,
        }


def _interval_row(row: Row, place: Callable[[float], float]) -> dict[str, Any]:
    estimate = row.estimate
    value = cell_text(float(estimate.value))
    bar, ends = None, "no interval"
    if estimate.has_interval:
        ends = f"[{cell_text(float(estimate.low))}, {cell_text(float(estimate.high))}]"
        bar = place(estimate.low), place(estimate.high)
    name = ", ".join(filter(None, (row.group, row.label)))
    return {
        "label": row.label,
        "hover": f"{name}: {value} {ends}, n = {estimate.n}",
        "at": place(estimate.value),
        "bar": bar,
        "value": value,
        "ends": ends,
        "colour": row.colour,
    }


LARGEST = 1e300
ALIKE = 1e-10
"""Relative difference up to which two values are drawn as one."""


def linear_ticks(values: Sequence[float], wanted: int = 5) -> list[float]:
    """Round numbers around `values`, about `wanted` of them: the first is below all and the last above all."""
    # Beyond these ends, the distance of two values is no number.
    low, high = max(min(values), -LARGEST), min(max(values), LARGEST)
    scale = max(abs(low), abs(high))
    if high - low <= max(ALIKE * scale, 1 / LARGEST):
        # Ticks between values that differ by rounding alone would all be the same number.
        margin = scale / 10 if scale > 1 / LARGEST else 0.1
        low, high = low - margin, high + margin
    rough = (high - low) / (wanted - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(multiple * power for multiple in (1, 2, 2.5, 5, 10) if multiple * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step), math.ceil(high / step)
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]
