"""Measures of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ackclock.result import Result

__all__ = ["BINS", "IDLE_S", "traffic"]

IDLE_S = 1.0
"""A burst comes after idle if nothing was on its way for so long: more than two round-trip times, and than the RTO."""

BINS = {"small": (0, 14_600), "middle": (14_600, 58_400), "large": (58_400, 1 << 62)}
"""Answers by their bytes: up to ten segments, which the restart window carries at once; up to forty; beyond."""


def traffic(result: Result) -> dict[str, float]:
    """Segments dropped for each hundred that reach the bottleneck, and the mean time of exchanges after idle, by size.

    The mean is geometric: a change of it is the typical change of one exchange, whatever its size.
    """
    bottleneck = next(row for row in result.links.rows() if row["link"] == "bottleneck")
    epochs = result.tmix_epochs
    size, log_time = epochs["acceptor_bytes"], np.log(epochs["duration_s"])
    # The first exchange of a connection follows its handshake and no idle period.
    idle = (epochs["idle_s"] >= IDLE_S) & (epochs["index"] > 0)
    measured = {"loss_percent": 100 * bottleneck["drop_rate"], "drops": bottleneck["drops"]}
    measured["all_s"] = float(np.exp(log_time[idle].mean()))
    for name, (above, upto) in BINS.items():
        measured[f"{name}_s"] = float(np.exp(log_time[idle & (size > above) & (size <= upto)].mean()))
    return measured
