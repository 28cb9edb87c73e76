"""Measures of a run of bursts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ackclock.results.result import Result

__all__ = ["PROBES", "bursts", "window_left"]

PROBES = {"probes.window": True, "probes.interval": "0s"}


def bursts(result: Result) -> dict[str, float]:
    """The mean time of the bursts after the first of each flow, which knows no idle period, and of all of them.

    A burst that is not complete when the run ends has taken at least until then.
    """
    table = result.bursts
    elapsed = table["duration_s"]
    elapsed = np.where(np.isnan(elapsed), result.meta["duration_s"] - table["start_s"], elapsed)
    bottleneck = next(result.links.rows())
    return {
        "time_s": float(elapsed[table["index"] > 0].mean()),
        "all_s": float(elapsed.mean()),
        "drops": bottleneck["drops"],
    }


def window_left(result: Result) -> dict[str, float]:
    """The median over the pauses of cwnd when sending resumes over its largest value in the burst before."""
    time, cwnd = result.window["time_s"], result.window["cwnd"]
    starts = result.bursts["start_s"]
    left = []
    for before, start in pairwise(starts):
        during = cwnd[(time >= before) & (time < start)]
        left.append(cwnd[np.searchsorted(time, start)] / during.max())
    return {"window_left": float(np.median(left))}
