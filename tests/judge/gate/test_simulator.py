"""A hundred gates over the simulator's own values, without a change of behaviour and with other seeds."""

import ackclock
from ackclock.judge import gate
from ackclock.results.measure import Measure
from tests.helpers.scenarios import SWEPT
from tests.judge.gate.parts import verdicts

BLOCKS, SEEDS = 50, 20

NAMES = (
    "sum(flows.goodput_bps)",
    "sum(flows.retransmits)",
    "sum(flows.segments_sent)",
    "links[bottleneck].utilisation",
)


def test_a_hundred_gates_under_other_seeds_raise_no_alarm():
    """Every block of seeds is a baseline for the two blocks after it, at the usual level and without a tolerance."""
    runs = ackclock.run(SWEPT, seeds=BLOCKS * SEEDS, overrides={"bottleneck.loss": "1%"})
    rows = [[Measure.parse(name).of(one) for one in runs] for name in NAMES]
    blocks = [[row[at : at + SEEDS] for row in rows] for at in range(0, BLOCKS * SEEDS, SEEDS)]
    # Random loss makes nearly every seed another run.
    assert all(len({*row}) > 20 for row in (rows[0], rows[2], rows[3]))
    expected = gate.Expected("flows.srtt_ms", "either", 0.0, 0.0)
    found = [
        one.verdict
        for at in range(BLOCKS)
        for step in (1, 2)
        for one in verdicts(blocks[at], blocks[(at + step) % BLOCKS], expected)
    ]
    assert len(found) == 100 * len(NAMES)
    assert {*found} <= {"open", "within", "same"}
