"""Removing the warm-up: what a series shows before it is in its steady state."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ackclock.table import Table

__all__ = ["mser5", "warmup_end", "without_warmup"]

BATCH = 5
"""Values a batch: the 5 of MSER-5."""

FEWEST_BATCHES = 10
"""Of a series that the rule is applied to."""

LAST_BATCHES = 5
"""Batches that are never all cut: fewer that happen to be alike would win."""


def mser5(values: ArrayLike) -> int | None:
    """How many values at the start of a series to leave out, by MSER-5.

    The marginal standard error rule (White 1997, *Simulation* 69(6)) cuts where the variance of what is left, over its
    number, is smallest: leaving out more of the transient lowers the variance, leaving out steady values the number.
    MSER-5 applies it to the means of 5 values each (White, Cobb and Spratt 2000, Winter Simulation Conference).

    Parameters
    ----------
    values
        Evenly spaced in time, in any unit; what is left of the last 5 is not looked at.

    Returns
    -------
    int or None
        A multiple of 5. None when the series has no steady state to show: the best cut is in its second half (Hoad,
        Robinson and Davies 2008, Winter Simulation Conference; cuts that leave fewer than 5 means are not looked at,
        as there), or there are fewer than 50 values.

    Raises
    ------
    ValueError
        If a value is NaN or infinite.
    """
    series = np.asarray(values, dtype=np.float64).ravel()
    if not np.isfinite(series).all():
        raise ValueError("the series holds NaN or infinity")
    batches = series.size // BATCH
    if batches < FEWEST_BATCHES:
        return None
    means = series[: batches * BATCH].reshape(batches, BATCH).mean(axis=1)
    # From the end backwards, relative to the last value: what stays constant then adds nothing, not even rounding.
    backwards = (means - means[-1])[::-1]
    left = np.arange(1, batches + 1)
    squares = np.cumsum(backwards**2) - np.cumsum(backwards) ** 2 / left
    rule = (np.maximum(squares, 0) / left**2)[::-1]
    cut = int(np.argmin(rule[: batches - LAST_BATCHES + 1]))
    return cut * BATCH if cut <= batches / 2 else None


def warmup_end(time_s: ArrayLike, values: ArrayLike, *, step_s: float | None = None) -> float | None:
    """The time of the first value in the steady state, by MSER-5.

    Parameters
    ----------
    time_s
        Times of the values, ascending, in seconds.
    values
        The series, in any unit; NaN (an empty cell) is left out.
    step_s
        For values that are not evenly spaced, such as those of the window probe: take the value that holds at every
        multiple of this many seconds after the first.

    Returns
    -------
    float or None
        In seconds; None when the series shows no steady state.

    Raises
    ------
    ValueError
        If there are not as many times as values, times fall, a value is infinite, or the step is not above zero.
    """
    times, series = np.asarray(time_s, dtype=np.float64).ravel(), np.asarray(values, dtype=np.float64).ravel()
    if times.size != series.size:
        raise ValueError(f"{times.size} times have {series.size} values")
    times, series = times[~np.isnan(series)], series[~np.isnan(series)]
    if (np.diff(times) < 0).any():
        raise ValueError("the times of a series do not fall")
    if step_s is not None:
        if not 0 < step_s < math.inf:
            raise ValueError(f"a step is above zero and finite, not {step_s}")
        if times.size:
            grid = times[0] + step_s * np.arange(int((times[-1] - times[0]) / step_s) + 1)
            times, series = grid, series[np.searchsorted(times, grid, side="right") - 1]
    cut = mser5(series)
    return None if cut is None else float(times[cut])


def without_warmup(
    table: Table, column: str, *, after: float | None = None, step_s: float | None = None, by: str = "flow"
) -> Table:
    """The rows of a time series, such as ``result.window``, without its warm-up.

    Parameters
    ----------
    table
        With a column ``time_s``.
    column
        The column in which the warm-up shows; rows are cut in all columns.
    after
        Leave out the rows before this time, in seconds, and nothing else.
    step_s
        Without `after`: see `warmup_end`.
    by
        Without `after`: the column that tells series apart, each with a warm-up of its own; the table is one series if
        it has no such column.

    Raises
    ------
    KeyError
        If the table lacks ``time_s`` or the column.
    ValueError
        If a series shows no steady state (run longer, or give `after`), or what `warmup_end` refuses.
    """
    times = table["time_s"]
    series = table[column]
    if after is not None:
        return table.where(times >= after)
    kept = np.zeros(len(table), dtype=bool)
    names: NDArray[np.object_] = table[by] if by in table else np.full(len(table), "", dtype=object)
    for name in dict.fromkeys(names.tolist()):
        mine = names == name
        end = warmup_end(times[mine], series[mine], step_s=step_s)
        if end is None:
            whose = f"{by} {name}: " if by in table else ""
            raise ValueError(
                f"{whose}{column} shows no steady state in {np.count_nonzero(mine)} rows; run longer, or give after="
            )
        kept |= mine & (times >= end)
    return table.where(kept)
