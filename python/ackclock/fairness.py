"""Measures of how flows share a network, from the rates of a run and from runs with and without each other.

Those over time need ``probes.rates = true`` in the scenario, and have the resolution of ``probes.interval``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ackclock.result import Result

__all__ = ["convergence_time", "harm", "jain_over_time"]


def jain_over_time(
    result: Result, flows: Sequence[str] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Jain's fairness index of the goodputs in each interval (RFC 5166 section 2.3.1).

    A flow counts from the first interval that ends after its start to the end of the run, so that one that starves
    lowers the index; so does one that has nothing more to send, which `flows` can leave out. The figure
    `result.plot.jain` counts it from its first byte to its last instead. Where nobody has anything, 1.

    Returns
    -------
    The ends of the intervals in seconds, those left out in which no flow has started, and the indices.
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
    """How long it takes flows to share fairly, in seconds; NaN where they do not.

    It is the time from `after` to the first interval of the rates from which on, for at least `hold` seconds, each of
    the n flows has a share of their goodput from (1 - `delta`) / n to (1 + `delta`) / n. With two flows that is the
    delta-fair convergence time (RFC 5166 section 2.3.3, after Bansal, Balakrishnan, Floyd, Shenker, SIGCOMM 2001),
    whose start at shares of 100/101 and 1/101 is up to the scenario: a flow that has the link to itself when the other
    starts. An interval in which nobody has anything is not fair.

    Parameters
    ----------
    result
        A run with ``probes.rates``.
    flows
        Those that are to share, by default all.
    after
        From when on, by default the start of the last of them.
    delta
        How far from the fair share is fair.
    hold
        How long the shares have to stay fair. Rates over less than a few round-trip times vary however fair they are on
        average, so ``probes.interval`` has to be so long.
    """
    if not 0 < delta < 1:
        raise ValueError(f"delta is between 0 and 1, not {delta}")
    ends, goodputs, starts = _rates(result, flows)
    since = float(starts.max()) if after is None else after
    if len(ends) < 2:
        return float("nan")
    begins = np.concatenate([[2 * ends[0] - ends[1]], ends[:-1]])
    totals = goodputs.sum(axis=1)
    shares = goodputs * goodputs.shape[1] / np.where(totals > 0, totals, 1.0)[:, np.newaxis]
    # A share on the bound is within it, whatever the last digit of a quotient.
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
    """What a flow loses by another beside it, as a part from 0 to 1 (Ware, Mukerjee, Seshan, Sherry, HotNets 2019).

    With x `alone` and y `together`: (x - y) / x where more is better, as of throughput, and (y - x) / y where less is,
    as of delay, loss and completion time. It is negative where the flow gains.
    """
    whole = alone if more_is_better else together
    part = alone - together if more_is_better else together - alone
    if not (whole > 0 and min(alone, together) >= 0):
        name = "alone" if more_is_better else "together"
        raise ValueError(
            f"harm needs numbers that are not negative, and {name} above zero: {together} together, {alone} alone"
        )
    return part / whole


def _rates(
    result: Result, flows: Sequence[str] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Ends of the intervals, goodputs by interval and flow, and the flows' starts."""
    rates, known = result.rates, list(result.flows["flow"])
    names = known if flows is None else list(flows)
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        wrong = f"no flow {unknown[0]!r}" if unknown else "no flow is named"
        raise ValueError(f"{wrong}; there are {', '.join(known)}")
    places = [known.index(name) for name in names]
    goodputs = rates["goodput_bps"].astype(np.float64).reshape(-1, len(known))
    ends = rates["time_s"].astype(np.float64)[:: len(known)]
    return ends, goodputs[:, places], result.flows["start_s"].astype(np.float64)[places]
