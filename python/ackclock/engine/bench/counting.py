"""A trivial congestion control in Python, to measure what calling one costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ackclock.cc import CongestionControl, congestion_control

if TYPE_CHECKING:
    from ackclock._core import Ack, Congestion, Window

__all__ = ["Counting", "acks"]


@congestion_control("bench-counting")
class Counting(CongestionControl):
    """Reno that spreads its growth over the ACKs, and counts them."""

    objects: ClassVar[list[Counting]] = []
    """The object of every connection of the process."""

    def __init__(self) -> None:
        self.acks = 0
        """ACKs that the connection was told of by `on_ack`."""
        self.objects.append(self)

    def on_ack(self, window: Window, ack: Ack, acked: int) -> None:
        """Grows the window by a segment in a round trip."""
        self.acks += 1
        window.cwnd += acked * ack.ctx.mss // window.cwnd

    def on_congestion(self, window: Window, event: Congestion) -> None:
        """Halves the window."""
        window.cwnd = window.ssthresh = max(event.ctx.flight_size // 2, 2 * event.ctx.mss)

    def on_timeout(self, window: Window, event: Congestion, first: bool) -> None:
        """Halves the threshold."""
        if first:
            window.ssthresh = max(event.ctx.flight_size // 2, 2 * event.ctx.mss)


def acks() -> int:
    """ACKs that all connections of the process were told of."""
    return sum(one.acks for one in Counting.objects)
