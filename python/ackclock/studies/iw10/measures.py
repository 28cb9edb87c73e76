"""What is taken from a run of two bursts."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.result import Result

__all__ = ["BURSTS", "QUARTILES", "TIMEOUT_PROBE", "one_way_delays_ms", "timeouts", "transfers"]

BURSTS = ("first", "later")
QUARTILES = (0, 25, 50, 75, 100)

TIMEOUT_PROBE = {"probes.timeouts": True}


def transfers(result: Result) -> dict[str, float]:
    """Elapsed times in seconds and fairness of each burst, between both, and what the bottleneck did."""
    table = result.transfers
    elapsed = table["duration_s"]
    unfinished = np.isnan(elapsed)
    # What is under way at the end of the run has taken at least until then.
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
        "queue_delay_mean_ms": bottleneck["queue_delay_mean_ms"],
        "queue_delay_max_ms": bottleneck["queue_delay_max_ms"],
    }


def timeouts(result: Result) -> dict[str, float]:
    """The same with the RTOs of the senders, those of SYNs included, and how many of them were spurious."""
    table = result.timeouts
    mine = table["side"] == "source"
    return transfers(result) | {
        "rtos": float(mine.sum()),
        "spurious": float((mine & table["spurious"]).sum()),
        "syn_rtos": float((mine & np.isnan(table["segment"].astype(float))).sum()),
    }


def one_way_delays_ms(result: Result) -> NDArray[np.float64]:
    """From a sender's host to its receiver's, for every data packet that arrived; needs ``probes.packets``."""
    pending: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    delays = []
    table = result.packets
    columns = (table[name] for name in ("time_s", "flow", "side", "event", "seq", "len"))
    for time, flow, side, event, seq, length in zip(*columns, strict=True):
        if side != "source" or length == 0:
            continue
        copies = pending[flow, seq]
        if event == "sent":
            copies.append(time)
        elif event == "dropped":
            # The queue is next to the sender: what it drops was sent last.
            copies.pop()
        else:
            delays.append((time - copies.pop(0)) * 1e3)
    return np.array(delays)
