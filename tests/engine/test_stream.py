"""The references' random numbers and wire are the engine's."""

import pytest

from ackclock import _core
from tests.engine.stream import Packet, Replay, Stream, replay, traffic


class DropTail:
    """First in, first out, with a limit in packets or bytes."""

    def __init__(self, drop, unit, limit):
        self.drop, self.unit, self.limit = drop, unit, limit
        self.waiting = []

    def enqueue(self, now, packet):
        backlog = len(self.waiting) + 1 if self.unit == "packets" else sum(p.size for p in [*self.waiting, packet])
        if backlog > self.limit:
            self.drop(packet, "queue")
        else:
            self.waiting.append(packet)

    def dequeue(self, now):
        return self.waiting.pop(0) if self.waiting else None


def test_stream_published_values():
    """The first outputs for the state 1, 2, 3, 4 of the generator's authors."""
    stream = Stream(b"".join(word.to_bytes(8, "little") for word in (1, 2, 3, 4)))
    assert [stream.bits() for _ in range(4)] == [41943041, 58720359, 3588806011781223, 3591011842654386]


@pytest.mark.parametrize(("unit", "limit"), [("packets", 10), ("bytes", 9000)])
@pytest.mark.parametrize("rate", [1_000_000, 999_983])
def test_drop_tail(unit, limit, rate):
    packets = traffic(1, 3000, rate, ecn=(0, 1, 2, 3))
    expected = Replay(rate, lambda drop: DropTail(drop, unit, limit)).run(packets)
    assert replay("drop-tail", rate, (unit, limit), {}, packets, bytes(range(32))) == expected
    assert {kind for kind, _, _ in expected} == {"sent", "queue"}


def test_order_of_events():
    """A waiting packet takes the wire before one that arrives as it becomes free; of two arrivals, the first does."""
    packets = [Packet(at, 1000) for at in (0, 0, 0, 8_000_000, 8_000_000)]
    expected = [
        ("sent", 0, 0),
        ("sent", 8_000_000, 0),
        ("queue", 0, None),
        ("sent", 16_000_000, 0),
        ("queue", 8_000_000, None),
    ]
    assert Replay(10**6, lambda drop: DropTail(drop, "packets", 1)).run(packets) == expected
    assert replay("drop-tail", 10**6, ("packets", 1), {}, packets, bytes(range(32))) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "tail-drop"}, "unknown queue tail-drop; accepted: drop-tail"),
        ({"rate": 0}, "rate is 0"),
        ({"limit": ("cells", 3)}, "limit in cells"),
        ({"parameters": [("colour", 1.0)]}, "drop-tail has no colour"),
        ({"name": "xcp", "parameters": [("alpha", 3.0)]}, "alpha is 3; accepted: 0 to 2"),
        ({"packets": [(5, 1, 0, 0, 0), (4, 1, 0, 0, 0)]}, "order of their times"),
        ({"packets": [(5, 1, 0, 0, 4)]}, "ecn is 4"),
        ({"netem": "{ los = '5%' }"}, "bottleneck.netem.los: unknown key"),
        ({"netem": "7"}, "bottleneck.netem: 7 is not a table"),
    ],
)
def test_errors(change, message):
    given = {"name": "drop-tail", "rate": 1, "limit": None, "parameters": [], "packets": [], "seed": bytes(range(32))}
    with pytest.raises(ValueError, match=message):
        _core.replay_queue(**{**given, **change})


def test_netem_delays_packets_before_the_queue_and_has_a_limit():
    """A packet waits 2 ms in netem, of which two hold, and then 8 us of each byte before it on the wire."""
    packets = [(at, 1000, 0, 0, 0) for at in (0, 1_000_000, 1_500_000, 2_000_000)]
    outcomes = _core.replay_queue(
        "drop-tail", 1_000_000, None, [], packets, bytes(range(32)), netem="{ delay = '2ms', limit = 2 }"
    )
    assert [outcome[:2] for outcome in outcomes] == [
        ("sent", 2_000_000), ("sent", 10_000_000), ("queue", 1_500_000), ("sent", 18_000_000)
    ]  # fmt: skip
