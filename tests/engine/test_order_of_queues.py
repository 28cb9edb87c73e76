"""drop-head, priority and token-bucket against slow references; the token bucket against its bound."""

from fractions import Fraction

import pytest

from tests.engine.stream import Replay, replay, traffic

SEED = bytes(range(1, 33))
RATE = 1_000_000
LIMITS = [("packets", 12), ("bytes", 15_000), ("bytes", 1000)]


def fits(limit, packets):
    unit, most = limit
    return (len(packets) if unit == "packets" else sum(packet.size for packet in packets)) <= most


def compare(name, limit, parameters, make, packets, kinds):
    expected = Replay(RATE, make).run(packets)
    assert replay(name, RATE, limit, parameters, packets, SEED) == expected
    assert {kind for kind, _, _ in expected} == kinds
    return expected


class DropHead:
    def __init__(self, drop, limit):
        self.drop, self.limit, self.waiting = drop, limit, []

    def enqueue(self, now, packet):
        if not fits(self.limit, [packet]):
            self.drop(packet, "queue")
            return
        self.waiting.append(packet)
        while not fits(self.limit, self.waiting):
            self.drop(self.waiting.pop(0), "queue")

    def dequeue(self, now):
        return self.waiting.pop(0) if self.waiting else None


@pytest.mark.parametrize("limit", LIMITS, ids=str)
def test_drop_head(limit):
    compare("drop-head", limit, {}, lambda drop: DropHead(drop, limit), traffic(3, 3000, RATE), {"sent", "queue"})


class Priority:
    """The list is kept in the order in which packets go."""

    def __init__(self, drop, limit, bands=3, shared=False):
        self.drop, self.limit, self.bands, self.shared, self.waiting = drop, limit, bands, shared, []

    def band(self, packet):
        return min(packet.service, self.bands - 1)

    def enqueue(self, now, packet):
        mine = self.band(packet)
        rivals = [p for p in self.waiting if (self.band(p) <= mine if self.shared else self.band(p) == mine)]
        if not fits(self.limit, [*rivals, packet]):
            self.drop(packet, "queue")
            return
        self.waiting = sorted([*self.waiting, packet], key=self.band)
        while self.shared and not fits(self.limit, self.waiting):
            self.drop(self.waiting.pop(), "queue")

    def dequeue(self, now):
        return self.waiting.pop(0) if self.waiting else None


@pytest.mark.parametrize("limit", LIMITS, ids=str)
@pytest.mark.parametrize(
    "parameters", [{}, {"bands": 5.0}, {"bands": 1.0}, {"shared": 1.0}, {"bands": 4.0, "shared": 1.0}]
)
def test_priority(limit, parameters):
    given = {"bands": int(parameters.get("bands", 3)), "shared": bool(parameters.get("shared", 0))}
    packets = traffic(4, 3000, RATE, services=6)
    compare("priority", limit, parameters, lambda drop: Priority(drop, limit, **given), packets, {"sent", "queue"})


class TokenBucket:
    """Levels in bytes, as fractions."""

    def __init__(self, drop, limit, buckets):
        self.drop, self.limit, self.waiting = drop, limit, []
        self.buckets = [[Fraction(depth), rate, depth] for rate, depth in buckets]
        self.then = 0

    def enqueue(self, now, packet):
        too_large = any(packet.size > depth for _, _, depth in self.buckets)
        if too_large or not fits(self.limit, [*self.waiting, packet]):
            self.drop(packet, "queue")
        else:
            self.waiting.append(packet)

    def dequeue(self, now):
        for bucket in self.buckets:
            level, rate, depth = bucket
            bucket[0] = min(Fraction(depth), level + Fraction((now - self.then) * rate, 8 * 10**9))
        self.then = now
        if not self.waiting:
            return None
        size = self.waiting[0].size
        gaps = [(size - level) * 8 * 10**9 / rate for level, rate, _ in self.buckets]
        if max(gaps) > 0:
            return now + -(-max(gaps) // 1)
        for bucket in self.buckets:
            bucket[0] -= size
        return self.waiting.pop(0)


BUCKETS = [
    {},
    {"rate": 400_000.0, "burst": 6000.0},
    {"rate": 333_333.0, "burst": 1500.0},
    {"rate": 300_001.0, "burst": 20_000.0, "peak_rate": 700_003.0},
    {"rate": 300_001.0, "burst": 20_000.0, "peak_rate": 700_003.0, "mtu": 4000.0},
]


@pytest.mark.parametrize("limit", LIMITS[:2], ids=str)
@pytest.mark.parametrize("parameters", BUCKETS, ids=len)
def test_token_bucket(limit, parameters):
    buckets = [(int(parameters.get("rate", RATE)), int(parameters.get("burst", 15_000)))]
    if "peak_rate" in parameters:
        buckets.append((int(parameters["peak_rate"]), int(parameters.get("mtu", 1500))))
    packets = traffic(5, 3000, RATE, load=(0.1, 0.3, 0.5, 2), sizes=(1500, 1500, 700, 40, 1501))
    make = lambda drop: TokenBucket(drop, limit, buckets)  # noqa: E731
    outcomes = compare("token-bucket", limit, parameters, make, packets, {"sent", "queue"})
    # From the start of any packet to the end of any other: what left is at most the burst and what came meanwhile.
    left = [(at, packet.size) for (kind, at, _), packet in zip(outcomes, packets, strict=True) if kind == "sent"]
    assert [at for at, _ in left] == sorted(at for at, _ in left), "first in, first out"
    for rate, depth in buckets:
        # With the sums S before each: S_j + size_j - S_i <= depth + rate (t_j - t_i), for all i <= j.
        total, least = 0, None
        tight = 0
        for at, size in left:
            slack = Fraction(total) - Fraction(rate * at, 8 * 10**9)
            least = slack if least is None else min(least, slack)
            used = slack + size - least
            assert used <= depth
            tight = max(tight, used)
            total += size
        assert tight > depth - 1 or rate >= RATE, "the bucket was never empty: nothing is tested"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"burst": 1499.0}, "burst: at least a full packet, 1500 bytes"),
        ({"mtu": 100.0, "peak_rate": 2e6}, "mtu: at least a full packet, 1500 bytes"),
        ({"rate": 500_000.0, "peak_rate": 500_000.0}, "peak_rate: more than the rate, 500000 bit/s"),
        ({"mtu": 3000.0}, "mtu: absent, unless peak_rate is given"),
    ],
)
def test_token_bucket_errors(parameters, message):
    with pytest.raises(ValueError, match=message):
        replay("token-bucket", RATE, None, parameters, [], SEED)
