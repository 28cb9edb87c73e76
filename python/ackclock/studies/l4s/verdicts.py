"""Compares the claims with the measured numbers, and makes the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import ALL_CELLS, ClaimResult, Sheet, assess_all, geometric
from ackclock.studies.l4s.cells import MIXED, RTTS, Cell, name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid

__all__ = ["MAIN", "assess_claims", "range_sheet", "tests_sheet"]

MAIN = "as published"
"""The main reading of the claims on one cell of the tests."""
SLOW_TO_FAST = (40, 120)
"""Rates at which a packet of 1500 bytes takes less than half a millisecond, Mbit/s."""

OVER_TESTS = {"bias": "dualpi2", "fifo-bias": "pfifo"}
"""Claims on all cells of the tests with a queue."""
OVER_RANGE: Mapping[str, tuple[str, str]] = {
    "low-mean": ("dualpi2", "first_mean_ms"),
    "low-p99": ("dualpi2", "first_p99_ms"),
    "low-p99-fast": ("dualpi2", "first_p99_ms"),
    "classic-mean": ("pie", "second_mean_ms"),
    "classic-p99": ("pie", "second_p99_ms"),
    "classic-ecn": ("pie", "first_percent"),
    "classic-ecn-most": ("pie", "first_percent"),
}
"""Claims on all cells of the range: the queue and the measure."""
ALONE = ("classic-mean", "classic-p99")
"""Claims on two flows of CUBIC, without Prague."""


def assess_claims(
    tests: Grid, choices: Grid | None, ranged: Grid, cells: Sequence[Cell], span: Sequence[Cell]
) -> list[ClaimResult]:
    """Every claim: `tests` has the published cells, `choices` some of them under other readings, `ranged` the range."""

    def measured(claim: str) -> dict[str, Estimate]:
        if claim.startswith("share-"):
            return _share(tests, choices, claim)
        if claim in OVER_TESTS:
            return _over(
                tests, [name(one) for one in cells if one.queue == OVER_TESTS[claim]], MIXED.name, "first_percent"
            )
        return _of_range(ranged, span, claim)

    return assess_all(__package__, measured, lambda claim: MAIN if claim.startswith("share-") else ALL_CELLS)


def _share(tests: Grid, choices: Grid | None, claim: str) -> dict[str, Estimate]:
    queue, rate, rtt = claim.removeprefix("share-").rsplit("-", 2)
    cell = name(Cell(queue, int(rate), int(rtt)))
    if cell not in {one.name for one in tests.readings}:
        return {}
    found = {MAIN: tests.mean(cell, MIXED.name, "first_percent")}
    if choices is not None and cell in {one.name for one in choices.readings}:
        found |= {one.name: choices.mean(cell, one.name, "first_percent") for one in choices.variants}
    return found


def _over(grid: Grid, names: Sequence[str], variant: str, measure: str) -> dict[str, Estimate]:
    """The mean over cells, and every cell; nothing without a cell."""
    if not names:
        return {}
    return {ALL_CELLS: stats.mean(grid.over(names, variant, measure))} | {
        one: grid.mean(one, variant, measure) for one in names
    }


def _of_range(ranged: Grid, span: Sequence[Cell], claim: str) -> dict[str, Estimate]:
    if claim in OVER_RANGE:
        queue, measure = OVER_RANGE[claim]
        wanted = [one for one in span if one.queue == queue]
        if claim.endswith("-fast"):
            wanted = [one for one in wanted if one.rate in SLOW_TO_FAST]
        return _over(ranged, [name(one) for one in wanted], "cubic" if claim in ALONE else MIXED.name, measure)
    names = [name(one) for one in span if one.queue == "dualpi2"]
    logs = {one: _log_ratio(ranged, one) for one in names}
    if claim == "equal":
        return {ALL_CELLS: _factor(np.mean([*logs.values()], axis=0))} | {
            one: _factor(log) for one, log in logs.items()
        }
    worst = np.exp(np.max([np.abs(log) for log in logs.values()], axis=0))
    return {ALL_CELLS: stats.mean(worst)} | {one: stats.mean(np.exp(np.abs(log))) for one, log in logs.items()}


def _log_ratio(grid: Grid, reading: str) -> NDArray[np.float64]:
    first, second = (grid.values(reading, MIXED.name, f"{one}_mbps") for one in ("first", "second"))
    return np.asarray(np.log(first / second), dtype=np.float64)


def _factor(logs: NDArray[np.float64]) -> Estimate:
    """A geometric mean of ratios."""
    change = geometric(logs).scaled(0.01)
    return stats.Estimate(1 + change.value, 1 + change.low, 1 + change.high, change.n, method=change.method)


def tests_sheet(tests: Grid) -> Sheet:
    """The published cells: rates and queueing delays of every pair."""
    return _sheet("tests", "The cells of the tests of 2020", tests)


def range_sheet(ranged: Grid) -> Sheet:
    """The range: rates and queueing delays."""
    caption = f"Round-trip times of {min(RTTS)} to {max(RTTS)} ms. Queueing delays leave out the packet's own time."
    return _sheet("range", "Rates and round-trip times", ranged, caption)


MEASURES = ("first_mbps", "second_mbps", "first_mean_ms", "first_p99_ms", "second_mean_ms", "second_p99_ms")


def _sheet(slug: str, title: str, grid: Grid, caption: str = "") -> Sheet:
    rows: list[list[object]] = [
        [one.name, pair.label]
        + [grid.mean(one.name, pair.name, measure).value for measure in (*MEASURES, "utilisation_percent")]
        for one in grid.readings
        for pair in grid.variants
    ]
    columns = ["cell", "first and second", "first Mbit/s", "second Mbit/s", "first queueing ms", "99 %"]
    columns += ["second queueing ms", "99 % ", "utilisation %"]
    return Sheet(slug, title, columns, rows, caption or "Means over the replications.")
