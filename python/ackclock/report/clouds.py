"""Throughput against delay as clouds of points: of each a median and the ellipse of one standard deviation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from ackclock.plot.cloud import LEAST, around, shape
from ackclock.report.colours import both
from ackclock.report.figures import linear_ticks
from ackclock.report.words import cell_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

__all__ = ["Cloud", "Clouds", "log_ticks", "moved_apart"]

# The parts of the drawing; `Markup.format` escapes what is put into them.
_BODY = Markup(
    '<div class="clouds" id="{identifier}"><svg viewBox="0 0 {width} {height}" role="img" aria-label="{title}" '
    'width="100%">{parts}</svg></div>\n'
)
_STROKE = Markup('<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>')
_CROSS = Markup('<path d="{strokes}" stroke="{colour}" stroke-width="2" fill="none"/>')
_TEXT = Markup('<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{text}</text>')
_DOT = Markup('<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>')
_POLYGON = Markup('<polygon points="{points}" fill="{colour}" fill-opacity="0.15" stroke="{colour}"/>')
_UPRIGHT = Markup('<g transform="translate(14 {y:.0f}) rotate(-90)">{text}</g>')

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 84, 130, 12, 48
LINE = 20
"""Height of a label."""


@dataclass(frozen=True, slots=True)
class Cloud:
    """Points of one kind, and where another source has their median."""

    label: str
    x: ArrayLike
    """Above zero: the axis is logarithmic."""
    y: ArrayLike
    colour: str
    published: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Clouds:
    """Clouds over a logarithmic axis that runs from right to left, so that better is up and to the right.

    The ellipse is that of the logarithm of x and of y. It is drawn without a script.
    """

    title: str
    x_label: str
    y_label: str
    clouds: Sequence[Cloud]
    caption: str = ""
    command: str = ""
    seed: int | None = None

    def html(self, identifier: str) -> Markup:
        """The body of the figure."""
        if not self.clouds:
            raise ValueError(f"figure {self.title!r} has no clouds")
        drawn = [_Drawn(cloud) for cloud in self.clouds]
        x_ticks = log_ticks([value for one in drawn for value in one.across])
        y_ticks = linear_ticks(around([max(value, 0.0) for one in drawn for value in one.up], LEAST))
        low, high, bottom, top = math.log(x_ticks[0]), math.log(x_ticks[-1]), y_ticks[0], y_ticks[-1]

        def place(x: float, y: float) -> tuple[float, float]:
            right, down = (high - math.log(x)) / (high - low), (top - max(y, bottom)) / (top - bottom)
            return LEFT + right * (WIDTH - LEFT - RIGHT), TOP + down * (HEIGHT - TOP - BOTTOM)

        parts = [_line(place(tick, bottom), place(tick, top)) for tick in x_ticks]
        parts += [_line(place(x_ticks[-1], tick), place(x_ticks[0], tick)) for tick in y_ticks]
        for tick in x_ticks:
            x, y = place(tick, bottom)
            parts.append(_text(x, y + 21, cell_text(tick), "middle", "var(--quiet)"))
        for tick in y_ticks:
            x, y = place(x_ticks[-1], tick)
            parts.append(_text(x - 6, y + 4, cell_text(tick), "end", "var(--quiet)"))
        parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, self.x_label, "middle", "var(--quiet)"))
        middle = (TOP + HEIGHT - BOTTOM) / 2
        label = _text(0, 0, self.y_label, "middle", "var(--quiet)")
        parts.append(_UPRIGHT.format(y=middle, text=label))
        labels: list[tuple[float, float, _Drawn]] = []
        for one in drawn:
            outline = " ".join(
                "{:.1f},{:.1f}".format(*place(x, y)) for x, y in zip(one.outline_x, one.outline_y, strict=True)
            )
            colour = both(one.cloud.colour)
            parts.append(_POLYGON.format(points=outline, colour=colour))
        for one in drawn:
            x, y = place(one.x, one.y)
            parts.append(_DOT.format(x=x, y=y, colour=both(one.cloud.colour)))
            if one.cloud.published is not None:
                parts.append(_cross(*place(*one.cloud.published), both(one.cloud.colour)))
            labels.append((x, y, one))
        for (x, y, one), shifted in zip(labels, moved_apart([(x, y) for x, y, _ in labels]), strict=True):
            parts.append(_text(x + 8, shifted + 4, one.cloud.label, "start", "var(--ink)"))
            if abs(shifted - y) > LINE / 2:
                parts.append(_line((x, y), (x + 7, shifted), "var(--quiet)"))
        return _BODY.format(
            identifier=identifier, width=WIDTH, height=HEIGHT, title=self.title, parts=Markup("").join(parts)
        )


class _Drawn:
    """The drawn parts of a cloud, in the units of its measures."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        drawn = shape(cloud.label, cloud.x, cloud.y)
        self.x, self.y = drawn.x, drawn.y
        self.outline_x, self.outline_y = drawn.outline_x, drawn.outline_y
        other = [] if cloud.published is None else [cloud.published]
        self.across = [self.x, *self.outline_x, *(point[0] for point in other)]
        self.up = [self.y, *self.outline_y, *(point[1] for point in other)]


def moved_apart(points: list[tuple[float, float]]) -> list[float]:
    """Heights of labels beside points, moved down until none covers another."""
    placed: list[tuple[float, float]] = []
    heights = [0.0] * len(points)
    for index in sorted(range(len(points)), key=lambda index: points[index][1]):
        x, y = points[index]
        for other_x, other_y in sorted(placed, key=lambda one: one[1]):
            if abs(other_x - x) < RIGHT and abs(other_y - y) < LINE:
                y = other_y + LINE
        placed.append((x, y))
        heights[index] = y
    return heights


def log_ticks(values: Sequence[float]) -> list[float]:
    """1, 2 and 5 times powers of ten, from below the least to above the largest."""
    powers = range(math.floor(math.log10(min(values))) - 1, math.ceil(math.log10(max(values))) + 1)
    marks = [float(f"{multiple * 10.0**power:.6g}") for power in powers for multiple in (1, 2, 5)]
    first = max(index for index, mark in enumerate(marks) if mark <= min(values))
    last = min(index for index, mark in enumerate(marks) if mark >= max(values))
    return marks[first : max(last, first + 1) + 1]


def _line(start: tuple[float, float], end: tuple[float, float], colour: str = "var(--line)") -> Markup:
    (x1, y1), (x2, y2) = start, end
    return _STROKE.format(x1=x1, y1=y1, x2=x2, y2=y2, colour=colour)


def _cross(x: float, y: float, colour: str) -> Markup:
    strokes = "".join(f"M{x - 5:.1f} {y - d:.1f}L{x + 5:.1f} {y + d:.1f}" for d in (5, -5))
    return _CROSS.format(strokes=strokes, colour=colour)


def _text(x: float, y: float, text: str, anchor: str, colour: str) -> Markup:
    return _TEXT.format(x=x, y=y, anchor=anchor, colour=colour, text=text)
