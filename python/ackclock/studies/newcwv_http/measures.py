"""Measures of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.results.result import Result

__all__ = ["BINS", "IDLE_S", "losses_and_times", "of_pages", "traffic"]

IDLE_S = 1.0
"""A burst comes after idle if nothing was on its way for so long: more than two round-trip times, and than the RTO."""

BINS = {"small": (0, 14_600), "middle": (14_600, 58_400), "large": (58_400, 1 << 62)}
"""Answers by their bytes: up to ten segments, which the restart window carries at once; up to forty; beyond."""


def traffic(result: Result) -> dict[str, float]:
    """Segments dropped for each hundred that reach the bottleneck, and the mean time of exchanges after idle, by size.

    The mean is geometric: a change of it is the typical change of one exchange, whatever its size.
    """
    measured = losses_and_times(result)
    size, log_time = result.tmix_epochs["acceptor_bytes"], np.log(result.tmix_epochs["duration_s"])
    idle = _after_idle(result)
    for name, (above, upto) in BINS.items():
        measured[f"{name}_s"] = float(np.exp(log_time[idle & (size > above) & (size <= upto)].mean()))
    return measured


def losses_and_times(result: Result) -> dict[str, float]:
    """The measures of `traffic` over all sizes of answers together."""
    bottleneck = next(row for row in result.links.rows() if row["link"] == "bottleneck")
    log_time = np.log(result.tmix_epochs["duration_s"])
    return {
        "loss_percent": 100 * bottleneck["drop_rate"],
        "drops": bottleneck["drops"],
        "all_s": float(np.exp(log_time[_after_idle(result)].mean())),
    }


def _after_idle(result: Result) -> NDArray[np.bool_]:
    """The exchanges after an idle period. The first of a connection follows its handshake instead."""
    epochs = result.tmix_epochs
    return np.asarray((epochs["idle_s"] >= IDLE_S) & (epochs["index"] > 0))


SETTLED_S, WINDOW_S = 20.0, 1.0
"""The rate of the link is read from here on, in windows of this length."""


def of_pages(result: Result) -> dict[str, float]:
    """The time of an object with the opening of its connection, and how much the rate of the link varies.

    The time is a geometric mean over all objects, in s. The variation is the standard deviation of the bytes that
    arrive in a second over their mean: 0 is a constant rate.
    """
    objects = result.web_objects
    packets = result.packets
    got = (packets["event"] == "delivered") & (packets["side"] == "source") & (packets["len"] > 0)
    edges = np.arange(SETTLED_S, float(result.meta["duration_s"]) + 1e-9, WINDOW_S)
    carried, _ = np.histogram(packets["time_s"][got], edges, weights=packets["len"][got].astype(np.float64))
    return {
        "object_s": float(np.exp(np.log(objects["duration_s"]).mean())),
        "variation": float(carried.std() / carried.mean()),
    }
