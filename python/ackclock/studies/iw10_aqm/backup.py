"""The two backup slides: the later burst of six flows on HSPA with each queue and both initial windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.report import Figure, Intervals, Row, colour_of
from ackclock.stats import Estimate
from ackclock.studies.framework.setups.wireless_bursts.cells import choose
from ackclock.studies.framework.setups.wireless_bursts.measures import QUARTILES
from ackclock.studies.framework.setups.wireless_bursts.windows import VARIANTS
from ackclock.studies.iw10_aqm.queues import CELLS, FIFO_CELLS

if TYPE_CHECKING:
    from ackclock.studies.framework import Grid

__all__ = ["SLIDES", "backup_figures"]

SLIDES = choose((*FIFO_CELLS, *CELLS), networks=("HSPA",), flows=(6,))
"""The cells of the two slides: a FIFO queue with the buffer of RED, RED and REDok."""


def backup_figures(grid: Grid, command: str) -> list[Figure]:
    """Elapsed times and fairness of the later burst, by queue and initial window, as on the backup slides."""
    kinds = [(cell, index, one) for cell in SLIDES for index, one in enumerate(VARIANTS)]
    elapsed = [
        Row(cell.buffer, one.label, _quartiles(grid, cell.name, one.name), colour_of(index))
        for cell, index, one in kinds
    ]
    fairness = [
        Row(cell.buffer, one.label, grid.mean(cell.name, one.name, "later_fairness"), colour_of(index))
        for cell, index, one in kinds
    ]
    what = "HSPA, 6+6 flows, later burst"
    return [
        Intervals(
            f"Elapsed time by queue, {what}",
            "elapsed time (s)",
            elapsed,
            "Median and quartiles of the flows' elapsed times over all replications.",
            command,
        ),
        Intervals(
            f"Fairness by queue, {what}", "Jain's index", fairness, "Means with 95 % intervals. 1 is fair.", command
        ),
    ]


def _quartiles(grid: Grid, cell: str, variant: str) -> Estimate:
    """The median of the elapsed times, with the quartiles as the ends of the interval."""
    runs = [grid.values(cell, variant, f"later_q{quartile}_s") for quartile in QUARTILES]
    low, middle, high = (float(part) for part in np.percentile(np.concatenate(runs), (25, 50, 75)))
    return Estimate(middle, low, high, len(runs[0]), method="percentile")
