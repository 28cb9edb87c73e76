"""A cloud of points, as in throughput against delay: its median, and the ellipse of one standard deviation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["LEAST", "Shape", "around", "ellipse", "shape"]

CORNERS = 72
"""Number of corners of the polygon that draws an ellipse."""

LEAST = 0.1
"""Least part of the largest throughput that the axis of throughput against delay spans."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The drawn parts of a cloud, in the units of its measures."""

    x: float
    """Median."""
    y: float
    """Median."""
    outline_x: NDArray[np.float64]
    """Corners of the ellipse; none where there is one point only."""
    outline_y: NDArray[np.float64]


def ellipse(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ellipse of one standard deviation around the mean, as a closed polygon; none of a single point."""
    points = np.stack([np.asarray(x, dtype=np.float64).ravel(), np.asarray(y, dtype=np.float64).ravel()])
    if points.shape[1] < 2:
        return np.empty(0), np.empty(0)
    values, axes = np.linalg.eigh(np.cov(points, bias=True))
    turn = np.linspace(0, 2 * np.pi, CORNERS, endpoint=False)
    circle = np.stack([np.cos(turn), np.sin(turn)])
    outline = points.mean(axis=1, keepdims=True) + axes @ (np.sqrt(np.maximum(values, 0))[:, None] * circle)
    return outline[0], outline[1]


def shape(label: str, x: ArrayLike, y: ArrayLike) -> Shape:
    """The medians of a cloud and its ellipse, which is that of the logarithm of x and of y.

    Raises
    ------
    ValueError
        With the `label`, if there is no point, a number is NaN or infinite, or an x is not above zero.
    """
    across, up = (np.asarray(values, dtype=np.float64).ravel() for values in (x, y))
    if across.size != up.size or not across.size:
        raise ValueError(f"cloud {label!r}: {across.size} values of x for {up.size} of y")
    if not (np.isfinite(across).all() and np.isfinite(up).all() and (across > 0).all()):
        raise ValueError(f"cloud {label!r}: x is above 0, and neither holds NaN or infinity")
    outline_x, outline_y = ellipse(np.log(across), up)
    return Shape(float(np.median(across)), float(np.median(up)), np.exp(outline_x), outline_y)


def around(values: Sequence[float], least: float = 0.0) -> tuple[float, float]:
    """Limits of an axis for values: from zero if they reach down to it, else around them, so that they fill the axis.

    The span is at least `least` of the largest value, so that small differences do not look large.
    """
    low, high = min(values), max(values)
    if low <= 0.5 * high:
        return min(0.0, low), max(high + 0.06 * (high - min(low, 0.0)), 1e-9)
    span = max(high - low, least * abs(high))
    middle = (low + high) / 2
    return middle - 0.62 * span, middle + 0.62 * span
