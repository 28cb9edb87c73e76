"""Data of the figures of a run, as arrays: from tables to numbers, without matplotlib."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ackclock import stats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ackclock.base.table import Table
    from ackclock.results.result import Result

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = [
    "Binned",
    "Completions",
    "acknowledged",
    "capacity_of",
    "chosen",
    "completions",
    "fairness",
    "goodputs",
    "rates",
    "sacked",
    "segments",
    "share",
    "sojourns",
]

INTERVALS = 100
"""Default number of intervals into which the recorded time is divided."""

RECORDS = {"transfer": "transfers", "burst": "bursts", "period": "onoff", "item": "items", "round": "rounds"}
"""Tables with a row for each completed item, by the kind of item in `completions`; other kinds are counted in bins."""


@dataclass(frozen=True, slots=True)
class Binned:
    """Rates of flows over intervals."""

    edges: Numbers
    """Edges of the intervals in seconds, one more than there are intervals."""
    bps: dict[str, Numbers]
    """Rates by flow."""
    first: dict[str, float]
    """Start in seconds of each flow's first interval with bytes; infinite if it has none."""
    last: dict[str, float]
    """End in seconds of each flow's last interval with bytes; minus infinity if it has none."""
    name: str
    """Name of the rate. Goodput is data delivered to applications in order; throughput is arriving data."""


@dataclass(frozen=True, slots=True)
class Completions:
    """Completion times of one kind of item of one flow."""

    flow: str
    what: str
    seconds: Numbers
    """Completion times in ascending order."""
    share: Numbers
    """Share of the started items that are complete within each time."""


def chosen(table: Table, column: str, names: str | Sequence[str] | None) -> list[str]:
    """The named flows or links, or all in the table, in the order of their first rows.

    Raises
    ------
    ValueError
        If the table has no rows, or no row with one of the names.
    """
    # A packet whose connection no longer exists belongs to no flow.
    present: list[str] = [name for name in dict.fromkeys(table[column].tolist()) if name is not None]
    if not present:
        raise ValueError("the table is empty; a figure needs at least one row")
    if names is None:
        return present
    wanted = [names] if isinstance(names, str) else list(dict.fromkeys(names))
    if not wanted:
        raise ValueError(f"no {column} is named; there are {', '.join(present)}")
    for name in wanted:
        if name not in present:
            raise ValueError(f"no {column} {name!r}; there are {', '.join(present)}")
    return wanted


def rates(result: Result, interval_s: float | None = None) -> Binned:
    """Received rates of each flow's sink: from the payload of delivered packets, or else from the table `rates`.

    Packets have priority, because they are counted when they arrive. Applications get the data that waited behind a
    loss all at once when the loss is repaired, at a rate above that of any link.
    """
    if "packets" in result.tables:
        return _of_packets(result.tables["packets"], interval_s)
    if "rates" in result.tables:
        return goodputs(result, interval_s)
    raise KeyError(
        "this run has neither a table 'rates' nor a table 'packets'; add to the scenario "
        "probes.rates = true or probes.packets = true"
    )


def _bins(span: float, interval_s: float | None) -> int:
    if interval_s is None:
        return INTERVALS
    if not 0 < interval_s < np.inf:
        raise ValueError(f"the interval must be above 0 s and finite, not {interval_s}")
    return max(1, round(span / interval_s))


def goodputs(result: Result, interval_s: float | None = None) -> Binned:
    """Goodputs of applications by flow, from the table `rates`."""
    table = result.rates
    flows = chosen(table, "flow", None)
    names, times = table["flow"], table["time_s"]
    ends = times[names == flows[0]]
    if len(ends) < 2:
        raise ValueError("the table 'rates' has a single interval; use a longer run or a shorter probes.interval")
    # Only the last interval may be shorter than the others.
    edges = np.concatenate([[2 * ends[0] - ends[1]], ends])
    count = min(_bins(edges[-1] - edges[0], interval_s), len(ends))
    cut = np.round(np.linspace(0, len(ends), count + 1)).astype(np.int64)
    delivered = {flow: table["bytes_delivered"][names == flow] for flow in flows}
    sums = {flow: np.add.reduceat(bytes_, cut[:-1]) for flow, bytes_ in delivered.items()}
    return _binned(edges[cut], sums, "goodput")


