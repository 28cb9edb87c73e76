"""DualPI2 against the pseudocode of RFC 9332 appendix A, packet by packet."""

from collections import deque

import pytest

from tests.engine.codel import DROPS, MARKS, MS, OVERFLOWS, RATE, compare, mark
from tests.engine.stream import Packet, traffic

MTU = 1500


class Half:
    """The L or the C queue."""

    def __init__(self):
        self.packets, self.count = deque(), 0.0

    def time(self, now):
        return (now - self.packets[0].at) / 1e9 if self.packets else 0.0

    def byt(self):
        return sum(packet.size for packet in self.packets)

    def recur(self, likelihood):
        """Figure 4, lines 23 to 30, with likelihoods of 1 at most."""
        self.count += min(likelihood, 1)
        if self.count > 1:
            self.count -= 1
            return True
        return False


class DualPi2:
    """Figures 2, 3, 5, 7 and 8, with a weighted round robin by credit."""

    def __init__(self, drop, rate, *, target=15 * MS, rtt_max=100 * MS, coupling=2, buffer=250 * MS, **given):
        self.drop = drop
        self.limit = buffer / 1e9 * rate / 8
        self.k, self.target, rtt_max = coupling, target / 1e9, rtt_max / 1e9
        self.p_cmax = min(1 / self.k**2, 1)
        self.tupdate = given.get("update", int(min(self.target, rtt_max / 3) * 1e9))
        self.alpha = given.get("alpha", 0.1 * self.tupdate / 1e9 / rtt_max**2)
        self.beta = given.get("beta", 0.3 / rtt_max)
        self.min_th = given.get("ramp_from", 0.8 * MS) / 1e9
        self.range = given.get("ramp_width", 0.4 * MS) / 1e9
        self.th_len = given.get("ramp_packets", 1)
        self.share = given.get("classic_share", 1 / 16)
        self.lq, self.cq = Half(), Half()
        self.p = self.p_c = self.p_cl = self.prevq = 0.0
        self.next_update = self.tupdate
        self.idle()

    def idle(self):
        self.credit = -(1 - self.share) * MTU

    def timer(self, now):
        while self.next_update <= now:
            curq = max(self.cq.time(self.next_update), self.lq.time(self.next_update))
            self.p += self.alpha * (curq - self.target) + self.beta * (curq - self.prevq)
            self.p = min(max(self.p, 0), 1)
            self.p_cl, self.p_c, self.prevq = self.p * self.k, self.p**2, curq
            self.next_update += self.tupdate

    def enqueue(self, now, packet):
        self.timer(now)
        if self.lq.byt() + self.cq.byt() + MTU > self.limit:
            self.drop(packet, "queue")
        else:
            (self.lq if packet.ecn % 2 else self.cq).packets.append(packet)

    def laqm(self, qdelay):
        if qdelay >= self.min_th + self.range - 1e-12:
            return 1
        return max(0, qdelay - self.min_th) / self.range if self.range else 0

    def scheduler(self):
        """C when its credit is positive; the credit counts what is sent while both wait."""
        if not (self.lq.packets and self.cq.packets):
            return self.lq if self.lq.packets else self.cq
        chosen = self.cq if self.credit > 0 else self.lq
        size = chosen.packets[0].size
        self.credit += self.share * size - (size if chosen is self.cq else 0)
        return chosen

    def dequeue(self, now):
        self.timer(now)
        while self.lq.packets or self.cq.packets:
            queue = self.scheduler()
            length = len(queue.packets)
            packet = queue.packets.popleft()
            if queue is self.lq:
                if self.p_cl < 1:
                    own = self.laqm((now - packet.at) / 1e9) if length > self.th_len else 0
                    if queue.recur(max(own, self.p_cl)):
                        mark(packet)
                else:
                    if queue.recur(self.p_c):
                        self.drop(packet, "aqm")
                        continue
                    if queue.recur(self.p_cl):
                        mark(packet)
            elif queue.recur(self.p_c):
                if packet.ecn == 0 or self.p_c >= self.p_cmax:
                    self.drop(packet, "aqm")
                    continue
                mark(packet)
            return packet
        self.idle()
        return None


@pytest.mark.parametrize(
    ("constants", "ecn", "kinds"),
    [
        ({}, (0, 1), DROPS | {("sent", 1), ("sent", 3)}),
        ({}, (0, 2, 1, 3), DROPS | MARKS | {("sent", 1)}),
        ({}, (1,), {("sent", 1), ("sent", 3), ("aqm", None)}),
        ({"ramp_width": 0, "ramp_packets": 3, "classic_share": 0.1}, (0, 1), DROPS | {("sent", 3)}),
        ({"target": 5 * MS, "rtt_max": 20 * MS, "coupling": 1, "update": 4 * MS}, (2, 1), MARKS | {("aqm", None)}),
        ({"buffer": 30 * MS, "alpha": 0.01, "beta": 0.1}, (0, 1), DROPS | OVERFLOWS),
    ],
)
def test_dualpi2(constants, ecn, kinds):
    found = set()
    for seed in range(4):
        packets = traffic(seed, 4000, RATE, ecn=ecn, load=(0.3, 0.9, 1.0, 1.1, 2.0))
        found |= compare("dualpi2", lambda drop: DualPi2(drop, RATE, **constants), constants, packets, limit=10**6)
    assert kinds <= found


def test_dualpi2_after_idle_time():
    """The controller rests while nothing waits, and its updates come at the same times as if it had not."""
    burst = traffic(5, 600, RATE, ecn=(0, 1), load=(3.0,))
    packets = burst + [
        Packet(at + packet.at, packet.size, ecn=packet.ecn)
        for at in (burst[-1].at + 123_456_789_012, burst[-1].at + 987_654_321_098)
        for packet in burst
    ]
    found = compare("dualpi2", lambda drop: DualPi2(drop, RATE), {}, packets, limit=10**6)
    assert found >= {("aqm", None)}
