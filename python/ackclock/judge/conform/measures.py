"""The measures of the checks: each reads one number, or the name of a state, from the records of a run.

A measure raises `Unreadable` if the stack does not show what it needs, and `Absent` if the behaviour did not occur.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.judge.conform.evidence import SUBJECT, Absent, Evidence, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["MEASURES"]

GROWTH = 1.25
"""Growth of the delivery rate in a round below which the round counts as a plateau (section 5.3.1.2)."""

SLACK = 3
"""Segments by which the data in flight are below a window that limits the flow: the send quantum of two, and one."""


def state_at(ev: Evidence, at_s: float, after: bool = False) -> str:
    """State at a time in seconds, which counts from the moment of the last stage if `after` is set."""
    time_s = at_s + (_moment(ev) if after else 0.0)
    return next((one.state for one in reversed(ev.phases) if one.start_s <= time_s), ev.phases[0].state)


def next_state(ev: Evidence, state: str, nth: int = 1, after: bool = False, phases: bool = True) -> str:
    """The state that follows a phase. Without `phases`, all phases of ProbeBW are called probe_bw."""
    following = ev.following(ev.phase(state, nth, after=after)).state
    return "probe_bw" if not phases and following.startswith("probe_bw") else following


def states_seen(ev: Evidence, from_s: float = 0.0, to_s: float = 1e9, after: bool = False) -> str:
    """The states within a time, in alphabetical order."""
    base = _moment(ev) if after else 0.0
    return " ".join(sorted({one.state for one in ev.phases if one.end_s > base + from_s and one.start_s < base + to_s}))


def times_in(ev: Evidence, state: str, after: bool = False, other_than: str | None = None) -> float:
    """Counts how often the flow left a state, apart from changes to `other_than`; all entries without `other_than`."""
    found = [one for one in ev.phases if one.state == state and (not after or one.start_s >= _moment(ev))]
    if other_than is None:
        return float(len(found))
    return float(sum(one.over and ev.following(one).state != other_than for one in found))


def rounds_in(ev: Evidence, state: str, nth: int = 1, after: bool = False) -> float:
    """Packet-timed rounds from the entry of a phase to its exit."""
    ev.need_samples()
    phase = ev.phase(state, nth, after=after)
    ev.following(phase)
    return float(len(ev.round_starts(phase.first, phase.end + 1)) - 1)


def duration_s(ev: Evidence, state: str, nth: int = 1, after: bool = False, longest: bool = False) -> float:
    """Duration of a phase, or of the longest phase in the state, seconds."""
    if longest:
        ev.phase(state)
        return max(one.end_s - one.start_s for one in ev.phases if one.state == state)
    phase = ev.phase(state, nth, after=after)
    return phase.end_s - phase.start_s


def plateau_rounds(ev: Evidence, state: str, nth: int = 1) -> float:
    """Rounds at the end of a phase in which the delivery rate did not grow by 25 % over the best earlier round.

    The rate of a round is that at its first acknowledgment, as in CheckFullBWReached of the draft.
    """
    ev.need_samples()
    phase = ev.phase(state, nth)
    ev.following(phase)
    rates = ev.column("delivery_bps")
    starts = ev.round_starts(phase.first, phase.end + 1)
    best, count = 0.0, 0
    for row in starts:
        rate = rates[row]
        if not np.isfinite(rate):
            continue
        if rate >= GROWTH * best:
            best, count = float(rate), 0
        else:
            count += 1
    return float(count)


def rounds_until_exit(ev: Evidence, state: str, nth: int = 1, cause: str = "drop", from_s: float = 0.0) -> float:
    """Rounds from the first lost packet in a phase, or from the first recovery, to the exit of the phase."""
    ev.need_samples()
    phase = ev.phase(state, nth)
    ev.following(phase)
    if cause == "recovery":
        inside = ev.column("in_recovery")[phase.first : phase.end + 1]
        rows = np.flatnonzero(inside)
        if not rows.size:
            raise Absent(f"there was no loss recovery in {state}")
        first = phase.first + int(rows[0])
    else:
        lost_s = _lost(ev, max(phase.start_s, from_s), phase.end_s)
        if not lost_s.size:
            raise Absent(f"no packet was lost in {state}")
        first = ev.row_at(float(lost_s[0]))
    return float(len(ev.round_starts(first, phase.end + 1)) - 1)


def losses_in(ev: Evidence, state: str, nth: int = 1, after: bool = False) -> float:
    """Lost packets in a phase."""
    phase = ev.phase(state, nth, after=after)
    return float(_lost(ev, phase.start_s, phase.end_s).size)


def pacing_gain(ev: Evidence, state: str, nth: int = 1, after: bool = False) -> float:
    """Pacing gain of a phase: its median pacing rate over 99 % of the largest delivery rate before it."""
    phase = ev.phase(state, nth, after=after)
    estimates = ev.estimates()[phase.first : phase.end]
    return float(np.median(estimates) / ev.best_rate(phase.first))


def inflight_excess_packets(ev: Evidence, state: str, nth: int = 1, side: str = "after") -> float:
    """Data in flight less one estimated BDP at the exit of a phase, in full segments.

    `side` is before for the last record before the exit, or after for the first record after it.
    """
    phase = ev.phase(state, nth)
    ev.following(phase)
    row = phase.end if side == "after" else phase.end - 1
    return float((ev.column("pipe")[row] - ev.bdp(phase.end)) / ev.mss)


def startup_rate_share(ev: Evidence) -> float:
    """Largest delivery rate until Startup is left, over the payload that the bottleneck carries.

    Without named states, the first ten seconds count.
    """
    try:
        row = ev.phase("startup").end
    except Unreadable:
        row = ev.row_at(10.0)
    return ev.best_rate(min(row, len(ev.time) - 1)) / ev.capacity


def bandwidth_share(ev: Evidence, state: str, nth: int = 1, after: bool = False) -> float:
    """Estimated bandwidth at the end of a phase with a pacing gain of one, over the payload of the bottleneck."""
    phase = ev.phase(state, nth, after=after)
    return float(ev.estimates()[phase.end - 1] / ev.capacity)


def median_bandwidth_share(ev: Evidence, from_s: float) -> float:
    """Median of the estimated bandwidth from a time on, over the payload of the bottleneck.

    Only the phases with a pacing gain of one count. Without named states, all records count.
    """
    estimates = ev.estimates()
    inside = ev.time >= from_s
    with suppress(Unreadable):
        inside &= np.isin(ev.column("cc_state"), ["probe_bw_cruise", "probe_bw_refill"])
    if not inside.any():
        raise Absent("the flow had no phase with a pacing gain of one in that time")
    return float(np.median(estimates[inside]) / ev.capacity)


def goodput_share(ev: Evidence, from_s: float, to_s: float, after: bool = False) -> float:
    """Payload that the sink received within a time over the payload that the bottleneck can carry in it."""
    base = _moment(ev) if after else 0.0
    rates = ev.result.rates
    mine = rates.where(rates["flow"] == SUBJECT)
    inside = (mine["time_s"] > base + from_s) & (mine["time_s"] <= base + to_s)
    return float(8 * mine["bytes_delivered"][inside].sum() / (to_s - from_s) / ev.capacity)


def state_goodput_share(ev: Evidence, state: str) -> float:
    """Payload that the sink received in all phases of a state, over the payload that the bottleneck carries in them."""
    rates = ev.result.rates
    mine = rates.where(rates["flow"] == SUBJECT)
    times, volumes = mine["time_s"], mine["bytes_delivered"]
    ev.phase(state)
    inside = np.zeros(len(times), dtype=bool)
    lasted = 0.0
    for one in ev.phases:
        if one.state == state:
            inside |= (times > one.start_s) & (times <= one.end_s)
            lasted += one.end_s - one.start_s
    return float(8 * volumes[inside].sum() / lasted / ev.capacity)


def cwnd_bdps(ev: Evidence, state: str, nth: int = 1, statistic: str = "max", after: bool = False) -> float:
    """Congestion window over the estimated BDP, largest, median or smallest value of a phase."""
    phase = ev.phase(state, nth, after=after)
    return _statistic(ev.column("cwnd")[phase.first : phase.end], statistic) / ev.bdp(phase.end - 1)


def cwnd_packets(ev: Evidence, from_s: float, statistic: str = "min") -> float:
    """Congestion window in full segments from a time on: largest, median or smallest value."""
    return _statistic(ev.column("cwnd")[ev.row_at(from_s) :], statistic) / ev.mss


def probe_rtt_window(ev: Evidence, nth: int = 1) -> float:
    """Smallest congestion window of a ProbeRTT over the BDP from the bandwidth and smallest RTT before it."""
    phase = ev.phase("probe_rtt", nth)
    bandwidth = float(ev.estimates()[phase.first])
    bdp = bandwidth * ev.min_rtt_s(phase.first - 1) / 8
    return float(ev.column("cwnd")[phase.first : phase.end].min()) / bdp


def probe_rtt_window_spread(ev: Evidence, nth: int = 1) -> float:
    """Largest less smallest congestion window of a ProbeRTT after its first record, in full segments."""
    phase = ev.phase("probe_rtt", nth)
    cwnd = ev.column("cwnd")[phase.first + 1 : phase.end]
    return float(cwnd.max() - cwnd.min()) / ev.mss


def probe_rtt_wait_s(ev: Evidence, nth: int = 1) -> float:
    """Time from the last RTT sample below all earlier ones to the entry of ProbeRTT, seconds."""
    phase = ev.phase("probe_rtt", nth)
    smallest = np.minimum.accumulate(ev.rtt[: phase.first])
    return phase.start_s - float(ev.time[int(np.argmin(smallest))])


def low_inflight_s(ev: Evidence, from_s: float, to_s: float, share: float) -> float:
    """Longest time within `from_s` to `to_s` in which at most `share` of a BDP and a segment are in flight, seconds."""
    first, end = ev.row_at(from_s), ev.row_at(to_s)
    if end - first < 2:
        raise Absent("there are no acknowledgments in that time")
    low = ev.column("pipe")[first:end] <= share * ev.bdp(first) + ev.mss
    longest, since = 0.0, None
    for row, is_low in enumerate(low, first):
        if is_low and since is None:
            since = float(ev.time[row])
        elif not is_low and since is not None:
            longest, since = max(longest, float(ev.time[row]) - since), None
    return max(longest, float(ev.time[end]) - since) if since is not None else longest


def median_inflight_bdps(ev: Evidence, from_s: float, to_s: float) -> float:
    """Median of the data in flight within a time over the BDP, with the bottleneck's capacity and the smallest RTT."""
    first, end = ev.row_at(from_s), ev.row_at(to_s)
    if end - first < 2:
        raise Absent("there are no acknowledgments in that time")
    bdp = ev.capacity * ev.min_rtt_s(end) / 8
    return float(np.median(ev.column("pipe")[first:end]) / bdp)


