"""CoDel, FQ-CoDel and sfqCoDel against their specifications, packet by packet."""

import pytest

from tests.engine.codel import DROPS, MARKS, MS, OVERFLOWS, RATE, Codel, FlowQueueing, SfqCodel, Single, compare
from tests.engine.stream import traffic


@pytest.mark.parametrize(
    ("constants", "limit", "ecn", "kinds"),
    [
        ({}, 1000, (0,), DROPS),
        ({}, 40, (0, 0, 2, 1), DROPS | OVERFLOWS | MARKS),
        ({"ecn": 0}, 1000, (0, 2), DROPS | {("sent", 2)}),
        ({"target": 20 * MS, "interval": 30 * MS}, 1000, (0,), DROPS),
        ({"ce_threshold": 8 * MS}, 1000, (0, 2), DROPS | MARKS),
    ],
)
def test_codel(constants, limit, ecn, kinds):
    for seed in range(4):
        packets = traffic(seed, 4000, RATE, ecn=ecn)
        found = compare("codel", lambda drop: Single(drop, limit, **constants), constants, packets, limit)
        assert kinds <= found


@pytest.mark.parametrize(
    ("constants", "layout", "limit", "flows", "kinds"),
    [
        ({}, {}, 10240, 5, DROPS),
        ({}, {"flows": 3}, 10240, 8, DROPS),
        ({}, {"flows": 32, "quantum": 300}, 60, 20, DROPS | OVERFLOWS),
        ({"ce_threshold": 2 * MS, "target": 20 * MS}, {"flows": 8}, 200, 5, DROPS | MARKS),
        ({}, {"flows": 2}, 400, 2, DROPS | OVERFLOWS),
    ],
)
def test_fq_codel(constants, layout, limit, flows, kinds):
    packets = traffic(len(constants) + flows, 2500, RATE, flows=flows, ecn=(0, 0, 2), load=(0.3, 1.0, 1.5, 4.0))

    def make(drop):
        return FlowQueueing(drop, lambda drop: Codel(drop, **constants), limit=limit, **layout)

    assert kinds <= compare("fq-codel", make, constants | layout, packets, limit)


@pytest.mark.parametrize(
    ("constants", "limit", "flows", "kinds"),
    [
        ({}, 1000, 5, DROPS),
        ({"bins": 3}, 60, 8, DROPS | OVERFLOWS),
        ({"target": 2 * MS, "interval": 20 * MS}, 1000, 12, DROPS),
    ],
)
def test_sfq_codel(constants, limit, flows, kinds):
    for seed in range(3):
        packets = traffic(seed, 3000, RATE, flows=flows)
        found = compare("sfq-codel", lambda drop: SfqCodel(drop, limit=limit, **constants), constants, packets, limit)
        assert kinds <= found
