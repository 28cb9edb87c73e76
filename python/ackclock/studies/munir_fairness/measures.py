"""Measures of a run: the goodput of each kind of flow together, and the utilisation of the link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.munir_fairness.readings import GROUPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.results.result import Result

__all__ = ["aggregates", "total_windows"]

MBPS = 1e6
HEADERS = 40
SEGMENT = 1460


def aggregates(result: Result) -> dict[str, float]:
    """Mbit/s on the link by group, headers counted as the paper's packets have them, their sum, and the link."""
    flows, seconds = result.flows, result.meta["duration_s"]
    group = np.array([name.split(".")[0] for name in flows["flow"]])
    wire = flows["bytes_delivered"] * 8 * (SEGMENT + HEADERS) / SEGMENT / seconds / MBPS
    measured = {f"{name}_mbps": float(wire[group == name].sum()) for name in GROUPS}
    link = next(result.links.rows())
    return {
        **measured,
        "sum_mbps": sum(measured.values()),
        "newreno_over_least": measured["newreno_mbps"]
        - min(measured[f"{one}_mbps"] for one in GROUPS if one != "newreno"),
        "jain": stats.jain(wire),
        "timeouts": float(flows["timeouts"].sum()),
        "utilisation_percent": 100 * link["utilisation"],
        "drop_rate_percent": 100 * link["drop_rate"],
        "packets": float(link["packets"]),
    }


def total_windows(result: Result, step_s: float) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Times, and the windows of each group's flows together in segments; needs ``probes.window``."""
    window = result.window
    flows, times, windows = window["flow"], window["time_s"], window["cwnd"]
    grid = np.arange(step_s, result.meta["duration_s"], step_s)
    totals = {name: np.zeros(len(grid)) for name in GROUPS}
    for flow in np.unique(flows):
        mine = flows == flow
        at = np.searchsorted(times[mine], grid, "right") - 1
        known = np.where(at >= 0, windows[mine][np.maximum(at, 0)], 0)
        totals[str(flow).split(".")[0]] += known / SEGMENT
    return grid, totals
