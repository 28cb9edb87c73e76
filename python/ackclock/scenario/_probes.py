"""Tables of a scenario.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from dataclasses import dataclass

from ackclock.scenario._record import Record

__all__ = ["Probes"]


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Probes(Record):
    """The data to record besides the summaries.

    Parameters
    ----------
    window
        Whether the congestion windows of the senders are recorded over time. Default: False.
    packets
        Whether every segment that is sent, dropped or delivered is recorded, with its SACK blocks. Default: False.
    timeouts
        Whether every expiry of a retransmission timer is recorded, with whether it was spurious. Default: False.
    delays
        Whether each flow's one-way delays are summarised, over the packets with payload that its sink receives.
        Default: False.
    queues
        Whether each link's queue length in packets and bytes, its queueing delay and its available capacity are
        recorded at every interval. Default: False.
    rates
        Whether the bytes that each flow's sink receives are recorded for every interval. Default: False.
    limits
        Whether the time is summed for which each flow's senders were limited by the congestion window, the receive
        window, the send buffer, pacing or the application. Absent: false.
    interval
        Minimum time between two records of a flow's window; zero records every acknowledgment. It is also the interval
        of queues and rates. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h). Default: "10ms".
    from_
        Time at which recording starts. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    to
        Time at which recording ends. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
        Absent: the end of the run.
    """

    window: bool | None = None
    packets: bool | None = None
    timeouts: bool | None = None
    delays: bool | None = None
    queues: bool | None = None
    rates: bool | None = None
    limits: bool | None = None
    interval: str | None = None
    from_: str | None = None
    to: str | None = None
