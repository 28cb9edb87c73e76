"""A congestion control with all callbacks, in bytes and nanoseconds; see `help(ackclock.CongestionControl)`.

As it stands it is Reno (RFC 5681). There are more callbacks than here; those that a class does not have cost nothing.
"""

import ackclock


@ackclock.congestion_control("template-name")
class TemplateName(ackclock.CongestionControl):
    """Additive increase of one segment a round trip, decrease by half."""

    kept = ackclock.parameter(0.5, 0.1, 0.95, "part of the window kept at a loss")

    def __init__(self):
        self.acked = 0

    def on_ack(self, window, ack, acked):
        """New data was acknowledged and the window may grow; slow start has used the rest of ack.acked."""
        self.acked += min(acked, window.cwnd)
        if self.acked >= window.cwnd:
            self.acked -= window.cwnd
            window.cwnd += ack.ctx.mss

    def on_congestion(self, window, event):
        """A loss or a mark: event.cause."""
        self.acked = 0
        window.ssthresh = self.reduced(window, event)
        window.cwnd = window.ssthresh

    def on_timeout(self, window, event, first):
        """The retransmission timer expired; the sender will set cwnd to one segment."""
        self.acked = 0
        if first:
            window.ssthresh = self.reduced(window, event)

    def reduced(self, window, event):
        """The bytes in flight count up to the window."""
        flight = min(event.ctx.flight_size, window.cwnd)
        return max(int(flight * self.kept), 2 * event.ctx.mss)
