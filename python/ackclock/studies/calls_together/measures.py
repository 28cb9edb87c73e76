"""Measures of a run: the time of recovery, and rates, delays and losses beside other traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.calls_together.cells import DROP_S, RESTORED_S

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.results.result import Result

__all__ = ["beside", "disruption", "recovery"]

BEFORE_S = 60
"""The time before the disruption whose mean rate is the rate before."""
WINDOW_S = 5
"""Length of the mean that has to reach the rate before."""
SAMPLES = 5
"""Samples in a second."""
PARTS = {"recovery_s": 0.95, "recovery_90_s": 0.9, "recovery_99_s": 0.99}
"""Definitions of a return: measure to part of the rate before."""


def recovery(received: NDArray[np.float64], part: float) -> float:
    """The seconds from the end of the disruption until a mean over 5 s reaches a part of the rate before.

    Parameters
    ----------
    received
        Rates, five in a second, from the start of the call; the last one counts as the end of the run.
    part
        Part of the mean rate in the minute before the disruption.

    Returns
    -------
    float
        The seconds to the end of the first such window, or those to the end of the run if there is none.
    """
    before = received[_samples(DROP_S - BEFORE_S, DROP_S)].mean()
    width = WINDOW_S * SAMPLES
    means = np.convolve(received, np.full(width, 1 / width), mode="valid")
    # A window that begins at sample k ends at k + width.
    ends = np.arange(means.size) + width
    found = ends[(ends >= RESTORED_S * SAMPLES + width) & (means >= part * before)]
    end = found[0] if found.size else received.size
    return float(end / SAMPLES - RESTORED_S)


def _samples(start_s: int, end_s: int) -> slice:
    return slice(start_s * SAMPLES, end_s * SAMPLES)


def disruption(result: Result) -> dict[str, float]:
    """The time of recovery, and the rate and the delay before and during the disruption."""
    samples = result.call_rates
    received, delay = (np.asarray(samples[name], dtype=np.float64) for name in ("received_bps", "delay_ms"))
    during = _samples(DROP_S, RESTORED_S)
    call = next(result.call.rows())
    return {
        **{name: recovery(received, part) for name, part in PARTS.items()},
        "before_mbps": 1e-6 * float(received[_samples(DROP_S - BEFORE_S, DROP_S)].mean()),
        "during_mbps": 1e-6 * float(received[during].mean()),
        "during_ms": float(np.nanmean(delay[during])),
        "loss_percent": 1e2 * (call["loss"] or 0.0),
        "freezes": float(call["freezes"]),
        "freeze_s": call["freeze_s"],
    }


def beside(result: Result) -> dict[str, float]:
    """Rates of all flows from the start of the probes on, and the first call's delay, loss and freezes."""
    rates = result.rates
    mbps = {
        flow: 8e-6 * float(np.asarray(rates["bytes_delivered"], dtype=np.float64)[rates["flow"] == flow].mean())
        for flow in result.flows["flow"]
    }
    values = list(mbps.values())
    call = next(result.call.rows())
    delays = next(result.delays.rows())
    link = next(result.links.rows())
    return {
        "call_mbps": values[0],
        "other_mbps": float(np.mean(values[1:])),
        "call_percent": 1e2 * values[0] / sum(values),
        "largest_percent": 1e2 * max(values) / sum(values),
        "spread": max(values) / min(values),
        "jain": stats.jain(values),
        "used_percent": min(100.0, 1e8 * sum(values) / link["rate_bps"]),
        "delay_mean_ms": delays["mean_ms"],
        "delay_p95_ms": delays["p95_ms"],
        "loss_percent": 1e2 * (call["loss"] or 0.0),
        "freezes": float(call["freezes"]),
    }
