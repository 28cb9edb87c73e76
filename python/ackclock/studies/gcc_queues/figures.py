"""Figures: the queueing delay and the loss of the call over every queue, and its rate beside the other traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Figure, Intervals, Row, colour_of
from ackclock.studies.gcc_queues.cells import MAIN_MS, QUEUES, TRAFFIC, Cell, name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.studies.framework import Grid

__all__ = ["delays", "rates"]

FIGURE_MBPS = 1
"""The rate of the link in the figures."""


def delays(grid: Grid, cells: Sequence[Cell], command: str) -> Figure:
    """The 95th percentile of the call's queueing delay, by traffic and queue."""
    return _figure(grid, cells, command, "queue_p95_ms", "Queueing delay of the call", "95th percentile (ms)")


def rates(grid: Grid, cells: Sequence[Cell], command: str) -> Figure:
    """The call's rate, by traffic and queue."""
    return _figure(grid, cells, command, "call_mbps", "Rate of the call", "rate (Mbit/s)")


def _figure(grid: Grid, cells: Sequence[Cell], command: str, measure: str, title: str, axis: str) -> Figure:
    rows = [
        Row(cell.traffic, queue.label, grid.mean(name(cell), queue.name, measure), colour_of(index))
        for cell in (Cell(traffic, FIGURE_MBPS) for traffic in TRAFFIC)
        if cell in cells
        for index, queue in enumerate(QUEUES)
    ]
    caption = (
        f"{FIGURE_MBPS} Mbit/s, 50 ms, a drop-tail buffer of {MAIN_MS} ms; 95 % intervals over replications. Groups "
        "are the traffic beside the call."
    )
    return Intervals(title, axis, rows, caption, command)
