"""Traces of a run as panels that share the time axis. Their size is bounded, however much was recorded."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ackclock.plot import series as tables
from ackclock.plot.buffers import buffer_of, stalls_of
from ackclock.plot.flows import looks, other_colours
from ackclock.plot.palette import COLOURS
from ackclock.report.choice import Choice, Panels
from ackclock.report.experiment.events import Events, events_of
from ackclock.report.figures import Plot, Series
from ackclock.report.tables import cell_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ackclock.base.table import Table
    from ackclock.report.figures import Kind
    from ackclock.results.result import Result
    from ackclock.store import Store

__all__ = ["CAPACITY_OF", "DRAWN", "MOST_FLOWS", "MOST_PACKETS", "TRACES", "panels", "runs_over_time", "thin", "traced"]

TRACES = ("window", "rates", "queues", "dash_segments", "packets")
"""The tables that are drawn over time."""

DRAWN = ("flows", "links", "sack_blocks", "events", *TRACES)

STALL = COLOURS["vermillion"]
"""The colour of the marks of stalls."""

MOST_FLOWS = 6
"""Flows, or links, of a panel."""

FEWEST = 160
"""Points to which a line is thinned at most: fewer would not show what it does."""

MOST = 800
"""Points of a line that are enough for any screen."""

MOST_PACKETS = 60_000
"""Points of all time-sequence graphs in one file: about 300 kB. People zoom into them, down to single segments."""

DIGITS = 5
SEQUENCE_PARTS = (10**6, 10**3)
"""Parts of a second and of a kilobyte in the time-sequence graph: microseconds and bytes."""
DOTTED = (1.2, 1.2)
SEQUENCE = "Time-sequence graph"
CAPACITY = "#7a7a7a"
CAPACITY_OF = "capacity of "
"""The label of a link's capacity begins so."""


@dataclass(frozen=True, slots=True)
class View:
    """Part of a run that is drawn, and its resolution."""

    most: int
    """Points of a line."""
    packets: int
    """Points of the time-sequence graph."""
    start: float = -np.inf
    end: float = np.inf
    """The stretch of time, in seconds."""
    flow: str | None = None
    """The flow that is drawn alone; None for all that have room."""

    def cut(self, x: NDArray[np.float64]) -> slice:
        """Places of the points of this stretch of time, and of one more on each side, of times in order."""
        first, last = np.searchsorted(x, [self.start, self.end], side="left").tolist()
        return slice(max(0, first - 1), last + 1)

    def bins(self, x: NDArray[np.float64]) -> int:
        """The number of bins over all times of which this stretch has `most`."""
        if not x.size or not self.end - self.start < x[-1] - x[0]:
            return self.most
        return min(len(x), int(self.most * (x[-1] - x[0]) / max(self.end - self.start, 1e-9)))

    @property
    def one_more(self) -> View:
        """The view with one more point in each line, for the edges of bins."""
        return replace(self, most=self.most + 1)


def traced(store: Store) -> bool:
    """Whether a run of the store can be drawn over time."""
    return any(name in store.tables for name in TRACES)


