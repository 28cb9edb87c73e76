"""Congestion controls that tests register, and the network that they run over."""

import pytest

import ackclock

BASE = """
name = "lossy"
duration = "10s"

[bottleneck]
rate = "10Mbps"
delay = "20ms"
queue = "0.5bdp"
loss = "0.1%"

[[flows]]
name = "bulk"
stack = "rfc"
count = 2
start_jitter = "500ms"
app = "bulk"

[[flows]]
name = "bursts"
stack = "rfc"
app = { kind = "bursts", size = "200kB", interval = "3s", count = 3 }

[probes]
window = true
packets = true
"""


SOURCE = """
import ackclock

STEP = {step}

@ackclock.congestion_control("{name}")
class Mine(ackclock.WindowRules):
    def increase(self, flow):
        return STEP
"""
MARKS = {"kind": "red", "limit": "100 packets", "setbit": True}
MARKED = {"flows[*].ecn": "classic", "flows[*].abe": True, "bottleneck.queue": MARKS}
"""Overrides: a queue that marks, and senders that answer a mark by less than a loss."""


def registered(name, base, **members):
    """Registers a class made of `members` and returns it."""
    return ackclock.congestion_control(name)(type("Mine", (base,), {"__module__": __name__} | members))


def run(cc, **overrides):
    return ackclock.run(BASE, overrides={"flows[*].cc": cc} | overrides)


def fails(cc="mine", **overrides):
    with pytest.raises(ackclock.AlgorithmError) as raised:
        run(cc, **overrides)
    return raised.value


def full(**members):
    """The members of a full control that is Reno but for `members`."""

    def reduced(window, event):
        return max(min(event.ctx.flight_size, window.cwnd) // 2, 2 * event.ctx.mss)

    def on_ack(self, window, ack, acked):
        self.acked = getattr(self, "acked", 0) + min(acked, window.cwnd)
        if self.acked >= window.cwnd:
            self.acked -= window.cwnd
            window.cwnd += ack.ctx.mss

    def on_congestion(self, window, event):
        self.acked = 0
        window.ssthresh = window.cwnd = reduced(window, event)

    def on_timeout(self, window, event, first):
        self.acked = 0
        if first:
            window.ssthresh = reduced(window, event)

    return {"on_ack": on_ack, "on_congestion": on_congestion, "on_timeout": on_timeout} | members


def without_labels(result):
    """Every table but the column that names the algorithm."""
    return {
        name: {column: table[column].tolist() for column in table.column_names if column != "cc"}
        for name, table in result.tables.items()
    }


def equal(first, second):
    """Whether two runs are the same to the last packet; NaN, of a cell that is empty, included."""
    return repr(without_labels(first)) == repr(without_labels(second))
