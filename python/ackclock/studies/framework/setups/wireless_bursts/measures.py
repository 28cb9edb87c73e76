"""Measures of a run of two bursts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ackclock.results.result import Result

__all__ = [
    "BURSTS",
    "DELAY_PROBE",
    "QUARTILES",
    "TIMEOUT_PROBE",
    "Distribution",
    "delays",
    "one_way_delays",
    "timeouts",
    "transfers",
]

BURSTS = ("first", "later")
QUARTILES = (0, 25, 50, 75, 100)

TIMEOUT_PROBE = {"probes.timeouts": True}
DELAY_PROBE = {"probes.delays": True}

POINTS = 400
"""Most points of a distribution in a figure."""

ROUNDING = 1e-9
"""More than the errors of sums of parts, less than one packet."""


def transfers(result: Result) -> dict[str, float]:
    """Elapsed times in seconds and fairness of each burst, between both, and what the bottleneck did."""
    table = result.transfers
    elapsed = table["duration_s"]
    unfinished = np.isnan(elapsed)
    # A transfer that is not complete at the end of the run has taken at least until then.
    elapsed = np.where(unfinished, result.meta["duration_s"] - table["start_s"], elapsed)
    first, later = np.split(elapsed, 2)
    measured = {
        "mean_s": float(elapsed.mean()),
        "later_over_first": float(later.mean() / first.mean()),
        "between": stats.jain([1 / first.mean(), 1 / later.mean()]),
        "longest_s": float(elapsed.max()),
        "unfinished": float(unfinished.sum()),
    }
    for name, burst in zip(BURSTS, (first, later), strict=True):
        measured[f"{name}_mean_s"] = float(burst.mean())
        # All transfers of a burst are of one size: rates are as the inverse of times.
        measured[f"{name}_fairness"] = stats.jain(1 / burst)
        for quartile, value in zip(QUARTILES, np.percentile(burst, QUARTILES), strict=True):
            measured[f"{name}_q{quartile}_s"] = float(value)
    measured["fairness"] = (measured["first_fairness"] + measured["later_fairness"]) / 2
    bottleneck = next(result.links.rows())
    return measured | {
        "drops": bottleneck["drops"],
        "tail_drops": bottleneck["queue_drops"],
        "queue_delay_mean_ms": bottleneck["queue_delay_mean_ms"],
        "queue_delay_max_ms": bottleneck["queue_delay_max_ms"],
    }


def timeouts(result: Result) -> dict[str, float]:
    """The measures of `transfers`, the mean one-way delay, and the senders' RTOs: all, spurious ones, those of SYNs.

    Besides, the RTOs of the flow that completes last, and the first RTO of each flow of the later burst.
    """
    table = result.timeouts
    mine = table["side"] == "source"
    segment = table["segment"].astype(float)
    # The segment of a SYN is empty, and that of the first packet begins at offset 0.
    early = np.isnan(segment) | (segment == 0)
    ends = _ends(result)
    of_last = mine & (table["flow"] == max(ends, key=lambda flow: ends[flow]))
    return (
        transfers(result)
        | {
            "delay_mean_ms": one_way_delays([result]).mean_ms,
            "rtos": float(mine.sum()),
            "spurious": float((mine & table["spurious"]).sum()),
            "syn_rtos": float((mine & np.isnan(segment)).sum()),
            "last_rtos": float(of_last.sum()),
            "last_early_rtos": float((of_last & early).sum()),
        }
        | _first_rtos(result, mine)
    )


def _ends(result: Result) -> dict[str, float]:
    """Flow to the time at which its transfer is complete, which is the end of the run at the latest."""
    table = result.transfers
    ends = table["start_s"] + table["duration_s"]
    return dict(zip(table["flow"], np.where(np.isnan(ends), result.meta["duration_s"], ends), strict=True))


def _first_rtos(result: Result, mine: NDArray[np.bool_]) -> dict[str, float]:
    """The first RTOs of the flows of the later burst.

    ``later_until_rto_s`` is the mean time from the start of a flow to its first RTO, or to its end if it has none.
    ``later_first_rtos`` is the number of flows with an RTO, and ``later_first_spurious`` that of the flows whose first
    RTO is spurious.
    """
    table = result.timeouts
    first: dict[str, tuple[float, bool]] = {}
    for flow, at, spurious in zip(*(table[name][mine] for name in ("flow", "time_s", "spurious")), strict=True):
        first.setdefault(flow, (float(at), bool(spurious)))
    starts = dict(zip(*(result.transfers[name] for name in ("flow", "start_s")), strict=True))
    later = {flow: end for flow, end in _ends(result).items() if flow.partition(".")[0] == BURSTS[1]}
    found = [first[flow] for flow in later if flow in first]
    until = [first.get(flow, (end, False))[0] - starts[flow] for flow, end in later.items()]
    return {
        "later_until_rto_s": float(np.mean(until)),
        "later_first_rtos": float(len(found)),
        "later_first_spurious": float(sum(spurious for _, spurious in found)),
    }


@dataclass(frozen=True, slots=True)
class Distribution:
    """One-way delays of the data packets of some runs, each flow's as exact as its quantiles in ``delay_cdf``."""

    delays_ms: NDArray[np.float64]
    """The distinct delays in increasing order."""
    parts: NDArray[np.float64]
    """The part of the packets whose delay is at most each of `delays_ms`."""
    mean_ms: float

    @property
    def spread_ms(self) -> float:
        """The standard deviation of the delays."""
        weights = np.diff(self.parts, prepend=0.0)
        mean = float(weights @ self.delays_ms)
        return float(np.sqrt(weights @ (self.delays_ms - mean) ** 2))

    def quantile(self, part: float) -> float:
        """The delay, in ms, that this part of the packets does not exceed."""
        return float(self.delays_ms[np.searchsorted(self.parts, part - ROUNDING)])

    def curve(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Delays and parts, from the shortest to the longest, at no more than `POINTS` places."""
        kept = np.unique(np.searchsorted(self.parts, np.linspace(0, 1, POINTS) - ROUNDING))
        return self.delays_ms[kept], self.parts[kept]


def delays(result: Result) -> dict[str, float]:
    """One-way delays of all data packets of a run together, of both bursts; needs ``probes.delays``."""
    pooled = one_way_delays([result])
    return {
        "delay_mean_ms": pooled.mean_ms,
        "delay_spread_ms": pooled.spread_ms,
        "delay_relative_spread": pooled.spread_ms / pooled.mean_ms,
        "delay_median_ms": pooled.quantile(0.5),
        "delay_p95_ms": pooled.quantile(0.95),
        "delay_p99_ms": pooled.quantile(0.99),
        "delay_max_ms": pooled.quantile(1),
    }


def one_way_delays(results: Iterable[Result]) -> Distribution:
    """One-way delays from the host of a sender to that of its receiver, over all flows; needs ``probes.delays``."""
    delays, weights, carried = [], [], 0.0
    for result in results:
        table = result.tables["delay_cdf"]
        quantile = table["quantile"]
        below = np.append(0.0, quantile[:-1])
        # A quantile that is not below this one belongs to the flow before.
        below[below >= quantile] = 0.0
        packets = dict(zip(*(result.tables["delays"][name] for name in ("flow", "packets")), strict=True))
        means = result.tables["delays"]["mean_ms"]
        carried += float(np.nansum(means * result.tables["delays"]["packets"]))
        delays.append(table["delay_ms"])
        weights.append((quantile - below) * np.array([packets[name] for name in table["flow"]]))
    values, which = np.unique(np.concatenate(delays), return_inverse=True)
    upto = np.cumsum(np.bincount(which, np.concatenate(weights)))
    return Distribution(values, upto / upto[-1], float(carried / upto[-1]))
