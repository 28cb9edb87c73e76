"""Measures of a run: the shares while both classes had data to send, starvation, and losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.results.result import Result

__all__ = ["FLOOR", "SETTLED_S", "WINDOW_S", "Side", "rates", "sharing", "sides"]

SETTLED_S = 20.0
"""Measuring begins here, in seconds: both classes start within the first second, and slow start is over."""

WINDOW_S = 10.0
"""The windows in which starvation is looked for, and of the figures."""

FLOOR = 0.05
"""The part of its fair share below which a class starves."""

WHOLE = 0.99
"""The part of a window that counts as all of it."""

DASH = "dash"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two classes of a run."""

    weight: float
    """Its flows, to which its fair share is proportional; HTTP counts as one."""
    starts: NDArray[np.float64]
    """Times at which requests were sent, in s, sorted. A file of FTP is requested once."""
    ends: NDArray[np.float64]
    """Times at which the last bytes of answers arrived, in s, sorted."""
    at: NDArray[np.float64]
    """Times at which data segments arrived, in s."""
    size: NDArray[np.float64]
    """Bytes of these data segments."""
    dropped: int
    """Data segments that the bottleneck dropped."""

    def under_way(self, time: NDArray[np.float64]) -> NDArray[np.float64]:
        """Answers under way at given times."""
        asked = np.searchsorted(self.starts, time, side="right")
        return np.asarray(asked - np.searchsorted(self.ends, time, side="right"), dtype=np.float64)


def sides(result: Result) -> tuple[Side, Side]:
    """The two classes: DASH, and the traffic that shares the link with it."""
    table = result.packets
    time, size, flow = table["time_s"], table["len"], table["flow"].astype(str)
    side, event = table["side"], table["event"]
    from_server, with_data = side == "source", size > 0
    delivered = from_server & with_data & (event == "delivered")
    dropped = from_server & with_data & (event == "dropped")
    asked = ~from_server & with_data & (event == "sent") & (table["retransmission"] == False)  # noqa: E712
    names = np.asarray(result.flows["flow"], dtype=str)
    is_dash = np.char.startswith(names, DASH)
    found = []
    for mine in (names[is_dash], names[~is_dash]):
        of_class = np.isin(flow, mine)
        starts, ends = _answers(result, mine, time[asked & of_class])
        got = delivered & of_class
        found.append(
            Side(
                weight=mine.size,
                starts=np.sort(starts),
                ends=np.sort(ends),
                at=time[got],
                size=size[got].astype(np.float64),
                dropped=int((dropped & of_class).sum()),
            )
        )
    return found[0], found[1]


