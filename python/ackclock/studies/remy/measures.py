"""Measures of a run, as the authors' scripts define them: throughput over the time on, and delays from RTTs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.results.result import Result

__all__ = ["MBPS", "QUEUE_MS", "datacentre", "of_sender", "over_differing_rtts", "senders"]

MBPS = "throughput_mbps"
QUEUE_MS = "queueing_delay_ms"

MEGABIT = 1e6
PACKET, PAYLOAD = 1260, 1208
"""A packet on the wire and its payload, bytes."""


def of_sender(measure: str, index: int) -> str:
    """The name of a measure of one sender."""
    return f"{measure}.{index}"


def senders(less_ms: float) -> Callable[[Result], dict[str, float]]:
    """Returns the function that measures a run whose queueing delay is the mean RTT less `less_ms`.

    Throughput is what arrived in order, in whole packets on the wire, over the sum of the times on. A period that is
    not over at the end of the run ends there, and counts if anything arrived in it. The RTT is the mean of samples that
    are at least 5 ms apart.
    """

    def measure(result: Result) -> dict[str, float]:
        mbps, rtts = _by_sender(result)
        measured = {of_sender(MBPS, index): value for index, value in enumerate(mbps)}
        measured |= {of_sender(QUEUE_MS, index): value - less_ms for index, value in enumerate(rtts)}
        link = next(result.links.rows())
        return measured | {
            "utilisation_percent": 100 * link["utilisation"],
            "drop_rate_percent": 100 * link["drop_rate"],
            "timeouts": float(result.flows["timeouts"].sum()),
        }

    return measure


def _by_sender(result: Result) -> tuple[list[float], list[float]]:
    """Throughputs in Mbit/s and mean RTTs in ms, in the order of the flows; NaN for a sender that delivered nothing."""
    periods, samples = result.onoff, result.tables["window"]
    ends = np.where(np.isfinite(periods["end_s"]), periods["end_s"], result.meta["duration_s"])
    counts = periods["bytes"] > 0
    sampled = np.isfinite(samples["latest_rtt_ms"])
    mbps, rtts = [], []
    for flow in result.flows["flow"]:
        mine = counts & (periods["flow"] == flow)
        time = float((ends - periods["start_s"])[mine].sum())
        packets = float(np.ceil(periods["bytes"][mine] / PAYLOAD).sum())
        rtt = samples["latest_rtt_ms"][sampled & (samples["flow"] == flow)]
        mbps.append(packets * PACKET * 8 / MEGABIT / time if time > 0 else float("nan"))
        rtts.append(float(rtt.mean()) if rtt.size else float("nan"))
    return mbps, rtts


def over_differing_rtts(result: Result) -> dict[str, float]:
    """Each sender's throughput over its time on, and its part of their mean."""
    mbps = dict(zip(result.flows["flow"], _by_sender(result)[0], strict=True))
    mean = float(np.mean(list(mbps.values())))
    measured = {f"{flow}_mbps": value for flow, value in mbps.items()}
    return measured | {f"{flow}_share": value / mean for flow, value in mbps.items()}


def datacentre(result: Result) -> dict[str, float]:
    """Mean and median of throughput over the time on and of the round-trip time, over the senders that delivered."""
    mbps, rtt = (np.array(values) for values in _by_sender(result))
    delivered = np.isfinite(mbps) & np.isfinite(rtt)
    mbps, rtt = mbps[delivered], rtt[delivered]
    link = next(result.links.rows())
    return {
        "mbps-mean": float(mbps.mean()),
        "mbps-median": float(np.median(mbps)),
        "rtt-mean": float(rtt.mean()),
        "rtt-median": float(np.median(rtt)),
        "utilisation_percent": 100 * link["utilisation"],
        "drop_rate_percent": 100 * link["drop_rate"],
    }
