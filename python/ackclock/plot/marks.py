"""Marks of events in figures over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ackclock.plot.canvas import INK, figure_of
from ackclock.plot.palette import COLOURS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ackclock.base.table import Table
    from ackclock.plot.flows import Look
    from ackclock.results.result import Result

__all__ = ["MOST", "mark"]

MOST = 100
"""The largest number of marks of one kind: in each hundredth of the time, the first event of the kind is marked."""

HEIGHT = 0.97
"""Height of the marks of the first flow, as a fraction of the axes."""

ROW = 6.5
"""Distance in points from the marks of a flow to those of the next flow."""

MOST_ROWS = 6
"""The largest number of flows that have rows of their own. The marks of more flows share a row."""


@dataclass(frozen=True)
class Kind:
    """The look of the events of one kind."""

    label: str
    marker: str
    colour: str


KINDS = {
    "recovery_started": Kind("loss detected", "v", COLOURS["vermillion"]),
    "ecn_reduction": Kind("ECN reduction", "s", COLOURS["purple"]),
    "delay_reduction": Kind("delay reduction", "D", COLOURS["azure"]),
    "timeout": Kind("timeout", "X", "#000000"),
    "undone": Kind("undone", "o", COLOURS["green"]),
    "recovery_ended": Kind("recovery ended", "|", COLOURS["blue"]),
}
"""The events of flows that are marked. Probes and reordering timeouts are left to the table."""

OUTAGE: dict[str, Any] = {"color": "#909090", "alpha": 0.25, "linewidth": 0}


def mark(axes: Axes, result: Result, flows: Mapping[str, Look]) -> list[Artist]:
    """Marks the events of flows at the top of the axes and shades outages of links.

    Each of several flows has a row of marks in its colour, above the lines; the legend then has the markers in grey.
    The marks of a single flow, and of more flows than there is room for, have the colours of their kinds.

    Returns the entries of the legend for all marks on the axes, those of other runs included. Runs without the table
    ``events`` have no marks.
    """
    table = result.tables.get("events")
    rows = len(flows) if 1 < len(flows) <= MOST_ROWS else 1
    if table is not None and len(table):
        drawn = _draw(axes, table, flows, rows)
        if drawn and rows > 1:
            low, high = axes.get_ylim()
            axes.set_ylim(low, low + (high - low) / (1 - min(0.5, rows * _row(axes))))
    labels = {str(one.get_label()) for one in (*axes.collections, *axes.patches)}
    entries: list[Artist] = [
        Line2D(
            [],
            [],
            linestyle="",
            marker=kind.marker,
            color=INK if rows > 1 else kind.colour,
            markersize=3.5,
            label=kind.label if rows > 1 or len(flows) == 1 else f"{kind.label}, any flow",
        )
        for event, kind in KINDS.items()
        if f"_{event}" in labels
    ]
    if "_outage" in labels:
        entries.append(Patch(label="outage", **OUTAGE))
    return entries


def _draw(axes: Axes, table: Table, shown: Mapping[str, Look], rows: int) -> bool:
    """Draws the marks; whether there are any."""
    # Marks are in units of the axes and must not change the limits.
    limits = axes.dataLim.frozen()
    names = list(shown)
    members = [[name] for name in names] if rows > 1 else [names]
    drawn = False
    for row, mine_of in enumerate(members):
        mine = np.isin(table["flow"].astype(str), mine_of)
        for event, kind in KINDS.items():
            times = thinned(table["time_s"][mine & (table["event"] == event)], table["time_s"])
            if len(times):
                colour = shown[mine_of[0]].style.colour if rows > 1 else kind.colour
                look: dict[str, Any] = {"marker": kind.marker, "color": colour}
                place: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "zorder": 3}
                height = np.full(len(times), HEIGHT - _row(axes) * row)
                axes.scatter(times, height, s=12, linewidths=0.8, label=f"_{event}", **look, **place)
                drawn = True
    for start, end in outages(table):
        axes.axvspan(start, end, zorder=0, label="_outage", **OUTAGE)
    axes.dataLim.set(limits)
    return drawn


def _row(axes: Axes) -> float:
    """The distance of two rows as a fraction of the axes."""
    return ROW / (72 * float(axes.get_position().height) * float(figure_of(axes).get_figheight()))


def thinned(times: NDArray[Any], all_times: NDArray[Any]) -> NDArray[Any]:
    """The first of the ascending times in each of `MOST` equal parts of the time from the first event to the last."""
    if len(times) <= MOST:
        return times
    part = np.floor(MOST * (times - all_times[0]) / (all_times[-1] - all_times[0]))
    return times[np.unique(np.minimum(part, MOST - 1), return_index=True)[1]]


def outages(table: Table) -> list[tuple[float, float]]:
    """The times in which a link is down, each once; an outage that does not end lasts up to the last event."""
    found: set[tuple[float, float]] = set()
    began: dict[str, float] = {}
    for row in table.rows():
        if row["event"] == "outage_started":
            began[row["link"]] = row["time_s"]
        elif row["event"] == "outage_ended":
            found.add((began.pop(row["link"], table["time_s"][0]), row["time_s"]))
    last = table["time_s"][-1]
    return sorted(found | {(start, last) for start in began.values()})
