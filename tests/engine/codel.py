"""CoDel, FQ-CoDel and sfqCoDel as their specifications say, and the comparison with the engine."""

from collections import deque
from decimal import Decimal

from tests.engine.stream import MASK, Packet, Replay, Stream, replay

MS = 1_000_000
SEED = bytes(range(1, 33))
RATE = 5_000_000

DROPS = {("sent", 0), ("aqm", None)}
OVERFLOWS = {("queue", None)}
MARKS = {("sent", 2), ("sent", 3)}


def law(start, interval, count):
    """RFC 8289 section 5.6, in whole nanoseconds."""
    return start + int(interval / Decimal(count).sqrt())


def mark(packet):
    """Sets congestion experienced where the packet is ECN-capable (RFC 3168)."""
    if packet.ecn:
        packet.ecn = 3
    return packet.ecn == 3


def bucket(flow, salt, buckets):
    """SplitMix64's finaliser."""
    value = flow ^ salt
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        value = (value ^ value >> shift) * factor & MASK
    return (value ^ value >> 31) % buckets


class Codel:
    """RFC 8289 section 5 over any queue that has `pop` and `behind`, with marks as in Linux."""

    def __init__(self, drop, *, target=5 * MS, interval=100 * MS, ecn=1, ce_threshold=None, mtu=1500):
        self.drop, self.target, self.interval, self.ecn, self.mtu = drop, target, interval, ecn, mtu
        self.ce_threshold = ce_threshold
        self.first_above_time = self.drop_next = self.count = self.lastcount = 0
        self.dropping = False

    def dodequeue(self, now, queue):
        packet = queue.pop()
        if packet is None:
            self.first_above_time = 0
            return None, False
        if now - packet.at < self.target or queue.behind() <= self.mtu:
            self.first_above_time = 0
        elif self.first_above_time == 0:
            self.first_above_time = now + self.interval
        elif now >= self.first_above_time:
            return packet, True
        return packet, False

    def dequeue(self, now, queue):
        packet = self.decide(now, queue)
        if packet is not None and self.ce_threshold is not None and now - packet.at > self.ce_threshold:
            mark(packet)
        return packet

    def decide(self, now, queue):
        packet, ok_to_drop = self.dodequeue(now, queue)
        if self.dropping:
            if not ok_to_drop:
                self.dropping = False
            while self.dropping and now >= self.drop_next:
                self.count += 1
                if self.ecn and mark(packet):
                    self.drop_next = law(self.drop_next, self.interval, self.count)
                    return packet
                self.drop(packet, "aqm")
                packet, ok_to_drop = self.dodequeue(now, queue)
                if ok_to_drop:
                    self.drop_next = law(self.drop_next, self.interval, self.count)
                else:
                    self.dropping = False
        elif ok_to_drop:
            if not (self.ecn and mark(packet)):
                self.drop(packet, "aqm")
                packet, _ = self.dodequeue(now, queue)
            self.dropping = True
            delta = self.count - self.lastcount
            recent = now - self.drop_next < 16 * self.interval
            self.count = delta if delta > 1 and recent else 1
            self.drop_next = law(now, self.interval, self.count)
            self.lastcount = self.count
        return packet


class Single:
    """One queue of so many packets."""

    def __init__(self, drop, limit=1000, **constants):
        self.drop, self.limit, self.packets = drop, limit, deque()
        self.codel = Codel(drop, **constants)

    def pop(self):
        return self.packets.popleft() if self.packets else None

    def behind(self):
        return sum(packet.size for packet in self.packets)

    def enqueue(self, now, packet):
        if len(self.packets) < self.limit:
            self.packets.append(packet)
        else:
            self.drop(packet, "queue")

    def dequeue(self, now):
        return self.codel.dequeue(now, self)


def compare(name, make, parameters, packets, limit=1000, rate=RATE, unit="packets"):
    """Both give the same, of which the kinds are returned."""
    expected = Replay(rate, make).run([Packet(p.at, p.size, p.flow, p.service, p.ecn) for p in packets])
    found = replay(name, rate, (unit, limit), parameters, packets, SEED)
    for number, pair in enumerate(zip(found, expected, strict=True)):
        assert pair[0] == pair[1], f"packet {number} of {len(packets)}"
    return {(kind, ecn) for kind, _, ecn in expected}


class FlowQueue:
    """A queue of RFC 8290 with what its AQM needs."""

    def __init__(self, owner, aqm):
        self.owner, self.aqm = owner, aqm
        self.packets, self.credits = deque(), 0

    def pop(self):
        return self.packets.popleft() if self.packets else None

    def bytes(self):
        return sum(packet.size for packet in self.packets)

    def behind(self):
        return sum(queue.bytes() for queue in self.owner.queues if queue.packets)


