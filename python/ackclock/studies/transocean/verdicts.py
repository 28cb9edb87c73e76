"""The claims against what was measured, under every reading, and the table of utilisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.claims import ClaimResult, assess, load_claims
from ackclock.studies.study import Sheet, page
from ackclock.studies.transocean.cells import MAIN, RENO, VARIANTS, name

if TYPE_CHECKING:
    from ackclock.stats import Estimate
    from ackclock.studies.grid import Grid

__all__ = ["assess_claims", "use_sheet"]

MEASURE = "utilisation_percent"
SMALL = 10
"""The buffer at which variants differ most, per cent of a bandwidth-delay product."""


def assess_claims(grids: list[Grid]) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``: all are about the smallest buffer."""
    claims = load_claims(page(__package__, "claims.toml"))
    results = []
    for identifier, claim in claims.items():
        measured = {}
        for grid in grids:
            for reading in grid.readings:
                choice, _, buffer = reading.name.partition("; ")
                if buffer == f"{SMALL} %":
                    measured[choice] = _measure(grid, reading.name, identifier)
        results.append(assess(claim, measured, MAIN))
    return results


def _measure(grid: Grid, reading: str, identifier: str) -> Estimate:
    reno = grid.values(reading, RENO.name, MEASURE)
    if identifier == "reno-low":
        return stats.mean(reno)
    if identifier == "all-better":
        others = [grid.values(reading, one.name, MEASURE) for one in VARIANTS if one is not RENO]
        return stats.mean(np.min(others, axis=0) - reno)
    return grid.difference(reading, identifier, RENO.name, MEASURE)


def use_sheet(grids: list[Grid]) -> Sheet:
    """How every variant used the link, at every buffer and under every reading."""
    rows: list[list[object]] = []
    for grid in grids:
        for reading in grid.readings:
            choice, _, buffer = reading.name.partition("; ")
            for one in grid.variants:
                used = grid.mean(reading.name, one.name, MEASURE)
                others = [
                    grid.mean(reading.name, one.name, measure).value
                    for measure in ("drop_rate_percent", "queue_delay_mean_ms", "timeouts")
                ]
                rows.append([choice, one.label, buffer, used.value, used.low, used.high, *others])
    columns = ["reading", "variant", "buffer", "utilisation %", "low", "high", "lost %", "queueing ms", "RTOs"]
    return Sheet(
        "utilisation", "Utilisation", columns, rows, f"Means over the replications; {name(SMALL)} decides claims."
    )
