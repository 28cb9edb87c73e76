"""Compares the claims with the measured numbers under every reading, and makes the tables."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.bbr_share.cells import (
    ALONE,
    DEEP,
    FAST,
    MAIN,
    REPLICATED,
    SIXTEEN,
    SLOW,
    TEN,
    beside,
    cell_of,
    modelled,
    path,
    path_of,
    ten_name,
)
from ackclock.studies.bbr_share.model import share
from ackclock.studies.framework import ClaimResult, Sheet, assess_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.bbr_share.cells import Cell
    from ackclock.studies.framework import Grid, Kind

__all__ = ["Measured", "assess_claims", "crossing", "model_percent", "shares_sheet", "ten_sheet"]

VARIANT = ALONE[0].name
SHARE = "bbr_percent"
BLOATED = 16
"""The shortest queue of the simple model, bandwidth-delay products."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The grids of a run; the main readings come first. A quick run has none of the fast path."""

    pairs: Sequence[Grid]
    """BBR beside loss-based flows over the slow path."""
    tens: Sequence[Grid]
    """Ten flows."""
    fast: Grid | None = None
    """BBR beside one CUBIC flow over the fast path."""


def assess_claims(measured: Measured) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    return assess_all(__package__, lambda identifier: _of_claim(measured, identifier), MAIN, kind_of)


def kind_of(reading: str) -> Kind:
    """The kind of a reading: one of the two paths, or an assumption."""
    return "cell" if reading in (SLOW, FAST) else "assumption"


def model_percent(cell: Cell, where: str = SLOW) -> float:
    """The share of all BBR flows of a cell by the model over one of the paths, per cent."""
    bbr, _, _, queue = cell
    return 100 * share(path(queue, where), bbr)


def _choices(grids: Sequence[Grid]) -> list[tuple[Grid, str]]:
    return [
        (grid, choice)
        for grid in grids
        for choice in dict.fromkeys(one.name.partition("; ")[0] for one in grid.readings)
    ]


def _of_claim(measured: Measured, identifier: str) -> dict[str, Estimate]:
    """The estimates for a claim under every reading that has its cells."""
    if identifier.startswith("ten-"):
        return {
            choice: _ten(grid, choice, identifier)
            for grid, choice in _choices(measured.tens)
            if _has(grid, choice, identifier)
        }
    if identifier == "model-fast":
        return {} if measured.fast is None else {MAIN: stats.mean(_median(_errors(measured.fast, FAST, "cubic")))}
    found = {}
    for grid, choice in _choices(measured.pairs):
        values = _pair(grid, choice, identifier)
        if values is not None:
            found[choice] = stats.mean(values)
    if identifier == "model-cubic" and measured.fast is not None:
        slow, fast = _errors(measured.pairs[0], MAIN, "cubic"), _errors(measured.fast, FAST, "cubic")
        found |= {MAIN: stats.mean(_median([*slow, *fast]))}
        found |= {SLOW: stats.mean(_median(slow)), FAST: stats.mean(_median(fast))}
    return found


def _pair(grid: Grid, choice: str, identifier: str) -> NDArray[np.float64] | None:
    """One number a seed for a claim, or none where the reading lacks the cells."""
    names = [one.name for one in grid.readings]
    if identifier.startswith("model-"):
        cc = identifier.rpartition("-")[2]
        errors = _errors(grid, choice, cc, alone=identifier == "model-one-cubic")
        return _median(errors) if errors else None
    if identifier == "half":
        deep = [name for name, (bbr, _, _, queue) in modelled(names, "cubic", choice) if bbr == 1 and queue >= BLOATED]
        return np.asarray(np.max([grid.values(name, VARIANT, SHARE) for name in deep], axis=0), dtype=np.float64)
    one, sixteen = (grid.values(beside(1, many, "cubic", DEEP, choice), VARIANT, SHARE) for many in (1, SIXTEEN))
    return sixteen if identifier == "sixteen" else one - sixteen


def _errors(grid: Grid, choice: str, cc: str, *, alone: bool = False) -> list[NDArray[np.float64]]:
    """The distances from the model in points of a choice's cells beside a congestion control, one number a seed.

    With `alone`, they are those of the cells beside one flow.
    """
    cells = modelled([one.name for one in grid.readings], cc, choice)
    return [
        np.abs(grid.values(name, VARIANT, SHARE) - model_percent(cell, path_of(name)))
        for name, cell in cells
        if cell[1] == 1 or not alone
    ]


