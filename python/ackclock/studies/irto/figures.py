"""Figures: timeouts and spurious timeouts, quantiles of elapsed times, and one-way delays, with both initial RTOs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Figure, Intervals, Row, colour_of
from ackclock.studies.framework.setups.wireless_bursts.cells import CELLS, NETWORKS, choose
from ackclock.studies.framework.setups.wireless_bursts.figures import per_buffer, pooled_delays
from ackclock.studies.irto.verdicts import PAIRS, VARIANTS

if TYPE_CHECKING:
    from ackclock.studies.framework import Grid, Lab
    from ackclock.studies.framework.setups.wireless_bursts.cells import Grids

__all__ = ["figures"]


DRAWN = choose(CELLS, flows=(1, 6))
"""The cells whose one-way delays are drawn: those that the slides show in the comparison of initial windows."""


def figures(lab: Lab, grids: Grids, command: str) -> list[Figure]:
    """All figures of the main reading; elapsed times, fairness and one-way delays are those of IW10."""
    grid, pair = grids.main, tuple(reversed(PAIRS[10]))
    counts = [_timeouts(grid, network.name, command) for network in NETWORKS]
    delays = pooled_delays(lab, DRAWN, pair, grids.seeds, command)
    return [*counts, *per_buffer(grid, CELLS, pair, command), *delays]


def _timeouts(grid: Grid, network: str, command: str) -> Figure:
    rows = [
        Row(cell.name, f"{one.label}, {what}", grid.mean(cell.name, one.name, measure), colour_of(index))
        for cell in choose(CELLS, networks=(network,))
        for index, one in enumerate(VARIANTS)
        for measure, what in (("rtos", "all"), ("spurious", "spurious"))
    ]
    caption = "Retransmission timers of the senders that expired, those of SYNs too, and those expired in vain."
    return Intervals(f"RTOs, {network}", "a run", rows, caption, command)
