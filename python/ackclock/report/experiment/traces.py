"""Traces of a run as panels that share the time axis. Their size is bounded, however much was recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock.palette import OKABE_ITO
from ackclock.plot import series as tables
from ackclock.plot.buffers import buffer_of, stalls_of
from ackclock.plot.flows import looks
from ackclock.report.choice import Choice, Panels
from ackclock.report.figures import Plot, Series
from ackclock.report.tables import cell_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ackclock.report.figures import Kind
    from ackclock.result import Result
    from ackclock.store import Store
    from ackclock.table import Table

__all__ = ["MOST_FLOWS", "TRACES", "panels", "runs_over_time", "thin", "traced"]

TRACES = ("window", "rates", "queues", "dash_segments", "packets")
"""The tables that are drawn over time."""

DRAWN = ("flows", "links", "sack_blocks", *TRACES)

STALL = OKABE_ITO["vermillion"]
"""The colour of the marks of stalls."""

MOST_FLOWS = 6
"""Flows, or links, of a panel."""

FEWEST = 160
"""Points to which a line is thinned at most: fewer would not show what it does."""

MOST = 800
"""Points of a line that are enough for any screen."""

DIGITS = 5
SEQUENCE_DIGITS = 8
"""Significant digits in the time-sequence graph, into which people zoom: a segment is still visible after gigabytes."""
CAPACITY = "#7a7a7a"


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
    # Every run as the first: of one scenario, they have about as many lines.
    lines = max(1, sum(len(plot.series) for plot in panels(store.result(rows[0]["run"], DRAWN), FEWEST)))
    count = max(1, min(len(rows), budget // (FEWEST * lines)))
    most = max(FEWEST, min(MOST, budget // (count * lines)))
    places = np.unique(np.linspace(0, len(rows) - 1, count).round().astype(int))
    options = []
    for place in places:
        row = rows[place]
        params = store.sweeps[0].points[row["point"]]
        told = ", ".join(f"{name} = {cell_text(value)}" for name, value in params.items())
        plots = panels(store.result(row["run"], DRAWN), most)
        if plots:
            options.append((f"{told or 'the scenario'}; seed {row['seed']}", Panels(plots)))
    if not options:
        return None, ""
    total = int(store.sql("SELECT count(*) AS n FROM runs WHERE status = 'done'")["n"][0])
    left = (
        f"Runs over time: {len(options)} of {total} finished runs are here, the first seed of points spread over the "
        f"sweep, at most {most} points a line (the lowest and highest of each stretch of time). `ackclock serve` shows "
        "all."
    )
    return Choice("Over time", "run", options, command=command), left


def panels(result: Result, most: int) -> list[Plot]:
    """All that can be drawn of a run over time."""
    found: list[Plot] = []
    if "window" in result.tables:
        found += _window(result, most)
    if "rates" in result.tables:
        found += _rates(result, most)
    if "queues" in result.tables:
        found += _queues(result, most)
    if "dash_segments" in result.tables:
        found += _dash(result, most)
    if "packets" in result.tables:
        found += _sequence(result, most)
    return [plot for plot in found if plot.series]


def _window(result: Result, most: int) -> list[Plot]:
    table = result.window
    flows, note = _first(table, "flow")
    shown = looks(result, flows)
    window: list[Series] = []
    rtt: list[Series] = []
    for flow in flows:
        mine = table["flow"] == flow
        time, colour = table["time_s"][mine], shown[flow].style.colour
        window.append(_line(f"{flow} in flight", time, table["pipe"][mine] / 1e3, colour, most, faint=True))
        if np.isfinite(table["ssthresh"][mine].astype(np.float64)).any():
            threshold = _line(f"{flow} ssthresh", time, table["ssthresh"][mine] / 1e3, colour, most)
            window.append(replace(threshold, dash=(1.2, 1.2)))
        window.append(_line(f"{flow} cwnd", time, table["cwnd"][mine] / 1e3, colour, most))
        rtt.append(_line(flow, time, table["srtt_ms"][mine], colour, most))
    return [
        Plot("Congestion window", "time (s)", "kB", window, note),
        Plot("Smoothed round-trip time", "time (s)", "ms", rtt, tall=0.7),
    ]


def _rates(result: Result, most: int) -> list[Plot]:
    try:
        binned = tables.goodputs(result)
    except ValueError:
        # A single interval, or no flow: nothing goes on over time.
        return []
    flows, note = _first(result.rates, "flow")
    shown = looks(result, flows)
    lines = [
        _line(flow, binned.edges, np.append(bps, bps[-1]) / 1e6, shown[flow].style.colour, most)
        for flow in flows
        for bps in [binned.bps[flow]]
    ]
    if "links" in result.tables:
        name, capacity = tables.capacity_of(result, None, binned.edges)
        lines.insert(0, _capacity(f"capacity of {name}", binned.edges, capacity / 1e6, most))
    found = [Plot("Goodput", "time (s)", "Mbit/s", lines, note)]
    index = tables.fairness(binned, list(binned.bps))
    if np.isfinite(index).any():
        jain = _line("Jain's index", binned.edges, np.append(index, index[-1]), OKABE_ITO["purple"], most)
        found.append(Plot("Jain's fairness index of the goodputs", "time (s)", "index", [jain], tall=0.7))
    return found


def _capacity(label: str, edges: NDArray[np.float64], mbps: NDArray[np.float64], most: int) -> Series:
    if np.ptp(mbps) == 0:
        return Series(label, edges[[0, -1]], mbps[[0, -1]], CAPACITY, "step", dash=(5.0, 1.5))
    return replace(_line(label, edges, np.append(mbps, mbps[-1]), CAPACITY, most), filled=True)


def _queues(result: Result, most: int) -> list[Plot]:
    table = result.queues
    links, note = _first(table, "link")
    if "bottleneck" in links:
        links, note = ["bottleneck"], ""
    packets: list[Series] = []
    sojourns: list[Series] = []
    for link, colour in zip(links, OKABE_ITO.values(), strict=False):
        mine = table["link"] == link
        packets.append(_line(link, table["time_s"][mine], table["packets"][mine], colour, most))
        # Stores of versions before the column have the table without it.
        if "sojourn_ms" in table:
            edges, *columns = tables.sojourns(table, link, most)
            if np.isfinite(columns[0]).any():
                mean, longest = (np.append(column, column[-1]) for column in columns)
                sojourns.append(_line(f"{link} longest", edges, longest, colour, most + 1, faint=True))
                sojourns.append(_line(f"{link} mean", edges, mean, colour, most + 1))
    return [
        Plot("Queue", "time (s)", "packets", packets, note, tall=0.7),
        Plot("Sojourn time in the queue", "time (s)", "ms", sojourns, tall=0.7),
    ]


def _dash(result: Result, most: int) -> list[Plot]:
    table = result.dash_segments
    flows, note = _first(table, "flow")
    shown = looks(result, flows)
    levels, buffers = [], []
    for flow in flows:
        mine = table["flow"] == flow
        colour = shown[flow].style.colour
        levels.append(_line(flow, table["request_s"][mine], table["level_bps"][mine] / 1e3, colour, most))
        buffers.append(_line(flow, *buffer_of(result, flow), colour, most, kind="line"))
        starts, ends = stalls_of(result, flow)
        if ends.size:
            stalled = mine & (table["stall_s"] > 0)
            at, level = table["request_s"][stalled], table["level_bps"][stalled] / 1e3
            marks = _line(f"{flow}: a stall before it was there", at, level, STALL, most, kind="points")
            levels.append(replace(marks, marker="X"))
            # A stall is a bar along the axis from its start to its end.
            time, still = np.repeat(starts, 3), np.zeros(3 * ends.size)
            time[1::3], time[2::3], still[2::3] = ends, ends, np.nan
            buffers.append(Series(f"{flow}: stalled", time, still, STALL, "line", digits=DIGITS))
    return [
        Plot("DASH: level of each segment", "time (s)", "kbit/s", levels, note),
        Plot("DASH: media in the buffer", "time (s)", "s", buffers, tall=0.7),
    ]


def _sequence(result: Result, most: int) -> list[Plot]:
    """The time-sequence graph of the first flow whose source sent segments with payload."""
    table = result.packets
    flows = tables.chosen(result.flows, "flow", None)
    flow = next((one for one in flows if len(tables.segments(table, one)["sent"][0])), None)
    if flow is None:
        return []
    looked = {"sent": ("blue", "o"), "retransmitted": ("orange", "^"), "dropped": ("vermillion", "X")}
    time, offset = tables.acknowledged(table, flow)
    drawn = [_line("acknowledged", time, offset / 1e3, CAPACITY, most)]
    at, left, right = tables.sacked(result, flow)
    if len(at):
        kept = thin(at, right, most)
        low, high = left[kept] / 1e3, right[kept] / 1e3
        purple = OKABE_ITO["purple"]
        drawn.append(Series("SACK", at[kept], high, purple, "bars", low=low, high=high))
    for name, (time, offset) in tables.segments(table, flow).items():
        colour, marker = looked[name]
        dots = _line(name, time, offset / 1e3, OKABE_ITO[colour], most, faint=name == "sent", kind="points")
        drawn.append(replace(dots, marker=marker))
    shown = [replace(one, digits=SEQUENCE_DIGITS) for one in drawn if len(np.asarray(one.x))]
    note = f"Of {flow}, the first of {len(flows)} flows." if len(flows) > 1 else ""
    return [Plot("Time-sequence graph", "time (s)", "stream offset (kB)", shown, note)]


def _first(table: Table, column: str) -> tuple[list[str], str]:
    """The flows or links that a panel has, and what it leaves out."""
    names = tables.chosen(table, column, None)
    left = len(names) - MOST_FLOWS
    return names[:MOST_FLOWS], f"{left} of {len(names)} {column}s are left out." if left > 0 else ""


def _line(
    label: str,
    x: ArrayLike,
    y: ArrayLike,
    colour: str,
    most: int,
    *,
    faint: bool = False,
    kind: Kind = "step",
) -> Series:
    times, values = (np.asarray(column, dtype=np.float64) for column in (x, y))
    known = np.isfinite(times)
    kept = thin(times[known], values[known], most)
    return Series(label, times[known][kept], values[known][kept], colour, kind, faint=faint, digits=DIGITS)


def thin(x: NDArray[np.float64], y: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Places of at most so many points that look like all: of equal parts of x the first, lowest and highest."""
    if len(x) <= most:
        return np.arange(len(x))
    parts = max(1, most // 3)
    edges = np.linspace(x[0], x[-1], parts + 1)
    starts = np.searchsorted(x, edges[:-1], side="left").tolist()
    kept: list[int] = []
    for start, stop in _spans(starts, len(x)):
        part = y[start:stop]
        places = {start}
        if np.isfinite(part).any():
            places |= {start + int(np.nanargmin(part)), start + int(np.nanargmax(part))}
        kept += sorted(places)
    return np.array(kept, dtype=np.intp)


def _spans(starts: Sequence[int], end: int) -> Iterator[tuple[int, int]]:
    for start, stop in zip(starts, [*starts[1:], end], strict=True):
        if stop > start:
            yield start, stop
