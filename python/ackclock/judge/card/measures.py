"""The numbers that rows of a card read from the tables of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import stats
from ackclock.judge.conform.evidence import Unreadable
from ackclock.results.fairness import convergence_time
from ackclock.results.measure import Measure, MeasureError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.base.table import Table
    from ackclock.results.result import Result

__all__ = ["MEASURES", "value_of"]


def value_of(run: Result, measure: str, args: Mapping[str, Any]) -> float:
    """The value of a measure of a row, in the unit of the measure; NaN if the run has none.

    Raises
    ------
    Unreadable
        If the run lacks a table that the measure reads. The message says which.
    """
    try:
        return float(Measure.parse(measure).of(run) if "." in measure else MEASURES[measure](run, **args))
    except (KeyError, MeasureError) as error:
        raise Unreadable(str(error.args[0])) from None


def goodput(run: Result, flows: Sequence[str] = (), from_s: float = 0.0, to_s: float = np.inf) -> float:
    """Payload that the sinks received within a time, in order, Mbit/s. Without `flows`, of all flows."""
    times, rates, _ = _rates(run, flows, from_s, to_s)
    return float(rates.sum(axis=1).mean()) / 1e6 if len(times) else float("nan")


def smallest_share(run: Result, flows: Sequence[str] = (), from_s: float = 0.0, to_s: float = np.inf) -> float:
    """Goodput of the slowest flow within a time over the mean of all flows: 1 if all have the same, 0 if it starves."""
    _, rates, _ = _rates(run, flows, from_s, to_s)
    means = rates.mean(axis=0)
    return float(means.min() / means.mean()) if means.sum() > 0 else 0.0


def share_of(run: Result, flow: str, from_s: float = 0.0, to_s: float = np.inf) -> float:
    """Mean goodput of the copies of a flow within a time over the mean of all flows: 1 is an equal share."""
    _, rates, names = _rates(run, (), from_s, to_s)
    means = rates.mean(axis=0)
    mine = np.array([_is_of(name, flow) for name in names])
    return float(means[mine].mean() / means.mean()) if means.sum() > 0 else 0.0


def jain(run: Result, flows: Sequence[str] = (), from_s: float = 0.0, to_s: float = np.inf) -> float:
    """Jain's fairness index of the goodputs within a time."""
    _, rates, _ = _rates(run, flows, from_s, to_s)
    return float(stats.jain(rates.mean(axis=0)))


def late_comer(run: Result, delta: float = 0.25, hold: float = 2.0) -> float:
    """Time from the start of the last flow until all flows have a fair share, s; the rest of the run if they never do.

    The delta-fair convergence time of RFC 5166 section 2.3.3.
    """
    found = convergence_time(run, delta=delta, hold=hold)
    return found if np.isfinite(found) else float(run.meta["duration_s"] - run.flows["start_s"].max())


def regained(run: Result, at_s: float, share: float, before_s: float, flows: Sequence[str] = ()) -> float:
    """Time from `at_s` until the goodput reaches a share of that of `before_s` to `at_s`, s; or the rest of the run."""
    return reaches(run, at_s, share * goodput(run, flows, before_s, at_s), flows)


def reaches(run: Result, at_s: float, mbps: float, flows: Sequence[str] = ()) -> float:
    """Time from `at_s` until the goodput of an interval reaches a number of Mbit/s, s; or the rest of the run."""
    times, rates, _ = _rates(run, flows, at_s, np.inf)
    reached = times[rates.sum(axis=1) / 1e6 >= mbps]
    return float((reached[0] if reached.size else run.meta["duration_s"]) - at_s)


def retransmitted(run: Result, flows: Sequence[str] = ()) -> float:
    """Retransmissions over all segments with payload, per cent."""
    table, mine = _own(run, flows)
    sent = float(table["data_segments_sent"][mine].sum())
    return 100.0 * float(table["retransmits"][mine].sum()) / sent if sent else float("nan")


