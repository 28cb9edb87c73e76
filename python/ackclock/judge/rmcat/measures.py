"""The measures of RFC 8867 section 4.1 and RFC 8868 section 3, read from the tables of a run.

Rates are those of IP packets with all headers, over seconds, as RFC 8868 section 3 plots them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import stats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.judge.rmcat.case import Case, Phase
    from ackclock.results.result import Result

__all__ = ["CallMeasures", "PhaseMeasures", "Series", "call_measures", "phase_measures", "series_of"]

REACHED = 0.8
"""Part of the expected rate from which on a phase counts as converged. RFC 8868 defines convergence time as the time
to a stable rate, without a number."""
HOLD_S = 3
"""Seconds for which the rate must stay there."""


@dataclass(frozen=True)
class Series:
    """The rows of `call_rates` of a call.

    Parameters
    ----------
    at_s
        Ends of the intervals, s.
    target_bps, sent_bps, received_bps
        Rates, bit/s.
    delay_ms
        Mean one-way delays of the packets received, ms; NaN without any.
    """

    at_s: NDArray[np.float64]
    target_bps: NDArray[np.float64]
    sent_bps: NDArray[np.float64]
    received_bps: NDArray[np.float64]
    delay_ms: NDArray[np.float64]


def series_of(run: Result, call: str) -> Series:
    """The series of a call of a run."""
    rows = run.call_rates
    mine = np.asarray([name == call for name in rows["flow"]])
    columns = ("at_s", "target_bps", "sent_bps", "received_bps", "delay_ms")
    return Series(*(np.asarray(rows[name], dtype=float)[mine] for name in columns))


@dataclass(frozen=True)
class CallMeasures:
    """Measures of a call over the whole test.

    Parameters
    ----------
    sent_bps, received_bps, feedback_bps
        Mean rates, bit/s.
    delay_mean_ms, delay_p95_ms, delay_max_ms
        One-way delay of packets, ms.
    frame_delay_p95_ms
        95th percentile of the delay from capture to play-out, ms.
    loss
        Part of the packets that are lost, before repair.
    freezes, freeze_s, skipped
        Freezes, their time, and frames that the encoder skipped.
    """

    sent_bps: float
    received_bps: float
    feedback_bps: float
    delay_mean_ms: float
    delay_p95_ms: float
    delay_max_ms: float
    frame_delay_p95_ms: float
    loss: float
    freezes: float
    freeze_s: float
    skipped: float


def call_measures(run: Result, call: str) -> CallMeasures:
    """The measures of a call."""
    row: dict[str, Any] = next(row for row in run.call.rows() if row["flow"] == call)

    def number(name: str) -> float:
        value = row[name]
        return float("nan") if value is None else float(value)

    return CallMeasures(**{name: number(name) for name in CallMeasures.__dataclass_fields__})


@dataclass(frozen=True)
class PhaseMeasures:
    """Measures of a phase of a case.

    Parameters
    ----------
    utilisation
        Received rate of all calls in the second half of the phase over the rate that they can reach.
    convergence_s
        Time until the received rate of all calls stays at 80 % of what they can reach for 3 s; NaN if it never does.
    oscillation
        Standard deviation of the sending rate over its mean in the second half, of the call where it is largest.
    delay_ms
        Mean one-way delay in the second half, ms, of the call where it is largest.
    jain, ratio
        Jain's index and the largest over the smallest received rate in the second half; NaN with one call.
    rates_bps
        Received rate of each call in the second half, bit/s.
    """

    utilisation: float
    convergence_s: float
    oscillation: float
    delay_ms: float
    jain: float
    ratio: float
    rates_bps: dict[str, float]


def phase_measures(run: Result, phase: Phase) -> PhaseMeasures:
    """The measures of a phase."""
    all_series = {call: series_of(run, call) for call in phase.calls}
    middle = (phase.start_s + phase.end_s) / 2

    def late(series: Series, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[(series.at_s > middle) & (series.at_s <= phase.end_s)]

    rates = {call: float(np.nanmean(late(one, one.received_bps))) for call, one in all_series.items()}
    sent = [late(one, one.sent_bps) for one in all_series.values()]
    waited = [late(one, one.delay_ms) for one in all_series.values()]
    several = len(rates) > 1
    least = min(rates.values())
    return PhaseMeasures(
        utilisation=sum(rates.values()) / phase.expected_bps,
        convergence_s=_convergence(all_series, phase),
        oscillation=max(float(np.std(values) / np.mean(values)) for values in sent),
        delay_ms=max(float(np.nanmean(values)) for values in waited),
        jain=float(stats.jain(list(rates.values()))) if several else float("nan"),
        ratio=(max(rates.values()) / least if least > 0 else float("inf")) if several else float("nan"),
        rates_bps=rates,
    )


def _convergence(all_series: dict[str, Series], phase: Phase) -> float:
    """Seconds from the start of the phase until the calls together stay near what they can reach."""
    seconds = np.arange(int(phase.start_s) + 1, int(phase.end_s) + 1)
    total = np.zeros(len(seconds))
    for one in all_series.values():
        # Samples of a call come each second from its start on.
        at = dict(zip(np.round(one.at_s).astype(int), one.received_bps, strict=True))
        total += np.nan_to_num(np.asarray([at.get(int(second), 0.0) for second in seconds]))
    good = total >= REACHED * phase.expected_bps
    for index in range(len(seconds) - HOLD_S + 1):
        if good[index : index + HOLD_S].all():
            return float(seconds[index] - 1 - phase.start_s)
    return float("nan")


def tcp_goodput(run: Result, case: Case) -> float:
    """Goodput of the competing TCP flows together, bit/s; NaN without any."""
    calls = set(case.calls)
    flows = [float(row["goodput_bps"] or 0) for row in run.flows.rows() if row["flow"] not in calls]
    return sum(flows) if flows else float("nan")
