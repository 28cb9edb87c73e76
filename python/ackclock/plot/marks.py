"""Marks of events in figures over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ackclock.plot.palette import OKABE_ITO

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ackclock.base.table import Table
    from ackclock.results.result import Result

__all__ = ["MOST", "mark"]

MOST = 100
"""The largest number of marks of one kind: in each hundredth of the time, the first event of the kind is marked."""

HEIGHT = 0.97
"""Height of the marks, as a fraction of the axes."""


@dataclass(frozen=True)
class Kind:
    """The look of the events of one kind."""

    label: str
    marker: str
    colour: str


KINDS = {
    "recovery_started": Kind("loss detected", "v", OKABE_ITO["vermillion"]),
    "ecn_reduction": Kind("ECN reduction", "s", OKABE_ITO["purple"]),
    "delay_reduction": Kind("delay reduction", "D", OKABE_ITO["sky"]),
    "timeout": Kind("timeout", "X", "#000000"),
    "undone": Kind("undone", "o", OKABE_ITO["green"]),
    "recovery_ended": Kind("recovery ended", "|", OKABE_ITO["blue"]),
}
"""The events of flows that are marked. Probes and reordering timeouts are left to the table."""

OUTAGE: dict[str, Any] = {"color": "#909090", "alpha": 0.25, "linewidth": 0}


def mark(axes: Axes, result: Result, flows: Iterable[str]) -> list[Artist]:
    """Marks the events of flows at the top of the axes and shades outages of links.

    Returns the entries of the legend for all marks on the axes, those of other runs included. Runs without the table
    ``events`` have no marks.
    """
    table = result.tables.get("events")
    if table is not None and len(table):
        _draw(axes, table, set(flows))
    labels = {str(one.get_label()) for one in (*axes.collections, *axes.patches)}
    entries: list[Artist] = [
        Line2D([], [], linestyle="", marker=kind.marker, color=kind.colour, markersize=3.5, label=kind.label)
        for event, kind in KINDS.items()
        if f"_{event}" in labels
    ]
    if "_outage" in labels:
        entries.append(Patch(label="outage", **OUTAGE))
    return entries


def _draw(axes: Axes, table: Table, shown: set[str]) -> None:
    # Marks are in units of the axes and must not change the limits.
    limits = axes.dataLim.frozen()
    mine = np.array([flow in shown for flow in table["flow"]])
    for event, kind in KINDS.items():
        times = thinned(table["time_s"][mine & (table["event"] == event)], table["time_s"])
        if len(times):
            look: dict[str, Any] = {"marker": kind.marker, "color": kind.colour}
            place: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "zorder": 3}
            axes.scatter(times, np.full(len(times), HEIGHT), s=12, linewidths=0.8, label=f"_{event}", **look, **place)
    for start, end in outages(table):
        axes.axvspan(start, end, zorder=0, label="_outage", **OUTAGE)
    axes.dataLim.set(limits)


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