def unneeded(run: Result) -> float:
    """Retransmissions beyond the packets that the bottleneck lost, over all segments with payload, per cent.

    All segments with payload cross the bottleneck in the forward direction. A lost segment needs one retransmission.
    """
    table, mine = _own(run, ())
    link = _link(run, "bottleneck")
    lost = int(link["drops"]) + int(link["losses"]) + int(link["wire_losses"])
    sent = float(table["data_segments_sent"][mine].sum())
    return 100.0 * max(0.0, float(table["retransmits"][mine].sum()) - lost) / sent if sent else float("nan")


def lost(run: Result, link: str = "bottleneck") -> float:
    """Packets that a link dropped or lost over those that came to it, per cent."""
    row = _link(run, link)
    gone = float(row["drops"] + row["losses"] + row["wire_losses"])
    came = float(row["packets"] + row["drops"] + row["losses"])
    return 100.0 * gone / came if came else 0.0


def marked(run: Result) -> float:
    """Packets that the bottleneck marked (CE) over those that it sent, per cent."""
    row = _link(run, "bottleneck")
    return 100.0 * float(row["marks"]) / float(row["packets"]) if row["packets"] else 0.0


def arriving(run: Result, link: str = "bottleneck") -> float:
    """Rate of the packets that come to a link, those that it drops included, Mbit/s. All have the mean size."""
    row = _link(run, link)
    came = float(row["packets"] + row["drops"] + row["losses"])
    size = float(row["bytes"]) / float(row["packets"]) if row["packets"] else 0.0
    return 8 * came * size / float(run.meta["duration_s"]) / 1e6


def queue_delay(run: Result, from_s: float, to_s: float, quantile: float = 0.95) -> float:
    """Quantile of the queueing delay at the bottleneck within a time, over the intervals of the probe, ms."""
    table = run.queues
    times = table["time_s"]
    mine = (table["link"] == "bottleneck") & (times > from_s) & (times <= to_s)
    waited = table["sojourn_ms"][mine].astype(np.float64)
    waited = waited[np.isfinite(waited)]
    return float(np.quantile(waited, quantile)) if waited.size else 0.0


def completion(run: Result, flow: str, quantile: float, table: str = "transfers") -> float:
    """Quantile of the completion times of a flow's transfers or rounds, ms.

    A transfer that has started and is not complete at the end of the run counts with the time until then.
    """
    rows = run.tables[table]
    mine = np.array([_is_of(str(name), flow) for name in rows["flow"]], dtype=bool)
    start = rows["start_s"].astype(np.float64)[mine]
    if not start.size:
        # Not a single one has started: the flow did not even get its first transfer through.
        return 1e3 * float(run.meta["duration_s"])
    took = rows["duration_s"].astype(np.float64)[mine]
    took = np.where(np.isfinite(took), took, run.meta["duration_s"] - start)
    return 1e3 * float(np.quantile(took, quantile))


def sent_in(run: Result, flow: str, from_s: float, to_s: float) -> float:
    """Segments with payload that a flow sends within a time."""
    times = _sent(run, flow)
    return float(((times >= from_s) & (times < to_s)).sum())


def timer_factor(run: Result) -> float:
    """Median factor from one interval between timeouts of the same segment to the next interval."""
    rows = [row for row in run.timeouts.rows() if row["side"] == "source"]
    gaps: dict[Any, list[float]] = {}
    for row in rows:
        gaps.setdefault((row["flow"], row["segment"]), []).append(float(row["time_s"]))
    factors: list[float] = []
    for times in gaps.values():
        steps = np.diff(np.array(times))
        factors += list(steps[1:] / steps[:-1])
    if not factors:
        raise Unreadable("there were not three successive timeouts of a segment")
    return float(np.median(factors))


