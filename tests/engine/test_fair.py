"""drr, sfq and fq against slow references, and what each promises."""

import itertools
from collections import Counter

import pytest

from tests.engine.stream import MASK, Packet, Replay, Stream, replay, traffic

SEED = bytes(range(1, 33))
RATE = 1_000_000
LIMITS = [("packets", 30), ("bytes", 30_000), ("bytes", 1000)]


def over(limit, packets):
    unit, most = limit
    return (len(packets) if unit == "packets" else sum(packet.size for packet in packets)) > most


def compare(name, limit, parameters, make, packets):
    expected = Replay(RATE, make).run(packets)
    assert replay(name, RATE, limit, parameters, packets, SEED) == expected
    return Counter(kind for kind, _, _ in expected)


def mixed(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


class Drr:
    """The paper's figure 1: an active list, deficit counters, and buffer stealing."""

    def __init__(self, drop, limit, quantum=1500, buckets=0):
        self.drop, self.limit, self.quantum, self.buckets = drop, limit, quantum, buckets
        self.active, self.queue, self.deficit = [], {}, {}
        self.in_service = None

    def enqueue(self, now, packet):
        if over(self.limit, [packet]):
            self.drop(packet, "queue")
            return
        flow = mixed(packet.flow) % self.buckets if self.buckets else packet.flow
        if flow not in self.active:
            self.active.append(flow)
            self.queue[flow], self.deficit[flow] = [], 0
        self.queue[flow].append(packet)
        while over(self.limit, list(itertools.chain(*self.queue.values()))):
            longest = max(self.active, key=lambda f: sum(p.size for p in self.queue[f]))
            self.drop(self.queue[longest].pop(0), "queue")
            self.leave_if_empty(longest)

    def leave_if_empty(self, flow):
        if not self.queue[flow]:
            self.active.remove(flow)
            del self.queue[flow], self.deficit[flow]
            if self.in_service == flow:
                self.in_service = None

    def dequeue(self, now):
        while self.active:
            flow = self.active[0]
            if self.in_service != flow:
                self.in_service = flow
                self.deficit[flow] += self.quantum
            head = self.queue[flow][0]
            if head.size <= self.deficit[flow]:
                self.deficit[flow] -= head.size
                self.queue[flow].pop(0)
                self.leave_if_empty(flow)
                return head
            self.active.append(self.active.pop(0))
            self.in_service = None
        return None


@pytest.mark.parametrize("limit", LIMITS, ids=str)
@pytest.mark.parametrize("parameters", [{}, {"quantum": 500.0}, {"quantum": 4000.0}, {"buckets": 4.0}], ids=str)
def test_drr(limit, parameters):
    given = {name: int(value) for name, value in parameters.items()}
    packets = traffic(6, 4000, RATE, flows=9)
    kinds = compare("drr", limit, parameters, lambda drop: Drr(drop, limit, **given), packets)
    assert kinds["sent"] > 1000
    assert kinds["queue"] > 300


class Sfq:
    def __init__(self, drop, limit, quantum=1500, buckets=1024, flows=127, depth=127, headdrop=False, perturb=0):
        self.drop, self.limit, self.quantum, self.buckets = drop, limit, quantum, buckets
        self.flows, self.depth, self.end, self.perturb = flows, depth, 0 if headdrop else -1, perturb
        self.secret = Stream(SEED).bits()
        self.key = mixed(self.secret)
        # Queues in the order of their turns: [bucket, packets, allotment, the change with which it reached its length].
        self.turns = []
        self.periods = self.changes = 0

    def change(self, now):
        if self.perturb and now // self.perturb > self.periods:
            self.periods = now // self.perturb
            self.key = mixed(self.secret + self.periods * 0x9E3779B97F4A7C15 & MASK)
            waiting = list(iter(self.first, None))
            for packet in waiting:
                self.put(packet)

    def put(self, packet):
        bucket = mixed(packet.flow ^ self.key) % self.buckets
        queue = next((queue for queue in self.turns if queue[0] == bucket), None)
        if queue is None and len(self.turns) >= self.flows:
            self.drop(packet, "queue")
            return
        if queue is None:
            queue = [bucket, [], self.quantum, 0]
            self.turns.append(queue)
        queue[1].append(packet)
        if len(queue[1]) > self.depth:
            self.drop(queue[1].pop(self.end), "queue")
        else:
            self.changed(queue)

    def changed(self, queue):
        self.changes += 1
        queue[3] = self.changes

    def enqueue(self, now, packet):
        self.change(now)
        if over(self.limit, [packet]):
            self.drop(packet, "queue")
            return
        self.put(packet)
        while over(self.limit, [packet for queue in self.turns for packet in queue[1]]):
            # Of equal queues the one that reached its length last; of queues of one packet the one whose turn is next.
            longest = max(self.turns, key=lambda queue: (len(queue[1]), queue[3] if len(queue[1]) > 1 else 0))
            self.drop(longest[1].pop(self.end), "queue")
            self.changed(longest)
            self.turns = [queue for queue in self.turns if queue[1]]

    def first(self):
        if not self.turns:
            return None
        while self.turns[0][2] <= 0:
            self.turns[0][2] += self.quantum
            self.turns.append(self.turns.pop(0))
        packet = self.turns[0][1].pop(0)
        self.turns[0][2] -= packet.size
        self.changed(self.turns[0])
        if not self.turns[0][1]:
            self.turns.pop(0)
        return packet

    def dequeue(self, now):
        self.change(now)
        return self.first()


@pytest.mark.parametrize("limit", LIMITS, ids=str)
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"quantum": 500.0, "buckets": 4.0},
        {"depth": 3.0, "flows": 5.0},
        {"depth": 3.0, "headdrop": 1.0},
        {"headdrop": 1.0, "buckets": 6.0, "perturb": 30e6},
        {"buckets": 16.0, "perturb": 100e6, "flows": 3.0, "depth": 8.0},
    ],
    ids=str,
)
def test_sfq(limit, parameters):
    given = {name: int(value) for name, value in parameters.items()}
    packets = traffic(7, 4000, RATE, flows=12)
    kinds = compare("sfq", limit, parameters, lambda drop: Sfq(drop, limit, **given), packets)
    assert kinds["sent"] > 1000
    assert kinds["queue"] > 300


