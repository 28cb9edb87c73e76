"""Goodput of BBR, CUBIC and Reno under random loss, as in figure 7: where BBR gives way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock import stats
from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.studies.bbr_when.cells import BBR, CUBIC
from ackclock.studies.framework import Reading, Sheet, Variant

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ackclock.results.result import Result
    from ackclock.scenario import Text
    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid

__all__ = ["LOSSES", "QUICK_LOSSES", "VARIANTS", "cliff", "figure", "measures", "name", "readings", "sheet"]

RENO = Variant("reno", "Reno", {"flows[0].cc": "reno"})
VARIANTS = (CUBIC, BBR, RENO)

LOSSES = (0, 1, 2, 3, 6, 12, 18, 27, 36, 45, 50)
"""Loss rates in per cent: those of the replication by Datta and Fund, which span those of the paper."""
BEFORE, BEYOND = 18, 27
"""The loss rates on both sides of the cliff, per cent."""
QUICK_LOSSES = (BEFORE, BEYOND)
LINK_MBPS = 100


def name(loss: int) -> str:
    """The reading of a loss rate in per cent."""
    return f"{loss} % lost"


def readings(text: Text, losses: Iterable[int]) -> list[Reading]:
    """Every loss rate."""
    return [Reading(name(loss), text, {"bottleneck.loss": f"{loss}%"}) for loss in losses]


def measures(result: Result) -> dict[str, float]:
    """Goodput of the flow."""
    return {"goodput_mbps": next(result.flows.rows())["goodput_bps"] / 1e6}


def cliff(grid: Grid) -> Estimate:
    """BBR's goodput beyond the cliff over that before it."""
    beyond, before = (grid.values(name(loss), BBR.name, "goodput_mbps") for loss in (BEYOND, BEFORE))
    return stats.mean(beyond / before)


def _losses(grid: Grid) -> list[int]:
    return [int(one.name.split()[0]) for one in grid.readings]


def figure(grid: Grid, command: str) -> Figure:
    """Goodput over the loss rate."""
    losses = _losses(grid)
    series = []
    for index, one in enumerate(VARIANTS):
        means = [grid.mean(name(loss), one.name, "goodput_mbps") for loss in losses]
        low, high = [mean.low for mean in means], [mean.high for mean in means]
        middle = [mean.value for mean in means]
        series.append(Series(one.label, losses, middle, colour_of(index), "interval", low, high))
    possible = [LINK_MBPS * (1 - loss / 100) for loss in losses]
    series.append(Series("what the path can carry", losses, possible, "#777777", dashed=True))
    caption = "100 Mbit/s, 25 ms, a buffer of 10 MB. The paper's cliff of BBR is at 20 %."
    return Plot("Goodput under random loss", "loss (%)", "goodput (Mbit/s)", series, caption, command)


def sheet(grid: Grid) -> Sheet:
    """Goodput at every loss rate."""
    rows: list[list[object]] = [
        [loss, *(grid.mean(name(loss), one.name, "goodput_mbps").value for one in VARIANTS)] for loss in _losses(grid)
    ]
    columns = ["lost %", *(f"{one.label} Mbit/s" for one in VARIANTS)]
    return Sheet("random-loss", "Goodput under random loss", columns, rows, "Means over the replications.")
