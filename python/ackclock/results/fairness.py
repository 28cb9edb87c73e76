"""Measures of fairness between flows, from the rates of a run and from runs with and without other flows.

Measures over time need ``probes.rates = true`` in the scenario, and have the resolution of ``probes.interval``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ackclock.results.result import Result

__all__ = ["bounded_harm", "convergence_time", "harm", "jain_over_time"]


def jain_over_time(
    result: Result, flows: Sequence[str] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Jain's fairness index of the goodputs in each interval (RFC 5166 section 2.3.1).

    A flow counts from the first interval that ends after its start until the end of the run. A flow that starves lowers
    the index; so does a flow without data to send, which `flows` can exclude. In contrast, the figure
    `result.plot.jain` counts a flow from its first byte to its last. The index is 1 if all goodputs are zero.

    Returns
    -------
    The ends of the intervals in seconds, without those in which no flow has started, and the indices.
    """
    ends, goodputs, starts = _rates(result, flows)
    counted = [
        (end, stats.jain(row[starts < end])) for end, row in zip(ends, goodputs, strict=True) if end > starts.min()
    ]
    times, indices = zip(*counted, strict=True) if counted else ((), ())
    return np.array(times, dtype=np.float64), np.array(indices, dtype=np.float64)


def convergence_time(
    result: Result,
    flows: Sequence[str] | None = None,
    *,
    after: float | None = None,
    delta: float = 0.1,
    hold: float = 1.0,
) -> float:
    """The time until flows share fairly, in seconds; NaN if they do not.

    This is the time from `after` to the first interval that begins a fair period of at least `hold` seconds. In a fair
    period, each of the n flows has a share of their goodput from (1 - `delta`) / n to (1 + `delta`) / n. An interval in
    which all goodputs are zero is not fair.

    With two flows, this is the delta-fair convergence time (RFC 5166 section 2.3.3, after Bansal, Balakrishnan, Floyd,
    Shenker, SIGCOMM 2001). Its initial shares of 100/101 and 1/101 are up to the scenario: a flow has the link alone
    when the other starts.

    Parameters
    ----------
    result
        A run with ``probes.rates``.
    flows
        The flows that are to share; by default all.
    after
        Start of the measurement in seconds; by default the start of the last of these flows.
    delta
        Largest relative deviation from the fair share that is fair.
    hold
        Time in seconds for which the shares have to stay fair. Rates over less than a few round-trip times vary even if
        they are fair on average, so ``probes.interval`` must be longer than that.
    """
    if not 0 < delta < 1:
        raise ValueError(f"delta must be between 0 and 1, not {delta}")
    ends, goodputs, starts = _rates(result, flows)
    since = float(starts.max()) if after is None else after
    if len(ends) < 2:
        return float("nan")
    begins = np.concatenate([[2 * ends[0] - ends[1]], ends[:-1]])
    totals = goodputs.sum(axis=1)
    shares = goodputs * goodputs.shape[1] / np.where(totals > 0, totals, 1.0)[:, np.newaxis]
    # A share on the bound counts as within it, whatever the rounding.
    fair = (np.abs(shares - 1) <= delta + 1e-9).all(axis=1)
    reached: float | None = None
    for begin, end, is_fair in zip(begins, ends, fair, strict=True):
        if begin < since - 1e-9 or not is_fair:
            reached = None
            continue
        reached = begin if reached is None else reached
        if end - reached >= hold - 1e-9:
            return float(reached - since)
    return float("nan")


def harm(together: float, alone: float, *, more_is_better: bool) -> float:
    """The loss of a flow through another flow, as a share from 0 to 1 (Ware, Mukerjee, Seshan, Sherry, HotNets 2019).

    Let x be the value `alone` and y the value `together`. If more is better, as for throughput, harm is (x - y) / x. If
    less is better, as for delay, loss and completion time, harm is (y - x) / y. It is negative if the flow gains.
    """
    whole = alone if more_is_better else together
    part = alone - together if more_is_better else together - alone
    if not (whole > 0 and min(alone, together) >= 0):
        name = "alone" if more_is_better else "together"
        raise ValueError(
            f"harm needs numbers of at least zero, and {name} above zero, not {together} together and {alone} alone"
        )
    return part / whole


def bounded_harm(together: float, alone: float, *, more_is_better: bool) -> float:
    """Harm as `harm` has it, at least -1; 0 if both numbers are zero, as for losses, and NaN if one is missing.

    A gain has no bound: it counts as -1 from the double of a good number, or the half of a bad one, on.
    """
    if not (np.isfinite(together) and np.isfinite(alone)):
        return float("nan")
    if together == alone:
        return 0.0
    whole = alone if more_is_better else together
    return max(-1.0, harm(together, alone, more_is_better=more_is_better)) if whole > 0 else -1.0


def _rates(
    result: Result, flows: Sequence[str] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Ends of the intervals, goodputs by interval and flow, and starts of the flows."""
    rates, known = result.rates, list(result.flows["flow"])
    names = known if flows is None else list(flows)
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        wrong = f"no flow {unknown[0]!r}" if unknown else "flows is empty"
        raise ValueError(f"{wrong}; there are {', '.join(known)}")
    places = [known.index(name) for name in names]
    goodputs = rates["goodput_bps"].astype(np.float64).reshape(-1, len(known))
    ends = rates["time_s"].astype(np.float64)[:: len(known)]
    return ends, goodputs[:, places], result.flows["start_s"].astype(np.float64)[places]