def _answers(
    result: Result, mine: NDArray[np.str_], asked: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The times of requests and of complete answers. An answer that the end of the run cut off has no end.

    `asked` is when the clients sent data, which are their requests.
    """
    if mine[0].startswith(DASH):
        done = result.dash_segments["done_s"]
        return result.dash_segments["request_s"], done[~np.isnan(done)]
    if "tmix_epochs" in result.tables:
        return asked, result.tmix_epochs["end_s"]
    flows = result.flows
    return flows["start_s"][np.isin(flows["flow"].astype(str), mine)], np.empty(0)


def sharing(result: Result) -> dict[str, float]:
    """The shares while both classes had something under way, the windows of starvation, and the losses."""
    dash, rival = both = sides(result)
    end = float(result.meta["duration_s"])
    link = next(row for row in result.links.rows() if row["link"] == "bottleneck")
    times, widths = _common(dash, rival, SETTLED_S, end)
    got = [_bytes_during(one, dash, rival) for one in both]
    flows = [float((one.under_way(times) * widths).sum()) for one in both]
    by_class = [volume / one.weight for volume, one in zip(got, both, strict=True)]
    by_flow = [volume / time for volume, time in zip(got, flows, strict=True)]
    windows = [_starved(one, one.weight / (dash.weight + rival.weight) * link["rate_bps"] / 8, end) for one in both]
    busy = sum(count for count, _ in windows)
    return {
        "both_percent": 100 * float(widths.sum()) / (end - SETTLED_S),
        "dash_share_percent": 100 * got[0] / sum(got),
        "ratio_by_class": _lesser(by_class),
        "ratio_by_flow": _lesser(by_flow),
        "dash_kbps": _rate(dash, end) / 1e3,
        "rival_kbps": _rate(rival, end) / 1e3,
        "windows_dash": windows[0][0],
        "windows_rival": windows[1][0],
        "starved_dash": windows[0][1],
        "starved_rival": windows[1][1],
        "starved_percent": 100 * sum(starved for _, starved in windows) / busy if busy else 0.0,
        "loss_percent": 100 * link["drop_rate"],
        "dash_loss_percent": _loss(dash),
        "rival_loss_percent": _loss(rival),
        "level_kbps": float(np.nanmean(result.dash["mean_level_bps"])) / 1e3,
        "stalled_s": float(result.dash["stall_s"].mean()),
        "dash_burst_s": _burst_time(result.dash_segments["request_s"], *_dash_transfers(result)),
        **_rival_bursts(result),
    }


def _dash_transfers(result: Result) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times (s) and sizes (bytes) of the segments that DASH fetched."""
    segments = result.dash_segments
    return segments["download_s"], np.asarray(segments["bytes"], dtype=np.float64)


def _rival_bursts(result: Result) -> dict[str, float]:
    """The time of HTTP's answers, as that of DASH's; a file of FTP is no burst."""
    if "tmix_epochs" not in result.tables:
        return {}
    epochs = result.tmix_epochs
    begun = epochs["end_s"] - epochs["duration_s"]
    return {
        "rival_burst_s": _burst_time(begun, epochs["duration_s"], np.asarray(epochs["acceptor_bytes"], dtype=float))
    }


def _burst_time(begun: NDArray[np.float64], time: NDArray[np.float64], size: NDArray[np.float64]) -> float:
    """The time in which a burst of data is fetched, in s for each Mbit, as a geometric mean over the bursts.

    It is the time for a volume, so that a player which asks for better, and so larger, segments is not the slower one.
    """
    whole = ~np.isnan(time) & (size > 0) & (begun + np.nan_to_num(time) >= SETTLED_S)
    return float(np.exp(np.log(time[whole] / (8e-6 * size[whole])).mean()))


def _lesser(rates: list[float]) -> float:
    """The lesser rate over the greater: 1 where both are equal, 0.5 where one is twice the other."""
    return min(rates) / max(rates)


def _loss(one: Side) -> float:
    """Data segments dropped for each hundred that reached the bottleneck."""
    return 100 * one.dropped / (one.dropped + one.at.size)


def _rate(one: Side, end: float) -> float:
    """The rate of a class from `SETTLED_S` on, in bit/s."""
    return 8 * float(one.size[one.at >= SETTLED_S].sum()) / (end - SETTLED_S)


def _common(dash: Side, rival: Side, start: float, end: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The intervals between events in which both classes have something under way: their starts and widths."""
    events = np.concatenate([[start, end], *(times for one in (dash, rival) for times in (one.starts, one.ends))])
    times = np.unique(events[(events >= start) & (events <= end)])
    widths = np.diff(times)
    both = (dash.under_way(times[:-1]) > 0) & (rival.under_way(times[:-1]) > 0)
    return times[:-1][both], widths[both]


def _bytes_during(one: Side, dash: Side, rival: Side) -> float:
    """The bytes of a class that arrived, from `SETTLED_S` on, while both had something under way."""
    # The last segment of an answer arrives when it ends.
    before = np.nextafter(one.at, 0)
    counts = (dash.under_way(before) > 0) & (rival.under_way(before) > 0) & (one.at >= SETTLED_S)
    return float(one.size[counts].sum())


def rates(one: Side, end: float, start: float = 0.0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Starts of the whole windows up to `end`, and the rate in each of them, in byte/s."""
    edges = np.arange(start, end + 1e-9, WINDOW_S)
    volume, _ = np.histogram(one.at, edges, weights=one.size)
    return edges[:-1], np.asarray(volume / WINDOW_S, dtype=np.float64)


def _starved(one: Side, fair: float, end: float) -> tuple[int, int]:
    """Windows in which a class had something under way all along, and those of them in which it starved.

    `fair` is its fair share in byte/s.
    """
    starts, carried = rates(one, end, SETTLED_S)
    busy = np.array([_busy(one, start, start + WINDOW_S) >= WHOLE * WINDOW_S for start in starts])
    return int(busy.sum()), int((busy & (carried < FLOOR * fair)).sum())


def _busy(one: Side, start: float, end: float) -> float:
    """The time between two times, in s, in which a class had something under way."""
    _, widths = _common(one, one, start, end)
    return float(widths.sum())
