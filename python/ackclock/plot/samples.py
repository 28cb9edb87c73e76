"""Figures of samples by scheme, as pure functions of numbers.

A scheme is an algorithm or a variant of one; its name determines its colour, marker and dash (see
`ackclock.plot.palette`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D

from ackclock.plot.canvas import INK, axes_or, legend, logarithmic, paper, words
from ackclock.plot.cloud import LEAST, around, shape
from ackclock.plot.palette import solid_where_colours_differ, styles_of
from ackclock.plot.series import share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from ackclock.stats import Estimate

__all__ = ["benefit_curves", "cdfs", "throughput_delay"]


def throughput_delay(
    samples: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    published: Mapping[str, tuple[float, float]] | None = None,
    x_label: str = "queueing delay (ms)",
    y_label: str = "throughput (Mbit/s)",
    ax: Axes | None = None,
) -> Axes:
    """Throughput against delay: for each scheme, the median and the ellipse of one standard deviation.

    The delay axis is logarithmic and runs from right to left, so that better values are at the top right (as in
    Winstein and Balakrishnan, SIGCOMM 2013). The throughput axis begins at zero, unless all throughputs are close
    together. The ellipse is that of the logarithm of the delay and of the throughput.

    Parameters
    ----------
    samples
        Delays above zero and the corresponding throughputs of each scheme.
    published
        Medians of schemes from another source, drawn as crosses.
    x_label, y_label
        Labels of the axes, with their units.
    ax
        Axes to draw on; by default those of a new figure.
    """
    styles = styles_of(_some(samples))
    shapes = {name: shape(name, *points) for name, points in samples.items()}
    strangers = sorted({*(published or {})} - {*samples})
    if strangers:
        raise ValueError(f"published has {', '.join(strangers)}, for which samples has no entry")
    with paper():
        axes = axes_or(ax, 2.6)
        for name, one in shapes.items():
            colour = styles[name].colour
            axes.fill(one.outline_x, one.outline_y, facecolor=f"{colour}26", edgecolor=colour, linewidth=0.9, zorder=2)
        for name, one in shapes.items():
            style = styles[name]
            # A star fills only half of the area of a square of the same size.
            size = 8.5 if style.marker == "*" else 5.5
            dot: dict[str, Any] = {
                "color": style.colour,
                "marker": style.marker,
                "markersize": size,
                "linestyle": "none",
            }
            axes.plot(
                [one.x], [one.y], label=words(name), zorder=3, markeredgecolor="white", markeredgewidth=0.5, **dot
            )
        for name, point in (published or {}).items():
            axes.plot(
                *([value] for value in point), "x", color=styles[name].colour, label=f"_{name} published", zorder=4
            )
        logarithmic(axes)
        axes.set(xlabel=x_label, ylabel=y_label)
        up = [value for one in shapes.values() for value in (one.y, *one.outline_y)]
        axes.set_ylim(around([*up, *(point[1] for point in (published or {}).values())], LEAST))
        if not axes.xaxis_inverted():
            axes.invert_xaxis()
        cross = Line2D([], [], color=INK, marker="x", linestyle="none", label="published")
        legend(axes, [cross] if published else ())
    return axes


def cdfs(
    samples: Mapping[str, ArrayLike],
    *,
    x_label: str,
    y_label: str = "cumulative share",
    log: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """The empirical distribution of each scheme's sample: the share of its numbers that are at most x.

    Infinite numbers count as larger than all others, so a curve may end below 1. NaN is an error.
    """
    styles = solid_where_colours_differ(styles_of(_some(samples)))
    with paper():
        axes = axes_or(ax)
        for name, sample in samples.items():
            x, y = share(sample)
            if not x.size or np.isnan(x).any() or x[0] == -np.inf or (log and x[0] <= 0):
                what = "numbers above 0, for a logarithmic axis" if log else "numbers"
                raise ValueError(f"{name}: a sample must contain {what}, and at least one")
            finite = np.isfinite(x)
            x, y = x[finite], y[finite]
            style = styles[name]
            line: dict[str, Any] = {
                "color": style.colour,
                "linestyle": style.linestyle,
                "marker": style.marker,
                "markersize": 3.0,
            }
            axes.step(
                np.append(x[:1], x),
                np.append(0.0, y),
                where="post",
                label=words(name),
                markevery=max(1, x.size // 8),
                clip_on=False,
                **line,
            )
        if log:
            logarithmic(axes)
        axes.set(xlabel=x_label, ylabel=y_label, ylim=(0, 1.02))
        legend(axes)
    return axes


def benefit_curves(
    curves: Mapping[str, Mapping[float, Estimate]],
    *,
    x_label: str,
    y_label: str = "benefit (%)",
    log: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """A number of each scheme over a parameter, with its confidence interval as a band, and a line at zero.

    Estimates are drawn unchanged: convert them to the unit of `y_label` first (`Estimate.scaled`). The band has a gap
    where an estimate has no interval. `log` selects a logarithmic axis of the parameter.
    """
    styles = solid_where_colours_differ(styles_of(_some(curves)))
    with paper():
        axes = axes_or(ax)
        axes.axhline(0, color="#909090", linewidth=0.8, zorder=1)
        for name, curve in curves.items():
            if not curve:
                raise ValueError(f"{name}: a curve needs at least one point")
            style = styles[name]
            places = sorted(curve)
            value, low, high = (
                np.array([getattr(curve[at], part) for at in places], dtype=np.float64)
                for part in ("value", "low", "high")
            )
            axes.fill_between(places, low, high, color=style.colour, alpha=0.18, linewidth=0, zorder=2)
            line: dict[str, Any] = {"color": style.colour, "linestyle": style.linestyle, "marker": style.marker}
            # A marker at the end of the axis is whole.
            axes.plot(places, value, label=words(name), zorder=3, clip_on=False, **line)
        if log:
            logarithmic(axes, [at for curve in curves.values() for at in curve])
        axes.set(xlabel=x_label, ylabel=y_label)
        legend(axes)
    return axes


def _some(samples: Mapping[str, object]) -> list[str]:
    if not samples:
        raise ValueError("no scheme is given; a figure needs at least one")
    return list(samples)