def sending_after(ev: Evidence, state: str, nth: int = 1, rounds: int = 4) -> float:
    """Data in flight a number of rounds after the exit of a phase, over the least data in flight in the phase."""
    phase = ev.phase(state, nth)
    ev.following(phase)
    starts = ev.round_starts(phase.end, len(ev.time))
    if len(starts) <= rounds:
        raise Absent(f"the run ends less than {rounds} rounds after {state}")
    pipe = ev.column("pipe")
    return float(pipe[starts[rounds]] / max(pipe[phase.first : phase.end].min(), ev.mss))


def rounds_to_share(ev: Evidence, share: float, state: str | None = None, falling: bool = False) -> float:
    """Rounds until the delivery rate, or with `falling` the pacing rate, reaches a share of the bottleneck's rate.

    Rounds count from the first phase in `state` that begins after the moment of the last stage; with `falling` from the
    first loss recovery after the moment with a higher pacing rate; and otherwise from the first acknowledgment.
    """
    if falling:
        above = ev.estimates() > share * ev.capacity
        recovering = np.flatnonzero(ev.column("in_recovery").astype(bool) & (ev.time >= _moment(ev)) & above)
        if not recovering.size:
            raise Absent("there was no loss recovery at a pacing rate above that")
        first = int(recovering[0])
        reached = ~above
    else:
        first = 0 if state is None else _entered(ev, state)
        reached = np.nan_to_num(ev.column("delivery_bps")) >= share * ev.capacity
    rows = np.flatnonzero(reached[first:])
    if not rows.size:
        raise Absent(f"the flow did not reach {share:g} of the bottleneck's rate")
    return float(len(ev.round_starts(first, first + int(rows[0]) + 1)) - 1)


