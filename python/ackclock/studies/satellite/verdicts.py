"""Compares the claims with the measured numbers under every reading, and makes the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import ClaimResult, Sheet, assess_all
from ackclock.studies.satellite.cells import HSTCP, MAIN, MODERATE, PLAYOUTS, mos_of, name

if TYPE_CHECKING:
    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid

__all__ = ["assess_claims", "calls_sheet", "sheet"]

SMALL, LARGE = 10, 200
"""Queues that a moderate one is compared with, per cent of a bandwidth-delay product."""


def assess_claims(grids: list[Grid]) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    return assess_all(__package__, lambda name: _of_claim(grids, name), MAIN)


def _of_claim(grids: list[Grid], identifier: str) -> dict[str, Estimate]:
    """The estimates for a claim under every reading that has its queues."""
    measured = {}
    for grid in grids:
        have = {one.name for one in grid.readings}
        for choice in dict.fromkeys(one.name.partition("; ")[0] for one in grid.readings):
            if {name(queue, choice) for queue in _queues(identifier)} <= have:
                measured[choice] = _measure(grid, choice, identifier)
    if identifier == "moderate-mos":
        measured |= {f"play-out of {playout}": _calls(grids[0], MAIN, mos_of(playout)) for playout in PLAYOUTS}
    return measured


def _queues(identifier: str) -> tuple[int, ...]:
    """The queues that a claim is about."""
    return {"moderate-use": (MODERATE, SMALL), "moderate-mos": (MODERATE, LARGE)}.get(identifier, (MODERATE,))


def _measure(grid: Grid, choice: str, identifier: str) -> Estimate:
    at = name(MODERATE, choice)
    if identifier == "moderate-use":
        return _over_variants(grid, at, name(SMALL, choice), "utilisation_percent")
    if identifier == "moderate-mos":
        return _calls(grid, choice, "mos")
    if identifier == "hstcp":
        others = [grid.values(at, one.name, "ftp_mbps") for one in grid.variants if one.name != HSTCP.name]
        return stats.mean(grid.values(at, HSTCP.name, "ftp_mbps") - np.max(others, axis=0))
    return grid.change(at, identifier, HSTCP.name, "ftp_mbps")


def _calls(grid: Grid, choice: str, measure: str) -> Estimate:
    return _over_variants(grid, name(MODERATE, choice), name(LARGE, choice), measure)


def _over_variants(grid: Grid, reading: str, against: str, measure: str) -> Estimate:
    """The mean over all variants of the difference between two queues, over paired seeds."""
    pairs = [grid.values(reading, one.name, measure) - grid.values(against, one.name, measure) for one in grid.variants]
    return stats.mean(np.mean(pairs, axis=0))


COLUMNS = {
    "ftp_mbps": "4 FTP Mbit/s",
    "hftp_mbps": "HFTP Mbit/s",
    "ftp64_mbps": "64-packet FTP Mbit/s",
    "utilisation_percent": "utilisation %",
    "web_s": "web page s",
    "http_s": "64 kB page s",
    "queue_delay_mean_ms": "queueing ms",
    "mos": "MOS",
    "call_loss_percent": "call loss %",
    "mouth_to_ear_ms": "mouth to ear ms",
}
"""Measure to the name of its column."""


def sheet(grids: list[Grid]) -> Sheet:
    """Every measure of every variant, at every queue and under every reading."""
    caption = "Means over the replications; pages: medians; the call with the play-out that suited it best."
    columns = ["reading", "variant", "queue", *COLUMNS.values()]
    return Sheet("measures", "What everybody got", columns, _rows(grids, list(COLUMNS)), caption)


def calls_sheet(grids: list[Grid]) -> Sheet:
    """The call with every play-out time."""
    columns = ["reading", "variant", "queue", *PLAYOUTS]
    rows = _rows(grids, [mos_of(playout) for playout in PLAYOUTS])
    return Sheet("calls", "MOS of the call by play-out time", columns, rows, "Means over the replications.")


def _rows(grids: list[Grid], measures: list[str]) -> list[list[object]]:
    rows: list[list[object]] = []
    for grid in grids:
        for reading in grid.readings:
            choice, _, queue = reading.name.partition("; ")
            for one in grid.variants:
                means = [grid.mean(reading.name, one.name, measure).value for measure in measures]
                rows.append([choice, one.label, queue, *means])
    return rows
