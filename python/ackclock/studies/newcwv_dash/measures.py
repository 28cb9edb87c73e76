"""Measures of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.results.result import Result

__all__ = ["PAUSE_S", "PROBES", "bursts", "clients", "oscillation", "resumptions", "session", "traced"]

PROBES = {
    "probes.window": True,
    "probes.packets": True,
    "probes.interval": "0s",
    "probes.from": "20s",
}
"""Traced runs record every change of the window and every segment after the start."""


PAUSE_S = 0.1
"""A server that waits longer has a client that paused; one that asks at once keeps it waiting for 20 ms at most."""


def session(result: Result) -> dict[str, float]:
    """One client's rates in kbit/s under both readings of "segment rate", and what the bottleneck dropped."""
    client = next(result.dash.rows())
    bottleneck = next(row for row in result.links.rows() if row["link"] == "bottleneck")
    return {
        "level_kbps": client["mean_level_bps"] / 1e3,
        "download_kbps": client["mean_download_bps"] / 1e3,
        "switches": client["switches"],
        "stalled_s": client["stall_s"],
        "drops": bottleneck["drops"],
    }


def clients(result: Result) -> dict[str, float]:
    """Means over the clients of a run."""
    rows = list(result.dash.rows())

    def mean(column: str) -> float:
        return float(np.mean([row[column] for row in rows]))

    return {
        "switches": mean("switches"),
        "stalled_s": mean("stall_s"),
        "level_kbps": mean("mean_level_bps") / 1e3,
    }


def traced(result: Result) -> dict[str, float]:
    """Medians over a traced run: what is left of cwnd after a pause, and how far its first burst is spread, in SRTT.

    And both measures of how much cwnd oscillates, which `oscillation` defines.
    """
    left = resumptions(result)
    spreads = [(times[-1] - times[0]) / srtt for times, srtt in bursts(result)]
    deviation, travelled = oscillation(result)
    return {
        "window_left": float(np.median(left)),
        "spread_srtt": float(np.median(spreads)),
        "deviation": deviation,
        "travelled": travelled,
    }


def oscillation(result: Result) -> tuple[float, float]:
    """Oscillation of cwnd over a traced run: two measures, which were fixed before the first run.

    The first is the standard deviation of cwnd over time as a part of its mean. The second is the way that cwnd goes up
    and down in a second, as a multiple of the mean.
    """
    time, cwnd = result.window["time_s"], result.window["cwnd"].astype(np.float64)
    widths = np.diff(time)
    mean = float((cwnd[:-1] * widths).sum() / widths.sum())
    square = float((((cwnd[:-1] - mean) ** 2) * widths).sum() / widths.sum())
    return square**0.5 / mean, float(np.abs(np.diff(cwnd)).sum() / (time[-1] - time[0]) / mean)


def resumptions(result: Result) -> NDArray[np.float64]:
    """cwnd as sending resumes over cwnd before the pause, for every pause of the client.

    With nothing in flight the window has two records in a row: at the acknowledgment of the last byte, and when sending
    resumes. What lies between is a pause if it is longer than `PAUSE_S`.
    """
    time, cwnd, flight = (result.window[name] for name in ("time_s", "cwnd", "flight_size"))
    resumed = np.flatnonzero((flight[1:] == 0) & (flight[:-1] == 0)) + 1
    resumed = resumed[time[resumed] - time[resumed - 1] > PAUSE_S]
    return np.asarray(cwnd[resumed] / cwnd[resumed - 1], dtype=np.float64)


def bursts(result: Result) -> list[tuple[NDArray[np.float64], float]]:
    """The times (s) of the data segments that open each answer, up to its first acknowledgment, with SRTT (s) then."""
    packets = result.packets
    time, event, side = packets["time_s"], packets["event"], packets["side"]
    data = (event == "sent") & (side == "source") & (packets["len"] > 0)
    sent, offset = time[data], packets["seq"][data]
    arrived = (event == "delivered") & (side == "sink")
    acked_at, acked = time[arrived], packets["ack"][arrived]
    window_at, srtt_ms = result.window["time_s"], result.window["srtt_ms"]
    found = []
    for segment in result.dash_segments.rows():
        start = int(np.searchsorted(sent, segment["request_s"]))
        if segment["done_s"] is None or segment["request_s"] < sent[0] or start == sent.size:
            continue
        news = np.flatnonzero((acked_at > sent[start]) & (acked > offset[start]))
        end = int(np.searchsorted(sent, acked_at[news[0]])) if news.size else sent.size
        if end - start >= 4:
            srtt_s = srtt_ms[np.searchsorted(window_at, sent[start], side="right") - 1] / 1e3
            found.append((sent[start:end], float(srtt_s)))
    return found