def window_steps(ev: Evidence, state: str) -> float:
    """Median factor from one round's growth of the window to the next round's.

    The first phase in `state` after the moment of the last stage counts, and in it the first rounds in a row at whose
    start the window limits the flow: all of it is in flight but a send quantum and a segment.
    """
    first = _entered(ev, state)
    phase = next(one for one in ev.phases if one.first == first)
    starts = ev.round_starts(phase.first, phase.end)
    cwnd, pipe = ev.column("cwnd").astype(float), ev.column("pipe").astype(float)
    steps: list[float] = []
    for row, after in pairwise(starts):
        # A part of a segment in the window lets no segment leave.
        limited = pipe[row] + SLACK * ev.mss >= cwnd[row] - cwnd[row] % ev.mss
        if limited:
            steps.append(cwnd[after] - cwnd[row])
        elif steps:
            break
    if len(steps) < 3 or min(steps) <= 0:
        raise Absent(f"the window did not limit the flow and grow in three successive rounds of {state}")
    factors = np.array(steps[1:]) / np.array(steps[:-1])
    return float(np.median(factors))


def loss_share(ev: Evidence, from_s: float, to_s: float) -> float:
    """Lost packets over sent packets with payload within a time, per cent."""
    packets = ev.packets()
    data = packets["len"] > 0
    times, event = packets["time_s"], packets["event"].astype(str)
    inside = data & (times >= from_s) & (times < to_s)
    sent = int((inside & (event == "sent")).sum())
    if not sent:
        raise Absent("the flow sent nothing in that time")
    return 100.0 * int((inside & (event == "dropped")).sum()) / sent


