"""Figures: timeouts and spurious timeouts, and quantiles of elapsed times, with both initial RTOs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Figure, Intervals, Row, colour_of
from ackclock.studies.framework.setups.wireless_bursts.cells import CELLS, NETWORKS, choose
from ackclock.studies.framework.setups.wireless_bursts.figures import per_buffer
from ackclock.studies.irto.verdicts import PAIRS, VARIANTS

if TYPE_CHECKING:
    from ackclock.studies.framework import Grid

__all__ = ["figures"]


def figures(grid: Grid, command: str) -> list[Figure]:
    """All figures of the main reading; the elapsed times and fairness are those of IW10."""
    counts = [_timeouts(grid, network.name, command) for network in NETWORKS]
    return [*counts, *per_buffer(grid, CELLS, tuple(reversed(PAIRS[10])), command)]


def _timeouts(grid: Grid, network: str, command: str) -> Figure:
    rows = [
        Row(cell.name, f"{one.label}, {what}", grid.mean(cell.name, one.name, measure), colour_of(index))
        for cell in choose(CELLS, networks=(network,))
        for index, one in enumerate(VARIANTS)
        for measure, what in (("rtos", "all"), ("spurious", "spurious"))
    ]
    caption = "Retransmission timers of the senders that expired, those of SYNs too, and those expired in vain."
    return Intervals(f"RTOs, {network}", "a run", rows, caption, command)
