"""Measures of a run, and bounds of a difference between simulator and kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median, variance
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.base.table import Table
    from tools.residuals.plan import Experiment

__all__ = ["BOUNDS", "Bound", "Cell", "cells", "measured"]

SETTLED_S = {"alone": 1.0, "path": 2.0}
"""Means of samples begin here: before it the kernel does not know the size of its segments yet, or a flow that starts
within the first second has not begun."""


@dataclass(frozen=True)
class Bound:
    """A difference is within it if it is within one of its two limits."""

    unit: str
    relative: float = 0.0
    absolute: float = 0.0
    words: str = ""

    def holds(self, ours: float, theirs: float) -> bool:
        """Whether a difference lies within it."""
        return abs(ours - theirs) <= max(self.relative * abs(theirs), self.absolute) + 1e-9


BOUNDS = {
    "goodput": Bound("Mbit/s", relative=0.005, words="0.5 %"),
    "window": Bound("segments", relative=0.03, words="3 %"),
    "RTT": Bound("ms", relative=0.03, words="3 %"),
    "retransmissions": Bound("", relative=0.1, absolute=1, words="10 % or one"),
    "recoveries": Bound("", relative=0.1, absolute=1, words="10 % or one"),
    "period": Bound("s", relative=0.1, words="10 %"),
    "share": Bound("", absolute=0.03, words="the range of the kernel's five runs, widened by 0.03"),
    "completion": Bound("ms", absolute=1, words="1 ms"),
    "burst": Bound("ms", relative=0.02, words="2 %"),
    "mean time": Bound("s", words="the 99 % interval of the kernel's mean, widened by that of the simulator's"),
    "rate": Bound("Mbit/s", relative=0.02, words="2 %"),
}
"""The measures with their bounds."""

MEASURES = {
    "alone": ("goodput", "window", "RTT", "retransmissions", "recoveries", "period"),
    "path": ("goodput", "window", "RTT", "retransmissions", "recoveries"),
    "share": ("share",),
    "transfer": ("completion",),
    "lossy": ("mean time",),
    "bursts": ("burst",),
    "window": ("rate",),
    "far": ("rate",),
}


@dataclass(frozen=True)
class Cell:
    """One number of the simulator beside that of the kernel."""

    experiment: str
    measure: str
    ours: float
    theirs: float
    low: float
    """The smallest of the kernel's runs; where there is one run, its number."""
    high: float

    @property
    def holds(self) -> bool:
        """Whether the simulator's number is as near as the measure's bound asks for."""
        bound = BOUNDS[self.measure]
        return bound.holds(self.ours, min(max(self.ours, self.low), self.high))


def measured(kind: str, tables: Mapping[str, Table]) -> dict[str, float]:
    """Values of one run in the simulator or in the kernel, by measure."""
    flows = {row["flow"]: row for row in tables["flows"].rows()}
    one = flows["one"]
    if kind == "share":
        return {"share": one["goodput_bps"] / sum(row["goodput_bps"] for row in flows.values())}
    if kind in ("transfer", "bursts"):
        done = tables["bursts" if kind == "bursts" and "bursts" in tables else "transfers"]
        times = [row["duration_s"] * 1e3 for row in done.rows()]
        return {"completion" if kind == "transfer" else "burst": fmean(times)}
    if kind == "lossy":
        return {"mean time": fmean(row["duration_s"] for row in tables["transfers"].rows())}
    if kind in ("window", "far"):
        return {"rate": one["goodput_bps"] / 1e6}
    rows = list(tables["window"].rows())
    settled = [row for row in rows if row["time_s"] >= SETTLED_S[kind]]
    found = {
        "goodput": one["goodput_bps"] / 1e6,
        "window": fmean(row["cwnd"] / 1448 for row in settled),
        "RTT": fmean(row["srtt_ms"] for row in settled),
        "retransmissions": one["retransmits"],
        "recoveries": one["recoveries"],
    }
    return found | _period(rows)


def _period(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The mean time between the starts of recoveries, of which there must be three."""
    pairs = pairwise(rows)
    starts = [after["time_s"] for before, after in pairs if after["in_recovery"] and not before["in_recovery"]]
    return {"period": (starts[-1] - starts[0]) / (len(starts) - 1)} if len(starts) >= 3 else {}


def _width(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Half the width of the 99 % interval of the difference of two means."""
    return 2.576 * math.sqrt(variance(ours) / len(ours) + variance(theirs) / len(theirs))


def cells(experiment: Experiment, ours: Sequence[dict[str, float]], theirs: Sequence[dict[str, float]]) -> list[Cell]:
    """The cells of an experiment from what was measured in its runs; a period that one side lacks has no cell."""
    found = []
    for measure in MEASURES[experiment.kind]:
        our, their = ([run[measure] for run in runs if measure in run] for runs in (ours, theirs))
        if our and their:
            if experiment.kind == "alone":
                kernel = median(their)
                found.append(Cell(experiment.key, measure, median(our), kernel, kernel, kernel))
            elif experiment.kind == "lossy":
                mean, width = fmean(their), _width(our, their)
                found.append(Cell(experiment.key, measure, fmean(our), mean, mean - width, mean + width))
            else:
                found.append(Cell(experiment.key, measure, fmean(our), fmean(their), min(their), max(their)))
    return found
