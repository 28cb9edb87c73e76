"""Tables of a scenario.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from dataclasses import dataclass

from ackclock.scenario._record import Record

__all__ = ["Probes"]


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Probes(Record):
    """What is recorded besides the summaries.

    Parameters
    ----------
    window
        Whether the senders' windows are recorded over time. Default: False.
    packets
        Whether every segment sent, dropped and delivered is recorded, with its SACK blocks. Default: False.
    timeouts
        Whether every expiry of a retransmission timer is recorded, and whether it was spurious. Default: False.
    delays
        Whether the one-way delays of the packets with payload that sinks receive are summed up for every flow. Default:
        False.
    queues
        Whether the packets and bytes that wait before each link are recorded at the interval, how long they wait, and
        what it could send. Default: False.
    rates
        Whether the bytes that sinks receive in each interval are recorded for every flow. Default: False.
    interval
        Least time between two records of a flow's window, where zero records every acknowledgment; the time between two
        of queues and rates. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h). Default: "10ms".
    from_
        When recording starts. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    to
        When recording ends. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h). Absent: the end
        of the run.
    """

    window: bool | None = None
    packets: bool | None = None
    timeouts: bool | None = None
    delays: bool | None = None
    queues: bool | None = None
    rates: bool | None = None
    interval: str | None = None
    from_: str | None = None
    to: str | None = None
