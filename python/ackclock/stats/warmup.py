"""Removal of the warm-up, the initial transient of a series."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ackclock.base.table import Table

__all__ = ["mser5", "warmup_end", "without_warmup"]

BATCH = 5
"""Number of values in a batch: the 5 of MSER-5."""

FEWEST_BATCHES = 10
"""Smallest number of batches for the rule."""

LAST_BATCHES = 5
"""Number of batches at the end that are always kept: fewer batches could be equal by chance and would then win."""


def mser5(values: ArrayLike) -> int | None:
    """The number of values to remove at the start of a series, by MSER-5.

    The marginal standard error rule (White 1997, *Simulation* 69(6)) cuts where the variance of the remaining values,
    divided by their number, is smallest. Removing more of the transient lowers the variance; removing steady values
    lowers the number. MSER-5 applies the rule to means of 5 values each (White, Cobb and Spratt 2000, Winter Simulation
    Conference).

    Parameters
    ----------
    values
        Evenly spaced in time, in any unit. The remainder after the last batch of 5 is ignored.

    Returns
    -------
    int or None
        A multiple of 5. None if there are fewer than 50 values, or if the series has no steady state. This is so if the
        best cut is in its second half (Hoad, Robinson and Davies 2008, Winter Simulation Conference). As in that paper,
        cuts that leave fewer than 5 means are not considered.

    Raises
    ------
    ValueError
        If a value is NaN or infinite.
    """
    series = np.asarray(values, dtype=np.float64).ravel()
    if not np.isfinite(series).all():
        raise ValueError("the series contains NaN or infinity")
    batches = series.size // BATCH
    if batches < FEWEST_BATCHES:
        return None
    means = series[: batches * BATCH].reshape(batches, BATCH).mean(axis=1)
    # Sums run backwards and relative to the last value, so that a constant end adds nothing, not even rounding errors.
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
        The series, in any unit; NaN values (empty cells) are removed.
    step_s
        For values that are not evenly spaced, such as those of the window probe: the values at every multiple of this
        number of seconds after the first are used.

    Returns
    -------
    float or None
        In seconds; None if the series has no steady state.

    Raises
    ------
    ValueError
        If the numbers of times and values differ, times decrease, a value is infinite, or the step is not above zero.
    """
    times, series = np.asarray(time_s, dtype=np.float64).ravel(), np.asarray(values, dtype=np.float64).ravel()
    if times.size != series.size:
        raise ValueError(f"{times.size} times have {series.size} values")
    times, series = times[~np.isnan(series)], series[~np.isnan(series)]
    if (np.diff(times) < 0).any():
        raise ValueError("the times of a series must not decrease")
    if step_s is not None:
        if not 0 < step_s < math.inf:
            raise ValueError(f"the step must be above zero and finite, not {step_s}")
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
        A table with a column ``time_s``.
    column
        Column from which the warm-up is determined; the rows are removed in all columns.
    after
        If given, exactly the rows before this time in seconds are removed.
    step_s
        See `warmup_end`; ignored with `after`.
    by
        Column that identifies the series, each of which has its own warm-up; ignored with `after`. The table is one
        series if it has no such column.

    Raises
    ------
    KeyError
        If the table lacks ``time_s`` or the column.
    ValueError
        If a series has no steady state (run longer, or give `after`), and as for `warmup_end`.
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
