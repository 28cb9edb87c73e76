"""Compares the claims with the measured numbers, and makes the tables of utilisation and response times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import ALL_CELLS, ClaimResult, Sheet, assess_all, geometric
from ackclock.studies.transocean.cells import MAIN, RENO, VARIANTS, name

if TYPE_CHECKING:
    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid

__all__ = ["assess_claims", "pages_sheet", "use_sheet"]

MEASURE = "utilisation_percent"
PAGE = "page_mean_ms"
SMALL = 10
"""The buffer at which variants differ most, per cent of a bandwidth-delay product."""

WEB_CLAIMS = ("web-differs", "web-compound")
"""Claims about the pages, over all buffers. The other claims are about utilisation with the smallest buffer."""
LOSS_BASED = ("highspeed", "scalable", "bic", "cubic", "htcp")
"""The high-speed variants that react to losses only, and not to delay."""


def assess_claims(grids: list[Grid], web: Grid) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``; `web` has the cells with pages, `grids` those without."""
    return assess_all(
        __package__,
        lambda name: _of_pages(web, name) if name in WEB_CLAIMS else _of_use(grids, name),
        lambda name: ALL_CELLS if name in WEB_CLAIMS else MAIN,
    )


def _of_use(grids: list[Grid], identifier: str) -> dict[str, Estimate]:
    """A claim about utilisation under every reading, with the smallest buffer."""
    measured = {}
    for grid in grids:
        for reading in grid.readings:
            choice, _, buffer = reading.name.partition("; ")
            if buffer == f"{SMALL} %":
                measured[choice] = _measure(grid, reading.name, identifier)
    return measured


def _measure(grid: Grid, reading: str, identifier: str) -> Estimate:
    reno = grid.values(reading, RENO.name, MEASURE)
    if identifier == "reno-low":
        return stats.mean(reno)
    if identifier == "all-better":
        others = [grid.values(reading, one.name, MEASURE) for one in VARIANTS if one is not RENO]
        return stats.mean(np.min(others, axis=0) - reno)
    return grid.difference(reading, identifier, RENO.name, MEASURE)


def _of_pages(web: Grid, identifier: str) -> dict[str, Estimate]:
    """A claim about pages over all buffers of the main reading, and in every cell."""
    names = [reading.name for reading in web.readings]
    main = [one for one in names if one.startswith(f"{MAIN}; ")]
    return {
        cell: _longer(web, some, identifier) for cell, some in ((ALL_CELLS, main), *((one, [one]) for one in names))
    }


def _longer(web: Grid, readings: list[str], identifier: str) -> Estimate:
    """Increase of page times, in %: of the worst variant over the best, or of CTCP over the loss-based variants."""
    logs = {one.name: web.log_ratios(readings, one.name, RENO.name, PAGE) for one in web.variants}
    if identifier == "web-differs":
        every = list(logs.values())
        return geometric(np.max(every, axis=0) - np.min(every, axis=0))
    return geometric(logs["compound"] - np.mean([logs[one] for one in LOSS_BASED if one in logs], axis=0))


def use_sheet(grids: list[Grid]) -> Sheet:
    """The utilisation by every variant, at every buffer and under every reading."""
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


def pages_sheet(web: Grid) -> Sheet:
    """The response times of the pages beside every variant, at every buffer and under every reading."""
    rows: list[list[object]] = []
    for reading in web.readings:
        choice, _, buffer = reading.name.partition("; ")
        for one in web.variants:
            mean = web.mean(reading.name, one.name, PAGE)
            others = [
                web.mean(reading.name, one.name, measure).value
                for measure in ("page_p50_ms", "page_p95_ms", MEASURE, "drop_rate_percent", "queue_delay_mean_ms")
            ]
            rows.append([choice, one.label, buffer, mean.value, mean.low, mean.high, *others])
    columns = ["reading", "variant", "buffer", "page ms", "low", "high", "median ms", "95 % ms"]
    columns += ["utilisation %", "lost %", "queueing ms"]
    caption = "Means over the replications; the median and the 95th percentile are those of the pages of a run."
    return Sheet("pages", "Response times of pages of 64 kB", columns, rows, caption)
