"""A congestion control from five rules about its window, in segments; see `help(ackclock.WindowRules)`.

As it stands it is Reno. Change what is to be different, and delete the rules that are to stay.
"""

import ackclock


@ackclock.congestion_control("template-name")
class TemplateName(ackclock.WindowRules):
    """Additive increase of one segment a round trip, decrease by half."""

    kept = ackclock.parameter(0.5, 0.1, 0.95, "part of the window kept at a loss")

    def start(self, flow):
        """The first window, segments."""
        return flow.initial_window

    def increase(self, flow):
        """Segments that the window grows by in a round trip; flow.cwnd, flow.srtt, flow.min_rtt and so on are there."""
        return 1

    def reduction(self, flow):
        """The part of the window that is left after a loss, or a mark: flow.cause."""
        return self.kept

    def timeout(self, flow):
        """The part of the window that ssthresh becomes after a timeout."""
        return self.reduction(flow)

    def idle(self, flow):
        """The part of the window that is left where nothing was sent for flow.idle seconds, longer than a timeout."""
        return 1