def events(ev: Evidence, event: str, after: bool = True) -> float:
    """Number of events of a name since the moment of the last stage."""
    return float(len(_events(ev, event, after=after)))


def window_restored(ev: Evidence) -> float:
    """Congestion window after the first spurious recovery is undone, over the last window before that recovery."""
    return _over_recovery(ev, ev.column("cwnd").astype(float))


def bandwidth_restored(ev: Evidence) -> float:
    """Largest pacing rate within two rounds after the undo of a spurious recovery, over the last one before it.

    Each rate is divided by the pacing gain of its state.
    """
    gains = {"probe_bw_up": 1.25, "probe_bw_down": 0.9, "startup": 2.77, "drain": 0.5}
    by_state = np.array([gains.get(str(state), 1.0) for state in ev.column("cc_state")])
    return _over_recovery(ev, ev.column("pacing_bps") / by_state)


def state_after_undo(ev: Evidence, rounds: int = 2) -> str:
    """State a number of rounds after the undo of the first spurious recovery."""
    undone = _events(ev, "undone", after=True)
    if not undone:
        raise Absent("no recovery was undone")
    starts = ev.round_starts(ev.row_at(undone[0]), len(ev.time))
    if len(starts) <= rounds:
        raise Absent(f"the run ends less than {rounds} rounds after the undo")
    return state_at(ev, float(ev.time[starts[rounds]]))