class Fq:
    def __init__(
        self,
        drop,
        limit,
        quantum=3000,
        initial_quantum=15_000,
        flow_limit=100,
        max_rate=None,
        low_rate_threshold=550_000,
        refill_delay=40_000_000,
        ce_threshold=None,
    ):
        self.drop, self.limit, self.quantum, self.initial_quantum = drop, limit, quantum, initial_quantum
        self.flow_limit, self.rate, self.low = flow_limit, max_rate, low_rate_threshold
        self.refill_delay, self.ce_threshold = refill_delay, ce_threshold
        self.flows = {}
        # Packets of all flows while none waits in a queue, before all others.
        self.fast = []
        self.new, self.old, self.throttled = [], [], []

    def waiting(self):
        return [packet for flow in self.flows.values() for packet in flow["packets"]]

    def enqueue(self, now, packet):
        if over(self.limit, [*self.fast, *self.waiting(), packet]):
            self.drop(packet, "queue")
            return
        if self.rate is None and not self.waiting() and len(self.fast) < 8:
            self.fast.append(packet)
            return
        flow = self.flows.get(packet.flow)
        if flow is None or (flow["idle"] is not None and now - flow["idle"] > 3 * 10**9):
            flow = {"packets": [], "credit": self.initial_quantum, "next": None, "idle": now}
            self.flows[packet.flow] = flow
        if len(flow["packets"]) == self.flow_limit:
            self.drop(packet, "queue")
            return
        if flow["idle"] is not None:
            if now - flow["idle"] > self.refill_delay:
                flow["credit"] = max(flow["credit"], self.quantum)
            flow["idle"] = None
            self.new.append(flow)
        flow["packets"].append(packet)

    def dequeue(self, now):
        if self.fast:
            return self.fast.pop(0)
        if not self.waiting():
            return None
        self.throttled.sort(key=lambda flow: flow["next"])
        while self.throttled and self.throttled[0]["next"] <= now:
            self.old.append(self.throttled.pop(0))
        while self.new or self.old:
            turns = self.new or self.old
            flow = turns[0]
            if flow["credit"] <= 0:
                flow["credit"] += self.quantum
                self.old.append(turns.pop(0))
            elif not flow["packets"]:
                if turns is self.new:
                    self.old.append(turns.pop(0))
                else:
                    turns.pop(0)["idle"] = now
            elif flow["next"] is not None and flow["next"] > now:
                self.throttled.append(turns.pop(0))
            else:
                return self.send(now, flow)
        return min(flow["next"] for flow in self.throttled)

    def send(self, now, flow):
        packet = flow["packets"].pop(0)
        due = packet.at if flow["next"] is None else max(packet.at, flow["next"])
        if self.ce_threshold is not None and now - due > self.ce_threshold and packet.ecn:
            packet.ecn = 3
        flow["credit"] -= packet.size
        if self.rate is None:
            return packet
        size = max(packet.size, self.quantum)
        if self.rate <= self.low:
            flow["credit"] = 0
            size = packet.size
        elif flow["credit"] > 0:
            return packet
        gap = min(size * 8 * 10**9 // self.rate, 10**9)
        late = 0 if flow["next"] is None else now - flow["next"]
        flow["next"] = now + gap - min(late, gap // 2)
        return packet


FQ = [
    {},
    {"quantum": 500.0, "initial_quantum": 0.0, "flow_limit": 4.0},
    {"max_rate": 150_000.0},
    {"max_rate": 150_000.0, "low_rate_threshold": 0.0},
    {"max_rate": 9000.0, "ce_threshold": 100e6},
    {"ce_threshold": 20e6, "refill_delay": 5e6, "initial_quantum": 2000.0},
    {"ce_threshold": 150e6},
]


@pytest.mark.parametrize("limit", LIMITS, ids=str)
@pytest.mark.parametrize("parameters", FQ, ids=str)
def test_fq(limit, parameters):
    given = {name: int(value) for name, value in parameters.items()}
    packets = traffic(8, 3000, RATE, flows=9, ecn=(0, 1))
    # A flow that comes back after more than three seconds, and one that comes back before.
    for number, packet in enumerate(packets):
        packet.at += number // 1000 * 5 * 10**9
        if number % 10 == 0:
            packet.flow = 100 + number // 500 % 2
    kinds = compare("fq", limit, parameters, lambda drop: Fq(drop, limit, **given), packets)
    assert kinds["sent"] > 200
    assert kinds["queue"] > 200


@pytest.mark.parametrize("back", [1.5, 3.2, 3.9, 5.0, 6.5])
def test_fq_forgets(back):
    """A flow idle for more than three seconds is new, whenever that is noticed."""
    seconds = 10**9
    # Another flow's packets, at whose turns the first is found empty, and one at which all are looked at.
    others = [Packet(seconds // 50 * number, 1500, 3) for number in range(30)] + [Packet(int(3.05 * seconds), 1500, 2)]
    both = [Packet(int(back * seconds), 1500, flow) for flow in (2, 1) for _ in range(20)]
    packets = sorted([Packet(0, 1500, 1) for _ in range(9)] + others + both, key=lambda packet: packet.at)
    limit = ("packets", 100)
    kinds = compare("fq", limit, {}, lambda drop: Fq(drop, limit), packets)
    assert kinds["sent"] == len(packets)


def test_fq_rate():
    """Three flows with more to send than each may: each sends at it, and the fourth, which sends less, at once."""
    packets = [Packet(0, 1500, flow) for flow in (1, 2, 3) for _ in range(90)]
    packets += [Packet(at * 10**8, 1500, 4) for at in range(1, 40)]
    packets.sort(key=lambda packet: packet.at)
    outcomes = replay("fq", RATE, None, {"max_rate": 240_000.0, "initial_quantum": 1500.0}, packets, SEED)
    for flow in (1, 2, 3):
        times = [at for (_, at, _), packet in zip(outcomes, packets, strict=True) if packet.flow == flow]
        # A quantum is two packets: 100 ms at the rate.
        assert times[-1] - times[0] == pytest.approx((90 - 1) * 50e6, rel=0.03)
    waits = [at - packet.at for (_, at, _), packet in zip(outcomes, packets, strict=True) if packet.flow == 4]
    assert max(waits) <= 12e6 * 3


@pytest.mark.parametrize("name", ["drr", "sfq", "fq"])
def test_shares(name):
    """Greedy flows with packets of different sizes have equal shares of the wire."""
    sizes = {1: 1500, 2: 700, 3: 100, 4: 1000}
    packets = [
        Packet(n * 1000, sizes[flow], flow) for n in range(100) for flow in sizes for _ in range(1500 // sizes[flow])
    ]
    parameters = {"sfq": {"depth": 1e9, "quantum": 1500.0}, "fq": {"flow_limit": 1e9, "initial_quantum": 0.0}}
    outcomes = replay(name, RATE, None, parameters.get(name, {}), packets, SEED)
    horizon = 2 * 10**9
    shares = Counter()
    for (_, at, _), packet in zip(outcomes, packets, strict=True):
        shares[packet.flow] += packet.size if at < horizon else 0
    mean = sum(shares.values()) / 4
    assert all(abs(share - mean) <= 4500 for share in shares.values()), shares


@pytest.mark.parametrize("name", ["drr", "sfq"])
def test_longest_loses(name):
    """A flow that sends little loses nothing to one that sends twice what the wire takes."""
    greedy = [Packet(n * 6 * 10**6, 1500, 1) for n in range(1000)]
    modest = [Packet(n * 10**8 + 1, 1500, 2) for n in range(60)]
    packets = sorted(greedy + modest, key=lambda packet: packet.at)
    outcomes = replay(name, RATE, ("packets", 20), {}, packets, SEED)
    lost = Counter(packet.flow for (kind, _, _), packet in zip(outcomes, packets, strict=True) if kind == "queue")
    assert lost[2] == 0
    assert lost[1] > 400
