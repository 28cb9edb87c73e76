"""Compares the claims with the measured numbers, and makes the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.calls_together.cells import (
    BUFFERS,
    CONTROLS,
    DISRUPTION,
    FOUR,
    GCC,
    LEVELS,
    LOW,
    MAIN,
    PAIRS,
    SAME,
    TCP,
    TWO,
    wanted,
)
from ackclock.studies.framework import ClaimResult, Sheet, assess_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Kind

__all__ = ["assess_claims", "main_names", "sheets"]

DEFINITIONS: Mapping[str, str] = {
    "90 % of the rate before": "recovery_90_s",
    "99 % of the rate before": "recovery_99_s",
}
BBR = "BBR for CUBIC"


def kind_of(reading: str) -> Kind:
    """The kind of a reading: rates, other controls and other traffic are cells."""
    if reading in DEFINITIONS:
        return "definition"
    cells = {*CONTROLS, BBR, *(f"{rate:g} Mbit/s" for rate in (*LEVELS, *LOW))}
    return "cell" if reading in cells else "assumption"


def assess_claims(grids: Mapping[str, Grid], *, quick: bool) -> list[ClaimResult]:
    """Every claim, by rate, control and reading. `grids` has the grid of each experiment."""
    return assess_all(__package__, lambda claim: _of_claim(grids, claim, quick=quick), MAIN, kind_of)


def _of_claim(grids: Mapping[str, Grid], claim: str, *, quick: bool) -> dict[str, Estimate]:
    if claim in ("recovery-least", "recovery-most"):
        return _recovery(grids[DISRUPTION], quick=quick)
    if claim not in ESTIMATES:
        return {}
    experiment, estimate = ESTIMATES[claim]
    grid, named = grids[experiment], _named(experiment, quick=quick)
    # The queue of a claim on FQ-CoDel alone has no buffer of the reading.
    left_out = BUFFERS if claim in ("flow-queueing", "aqm-loss") else ()
    found = {label: estimate(grid, names) for label, names in named.items() if label not in left_out}
    if claim == "prioritise":
        found |= {one: stats.mean(grid.over(named[MAIN], one, "spread")) for one in CONTROLS if one != GCC}
    return found


def _named(experiment: str, *, quick: bool) -> dict[str, list[str]]:
    """The readings of a claim: label to the names of the grid's readings, over which it is."""
    found: dict[str, list[str]] = {}
    rates = LEVELS if experiment == DISRUPTION else LOW
    for one in wanted(experiment, quick=quick):
        if experiment != FOUR and one.rate not in rates:
            continue
        found.setdefault(one.choice, []).append(one.name)
        if one.choice == MAIN and experiment != FOUR:
            found[f"{one.rate:g} Mbit/s"] = [one.name]
    return found


def _recovery(grid: Grid, *, quick: bool) -> dict[str, Estimate]:
    named = _named(DISRUPTION, quick=quick)
    found = {label: stats.mean(grid.over(names, GCC, "recovery_s")) for label, names in named.items()}
    for control in CONTROLS:
        if control != GCC:
            found[control] = stats.mean(grid.over(named[MAIN], control, "recovery_s"))
    for label, measure in DEFINITIONS.items():
        found[label] = stats.mean(grid.over(named[MAIN], GCC, measure))
    return found


def _unfair(grid: Grid, names: Sequence[str]) -> Estimate:
    shares = [grid.over(names, pair.name, "largest_percent") for pair in PAIRS if pair.name != SAME]
    return stats.mean(np.max(shares, axis=0)).within(50.0, 100.0)


def _difference(queue: str, against: str, measure: str) -> Callable[[Grid, Sequence[str]], Estimate]:
    return lambda grid, names: stats.paired_difference(*(grid.over(names, one, measure) for one in (queue, against)))


def _level(variant: str, measure: str) -> Callable[[Grid, Sequence[str]], Estimate]:
    return lambda grid, names: stats.mean(grid.over(names, variant, measure))


ESTIMATES: Mapping[str, tuple[str, Callable[[Grid, Sequence[str]], Estimate]]] = {
    "unfair": (TWO, _unfair),
    "prioritise": (FOUR, _level(GCC, "spread")),
    "flow-queueing": (TCP, _level("fq-codel", "jain")),
    "aqm-delay": (TCP, _difference("codel", "drop-tail", "delay_mean_ms")),
    "aqm-loss": (TCP, _level("fq-codel", "loss_percent")),
}
"""Claims to their experiment and estimate. Claims on Zoom and on the server of a conference have none."""

OF_DISRUPTION = (
    "recovery_s",
    "recovery_90_s",
    "before_mbps",
    "during_mbps",
    "during_ms",
    "loss_percent",
    "freezes",
    "freeze_s",
)
BESIDE = (
    "call_mbps",
    "other_mbps",
    "call_percent",
    "largest_percent",
    "spread",
    "used_percent",
    "delay_mean_ms",
    "delay_p95_ms",
    "loss_percent",
    "freezes",
)
COLUMNS: Mapping[str, Sequence[str]] = {
    DISRUPTION: (
        "recovery s",
        "90 % s",
        "before Mbit/s",
        "during Mbit/s",
        "delay during ms",
        "loss %",
        "freezes",
        "frozen s",
    ),
}
OF_OTHERS = (
    "call Mbit/s",
    "others Mbit/s",
    "call %",
    "largest %",
    "largest/smallest",
    "used %",
    "delay ms",
    "95 %",
    "loss %",
    "freezes",
)
CAPTIONS: Mapping[str, str] = {
    DISRUPTION: "A call whose uplink has this capacity from 120 to 150 s.",
    TWO: "Two calls, the second of which begins after 30 s; rates from 90 s on.",
    TCP: "A call and an upload that begins after 30 s; rates from 90 s on.",
    FOUR: "Four calls at 3 Mbit/s, one every 20 s; rates from 120 s on.",
}


def sheets(grids: Mapping[str, Grid]) -> list[Sheet]:
    """A table of every measure for each experiment."""
    return [_sheet(experiment, grid) for experiment, grid in grids.items()]


def _sheet(experiment: str, grid: Grid) -> Sheet:
    measures = OF_DISRUPTION if experiment == DISRUPTION else BESIDE
    rows: list[list[object]] = []
    for one in grid.readings:
        choice, _, rate = one.name.split("; ")
        for variant in grid.variants:
            numbers = [grid.mean(one.name, variant.name, measure).value for measure in measures]
            rows.append([choice, rate, variant.label, *numbers])
    columns = ["reading", "link", "", *COLUMNS.get(experiment, OF_OTHERS)]
    title = experiment[0].upper() + experiment[1:]
    return Sheet(experiment.replace(" ", "-").lower(), title, columns, rows, CAPTIONS[experiment])


def main_names(experiment: str, *, quick: bool) -> list[str]:
    """The readings that decide the verdicts of an experiment."""
    return _named(experiment, quick=quick)[MAIN]
