"""Steered senders: the same policy does the same as a class of a scenario and from outside, interval by interval."""

import math

import numpy as np
import pytest

import ackclock
from ackclock import ScenarioError, _core
from ackclock._errors import RefusedError
from ackclock.cc.policy import RATIOS, UNITS, Interval, Perceptron, PolicyControl, Steering
from ackclock.engine.steered import SteeredRun
from ackclock.scenario import load

SCENARIO = """
duration = "4s"
[bottleneck]
rate = "10Mbps"
delay = "20ms"
queue = "1bdp"
[[flows]]
name = "a"
app = "bulk"
start = "130ms"
{own}
[[flows]]
name = "b"
app = "bulk"
cc = "reno"
start = "1s"
"""

STEERINGS = {
    "window each RTT": Steering(),
    "window each 30 ms": Steering("window", "units", interval_ms=30),
    "rate each RTT": Steering("rate-factor"),
    "rate each 7 ms": Steering("rate", interval_ms=7, most=30),
}


def action_of(steering, count):
    """A cycle of actions with idle times, overload and all between."""
    wave = math.sin(count / 3) * (1.5 if count % 50 > 25 else 0.2) - 0.05
    if steering.relative:
        return wave
    return 60 * (1 + wave) if steering.quantity == "window" else 12 * (1 + wave)


def outside(steering, seed=1, flows=("a",)):
    """The intervals of a run that is steered from outside."""
    run = SteeredRun(load(SCENARIO.format(own="")), [], seed, flows, steering)
    run.advance([None] * len(flows))
    found = [run.intervals]
    while run.going:
        run.advance([action_of(steering, len(found) - 1)] * len(flows))
        found.append(run.intervals)
    return found


@pytest.mark.parametrize("name", STEERINGS)
def test_a_policy_does_the_same_in_a_scenario_and_from_outside(name):
    chosen = STEERINGS[name]
    told = []

    @ackclock.congestion_control("steered-test")
    class Test(PolicyControl):
        """The cycle."""

        steering = chosen

        def told(self, interval):
            told.append(interval)

        def act(self, observation):
            assert observation.shape == (len(chosen.fields()),)
            return action_of(chosen, len(told) - 1)

    result = ackclock.run(SCENARIO.format(own='cc = "steered-test"'), seed=1)
    seen = [rows[0] for rows in outside(chosen)]
    # An interval ends in the class when the next event comes, so that the last ones of the run do not end there.
    assert 0 <= len(seen) - len(told) <= 3
    assert seen[: len(told)] == told
    assert len(told) > 15
    assert sum(one.lost for one in told) > 0
    assert sum(one.sent for one in seen) == seen[0].mss * next(result.flows.rows())["data_segments_sent"]


def test_the_same_seed_gives_the_same_intervals_and_units_add_up():
    steering = Steering("window", "units", interval_ms=20)
    first = outside(steering)
    assert first == outside(steering)
    one = first[20][0]
    # The last interval ends with the run, and has the length of the others.
    assert one.duration == first[-1][0].duration == 20_000_000
    row = dict(zip([field.name for field in UNITS], one.units(), strict=True))
    assert row["interval"] == 20
    assert row["delivered"] == pytest.approx(one.delivered * 8 / 20e3)
    assert row["rtt_smallest"] == pytest.approx(one.rtt_smallest / 1e6)
    assert row["setting"] == pytest.approx(one.setting)
    # The flow begins at 130 ms, and its first interval ends at the next multiple of 20 ms after its first segment.
    assert 0 < first[0][0].duration < 20_000_000
    assert first[0][0].sent == 10 * one.mss


def test_a_flow_that_has_not_begun_has_zeros_and_ignores_actions():
    steering = Steering("window-factor", interval_ms=50)
    rows = outside(steering, flows=("a", "b"))
    waiting = [pair[1] for pair in rows if not pair[1].duration]
    assert waiting == [Interval(0)] * len(waiting)
    assert len(waiting) > 10
    begun = next(pair[1] for pair in rows if pair[1].duration)
    assert begun.setting == 10


def test_a_window_is_kept_and_a_rate_is_kept():
    run = SteeredRun(load(SCENARIO.format(own="")), [], 1, ["a"], Steering("window", interval_ms=100))
    run.advance([None])
    for _ in range(5):
        run.advance([4.0])
    one = run.intervals[0]
    assert (one.in_flight, one.setting) == (4 * one.mss, 4)
    run = SteeredRun(load(SCENARIO.format(own="")), [], 1, ["a"], Steering("rate", interval_ms=100))
    run.advance([None])
    for _ in range(5):
        run.advance([3.0])
    # The rate has 40 bytes of headers for each segment and, on Linux's stack, 12 of timestamps in it.
    assert run.intervals[0].mbps(run.intervals[0].sent) == pytest.approx(3 * 1448 / 1500, rel=0.04)


def test_ratios_are_in_their_ranges():
    for pair in outside(Steering("rate", interval_ms=7, most=30)):
        row = pair[0].ratios()
        for value, field in zip(row, RATIOS, strict=True):
            assert field.least <= value <= field.most, field


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"action": "cwnd"}, "action 'cwnd': accepted: window, rate, window-factor, rate-factor"),
        ({"observation": "all"}, "observation 'all': accepted: units, ratios"),
        ({"interval_ms": 0}, "interval_ms 0: accepted: 0.01 to 1,000,000, or None for an RTT"),
        ({"least": 5, "most": 4}, "a window from 5 to 4: accepted: .* from 1 to 1e"),
        ({"action": "rate", "least": 0}, "a rate from 0 to 1000: accepted: .* from 0.001 to 100000 Mbit/s"),
    ],
)
def test_a_steering_says_what_it_accepts(given, message):
    with pytest.raises(RefusedError, match=message):
        Steering(**given)


def test_actions_are_cut_to_their_ranges_and_have_to_be_numbers():
    steering = Steering(least=3, most=20)
    assert [steering.changed(10, one) for one in (1, 7, -1, -7, 0)] == [20, 20, 5, 5, 10]
    assert steering.changed(4, -1) == 3
    assert Steering("window").changed(10, 1e9) == 10_000
    with pytest.raises(RefusedError, match="not a number"):
        steering.changed(10, math.nan)


def test_a_flow_that_cannot_be_steered_is_an_error():
    with pytest.raises(ScenarioError, match="no flow has the name c; the names are a, b"):
        SteeredRun(load(SCENARIO.format(own="")), [], 1, ["c"], Steering())
    with pytest.raises(ScenarioError, match=r"flows\[0\].count"):
        SteeredRun(load(SCENARIO.format(own="count = 2")), [], 1, ["a"], Steering())


def test_the_engine_refuses_targets_that_do_not_fit():
    text = load(SCENARIO.format(own=""))
    run = _core.Environment(text.text, text.format, [], 1, ["a"], paces=False)
    run.begin()
    with pytest.raises(ValueError, match="2 targets for 1 steered senders"):
        run.step([None, None], 10)
    with pytest.raises(ValueError, match="windows and rates are greater than zero"):
        run.step([(0, None)], 10)
    with pytest.raises(ValueError, match="at least one steered flow"):
        _core.Environment(text.text, text.format, [], 1, [], paces=False)


def test_a_perceptron_computes_its_layers():
    class Small(Perceptron):
        """Two neurons and an output."""

        layers = (([[1.0, 0.0], [0.0, 2.0]], [0.5, 0.0]), ([[1.0, -1.0]], [0.25]))

    given = np.array([0.5, 0.25], np.float32)
    assert Small().act(given) == pytest.approx(math.tanh(1.0) - math.tanh(0.5) + 0.25)