def runs_over_time(store: Store, budget: int, command: str) -> tuple[Choice | None, str]:
    """The first run of points spread over the sweep, to choose from; what was left out is said.

    Parameters
    ----------
    store
        Of one sweep.
    budget
        Points of all lines together.
    command
        Repeats it.
    """
    rows = list(
        store.sql(
            "SELECT point, min_by(run, seed) AS run, min(seed) AS seed FROM runs WHERE status = 'done' "
            "GROUP BY point ORDER BY point"
        ).rows()
    )
    if not rows or not traced(store):
        return None, ""
    competing = store.sweeps[0].competing
    # Every run as the first: of one scenario, they have about as many lines.
    first = panels(store.result(rows[0]["run"], DRAWN), FEWEST, FEWEST, competing=competing)
    lines = max(1, sum(len(plot.series) for plot in first if plot.title != SEQUENCE))
    count = max(1, min(len(rows), budget // (FEWEST * lines)))
    most = max(FEWEST, min(MOST, budget // (count * lines)))
    places = np.unique(np.linspace(0, len(rows) - 1, count).round().astype(int))
    options = []
    for place in places:
        row = rows[place]
        params = store.sweeps[0].points[row["point"]]
        told = ", ".join(f"{name} = {cell_text(value)}" for name, value in params.items())
        plots = panels(store.result(row["run"], DRAWN), most, MOST_PACKETS // count, competing=competing)
        if plots:
            options.append((f"{told or 'the scenario'}; seed {row['seed']}", Panels(plots)))
    if not options:
        return None, ""
    total = int(store.sql("SELECT count(*) AS n FROM runs WHERE status = 'done'")["n"][0])
    left = (
        f"Runs over time: {len(options)} of {total} finished runs are here, the first seed of points spread over the "
        f"sweep, at most {most} points a line (the lowest and highest of each stretch of time), and at most "
        f"{MOST_PACKETS // count:,} of a time-sequence graph. `ackclock serve` shows all."
    )
    return Choice("Over time", "run", options, command=command), left


def panels(
    result: Result,
    most: int,
    packets: int = 0,
    span: tuple[float, float] | None = None,
    competing: Sequence[Sequence[str]] = (),
    *,
    flow: str | None = None,
) -> list[Plot]:
    """All that can be drawn of a run over time.

    Parameters
    ----------
    result
        The run.
    most
        Points of a line.
    packets
        Points of the time-sequence graph; `most` for each of its kinds of points, if that is more.
    span
        Start and end in seconds of the stretch of time that is drawn; without it, all of the run.
    competing
        Names of flows that share a route and always have data to send: Jain's index is of each of these lists.
    flow
        The flow that is drawn alone, in its window, its rates, its video and its time-sequence graph.
    """
    view = View(most, packets, *(span or (-np.inf, np.inf)), flow)
    found: list[Plot] = []
    if "window" in result.tables:
        found += _window(result, view)
    if "rates" in result.tables:
        found += _rates(result, view, competing)
    if "queues" in result.tables:
        found += _queues(result, view)
    if "dash_segments" in result.tables:
        found += _dash(result, view)
    if "packets" in result.tables:
        found += _sequence(result, view)
    return [plot for plot in found if plot.series]


def _events(result: Result, flows: dict[str, str], view: View, *, main: bool = False) -> Events:
    return events_of(result.tables.get("events"), flows, main=main, start=view.start, end=view.end)


def _marked(plot: Plot, events: Events) -> Plot:
    """A plot with events above its lines."""
    if not plot.series or not events.series:
        return plot
    caption = " ".join(text for text in (plot.caption, events.note) if text)
    return replace(plot, series=[*plot.series, *events.series], lanes=events.lanes, caption=caption)


def _window(result: Result, view: View) -> list[Plot]:
    table = result.window
    flows, note = _first(table, "flow", view.flow)
    shown = {flow: look.style.colour for flow, look in looks(result, flows).items()}
    window: list[Series] = []
    rtt: list[Series] = []
    rates: list[Series] = []
    latest = "latest_rtt_ms" if "latest_rtt_ms" in table else "rtt_ms"
    for flow, colour in shown.items():
        mine = table["flow"] == flow
        named = partial(_column, table, mine, flow, colour, view)
        window += named("in flight", "pipe", 1e3, faint=True)
        window += named("ssthresh", "ssthresh", 1e3, dash=DOTTED)
        window += named("cwnd", "cwnd", 1e3)
        rtt += named("latest", latest, faint=True)
        rtt += named("minimum", "min_rtt_ms", dash=DOTTED)
        rtt += named("SRTT", "srtt_ms")
        rates += named("delivery rate", "delivery_bps", 1e6, faint=True)
        rates += named("pacing rate", "pacing_bps", 1e6)
    few = _events(result, shown, view, main=True)
    return [
        _marked(Plot("Congestion window", "time (s)", "window (kB)", window, note), _events(result, shown, view)),
        _marked(Plot("Round-trip time", "time (s)", "RTT (ms)", rtt, tall=0.7), few),
        _marked(Plot("Pacing and delivery rate", "time (s)", "rate (Mbit/s)", rates, tall=0.7), few),
        _states(table, shown, view),
    ]


def _column(
    table: Table,
    mine: NDArray[np.bool_],
    flow: str,
    colour: str,
    view: View,
    name: str,
    column: str,
    unit: float = 1.0,
    *,
    faint: bool = False,
    dash: tuple[float, ...] = (),
) -> list[Series]:
    """A column of a flow as a line, if the table has it and it is not empty: tables of earlier versions lack some."""
    if column not in table:
        return []
    values = table[column][mine].astype(np.float64) / unit
    if not np.isfinite(values).any():
        return []
    return [replace(_line(f"{flow} {name}", table["time_s"][mine], values, colour, view, faint=faint), dash=dash)]


def _states(table: Table, flows: dict[str, str], view: View) -> Plot:
    """The states of congestion controls that have some, such as those of BBR, as steps between their names."""
    lines: list[Series] = []
    names: dict[str, int] = {}
    if "cc_state" in table:
        for flow, colour in flows.items():
            mine = table["flow"] == flow
            found = [
                names.setdefault(name, len(names)) if isinstance(name, str) and name else np.nan
                for name in table["cc_state"][mine]
            ]
            states, time = np.array(found, dtype=np.float64), table["time_s"][mine]
            if not np.isfinite(states).any():
                continue
            # A row for each change, and the last.
            known = np.nan_to_num(states, nan=-1)
            kept = np.flatnonzero(np.diff(known, prepend=np.inf) != 0)
            kept = np.union1d(kept, [len(known) - 1])
            lines.append(_line(flow, time[kept], states[kept], colour, view))
    tall = min(1.0, 0.4 + 0.06 * len(names))
    return Plot("State of the congestion control", "time (s)", "", lines, tall=tall, y_names=tuple(names))


def _rates(result: Result, view: View, competing: Sequence[Sequence[str]]) -> list[Plot]:
    try:
        binned = tables.goodputs(result)
    except ValueError:
        # A single interval, or no flow: nothing goes on over time.
        return []
    flows, note = _first(result.rates, "flow", view.flow)
    shown = looks(result, flows)
    lines = [
        _line(flow, binned.edges, np.append(bps, bps[-1]) / 1e6, shown[flow].style.colour, view)
        for flow in flows
        for bps in [binned.bps[flow]]
    ]
    if "links" in result.tables:
        name, capacity = tables.capacity_of(result, None, binned.edges)
        lines.insert(0, _capacity(f"{CAPACITY_OF}{name}", binned.edges, capacity / 1e6, view))
    colours = {flow: shown[flow].style.colour for flow in flows}
    found = [
        _marked(Plot("Goodput", "time (s)", "goodput (Mbit/s)", lines, note), _events(result, colours, view, main=True))
    ]
    indices: list[Series] = []
    for names in competing:
        inside = [flow for flow in binned.bps if re.sub(r"\.[0-9]+$", "", flow) in names]
        index = tables.fairness(binned, inside)
        if np.isfinite(index).any():
            label = "Jain's index" if len(competing) == 1 else f"Jain's index of {', '.join(names)}"
            indices.append(_line(label, binned.edges, np.append(index, index[-1]), CAPACITY, view))
    # Flows keep their colours; indices have others.
    indices = [
        replace(one, colour=colour) for one, colour in zip(indices, other_colours(result, len(indices)), strict=False)
    ]
    if indices:
        found.append(Plot("Jain's fairness index of the goodputs", "time (s)", "Jain's index", indices, tall=0.7))
    return found


def _capacity(label: str, edges: NDArray[np.float64], mbps: NDArray[np.float64], view: View) -> Series:
    if np.ptp(mbps) == 0:
        return Series(label, edges[[0, -1]], mbps[[0, -1]], CAPACITY, "step", dash=(5.0, 1.5))
    return replace(_line(label, edges, np.append(mbps, mbps[-1]), CAPACITY, view), filled=True)


def _queues(result: Result, view: View) -> list[Plot]:
    table = result.queues
    links, note = _first(table, "link")
    if "bottleneck" in links:
        links, note = ["bottleneck"], ""
    packets: list[Series] = []
    sojourns: list[Series] = []
    # Flows keep their colours; links have others.
    for link, colour in zip(links, other_colours(result, len(links)), strict=False):
        mine = table["link"] == link
        packets.append(_line(link, table["time_s"][mine], table["packets"][mine], colour, view))
        # Stores of versions before the column have the table without it.
        if "sojourn_ms" in table:
            bins = view.bins(table["time_s"][mine])
            edges, *columns = tables.sojourns(table, link, bins)
            if np.isfinite(columns[0]).any():
                mean, longest = (np.append(column, column[-1]) for column in columns)
                sojourns.append(_line(f"{link} longest", edges, longest, colour, view.one_more, faint=True))
                sojourns.append(_line(f"{link} mean", edges, mean, colour, view.one_more))
    down = _events(result, {}, view, main=True)
    return [
        _marked(Plot("Queue", "time (s)", "queue (packets)", packets, note, tall=0.7), down),
        Plot("Sojourn time in the queue", "time (s)", "sojourn time (ms)", sojourns, tall=0.7),
    ]


def _dash(result: Result, view: View) -> list[Plot]:
    table = result.dash_segments
    flows, note = _first(table, "flow", view.flow)
    shown = looks(result, flows)
    levels, buffers = [], []
    for flow in flows:
        mine = table["flow"] == flow
        colour = shown[flow].style.colour
        levels.append(_line(flow, table["request_s"][mine], table["level_bps"][mine] / 1e3, colour, view))
        buffers.append(_line(flow, *buffer_of(result, flow), colour, view, kind="line"))
        starts, ends = stalls_of(result, flow)
        if ends.size:
            stalled = mine & (table["stall_s"] > 0)
            at, level = table["request_s"][stalled], table["level_bps"][stalled] / 1e3
            marks = _line(f"{flow}: a stall before it was there", at, level, STALL, view, kind="points")
            levels.append(replace(marks, marker="X"))
            # A stall is a bar along the axis from its start to its end.
            time, still = np.repeat(starts, 3), np.zeros(3 * ends.size)
            time[1::3], time[2::3], still[2::3] = ends, ends, np.nan
            buffers.append(Series(f"{flow}: stalled", time, still, STALL, "line", digits=DIGITS))
    return [
        Plot("DASH: level of each segment", "time (s)", "level (kbit/s)", levels, note),
        Plot("DASH: media in the buffer", "time (s)", "buffer (s)", buffers, tall=0.7),
    ]


def _sequence(result: Result, view: View) -> list[Plot]:
    """The time-sequence graph of the first flow whose source sent segments with payload."""
    table = result.packets
    flows = tables.chosen(result.flows, "flow", None) if view.flow is None else [view.flow]
    flow = next((one for one in flows if len(tables.segments(table, one)["sent"][0])), None)
    if flow is None:
        return []
    looked = {"sent": ("blue", "o"), "retransmitted": ("brown", "^"), "dropped": ("vermillion", "X")}
    at, left, right = tables.sacked(result, flow)
    kinds = {"acknowledged": tables.acknowledged(table, flow), "SACK": (at, right), **tables.segments(table, flow)}
    cuts = {name: view.cut(time) for name, (time, _) in kinds.items() if len(time)}
    points = {name: (kinds[name][0][cut], kinds[name][1][cut]) for name, cut in cuts.items()}
    shares = _shares(
        {name: len(time) for name, (time, _) in points.items()}, max(view.packets, view.most * len(points))
    )
    drawn: list[Series] = []
    for name, (time, y) in points.items():
        kept = thin(time, y, shares[name])
        x, high = time[kept], y[kept] / 1e3
        if name == "acknowledged":
            one = Series(name, x, high, CAPACITY, "step")
        elif name == "SACK":
            one = Series(name, x, high, COLOURS["purple"], "bars", low=left[cuts[name]][kept] / 1e3, high=high)
        else:
            colour, marker = looked[name]
            one = Series(name, x, high, COLOURS[colour], "points", marker=marker, faint=name == "sent")
        drawn.append(replace(one, parts=SEQUENCE_PARTS))
    notes = [f"Of {flow}, the first of {len(flows)} flows."] if len(flows) > 1 else []
    count, total = (sum(len(np.asarray(one.x)) for one in drawn), sum(len(time) for time, _ in points.values()))
    if count < total:
        notes.append(f"{count:,} of {total:,} points are drawn; in ackclock serve, zooming in draws the others.")
    return [Plot(SEQUENCE, "time (s)", "stream offset (kB)", drawn, " ".join(notes), from_zero=False)]


def _shares(lengths: dict[str, int], most: int) -> dict[str, int]:
    """Points of each kind, `most` together: kinds with few keep all of theirs."""
    shares: dict[str, int] = {}
    for place, (name, length) in enumerate(sorted(lengths.items(), key=lambda one: one[1])):
        shares[name] = max(3, min(length, (most - sum(shares.values())) // (len(lengths) - place)))
    return shares


def _first(table: Table, column: str, only: str | None = None) -> tuple[list[str], str]:
    """The flows or links that a panel has, and what it leaves out. With `only`, this one alone, if the table has it."""
    names = tables.chosen(table, column, None)
    if only is not None:
        return [name for name in names if name == only], ""
    left = len(names) - MOST_FLOWS
    return names[:MOST_FLOWS], f"{left} of {len(names)} {column}s are left out." if left > 0 else ""


def _line(
    label: str,
    x: ArrayLike,
    y: ArrayLike,
    colour: str,
    view: View,
    *,
    faint: bool = False,
    kind: Kind = "step",
) -> Series:
    times, values = (np.asarray(column, dtype=np.float64) for column in (x, y))
    known = np.isfinite(times)
    part = view.cut(times[known])
    times, values = times[known][part], values[known][part]
    kept = thin(times, values, view.most)
    return Series(label, times[kept], values[kept], colour, kind, faint=faint, digits=DIGITS)


def thin(x: NDArray[np.float64], y: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Places of at most so many points that look like all: of equal parts of x the first, lowest and highest.

    Of a part with a gap, the first value that is missing and the next one that is there are kept, too.
    """
    if len(x) <= most:
        return np.arange(len(x))
    missing = ~np.isfinite(y)
    parts = max(1, most // (5 if missing.any() else 3))
    edges = np.linspace(x[0], x[-1], parts + 1)
    starts = np.searchsorted(x, edges[:-1], side="left").tolist()
    kept: list[int] = []
    for start, stop in _spans(starts, len(x)):
        part = y[start:stop]
        places = {start}
        if np.isfinite(part).any():
            places |= {start + int(np.nanargmin(part)), start + int(np.nanargmax(part))}
        if missing[start:stop].any():
            first = start + int(np.argmax(missing[start:stop]))
            places |= {first, first + int(np.argmin(missing[first:stop]))}
        kept += sorted(places)
    return np.array(kept, dtype=np.intp)


def _spans(starts: Sequence[int], end: int) -> Iterator[tuple[int, int]]:
    for start, stop in zip(starts, [*starts[1:], end], strict=True):
        if stop > start:
            yield start, stop