def _median(distances: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The median over cells, one number a seed."""
    return np.asarray(np.median(distances, axis=0), dtype=np.float64)


def _has(grid: Grid, choice: str, identifier: str) -> bool:
    """Whether a reading has the mix that a claim is about."""
    number = identifier.rpartition("-")[2]
    return not number.isdigit() or any(one.name == ten_name(int(number), choice) for one in grid.readings)


def _ten(grid: Grid, choice: str, identifier: str) -> Estimate:
    if identifier == "ten-crossing":
        return crossing(grid, choice)
    if identifier == "ten-falls":
        bbr, cubic = (grid.values(ten_name(TEN - 1, choice), VARIANT, f"{who}_mbps") for who in ("bbr", "cubic"))
        return stats.mean(bbr / cubic)
    _, who, number = identifier.split("-")
    return grid.mean(ten_name(int(number), choice), VARIANT, f"{who}_mbps")


def crossing(grid: Grid, choice: str = MAIN) -> Estimate:
    """The number of BBR flows of ten at which a BBR flow and a CUBIC flow get as much: between the numbers measured.

    It is that of the last BBR flow if BBR flows have more with any number, and the first number if they never have.
    """
    numbers = [number for number in range(1, TEN) if any(one.name == ten_name(number, choice) for one in grid.readings)]
    ahead = np.array(
        [
            grid.values(ten_name(number, choice), VARIANT, "bbr_mbps")
            - grid.values(ten_name(number, choice), VARIANT, "cubic_mbps")
            for number in numbers
        ]
    )
    return stats.mean(np.array([_first_zero(numbers, column) for column in ahead.T]))


def _first_zero(numbers: Sequence[int], ahead: NDArray[np.float64]) -> float:
    if ahead[0] <= 0:
        return float(numbers[0])
    for (left, right), (above, below) in zip(pairwise(numbers), pairwise(ahead), strict=True):
        if below <= 0:
            return float(left + (right - left) * above / (above - below))
    return float(numbers[-1])


def shares_sheet(grids: Sequence[Grid]) -> Sheet:
    """The share of every cell, measured and by the model."""
    rows: list[list[object]] = []
    for grid in grids:
        for reading in grid.readings:
            cell = cell_of(reading.name)
            measured = grid.mean(reading.name, VARIANT, SHARE)
            others = [grid.mean(reading.name, VARIANT, one).value for one in ("queue_delay_ms", "dropped_percent")]
            choice = reading.name.partition("; ")[0]
            model = model_percent(cell, path_of(reading.name))
            rows.append([choice, *cell, model, measured.value, measured.low, measured.high, *others])
    columns = ["reading", "BBR flows", "others", "control", "queue BDP", "model %", "measured %", "low", "high"]
    columns += ["queueing ms", "dropped %"]
    caption = "The part of all BBR flows together in what is delivered. Means over the replications."
    return Sheet("shares", "BBR's share", columns, rows, caption)


def ten_sheet(grids: Sequence[Grid]) -> Sheet:
    """The goodput of a flow in every mix of ten, measured and replicated, and BBR's share by the model."""
    rows: list[list[object]] = []
    for grid in grids:
        for reading in grid.readings:
            choice, _, mix = reading.name.partition("; ")
            number = int(mix.split()[0])
            told = [REPLICATED["bbr"][number - 1], REPLICATED["cubic"][number - 1] if number < TEN else ""]
            means = [grid.mean(reading.name, VARIANT, f"{who}_mbps").value for who in ("bbr", "cubic")]
            others = [grid.mean(reading.name, VARIANT, one).value for one in ("queue_delay_ms", "dropped_percent")]
            rows.append([choice, number, told[0], means[0], told[1], means[1] if number < TEN else "", *others])
    columns = ["reading", "BBR flows", "BBR replicated", "BBR Mbit/s", "CUBIC replicated", "CUBIC Mbit/s"]
    columns += ["queueing ms", "dropped %"]
    return Sheet("ten", "Goodput of a flow in mixes of ten", columns, rows, "Means over the replications.")