class FlowQueueing:
    """RFC 8290 sections 4.1 and 4.2, for any AQM with `dequeue`."""

    def __init__(self, drop, make, *, limit=10240, flows=1024, quantum=1514):
        self.drop, self.limit, self.quantum = drop, limit, quantum
        self.salt = Stream(SEED).bits()
        self.queues = [FlowQueue(self, make(drop)) for _ in range(flows)]
        self.new, self.old = [], []

    def queue_of(self, packet):
        return self.queues[bucket(packet.flow, self.salt, len(self.queues))]

    def append(self, packet):
        queue = self.queue_of(packet)
        queue.packets.append(packet)
        if queue not in self.new and queue not in self.old:
            queue.credits = self.quantum
            self.new.append(queue)

    def enqueue(self, now, packet):
        self.append(packet)
        if sum(len(queue.packets) for queue in self.queues) > self.limit:
            longest = max(self.queues, key=FlowQueue.bytes)
            for _ in range(min(64, (len(longest.packets) + 1) // 2)):
                self.drop(longest.pop(), "queue")

    def dequeue(self, now):
        while self.new or self.old:
            source = self.new or self.old
            queue = source[0]
            if queue.credits <= 0:
                queue.credits += self.quantum
                self.old.append(source.pop(0))
                continue
            packet = queue.aqm.dequeue(now, queue)
            if packet is not None:
                queue.credits -= packet.size
                return packet
            came_from_new = source is self.new
            source.pop(0)
            if came_from_new:
                self.old.append(queue)
        return None


class Bin:
    """A bin of ns-2's sfqCoDel with its CoDel."""

    def __init__(self):
        self.packets = deque()
        self.new = self.dropping = False
        self.first_above_time = self.drop_next = self.count = 0


class SfqCodel:
    """ns-2's sfqCoDel of 2012: bins in a ring, one packet each, and the CoDel of that year."""

    def __init__(self, drop, *, limit=1000, bins=1024, target=5 * MS, interval=100 * MS):
        self.drop, self.limit, self.target, self.interval = drop, limit, target, interval
        self.salt = Stream(SEED).bits()
        self.bins = [Bin() for _ in range(bins)]
        self.ring = []
        self.maxpacket = 256

    def waiting(self):
        return [packet for item in self.ring for packet in item.packets]

    def enqueue(self, now, packet):
        if len(self.waiting()) >= self.limit:
            self.drop(packet, "queue")
            return
        item = self.bins[bucket(packet.flow, self.salt, len(self.bins))]
        item.packets.append(packet)
        if item in self.ring:
            return
        place = 0
        while place < len(self.ring) - 1 and self.ring[place].new:
            place += 1
        # At the end of the ring it goes behind the last bin, whether that is new or not.
        self.ring.insert(place if place < len(self.ring) - 1 else len(self.ring), item)
        item.new = True

    def dodequeue(self, now, item):
        if not item.packets:
            return None, False
        packet = item.packets.popleft()
        self.maxpacket = max(self.maxpacket, packet.size)
        if now - packet.at < self.target or sum(other.size for other in self.waiting()) <= self.maxpacket:
            item.first_above_time = 0
        elif item.first_above_time == 0:
            soon = now - item.drop_next < 8 * self.interval and item.count > 1
            item.first_above_time = law(now, self.interval, item.count if soon else 1)
        elif now >= item.first_above_time:
            return packet, True
        return packet, False

    def dequeue(self, now):
        while True:
            while self.ring and not self.ring[0].packets:
                self.ring.pop(0)
            if not self.ring:
                return None
            item = self.ring[0]
            item.new = False
            packet = self.decide(now, item)
            if packet is not None:
                self.ring.append(self.ring.pop(0))
                return packet

    def decide(self, now, item):
        packet, ok_to_drop = self.dodequeue(now, item)
        if item.dropping:
            item.dropping = ok_to_drop
            while item.dropping and now >= item.drop_next:
                self.drop(packet, "aqm")
                packet, item.dropping = self.dodequeue(now, item)
                if item.dropping:
                    item.count += 1
                    item.drop_next = law(item.drop_next, self.interval, item.count)
        elif ok_to_drop:
            self.drop(packet, "aqm")
            packet, _ = self.dodequeue(now, item)
            item.dropping = True
            item.count = item.count - 2 if item.count > 2 and now - item.drop_next < 8 * self.interval else 1
            item.drop_next = law(now, self.interval, item.count)
        return packet