def bandwidth_kept(ev: Evidence, span_s: float) -> float:
    """Smallest pacing rate within a time after the moment of the last stage, over the last one before it."""
    first = ev.row_at(_moment(ev))
    end = ev.row_at(_moment(ev) + span_s)
    pacing = ev.column("pacing_bps")
    return float(pacing[first : end + 1].min() / pacing[first - 1])


def inflight_after_loss(ev: Evidence, state: str, nth: int = 1) -> float:
    """Congestion window after the exit of a phase by loss, over the most data in flight in the phase."""
    phase = ev.phase(state, nth)
    after = ev.following(phase)
    starts = ev.round_starts(after.first, after.end)
    row = starts[min(1, len(starts) - 1)]
    return float(ev.column("cwnd")[row] / ev.column("pipe")[phase.first : phase.end].max())


def _moment(ev: Evidence) -> float:
    return ev.moment_s or 0.0


def _entered(ev: Evidence, state: str) -> int:
    """The row at which the flow first enters a state after the moment of the last stage."""
    found = [one.first for one in ev.phases if one.state == state and one.start_s >= _moment(ev)]
    if not found:
        raise Absent(f"the flow did not enter {state} after the change")
    return found[0]


def _lost(ev: Evidence, from_s: float, to_s: float) -> NDArray[Any]:
    """Times of lost packets."""
    packets = ev.packets()
    lost = (packets["event"].astype(str) == "dropped") & (packets["len"] > 0)
    times: NDArray[Any] = packets["time_s"][lost]
    return times[(times >= from_s) & (times <= to_s)]


def _events(ev: Evidence, event: str, *, after: bool) -> list[float]:
    if "events" not in ev.result.tables:
        raise Unreadable("the backend does not record recoveries and timeouts")
    since = _moment(ev) if after else 0.0
    return [
        row["time_s"]
        for row in ev.result.events.rows()
        if row["flow"] == SUBJECT and row["event"] == event and row["time_s"] >= since
    ]


def _over_recovery(ev: Evidence, series: NDArray[Any]) -> float:
    """Largest value in the two rounds after the undo of a recovery, over the last one before the recovery."""
    undone = _events(ev, "undone", after=True)
    begun = _events(ev, "recovery_started", after=True) + _events(ev, "timeout", after=True)
    if not undone or not begun:
        raise Absent("no recovery was undone")
    before = max(ev.row_at(min(begun)) - 1, 0)
    starts = ev.round_starts(ev.row_at(undone[0]), len(ev.time))
    row = starts[min(2, len(starts) - 1)]
    return float(series[starts[0] : row + 1].max() / series[before])


def _statistic(values: NDArray[Any], statistic: str) -> float:
    of: dict[str, Callable[[NDArray[Any]], Any]] = {"max": np.max, "min": np.min, "median": np.median}
    return float(of[statistic](values))


MEASURES: dict[str, Callable[..., float | str]] = {
    one.__name__: one
    for one in (
        bandwidth_kept, bandwidth_restored, bandwidth_share, cwnd_bdps, cwnd_packets, duration_s,
        events, goodput_share, inflight_after_loss, inflight_excess_packets, loss_share, losses_in, low_inflight_s,
        median_bandwidth_share, median_inflight_bdps,
        next_state, pacing_gain, plateau_rounds, probe_rtt_wait_s, probe_rtt_window, probe_rtt_window_spread,
        rounds_in, rounds_to_share, rounds_until_exit, sending_after, startup_rate_share, state_after_undo, state_at,
        state_goodput_share, states_seen, times_in, window_restored, window_steps,
    )
}  # fmt: skip
"""The measures by name."""
