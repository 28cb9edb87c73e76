"""Events of a run as marks and spans above lines over time: losses, timeouts, recoveries, outages of links."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ackclock.report.figures import Lane, Series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.base.table import Table

__all__ = ["MOST_MARKS", "Events", "events_of"]

MOST_MARKS = 120
"""Events of one kind that are marked in a panel; more of them would cover each other."""

FEW = 40
"""Events of one kind that a panel has room for."""

NEUTRAL = "#5b6470"
"""The colour of a kind of event in the legend: in the plot, events have the colours of their flows."""

OUTAGE = "#7a7a7a"

MARKS = {
    "recovery_started": ("loss detected", "v"),
    "timeout": ("RTO", "X"),
    "ecn_reduction": ("reduction after a mark", "d"),
    "delay_reduction": ("reduction by delay", "d"),
    "undone": ("undone", "^"),
    "probe_sent": ("tail loss probe", ">"),
    "reordering_timeout": ("reordering timeout", "s"),
}
"""Events of a flow, with their names in the legend and their markers."""

MAIN = ("timeout",)
"""The events that every panel has; the panel of the window has all."""

STARTS = ("recovery_started", "timeout", "ecn_reduction", "delay_reduction")
ENDS = ("recovery_ended", "undone")


@dataclass(frozen=True, slots=True)
class Events:
    """Marks and spans of a panel, the lanes that they are in, and what was left out."""

    series: Sequence[Series] = ()
    lanes: Sequence[Lane] = ()
    note: str = ""


@dataclass(slots=True)
class _Kind:
    """Times of one kind of event, with the lane of each."""

    times: list[NDArray[np.float64]] = field(default_factory=list)
    lanes: list[NDArray[np.intp]] = field(default_factory=list)

    def add(self, times: NDArray[np.float64], lane: int) -> None:
        self.times.append(times)
        self.lanes.append(np.full(len(times), lane))


def events_of(
    table: Table | None,
    flows: Mapping[str, str],
    *,
    main: bool = False,
    start: float = -np.inf,
    end: float = np.inf,
) -> Events:
    """The events of a run in a panel.

    Parameters
    ----------
    table
        The table `events` of a run.
    flows
        The flows of the panel, and the colour of each.
    main
        Only timeouts and outages, for panels that are not about the window.
    start, end
        The stretch of time that is drawn, in seconds.
    """
    if table is None or not len(table):
        return Events()
    time, name = table["time_s"].astype(np.float64), table["event"]
    lanes = [Lane(flow, colour) for flow, colour in flows.items()]
    marks: dict[str, _Kind] = {}
    recoveries: list[tuple[float, float, int]] = []
    for lane, flow in enumerate(flows):
        mine = table["flow"] == flow
        for event in MAIN if main else MARKS:
            found = time[mine & (name == event)]
            if found.size:
                marks.setdefault(event, _Kind()).add(found, lane)
        if not main:
            recoveries += [(*span, lane) for span in _spans(time[mine], name[mine], STARTS, ENDS)]
    series: list[Series] = []
    told: list[str] = []
    outages: list[tuple[float, float, int]] = []
    links = dict.fromkeys(link for link in table["link"] if isinstance(link, str) and link) if "link" in table else {}
    for link in links:
        down = table["link"] == link
        outages += [
            (*span, len(lanes)) for span in _spans(time[down], name[down], ("outage_started",), ("outage_ended",))
        ]
        lanes.append(Lane(f"link {link}", OUTAGE))
    for label, colour, spans in (("outage", OUTAGE, outages), ("recovery", NEUTRAL, recoveries)):
        if spans:
            drawn = [span for span in spans if span[0] <= end and not span[1] < start]
            joined = _merged(drawn, MOST_MARKS)
            if len(joined) < len(drawn):
                told.append(f"{len(drawn):,} times of {label} are drawn as {len(joined)}, with close ones joined")
            x, to, lane_of = np.array(joined, dtype=np.float64).reshape(-1, 3).T
            nothing = np.full(len(x), np.nan)
            series.append(Series(label, x, nothing, colour, "spans", to=to, lane=lane_of, count=len(spans)))
    for event, kind in marks.items():
        times, places = np.concatenate(kind.times), np.concatenate(kind.lanes)
        label, marker = MARKS[event]
        total = len(times)
        inside = (times >= start) & (times <= end)
        times, places = times[inside], places[inside]
        kept = _spread(times, MOST_MARKS)
        if len(kept) < len(times):
            told.append(f"{len(kept)} of {len(times):,} times of {label} are marked")
        x, y = times[kept], np.full(len(kept), np.nan)
        series.append(Series(label, x, y, NEUTRAL, "marks", marker=marker, lane=places[kept], count=total))
    if not series:
        return Events()
    if any((one.count or 0) > FEW for one in series):
        told.append("marks that would cover each other are drawn once, and more appear when you zoom in")
    note = f"Events: {'; '.join(told)}." if told else ""
    return Events(series, lanes, note)


def _spans(
    time: NDArray[np.float64], name: NDArray[np.object_], starts: Sequence[str], ends: Sequence[str]
) -> list[tuple[float, float]]:
    """Stretches from an event to the one that ends it; NaN is the end of what has not ended."""
    found: list[tuple[float, float]] = []
    begun: float | None = None
    for at, event in zip(time.tolist(), name.tolist(), strict=True):
        if event in starts and begun is None:
            begun = at
        elif event in ends and begun is not None:
            found.append((begun, at))
            begun = None
    if begun is not None:
        found.append((begun, np.nan))
    return found


def _merged(spans: list[tuple[float, float, int]], most: int) -> list[tuple[float, float, int]]:
    """At most so many spans: those of one lane that are closest to each other become one."""
    spans = sorted(spans, key=lambda span: (span[2], span[0]))
    if len(spans) <= most:
        return spans
    gaps = [later[0] - earlier[1] if later[2] == earlier[2] else np.inf for earlier, later in pairwise(spans)]
    joined = {*np.argsort(gaps, kind="stable")[: len(spans) - most].tolist()}
    found: list[tuple[float, float, int]] = []
    for at, span in enumerate(spans):
        if at - 1 in joined and gaps[at - 1] < np.inf:
            found[-1] = (found[-1][0], span[1], span[2])
        else:
            found.append(span)
    return found


def _spread(times: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Places of at most so many times: the first of each of equal parts of the time between the first and the last."""
    order = np.argsort(times, kind="stable")
    if len(times) <= most:
        return order
    inside = times[order]
    part = np.floor((inside - inside[0]) / ((inside[-1] - inside[0]) or 1) * (most - 1))
    return order[np.flatnonzero(np.diff(part, prepend=-1) > 0)]
