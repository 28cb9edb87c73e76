"""PIE and FQ-PIE against RFC 8033 (and the flow queueing of RFC 8290), packet by packet."""

from collections import deque

import pytest

from tests.engine.codel import DROPS, MARKS, MS, OVERFLOWS, RATE, SEED, FlowQueueing, compare, mark
from tests.engine.stream import Stream, traffic

SCALES = [(1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (1e-1, 2)]


class Pie:
    """RFC 8033 appendix B for one queue, with the choices that the engine's page names; delays in seconds."""

    def __init__(self, **given):
        constants = {"target": 15 * MS, "update": 15 * MS, "burst": 150 * MS, "alpha": 1 / 8, "beta": 1.25}
        constants |= {"ecn": 1, "mark_limit": 0.1, "estimate_rate": 0, "rate_sample": 2**14}
        for name, value in (constants | given).items():
            setattr(self, name, value)
        self.reference = self.target / 1e9
        self.active = False
        self.drop_prob = self.accu_prob = self.qdelay_old = self.current_qdelay = 0.0
        self.avg_dq_time = 0.0
        self.in_measurement = False

    def activate(self, now, queued):
        """Section 5.3."""
        if self.active:
            return
        self.active = True
        self.qdelay_old = self.drop_prob = self.accu_prob = self.avg_dq_time = self.current_qdelay = 0.0
        self.burst_allowance = self.burst
        self.last_timestamp = self.measurement_start = now
        self.dq_count = 0
        self.in_measurement = queued >= self.rate_sample

    def timer(self, now, queued):
        while self.active and now - self.last_timestamp >= self.update:
            self.calculate_drop_prob(queued)
            self.last_timestamp += self.update

    def calculate_drop_prob(self, queued):
        if self.estimate_rate:
            self.current_qdelay = queued * self.avg_dq_time / self.rate_sample
        delay = self.current_qdelay
        step = self.alpha * (delay - self.reference) + self.beta * (delay - self.qdelay_old)
        for below, divisor in SCALES:
            if self.drop_prob < below:
                step /= divisor
                break
        if self.drop_prob >= 0.1 and step > 0.02:
            step = 0.02
        self.drop_prob += step
        calm = delay < self.reference / 2 and self.qdelay_old < self.reference / 2
        if calm:
            self.drop_prob *= 0.98
        self.drop_prob = min(max(self.drop_prob, 0), 1)
        self.qdelay_old = delay
        self.burst_allowance = max(0, self.burst_allowance - self.update)
        known = not self.estimate_rate or self.avg_dq_time or not queued
        if calm and known and self.drop_prob == 0:
            self.active = False

    def drop_early(self, queued, stream):
        if (self.qdelay_old < self.reference / 2 and self.drop_prob < 0.2) or queued <= 2 * 1500:
            return False
        if self.drop_prob == 0:
            self.accu_prob = 0
        self.accu_prob += self.drop_prob
        if self.accu_prob < 0.85:
            return False
        return self.accu_prob >= 8.5 or stream.unit() < self.drop_prob

    def verdict(self, packet, queued, stream):
        """Whether the packet is dropped on arrival."""
        if not (self.active and self.burst_allowance == 0 and self.drop_early(queued, stream)):
            return False
        self.accu_prob = 0
        return not (self.ecn and self.drop_prob < self.mark_limit and mark(packet))

    def left(self, now, packet, queued):
        self.current_qdelay = (now - packet.at) / 1e9 if queued else 0
        if self.in_measurement:
            self.dq_count += packet.size
            if self.dq_count >= self.rate_sample:
                dq_time = (now - self.measurement_start) / 1e9
                weight = self.rate_sample / 2**16
                older = self.avg_dq_time
                self.avg_dq_time = dq_time * weight + older * (1 - weight) if older else dq_time
                self.in_measurement = False
        if self.active and not self.in_measurement and queued >= self.rate_sample:
            self.in_measurement, self.measurement_start, self.dq_count = True, now, 0


class Single:
    """One queue of so many packets."""

    def __init__(self, drop, limit, active_from=0.0, **constants):
        self.drop, self.limit, self.threshold, self.packets = drop, limit, active_from * limit, deque()
        self.pie, self.stream = Pie(**constants), Stream(SEED)

    def bytes(self):
        return sum(packet.size for packet in self.packets)

    def enqueue(self, now, packet):
        self.pie.timer(now, self.bytes())
        if len(self.packets) >= self.limit:
            self.pie.accu_prob = 0
            self.drop(packet, "queue")
        elif self.pie.verdict(packet, self.bytes(), self.stream):
            self.drop(packet, "aqm")
        else:
            self.packets.append(packet)
        if len(self.packets) >= self.threshold:
            self.pie.activate(now, self.bytes())

    def dequeue(self, now):
        self.pie.timer(now, self.bytes())
        if not self.packets:
            return None
        packet = self.packets.popleft()
        self.pie.left(now, packet, self.bytes())
        return packet


@pytest.mark.parametrize(
    ("constants", "limit", "ecn", "kinds"),
    [
        ({}, 1000, (0,), DROPS),
        ({"estimate_rate": 1}, 1000, (0,), DROPS),
        ({"estimate_rate": 1, "rate_sample": 5000, "update": 7 * MS, "burst": 20 * MS}, 1000, (0,), DROPS),
        ({"active_from": 0.25}, 60, (0, 2), DROPS | OVERFLOWS | MARKS),
        ({"burst": 0, "target": 5 * MS, "alpha": 1.0, "beta": 10.0}, 1000, (2,), {("aqm", None)} | MARKS),
        ({"ecn": 0}, 30, (0, 2), DROPS | OVERFLOWS | {("sent", 2)}),
    ],
)
def test_pie(constants, limit, ecn, kinds):
    found = set()
    for seed in range(4):
        packets = traffic(seed, 4000, RATE, ecn=ecn, load=(0.3, 0.9, 1.0, 1.1, 2.0))
        found |= compare("pie", lambda drop: Single(drop, limit, **constants), constants, packets, limit)
    assert kinds <= found


class FlowPie(Pie):
    """The PIE of a flow's queue, which drops on arrival and only notes what leaves."""

    def dequeue(self, now, queue):
        self.timer(now, queue.bytes())
        packet = queue.pop()
        if packet is not None:
            self.left(now, packet, queue.bytes())
        return packet


class FqPie(FlowQueueing):
    """FQ-PIE as tc-fq_pie(8) describes it."""

    def __init__(self, drop, limit, flows=1024, quantum=1500, **constants):
        super().__init__(drop, lambda _: FlowPie(**{"ecn": 0} | constants), limit=limit, flows=flows, quantum=quantum)
        self.stream = Stream(SEED)
        self.stream.bits()

    def enqueue(self, now, packet):
        queue = self.queue_of(packet)
        queued = queue.bytes()
        queue.aqm.timer(now, queued)
        if sum(len(queue.packets) for queue in self.queues) >= self.limit:
            queue.aqm.accu_prob = 0
            self.drop(packet, "queue")
        elif queue.aqm.verdict(packet, queued, self.stream):
            self.drop(packet, "aqm")
        else:
            queue.aqm.activate(now, queued + packet.size)
            self.append(packet)


@pytest.mark.parametrize(
    ("constants", "limit", "flows", "kinds"),
    [
        ({}, 10240, 4, DROPS),
        ({"flows": 8, "estimate_rate": 1, "rate_sample": 4000, "quantum": 300}, 10240, 6, DROPS),
        ({"flows": 3, "ecn": 1, "burst": 0, "mark_limit": 0.5}, 100, 6, DROPS | OVERFLOWS | MARKS),
    ],
)
def test_fq_pie(constants, limit, flows, kinds):
    packets = traffic(flows, 3000, RATE, flows=flows, ecn=(0, 2), load=(0.3, 1.0, 1.1, 2.0))
    assert kinds <= compare("fq-pie", lambda drop: FqPie(drop, limit, **constants), constants, packets, limit)