def _of_packets(table: Table, interval_s: float | None) -> Binned:
    flows = chosen(table, "flow", None)
    times = table["time_s"]
    start, stop = float(times[0]), float(times[-1])
    if start == stop:
        raise ValueError("the table 'packets' has a single time; a figure over time needs two")
    edges = np.linspace(start, stop, _bins(stop - start, interval_s) + 1)
    got = (table["event"] == "delivered") & (table["side"] == "source") & (table["len"] > 0)
    sums = {}
    for flow in flows:
        mine = got & (table["flow"] == flow)
        # An arrival at an edge belongs to the interval that ends there, as in the table of rates.
        place = np.maximum(np.searchsorted(edges, times[mine], side="left") - 1, 0)
        sums[flow] = np.bincount(place, weights=table["len"][mine], minlength=len(edges) - 1)
    return _binned(edges, sums, "throughput")


def _binned(edges: Numbers, delivered: Mapping[str, NDArray[Any]], name: str) -> Binned:
    width = np.diff(edges)
    busy = {flow: np.flatnonzero(bytes_) for flow, bytes_ in delivered.items()}
    return Binned(
        edges,
        {flow: 8 * bytes_ / width for flow, bytes_ in delivered.items()},
        {flow: float(edges[at[0]]) if at.size else np.inf for flow, at in busy.items()},
        {flow: float(edges[at[-1] + 1]) if at.size else -np.inf for flow, at in busy.items()},
        name,
    )


def fairness(binned: Binned, flows: Sequence[str]) -> Numbers:
    """Jain's index of the rates in each interval, over the active flows; NaN if fewer than two are active.

    A flow is active from its first byte to its last; intervals without bytes between them count with a rate of zero.
    """
    index = np.full(len(binned.edges) - 1, np.nan)
    for at, (start, stop) in enumerate(zip(binned.edges[:-1], binned.edges[1:], strict=True)):
        there = [flow for flow in flows if binned.first[flow] <= start and stop <= binned.last[flow]]
        if len(there) > 1:
            index[at] = stats.jain([binned.bps[flow][at] for flow in there])
    return index


def capacity_of(result: Result, link: str | None, edges: Numbers) -> tuple[str, Numbers]:
    """A link, by default the bottleneck, and its capacity in each interval, bits per second.

    The capacity is the mean of the table `queues` over the recorded part of an interval, and NaN if no part was
    recorded. Without that table it is the mean rate of the link in all intervals. While the link is down, according to
    the table `events`, its capacity is zero.
    """
    name, capacity = _rate_of(result, link, edges)
    return name, capacity * _up(result.tables.get("events"), name, edges)


def _up(events: Table | None, link: str, edges: Numbers) -> Numbers:
    """The share of each interval in which a link is up."""
    share = np.ones(len(edges) - 1)
    if events is None or not len(events):
        return share
    began: float | None = None
    down: list[tuple[float, float]] = []
    for row in events.where(events["link"] == link).rows():
        if row["event"] == "outage_started":
            began = row["time_s"]
        elif row["event"] == "outage_ended":
            down.append((0.0 if began is None else began, row["time_s"]))
            began = None
    if began is not None:
        down.append((began, float(edges[-1])))
    for start, end in down:
        covered = np.minimum(edges[1:], end) - np.maximum(edges[:-1], start)
        share -= np.maximum(covered, 0.0) / np.diff(edges)
    return np.maximum(share, 0.0)


def _rate_of(result: Result, link: str | None, edges: Numbers) -> tuple[str, Numbers]:
    """A link and its rate in each interval, whether the link is up or down."""
    there = chosen(result.links, "link", link)
    name = "bottleneck" if link is None and "bottleneck" in there else there[0]
    mean = result.links["rate_bps"][result.links["link"] == name]
    queues = result.tables.get("queues")
    # Stores of earlier versions have the table without this column.
    if queues is None or "capacity_bps" not in queues:
        return name, np.full(len(edges) - 1, float(mean[0]))
    mine = queues["link"] == name
    times, rates = queues["time_s"][mine], queues["capacity_bps"][mine][1:]
    if len({*rates}) < 2:
        return name, np.full(len(edges) - 1, float([*mean, *rates][-1]))
    return name, _mean_over(edges, times, rates)


def _mean_over(edges: Numbers, times: Numbers, rates: Numbers) -> Numbers:
    """Mean between `edges` of a rate that is given between `times`."""
    sums = np.concatenate([[0.0], np.cumsum(rates * np.diff(times))])
    known = np.clip(edges, times[0], times[-1])
    span = np.diff(known)
    # Times are whole nanoseconds; a shorter span is a rounding error.
    recorded = span > 0.5e-9
    mean: Numbers = np.full(len(span), np.nan)
    np.divide(np.diff(np.interp(known, times, sums)), span, out=mean, where=recorded)
    return mean


