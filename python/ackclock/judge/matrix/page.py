"""A matrix as a page: a choice of maps for each network, and tables of who starves whom."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ackclock import _core
from ackclock.judge.matrix.matrix import MAPS
from ackclock.report import Report
from ackclock.report.choice import Choice
from ackclock.report.heatmap import HeatMap
from ackclock.report.words import interval_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.judge.matrix.matrix import Map, Matrix
    from ackclock.judge.matrix.networks import Network
    from ackclock.stats import Estimate

__all__ = ["BESIDE_COLUMNS", "beside", "how", "page", "starved", "told"]

BESIDE_COLUMNS = [
    "row", "column", "share of the row (%)", "harm to the column's goodput (%)", "harm to its delay (%)",
    "harm to its losses (%)", "queueing delay, median (ms)", "row retransmits (%)",
]  # fmt: skip
BESIDE_MAPS = ("share", "harm_goodput", "harm_delay", "harm_loss", "delay", "loss")
STARVED = 5.0
"""Share of the goodput, in per cent, below which a flow starves; the page lists the pairs."""
MOST_STARVED = 40
"""Pairs of a network that the page lists."""


def page(matrix: Matrix, command: str = "") -> Report:
    """The page, to be written."""
    rows = ", ".join(matrix.against) if matrix.against else f"{len(matrix.contestants)} congestion controls"
    report = Report(
        f"Matrix: {rows}",
        subtitle=f"each beside each other and alone; ackclock {_core.version()}",
        command=command,
    )
    report.open_with(how(matrix))
    for network in matrix.networks:
        options = [(one.label, found) for one in MAPS if (found := _map(matrix, network, one)) is not None]
        if options:
            report.add_figure(
                Choice(
                    network.title,
                    "number",
                    options,
                    caption="Rows and columns are in the order of their mean share over all networks. On the diagonal "
                    "an algorithm is beside itself, and its share is that of the slower flow.",
                )
            )
    for network in matrix.networks:
        if matrix.against:
            report.add_table(f"{network.title}: beside each", BESIDE_COLUMNS, beside(matrix, network, matrix.against))
        starving = starved(matrix, network)
        if starving:
            columns = ["starves", "beside", "share (%)"]
            caption = f"Pairs in which the mean share of one flow is below {STARVED:g} %, at most {MOST_STARVED}."
            report.add_table(f"{network.title}: starvation", columns, starving, caption=caption, folded=True)
    if matrix.failures:
        report.add_text("# Runs that failed\n\n" + "\n".join(f"- {one}" for one in matrix.failures))
    return report


def how(matrix: Matrix) -> str:
    """Describes how the numbers were made, as a list in Markdown."""
    seeds = f"{len(matrix.seeds)} seed{'s' if len(matrix.seeds) != 1 else ''}"
    return (
        f"- Two bulk flows start within a second of each other and share a drop-tail bottleneck for "
        f"{matrix.duration_s:g} s; the first {matrix.warm_up_s:g} s do not count, except for retransmissions and "
        f"utilisation. A number is the mean over {seeds}.\n"
        "- Harm is that of Ware, Mukerjee, Seshan and Sherry (HotNets 2019): with x alone and y beside the other, "
        "(x - y)/x where more is better, and (y - x)/y where less is better. A negative harm is a gain, stated down "
        "to -100 %. Two flows that share equally do a harm of 50 % to each other's goodput.\n"
        "- The queueing delay is that of the bottleneck, sampled every 500 ms."
    )


def beside(matrix: Matrix, network: Network, rows: Sequence[str]) -> list[list[str]]:
    """A line for each of some rows beside each contestant, with the columns `BESIDE_COLUMNS`."""
    maps = [next(one for one in MAPS if one.name == name) for name in BESIDE_MAPS]
    return [
        [row, column, *(told(matrix.cell(one, network.name, row, column)) for one in maps)]
        for row in rows
        for column in matrix.ordered()
    ]


def told(one: Estimate | None) -> str:
    """A mean with its interval; a dash if no run has the number."""
    if one is None:
        return "-"
    # Numbers below a billionth are the noise of sums.
    value, low, high = (0.0 if abs(number) < 1e-9 else number for number in (one.value, one.low, one.high))
    return interval_text(value, low, high)


def starved(matrix: Matrix, network: Network) -> list[list[str]]:
    """The pairs in which a flow has less than `STARVED` per cent: who, beside whom, and the share."""
    found = []
    for row in matrix.ordered():
        for column in matrix.ordered():
            cell = matrix.cell(MAPS[0], network.name, row, column)
            if cell is not None and cell.value < STARVED:
                found.append((cell.value, row, column))
    return [[row, column, f"{value:.2f}"] for value, row, column in sorted(found)[:MOST_STARVED]]


def _map(matrix: Matrix, network: Network, one: Map) -> HeatMap | None:
    """A map of a network; None if no run has the number."""
    rows, columns = matrix.rows()[::-1], matrix.ordered()
    cells = {
        (x, y): found
        for y, row in enumerate(rows)
        for x, column in enumerate(columns)
        if (found := matrix.cell(one, network.name, row, column)) is not None and math.isfinite(found.value)
    }
    if not cells:
        return None
    return HeatMap("column", "row", columns, rows, cells, one.unit, middle=one.middle, dense=True)
