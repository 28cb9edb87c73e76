"""Measures of single runs: queues, throughput, fairness, completion times, timeouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.results.result import Result

__all__ = ["buildup", "convergence", "incast", "multihop", "queue"]


def queue(result: Result) -> dict[str, float]:
    """Packets that wait at the port, sampled each millisecond, and the goodput of all flows."""
    table = result.queues
    packets = np.asarray(table["packets"], dtype=np.float64)[table["link"] == "bottleneck"]
    low, high = np.percentile(packets, (5, 95))
    return {
        "queue_mean": float(packets.mean()),
        "queue_spread": float(high - low),
        "queue_max": float(packets.max()),
        "goodput_gbps": float(result.flows["goodput_bps"].sum()) / 1e9,
        "utilisation_percent": 100 * float(result.links["utilisation"][0]),
    }


def _rates(result: Result, group: str) -> NDArray[np.float64]:
    """The goodput of each flow of a group in each second, Mbit/s: a row a flow."""
    table = result.rates
    names = [name for name in dict.fromkeys(table["flow"].tolist()) if name.startswith(f"{group}.")]
    rows = [np.asarray(table["bytes_delivered"], dtype=np.float64)[table["flow"] == name] for name in names]
    return np.stack(rows) * 8 / 1e6


def convergence(result: Result, *, spacing: int) -> dict[str, float]:
    """Jain's index over the seconds in which all five senders are active, and how much each of them varies."""
    rates = _rates(result, "sender")[:, 4 * spacing + 1 : 5 * spacing]
    index = rates.sum(axis=0) ** 2 / (len(rates) * (rates**2).sum(axis=0))
    mean = rates.mean(axis=1)
    return {
        "jain": float(index.mean()),
        "jain_of_means": float(mean.sum() ** 2 / (len(mean) * (mean**2).sum())),
        "sd_mbps": float(rates.std(axis=1).mean()),
    }


def multihop(result: Result) -> dict[str, float]:
    """The mean goodput of a sender of each group, Mbit/s, and Jain's index within the groups, the least of them."""
    groups = {name: _rates(result, name).mean(axis=1) for name in ("s1", "s2", "s3")}
    jain = [float(one.sum() ** 2 / (len(one) * (one**2).sum())) for one in groups.values()]
    return {f"{name}_mbps": float(one.mean()) for name, one in groups.items()} | {"jain_least": min(jain)}


def incast(result: Result) -> dict[str, float]:
    """The mean completion time of the queries, and how many of them met a timeout."""
    rounds = result.rounds
    start, end = (np.asarray(rounds[name], dtype=np.float64) for name in ("start_s", "end_s"))
    if not np.isfinite(end).all():
        raise ValueError("a query has no end: the run is too short")
    times = np.asarray(result.timeouts["time_s"], dtype=np.float64) if len(result.timeouts) else np.empty(0)
    met = np.unique(np.searchsorted(start, times, side="right") - 1)
    return {
        "completion_ms": 1e3 * float((end - start).mean()),
        "timeouts_percent": 100 * len(met) / len(start),
    }


def buildup(result: Result) -> dict[str, float]:
    """The median and the 95th percentile of the completion times of the short answers."""
    times = next(row for row in result.completions.rows() if row["flow"] == "short")
    return {
        "short_p50_ms": 1e3 * times["p50_s"],
        "short_p95_ms": 1e3 * times["p95_s"],
        "timeouts": float(result.flows["timeouts"][result.flows["flow"] == "short"].sum()),
    }