def kept_window(run: Result, event: str, from_s: float = 0.0) -> float:
    """Median share of the congestion window that remains after a response to congestion.

    The window when the event `event` is reported is compared with the window one round-trip time after the response has
    ended. A flow that is marked and reports no response to marks keeps the whole window.
    """
    times = run.window["time_s"]
    cwnd = run.window["cwnd"].astype(np.float64)
    rtt = run.window["srtt_ms"].astype(np.float64) / 1e3
    kept: list[float] = []
    begun: float | None = None
    for row in run.events.rows():
        if row["event"] == event and float(row["time_s"]) >= from_s:
            begun = float(row["time_s"])
        elif row["event"] == "recovery_ended" and begun is not None:
            before = int(np.searchsorted(times, begun - 1e-9)) - 1
            ended = float(row["time_s"])
            after = int(np.searchsorted(times, ended))
            if before >= 0 and after < len(times):
                after = min(int(np.searchsorted(times, ended + rtt[after])), len(times) - 1)
                kept.append(float(cwnd[after] / cwnd[before]))
            begun = None
    if not kept and event == "ecn_reduction" and marked(run) > 0:
        return 1.0
    if not kept:
        raise Unreadable(f"the flow reported no {event.replace('_', ' ')} that ended")
    return float(np.median(kept))


def first_flight(run: Result, flow: str, round_s: float) -> float:
    """Segments with payload that a flow sends within a round after its first one: the initial window."""
    times = _sent(run, flow)
    return float((times < times.min() + round_s).sum()) if times.size else float("nan")


def breaker_time(run: Result, flow: str) -> float:
    """Time from the start of a stream until its circuit breaker ends it, s; the whole run if it does not trip."""
    row = next(one for one in run.breakers.rows() if one["flow"] == flow)
    return float(run.meta["duration_s"] if row["tripped_s"] is None else row["tripped_s"])


def control_packets(run: Result) -> float:
    """Packets in the reverse direction for each kilobyte that the sinks received."""
    row = _link(run, "bottleneck.reverse")
    table, mine = _own(run, ())
    delivered = float(table["bytes_delivered"][mine].sum())
    return 1e3 * float(row["packets"]) / delivered if delivered else float("nan")


def _link(run: Result, name: str) -> dict[str, Any]:
    """The row of a link."""
    return next(row for row in run.links.rows() if row["link"] == name)


def _sent(run: Result, flow: str) -> NDArray[np.float64]:
    """Times at which a flow sends segments with payload, s."""
    packets = run.packets
    mine = np.array([_is_of(str(name), flow) for name in packets["flow"]], dtype=bool)
    sent = (packets["event"].astype(str) == "sent") & (packets["side"].astype(str) == "source") & (packets["len"] > 0)
    times: NDArray[np.float64] = packets["time_s"][mine & sent]
    return times


def _is_of(name: str, flow: str) -> bool:
    """Whether a row belongs to a flow: by its own name, or as one of its copies."""
    rest = name.removeprefix(flow)
    return rest == "" or (rest != name and rest[0] == "." and rest[1:].isdigit())


def _own(run: Result, flows: Sequence[str]) -> tuple[Table, NDArray[np.bool_]]:
    """The flows and the mask of those that are named; without names, of all that have a transport with segments."""
    table = run.flows
    names = [str(name) for name in table["flow"]]
    if flows:
        return table, np.array([any(_is_of(name, flow) for flow in flows) for name in names], dtype=bool)
    return table, np.array([str(stack) != "udp" for stack in table["stack"]], dtype=bool)


def _rates(
    run: Result, flows: Sequence[str], from_s: float, to_s: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """Ends of the intervals within a time, goodputs by interval and flow in bit/s, and the names of these flows."""
    rates = run.rates
    table, mine = _own(run, flows)
    every = len(table)
    goodputs = rates["goodput_bps"].astype(np.float64).reshape(-1, every)[:, mine]
    ends = rates["time_s"].astype(np.float64)[::every]
    inside = (ends > from_s + 1e-9) & (ends <= to_s + 1e-9)
    names = [str(name) for name, own in zip(table["flow"], mine, strict=True) if own]
    return ends[inside], goodputs[inside], names


MEASURES: dict[str, Callable[..., float]] = {
    one.__name__: one
    for one in (
        arriving, breaker_time, completion, control_packets, first_flight, goodput, jain, kept_window, late_comer,
        lost, marked, queue_delay, reaches, regained, retransmitted, sent_in, share_of, smallest_share, timer_factor,
        unneeded,
    )
}  # fmt: skip
"""The measures by name."""
