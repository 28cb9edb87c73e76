"""Columns of many numbers as short texts: the page's script unpacks them (``web/src/model.ts``)."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["packed"]


def packed(values: ArrayLike, parts: int) -> dict[str, Any]:
    """A column as differences of whole numbers, each in as few bytes as it needs, in base64.

    Parameters
    ----------
    values
        Finite numbers.
    parts
        The parts of one that numbers are rounded to: 1000 keeps three decimal places.

    Raises
    ------
    ValueError
        If a value is not finite, or too large for whole numbers that JavaScript keeps exactly.
    """
    scaled = np.round(np.asarray(values, dtype=np.float64).ravel() * parts)
    if not (np.abs(scaled) < 2**52).all():
        raise ValueError("a packed column holds NaN, infinity or a number of more than 15 digits")
    steps = np.diff(scaled.astype(np.int64), prepend=0)
    # Zigzag: small numbers of either sign become small ones without a sign.
    left = np.where(steps < 0, -2 * steps - 1, 2 * steps)
    groups = []
    while True:
        more = left >= 128
        groups.append((left & 127) | np.where(more, 128, 0))
        if not more.any():
            break
        left >>= 7
    table = np.stack(groups, axis=1).astype(np.uint8) if steps.size else np.empty((0, 1), dtype=np.uint8)
    # A group is written if all groups before it say that another follows.
    used = np.ones(table.shape, dtype=bool)
    used[:, 1:] = np.logical_and.accumulate(table[:, :-1] >= 128, axis=1)
    return {"deltas": base64.b64encode(table[used].tobytes()).decode("ascii"), "unit": 1 / parts}
