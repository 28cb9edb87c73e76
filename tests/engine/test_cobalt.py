"""COBALT against its description, packet by packet.

Roots are those of Linux's sch_cake: 32 bits, in a table up to 15 signals and by one Newton step from the root before
above.
"""

from collections import deque

import pytest

from tests.engine.codel import DROPS, MARKS, MS, OVERFLOWS, RATE, SEED, compare, mark
from tests.engine.stream import Stream, traffic

ONE = 2**32
TABLE = (
    ONE - 1, ONE - 1, 3037000500, 2479700525, 2147483647, 1920767767, 1753413056, 1623345051,
    1518500250, 1431655765, 1358187914, 1294981364, 1239850263, 1191209601, 1147878294, 1108955788,
)  # fmt: skip


def inverse(root, count):
    """2^32 / sqrt(count) from the root of the count before."""
    if count < len(TABLE):
        return TABLE[count]
    return ((3 * ONE - count * (root * root // ONE)) // 4) * root >> 31


class Cobalt:
    """CoDel's schedule without its estimator, BLUE beside it, one queue of so many packets."""

    def __init__(self, drop, rate, limit, *, target=None, interval=None, ecn=1, increment=1 / 256, decrement=1 / 4096):
        packet_time = 1500 * 8e9 / rate
        self.drop, self.limit, self.ecn = drop, limit, ecn
        self.target = max(5 * MS, 1.5 * packet_time) if target is None else target
        self.interval = int(interval or 95 * MS + self.target)
        self.packet_time = int(packet_time)
        self.increment, self.decrement = increment, decrement
        self.packets, self.stream = deque(), Stream(SEED)
        self.above, self.count, self.next, self.root = False, 0, 0, 0
        self.p, self.changed = 0.0, 0
        self.empty = True

    def blue(self, now, by):
        if now - self.changed > int(self.target):
            self.p = min(max(self.p + by, 0), 1)
            self.changed = now

    def due(self, now):
        return self.count > 0 and now >= self.next

    def step(self, by):
        self.count += by
        self.root = inverse(self.root, self.count)
        self.next += self.interval * self.root // ONE

    def found_empty(self, now):
        if self.p:
            self.blue(now, -self.decrement)
        self.above = False
        if self.due(now):
            self.step(-1)

    def enqueue(self, now, packet):
        if self.empty:
            # The wire went idle since; the engine sees that now.
            self.found_empty(now)
            self.empty = False
        self.packets.append(packet)
        if len(self.packets) > self.limit:
            self.blue(now, self.increment)
            self.above, self.next, self.count = True, now, max(self.count, 1)
            self.drop(self.packets.popleft(), "queue")

    def dequeue(self, now):
        while self.packets:
            packet = self.packets.popleft()
            if not self.condemned(now, packet) or not self.packets:
                return packet
            self.drop(packet, "aqm")
        self.empty = True
        return None

    def condemned(self, now, packet):
        due = self.due(now)
        late = now > self.next
        waited = now - packet.at
        above = waited > int(self.target) and waited > 4 * self.packet_time
        if above and not self.above:
            self.next = now + self.interval * self.root // ONE
        self.above = above
        if above and self.count == 0:
            self.count = 1
        condemned = False
        if due and above:
            condemned = not (self.ecn and mark(packet))
            self.step(1)
            late = now > self.next
        while due and not above and self.due(now):
            self.step(-1)
            late = now > self.next
        if self.p and self.stream.bits() / 2**64 < self.p:
            condemned = True
        if self.count == 0:
            self.next = now + self.interval
        elif late and not condemned:
            self.next = now
        return condemned


@pytest.mark.parametrize(
    ("constants", "rate", "limit", "ecn", "kinds"),
    [
        ({}, RATE, 1000, (0,), DROPS),
        ({}, RATE, 30, (0, 0, 2), DROPS | OVERFLOWS | MARKS),
        ({"target": 2 * MS, "interval": 15 * MS}, 20 * RATE, 1000, (0, 2), DROPS | MARKS),
        ({"ecn": 0, "increment": 1 / 16, "decrement": 1 / 128}, RATE, 20, (0, 2), DROPS | OVERFLOWS | {("sent", 2)}),
        ({}, 500_000, 50, (0,), DROPS | OVERFLOWS),
    ],
)
def test_cobalt(constants, rate, limit, ecn, kinds):
    found = set()
    for seed in range(4):
        packets = traffic(seed, 4000, rate, ecn=ecn)
        found |= compare("cobalt", lambda drop: Cobalt(drop, rate, limit, **constants), constants, packets, limit, rate)
    assert kinds <= found
