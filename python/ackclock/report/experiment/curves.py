"""Figures of a measure over what was varied: curves with bands, heat-maps, intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.plot.palette import has_style, styles_of
from ackclock.report.choice import Choice
from ackclock.report.experiment.axes import Axis, describe
from ackclock.report.figures import Intervals, Plot, Reference, Row, Series
from ackclock.report.heatmap import HeatMap
from ackclock.results.names import in_sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.plot.palette import Style
    from ackclock.report.experiment.measures import PointMean, Shown

__all__ = ["MOST_CURVES", "Roles", "figures_of", "groups", "is_of_algorithms", "roles_of", "styles"]

MOST_CURVES = 12
"""Curves of a figure."""

MOST_OPTIONS = 60
"""Entries of a list to choose a figure from."""

MOST_ROWS = 80
"""Intervals of a figure."""

MOST_AT_ONCE = 16
"""Intervals of a figure that has no list to choose a setting from."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Places in the figures of everything that was varied.

    A line connects values along an axis of three numbers or more (see `Axis.is_line`). Everything else is a category.
    """

    scheme: Axis | None
    """Told apart by colour: the algorithm, where that was varied."""
    x: Axis | None
    y: Axis | None
    """Axes of numbers: `x` has at least three, and `y` is the other one of a heat-map."""
    scattered: bool
    """Whether points lie anywhere and not on a grid, as those of a Latin hypercube."""
    axes: Sequence[Axis]

    def without(self, *used: Axis | None) -> list[Axis]:
        """All the others."""
        return [axis for axis in self.axes if axis not in used]


def roles_of(axes: Sequence[Axis], points: int) -> Roles:
    """The places of these axes in figures."""
    numeric = sorted((axis for axis in axes if axis.numbers), key=lambda axis: -len(axis.values))
    named = [axis for axis in axes if not axis.is_line and len(axis.values) <= MOST_CURVES]
    # Algorithms first: what the figure is about. Categories that are numbers come last.
    named.sort(key=lambda axis: (not is_of_algorithms(axis), axis.numbers is not None))
    size = 1
    for axis in axes:
        size *= len(axis.values)
    scattered = bool(numeric) and size > 4 * points and len(numeric[0].values) > points / 4
    x = numeric[0] if numeric and numeric[0].is_line else None
    y = numeric[1] if x is not None and len(numeric) > 1 else None
    scheme = named[0] if named else None
    if scheme is None and y is not None and len(y.values) <= MOST_CURVES and not scattered:
        scheme = y
    return Roles(scheme, x, y, scattered, axes)


def is_of_algorithms(axis: Axis) -> bool:
    """Whether the values are congestion controls."""
    return axis.name.endswith((".cc", "cc")) or any(has_style(str(value)) for value in axis.values)


def styles(axis: Axis | None) -> dict[str, Style]:
    """The style of each value of an axis, by its text."""
    return styles_of([axis.text(value) for value in axis.values]) if axis is not None else styles_of([""])


def groups(cells: Sequence[PointMean], axes: Sequence[Axis]) -> dict[str, list[PointMean]]:
    """Cells by their setting of some axes, in words."""
    found: dict[str, list[PointMean]] = {}
    for cell in cells:
        found.setdefault(describe(cell.params, axes), []).append(cell)
    return found


def figures_of(shown: Shown, roles: Roles, command: str) -> tuple[list[Choice | Intervals | Plot], list[str]]:
    """The figures of a measure, and what was left out of them."""
    if roles.x is None:
        return _intervals(shown, roles, command)
    if roles.scattered:
        return [_scatter(shown, roles, command)], []
    figures: list[Choice | Intervals | Plot] = []
    left: list[str] = []
    rest = roles.without(roles.x, roles.scheme)
    options = [
        (name, _curves(shown, roles, cells)) for name, cells in groups(shown.cells, rest).items() if _some(cells)
    ]
    figures.append(_chosen(shown.title, "shown at", options, _caption(shown, roles, roles.x), command, left))
    if roles.y is not None:
        rest = roles.without(roles.x, roles.y)
        maps = [(name, _map(shown, roles, cells)) for name, cells in groups(shown.cells, rest).items() if _some(cells)]
        title = f"{shown.title}, as a map"
        caption = f"{shown.what}{f', in {shown.unit}' if shown.unit else ''}."
        if shown.diverging:
            caption += " Of a number in parentheses the 95 % interval holds zero."
        figures.append(_chosen(title, "shown at", maps, caption, command, left))
    return figures, left


def _chosen(
    title: str, what: str, options: Sequence[tuple[str, Any]], caption: str, command: str, left: list[str]
) -> Choice:
    if len(options) > MOST_OPTIONS:
        left.append(f"{title}: {len(options) - MOST_OPTIONS} of {len(options)} settings; --of and a sweep of less")
    return Choice(title, what, options[:MOST_OPTIONS], caption, command)


def _some(cells: Sequence[PointMean]) -> bool:
    return any(cell.estimate is not None for cell in cells)


def _caption(shown: Shown, roles: Roles, x: Axis) -> str:
    curve = f", a curve for each {in_sentence(roles.scheme.title)}" if roles.scheme is not None else ""
    least = "; bands are 95 % intervals" if any(_has_interval(cell) for cell in shown.cells) else ""
    return f"{shown.what}, against the {in_sentence(x.title)}{curve}{least}."


def _has_interval(cell: PointMean) -> bool:
    return cell.estimate is not None and cell.estimate.has_interval


def _curves(shown: Shown, roles: Roles, cells: Sequence[PointMean]) -> Plot:
    x = roles.x
    assert x is not None  # noqa: S101
    found = styles(roles.scheme)
    series = []
    for name, style in found.items():
        mine = [cell for cell in cells if cell.estimate is not None and _name(cell, roles) == name]
        if mine:
            series.append(_series(name or shown.title, [x.number(cell.params[x.name]) for cell in mine], mine, style))
    return Plot(
        shown.title,
        x.label,
        shown.label,
        series,
        from_zero=shown.diverging or _near_zero(cells),
        x_log=x.is_wide,
    )


def _series(name: str, places: Sequence[float], cells: Sequence[PointMean], style: Style) -> Series:
    estimates = [cell.estimate for cell in cells if cell.estimate is not None]
    value, low, high = ([getattr(one, part) for one in estimates] for part in ("value", "low", "high"))
    order = np.argsort(places, kind="stable")
    columns = [np.asarray(column, dtype=np.float64)[order] for column in (places, value, low, high)]
    return Series(
        name, columns[0], columns[1], style.colour, "band", columns[2], columns[3], dash=style.dash, marker=style.marker
    )


def _name(cell: PointMean, roles: Roles) -> str:
    return "" if roles.scheme is None else roles.scheme.text(cell.params.get(roles.scheme.name))


def _near_zero(cells: Sequence[PointMean]) -> bool:
    """Whether zero is near enough to the values to be on the axis with them."""
    values = [cell.estimate.value for cell in cells if cell.estimate is not None]
    return min(values) < 0.7 * max(values) or min(values) < 0


def _map(shown: Shown, roles: Roles, cells: Sequence[PointMean]) -> HeatMap:
    x, y = roles.x, roles.y
    assert x is not None and y is not None  # noqa: S101, PT018
    found = {
        (x.values.index(cell.params[x.name]), y.values.index(cell.params[y.name])): cell.estimate
        for cell in cells
        if cell.estimate is not None
    }
    names = [[f"{number:g}" for number in axis.numbers or ()] for axis in (x, y)]
    return HeatMap(x.label, y.label, names[0], names[1], found, shown.unit, shown.diverging)


def _scatter(shown: Shown, roles: Roles, command: str) -> Choice:
    """Every point where it lies, for each axis of numbers."""
    options = []
    for axis in (axis for axis in roles.axes if axis.numbers):
        series = []
        for name, style in styles(roles.scheme).items():
            mine = [cell for cell in shown.cells if cell.estimate is not None and _name(cell, roles) == name]
            if mine:
                places = [axis.number(cell.params[axis.name]) for cell in mine]
                one = _series(name or shown.title, places, mine, style)
                series.append(Series(one.label, one.x, one.y, one.colour, "points", marker=one.marker))
        options.append((axis.title, Plot(shown.title, axis.label, shown.label, series, x_log=axis.is_wide)))
    return Choice(shown.title, "against", options, f"{shown.what}; a mark is one point.", command)


def _intervals(shown: Shown, roles: Roles, command: str) -> tuple[list[Choice | Intervals | Plot], list[str]]:
    """Dots with intervals, grouped by setting; a list chooses the first setting where they are many."""
    rest = roles.without(roles.scheme)
    cells = [cell for cell in shown.cells if cell.estimate is not None]
    caption = f"{shown.what}{', and its 95 % interval' if any(map(_has_interval, cells)) else ''}."
    left: list[str] = []
    if len(cells) > MOST_AT_ONCE and len(rest) > 1:
        options = [
            (name, _rows(shown, roles, mine, rest[1:], caption, command, left))
            for name, mine in groups(cells, rest[:1]).items()
        ]
        return [_chosen(shown.title, "shown at", options, caption, command, left)], left
    return [_rows(shown, roles, cells, rest, caption, command, left)], left


def _rows(
    shown: Shown,
    roles: Roles,
    cells: Sequence[PointMean],
    by: Sequence[Axis],
    caption: str,
    command: str,
    left: list[str],
) -> Intervals:
    found = styles(roles.scheme)
    rows = [
        Row(setting, _name(cell, roles) or "mean", cell.estimate, found[_name(cell, roles)].colour)
        for setting, mine in groups(cells, by).items()
        for cell in mine
        if cell.estimate is not None
    ]
    if len(rows) > MOST_ROWS:
        left.append(f"{shown.title}: {len(rows) - MOST_ROWS} of {len(rows)} points.")
    references = [Reference(0.0, "no difference")] if shown.diverging else []
    return Intervals(shown.title, shown.label, rows[:MOST_ROWS], caption, command, references=references)
