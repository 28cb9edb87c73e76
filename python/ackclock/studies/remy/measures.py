"""Measures of a run: the throughput over the time on and the queueing delay of every sender."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ackclock.result import Result

__all__ = ["HANDSHAKE_MBPS", "MBPS", "QUEUE_MS", "datacentre", "of_sender", "over_differing_rtts", "senders"]

MBPS = "throughput_mbps"
HANDSHAKE_MBPS = "throughput_with_handshake_mbps"
QUEUE_MS = "queueing_delay_ms"

MEGABIT = 1e6
DATACENTRE_DELAY_MS = 2.0


def of_sender(measure: str, index: int) -> str:
    """The name of a measure of one sender."""
    return f"{measure}.{index}"


def senders(delay_ms: float) -> Callable[[Result], dict[str, float]]:
    """Returns the function that measures a run whose propagation delay is `delay_ms` one way.

    Throughput is payload delivered over the time on. ns-2's one-way agents have no handshake and count until the last
    acknowledgment has come back. A period is therefore taken from its first segment to half a round trip after the
    delivery of its last byte. The other throughput is from the call to open the connection to delivery. A period that
    is not over at the end of the run ends there.
    """

    def measure(result: Result) -> dict[str, float]:
        measured = {
            of_sender(name, index): value
            for name, values in _by_sender(result, delay_ms).items()
            for index, value in enumerate(values)
        }
        link = next(result.links.rows())
        return measured | {
            "utilisation_percent": 100 * link["utilisation"],
            "drop_rate_percent": 100 * link["drop_rate"],
            "timeouts": float(result.flows["timeouts"].sum()),
        }

    return measure


def _by_sender(result: Result, delay_ms: float) -> dict[str, list[float]]:
    """Measure to its values in the order of the flows; NaN for a sender that delivered nothing."""
    periods, delays, end = result.onoff, result.tables["delays"], result.meta["duration_s"]
    finished = np.isfinite(periods["end_s"])
    ends = np.where(finished, periods["end_s"], end)
    first = np.where(np.isfinite(periods["connected_s"]), periods["connected_s"], ends)
    back = np.where(finished, np.minimum(delay_ms / 1e3, end - ends), 0.0)
    measured: dict[str, list[float]] = {MBPS: [], HANDSHAKE_MBPS: [], QUEUE_MS: []}
    for flow in result.flows["flow"]:
        mine = periods["flow"] == flow
        bits = float(periods["bytes"][mine].sum()) * 8 / MEGABIT
        measured[MBPS].append(_over(bits, (ends + back - first)[mine]))
        measured[HANDSHAKE_MBPS].append(_over(bits, (ends - periods["start_s"])[mine]))
        measured[QUEUE_MS].append(float(delays["mean_ms"][delays["flow"] == flow].sum()) - delay_ms)
    return measured


def _over(bits: float, times: NDArray[np.float64]) -> float:
    return bits / float(times.sum()) if times.sum() > 0 else float("nan")


def over_differing_rtts(result: Result) -> dict[str, float]:
    """Each sender's throughput over its time on, and its part of their mean."""
    mbps = dict(zip(result.time_on["flow"], result.time_on["throughput_bps"] / MEGABIT, strict=True))
    mean = float(np.mean(list(mbps.values())))
    measured = {f"{flow}_mbps": float(value) for flow, value in mbps.items()}
    return measured | {f"{flow}_share": float(value) / mean for flow, value in mbps.items()}


def datacentre(result: Result) -> dict[str, float]:
    """Mean and median of throughput over the time on and of the round-trip time, over the senders that delivered."""
    values = _by_sender(result, DATACENTRE_DELAY_MS)
    mbps, queue = np.array(values[MBPS]), np.array(values[QUEUE_MS])
    delivered = np.isfinite(queue)
    mbps, rtt = mbps[delivered], 2 * DATACENTRE_DELAY_MS + queue[delivered]
    link = next(result.links.rows())
    return {
        "mbps-mean": float(mbps.mean()),
        "mbps-median": float(np.median(mbps)),
        "rtt-mean": float(rtt.mean()),
        "rtt-median": float(np.median(rtt)),
        "utilisation_percent": 100 * link["utilisation"],
        "drop_rate_percent": 100 * link["drop_rate"],
    }