def sojourns(table: Table, link: str, most: int | None = None) -> tuple[Numbers, Numbers, Numbers]:
    """Sojourn times of the packets that left the queue of a link in each interval: edges, and mean and longest in ms.

    They are NaN in intervals in which no packet left. The intervals are those of the table; if the table has more than
    `most`, they are combined into `most` longer ones.
    """
    mine = table["link"] == link
    edges = table["time_s"][mine]
    # The first row does not end an interval.
    sent, mean, longest = (table[column][mine][1:] for column in ("sent", "sojourn_ms", "sojourn_max_ms"))
    if most is None or len(sent) <= most:
        return edges, mean, longest
    cut = np.round(np.linspace(0, len(sent), most + 1)).astype(np.int64)
    left, waited = (np.add.reduceat(column, cut[:-1]) for column in (sent, sent * np.nan_to_num(mean)))
    means: Numbers = np.full(most, np.nan)
    np.divide(waited, left, out=means, where=left > 0)
    return edges[cut], means, np.fmax.reduceat(longest, cut[:-1])


def acknowledged(table: Table, flow: str) -> tuple[Numbers, Numbers]:
    """Arrival times of acknowledgments at a flow's source, and the highest acknowledged stream offset at these times.

    An acknowledgment that was overtaken by others changes nothing. An offset of zero begins a connection.
    """
    mine = (table["flow"] == flow) & (table["side"] == "sink") & (table["event"] == "delivered")
    mine &= np.isfinite(table["ack"])
    offsets = table["ack"][mine].astype(np.float64)
    parts = np.split(offsets, np.flatnonzero(offsets == 0))
    highest = [np.maximum.accumulate(part) for part in parts]
    return table["time_s"][mine], np.concatenate(highest)


def segments(table: Table, flow: str) -> dict[str, tuple[Numbers, Numbers]]:
    """Times and stream offsets of a flow's segments with payload: sent, retransmitted, and dropped by links."""
    data = (table["flow"] == flow) & (table["side"] == "source") & (table["len"] > 0)
    sent, again = data & (table["event"] == "sent"), table["retransmission"].astype(bool)
    masks = {"sent": sent & ~again, "retransmitted": sent & again, "dropped": data & (table["event"] == "dropped")}
    return {name: (table["time_s"][mask], table["seq"][mask].astype(np.float64)) for name, mask in masks.items()}


def sacked(result: Result, flow: str) -> tuple[Numbers, Numbers, Numbers]:
    """Times at which a flow's source receives SACK blocks, and where the blocks begin and end in its stream.

    D-SACK blocks are left out: they report duplicates, most of them below the acknowledgment.
    """
    table = result.tables.get("sack_blocks")
    if table is None or len(table) == 0:
        # Stores of earlier versions have packets without this table.
        return np.empty(0), np.empty(0), np.empty(0)
    mine = (table["flow"] == flow) & (table["side"] == "sink") & (table["event"] == "delivered") & ~table["duplicate"]
    return table["time_s"][mine], table["left"][mine], table["right"][mine]


def completions(result: Result, flow: str | Sequence[str] | None, what: str | None) -> list[Completions]:
    """Completion times by flow and kind. Items that were incomplete at the end count as longer than any time."""
    table = result.completions
    flows = chosen(table, "flow", flow)
    kinds = [] if what is None else chosen(table, "what", what)
    found = []
    for row in table.rows():
        if row["flow"] in flows and (not kinds or row["what"] in kinds) and row["count"] > 0:
            seconds, counts = _times(result, row["flow"], row["what"])
            found.append(Completions(row["flow"], row["what"], seconds, counts / (row["count"] + row["open"])))
    if not found:
        raise ValueError("no such item is complete; a figure needs at least one")
    return found


def _times(result: Result, flow: str, what: str) -> tuple[Numbers, Numbers]:
    """Completion times in ascending order, and the number of items complete at each."""
    if what in RECORDS:
        records = result.tables[RECORDS[what]]
        seconds = records["duration_s"][records["flow"] == flow]
        seconds = np.sort(seconds[np.isfinite(seconds)])
        return seconds, np.arange(1, len(seconds) + 1, dtype=np.float64)
    bins = result.completion_bins
    mine = (bins["flow"] == flow) & (bins["what"] == what)
    order = np.argsort(bins["upto_s"][mine], kind="stable")
    return bins["upto_s"][mine][order], np.cumsum(bins["count"][mine][order]).astype(np.float64)


def share(values: ArrayLike) -> tuple[Numbers, Numbers]:
    """The empirical distribution of a sample: its values in ascending order, and the share of values up to each."""
    ordered = np.sort(np.asarray(values, dtype=np.float64).ravel())
    return ordered, np.arange(1, ordered.size + 1) / max(ordered.size, 1)
