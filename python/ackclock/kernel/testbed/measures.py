"""Measures of a session, in the words of the simulator's table ``dash``."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ackclock.kernel.testbed.session import Request, Session
    from ackclock.kernel.testbed.sockets import Sample

__all__ = ["IDLE_S", "measures", "stalled", "window_left"]

IDLE_S = 0.2
"""A connection with nothing in flight for so long waits for a player that pauses; requests in a row leave it less."""


def measures(session: Session, segment_s: float) -> dict[str, float]:
    """The numbers of a session.

    Returns
    -------
    dict[str, float]
        ``level_kbps`` and ``download_kbps``: means over the segments of their level, and of their size over the time
        from the request to the last byte. ``switches``: changes of the level from one segment to the next.
        ``stalled_s``: see `stalled`. ``drops``: packets that the bottleneck dropped towards the player.
        ``window_left``: see `window_left`; not a number if no connection was ever idle. ``connections``: how many
        carried a segment.
    """
    requests = sorted(session.requests, key=lambda one: one.start_s)
    levels = [one.level_kbps for one in requests]
    rates = [8e-3 * one.bytes / (one.done_s - one.start_s) for one in requests if one.done_s is not None]
    bottleneck = next(row for row in session.meta["links"] if row["link"] == "bottleneck")
    left = window_left(session.samples)
    return {
        "level_kbps": float(np.mean(levels)),
        "download_kbps": float(np.mean(rates)),
        "switches": float(np.count_nonzero(np.diff(levels))),
        "stalled_s": stalled(requests, segment_s),
        "drops": float(bottleneck["drops"]),
        "window_left": float(np.median(left)) if left else float("nan"),
        "connections": float(len({one.connection for one in requests})),
    }


def stalled(requests: Iterable[Request], segment_s: float) -> float:
    """Seconds that a player stands still which begins with the first complete segment and plays each as it comes.

    It is a property of the times of the segments, so that players which do not say when they stall can be compared.
    A segment that was asked for twice counts when it was first complete.
    """
    done: dict[int, float] = {}
    for one in requests:
        if one.done_s is not None:
            done[one.number] = min(one.done_s, done.get(one.number, one.done_s))
    if not done:
        return 0.0
    clock, waited = done[min(done)], 0.0
    for number in sorted(done):
        waited += max(0.0, done[number] - clock)
        clock = max(clock, done[number]) + segment_s
    return waited


def window_left(samples: Sequence[Sample], *, with_acks: bool = False) -> list[float]:
    """cwnd when sending resumes over cwnd when it paused, for every pause of every connection of `IDLE_S` or more.

    The kernel reduces an unused window when data is sent again, so the window at the end of a pause is that of the
    first sample with data in flight. A pause begins with the first sample without data in flight.

    Parameters
    ----------
    samples
        Of the sender, in any order.
    with_acks
        Whether the samples were taken as packets arrived at the sender, all of them. The first sample with data in
        flight then comes with the first acknowledgment, a round-trip time after sending resumed, and that time is no
        part of the pause. Otherwise samples are closer together than a round-trip time, and no acknowledgment has
        come by then.
    """
    found = []
    for _, group in groupby(sorted(samples, key=lambda one: (one.port, one.time_s)), key=lambda one: one.port):
        idle: Sample | None = None
        acked = 0
        for one in group:
            if one.acked < acked:
                # Another connection has the port now.
                idle = None
            acked = one.acked
            if one.flight:
                # A connection that has not sent data yet has no window to keep.
                resumed_s = one.time_s - (one.rtt_ms / 1e3 if with_acks else 0)
                if idle is not None and idle.acked and resumed_s - idle.time_s >= IDLE_S:
                    found.append(one.cwnd / idle.cwnd)
                idle = None
            elif idle is None:
                idle = one
    return found
