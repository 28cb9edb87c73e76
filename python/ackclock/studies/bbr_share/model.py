"""The model of Ware, Mukerjee, Seshan and Sherry (IMC 2019) of BBR's share beside loss-based flows.

The equations have the numbers of the paper. BBR flows in competition are limited by their in-flight cap, twice
their estimates of bandwidth and round-trip time:

    cap = 2 * RTT_est * Btlbw_est                                   (1)

With a fraction p of the link, and so of the full queue of q packets, for the loss-based flows, N BBR flows measure
together ``Btlbw_est = (1 - p) c`` (2) and, when they drain their own packets in ProbeRTT, the queue of the others and
four packets of each BBR flow: ``RTT_est = (p q + 4 N) / c + l`` (7). They fill the queue until their packets in flight,
``(1 - p) (q + c l)``, are as many as the cap, hence

    p = 1/2 - 1/(2 X) - 4 N / q                                     (9)

for a queue of X bandwidth-delay products; below 0 it is 0. In every ten seconds BBR flows send nothing while the queue
drains, 200 ms and a round trip:

    share = (1 - p) * (1 - (q / c + 0.2 + l) / 10)                  (10), (11)
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PACKET_BITS", "Path", "loss_based_share", "probing_part", "share"]

PACKET_BITS = 12_000
"""Bits of a packet of 1500 bytes."""
PROBE_PACKETS = 4
"""Packets in flight of a flow in ProbeRTT."""
PROBE_S = 0.2
"""Time that a flow stays in ProbeRTT once its packets are few, seconds."""
PROBE_PERIOD_S = 10.0
"""Time from one ProbeRTT to the next, seconds."""


@dataclass(frozen=True, slots=True)
class Path:
    """A path: rate in Mbit/s, base round-trip time in seconds, and queue in bandwidth-delay products."""

    rate_mbps: float
    rtt_s: float
    queue_bdp: float

    @property
    def rate(self) -> float:
        """c, packets a second."""
        return self.rate_mbps * 1e6 / PACKET_BITS

    @property
    def queue(self) -> float:
        """q, packets."""
        return self.queue_bdp * self.rate * self.rtt_s


def loss_based_share(path: Path, bbr_flows: int) -> float:
    """p of equation 9: the part of the link that all loss-based flows have together while BBR sends."""
    return max(0.0, 0.5 - 0.5 / path.queue_bdp - PROBE_PACKETS * bbr_flows / path.queue)


def probing_part(path: Path) -> float:
    """The part of the time that BBR flows spend in ProbeRTT: equation 11 over the duration, at most 1."""
    return min(1.0, (path.queue / path.rate + PROBE_S + path.rtt_s) / PROBE_PERIOD_S)


def share(path: Path, bbr_flows: int) -> float:
    """The part of the link that all BBR flows have together beside any number of loss-based flows: equation 10."""
    return (1 - loss_based_share(path, bbr_flows)) * (1 - probing_part(path))
