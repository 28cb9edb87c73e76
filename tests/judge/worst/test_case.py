"""Cases by hand: their scenarios, capacities and sentences; what bounds allow; and how cases are made small."""

import numpy as np
import pytest

from ackclock._errors import RefusedError
from ackclock.judge.card import Candidate
from ackclock.judge.worst import GOALS, Bounds, Case, span
from ackclock.judge.worst.case import Burst, Dip, Fade, Step
from ackclock.judge.worst.search import scenarios_of
from ackclock.judge.worst.shrink import smaller
from ackclock.scenario import check

EVERYTHING = Bounds(losses=3, fades=2, jitter_ms=5.0, steps=2, bursts=2, duration_s=20.0)
RENO = Candidate("reno")


def scenario(case, goal="under-use", bounds=EVERYTHING):
    """The canonical scenario of the first run of a case."""
    text, overrides = scenarios_of(case, RENO, GOALS[goal], bounds)[0]
    return check(text, overrides)


def test_a_path_on_which_nothing_happens_is_the_bottleneck_alone():
    found = scenario(Case(12.0, 100.0, 1.0))
    assert found["bottleneck"]["rate"] == "12Mbps"
    assert found["bottleneck"]["delay"] == "50ms"
    # 12 Mbit/s and 100 ms are 100 packets of 1500 bytes.
    assert found["bottleneck"]["queue"]["limit"] == "100 packets"
    assert "links" not in found


def test_what_happens_to_the_flow_happens_on_a_link_of_its_own():
    case = Case(
        12.0, 100.0, 1.0, losses=(3, 40), fades=(Fade(2.0, 0.05),), hold_ms=3.0, dip=Dip(0.0, 0.01, 5.0), slot_ms=2.0,
        reverse_slot_ms=1.0,
    )  # fmt: skip
    found = scenario(case, "starvation")
    (link,) = found["links"]
    attacked, other = found["flows"]
    assert attacked["route"] == ["own", "left", "right"]
    assert "route" not in other
    assert link["loss"] == {"kind": "list", "packets": [3, 40]}
    assert [step["probability"] for step in link["corruption"]["steps"]] == ["0%", "100%", "0%"]
    assert [step["at"] for step in link["corruption"]["steps"]] == ["0s", "2s", "2050ms"]
    assert link["delay"]["repeat_every"] == "5s"
    assert [step["delay"] for step in link["delay"]["steps"]] == ["0s", "3ms"]
    assert link["reverse_delay"] == "0s"


def test_rates_and_datagrams_are_what_the_path_has():
    case = Case(20.0, 40.0, 2.0, steps=(Step(5.0, 0.5),), bursts=(Burst(10.0, 2.0, 0.25),))
    found = scenario(case)
    assert [step["rate"] for step in found["bottleneck"]["rate"]["steps"]] == ["20Mbps", "10Mbps"]
    assert found["flows"][1]["app"]["rate"] == "5Mbps"
    assert found["flows"][1]["start"] == "10s"
    # 4 to 5 s: 20; 5 to 10: 10; 10 to 12: 5; 12 to 20: 10.
    assert case.capacity(4.0, 20.0) == pytest.approx((20 + 5 * 10 + 2 * 5 + 8 * 10) / 16)


@pytest.mark.parametrize("seed", range(40))
def test_every_vector_is_a_case_within_the_bounds_that_a_scenario_can_have(seed):
    random = np.random.default_rng(seed)
    vector = random.random(EVERYTHING.size)
    if seed < 2:
        vector = np.full(EVERYTHING.size, float(seed))
    case = EVERYTHING.case(list(vector))
    scenario(case, "starvation")
    assert EVERYTHING.rate_mbps[0] <= case.rate_mbps <= EVERYTHING.rate_mbps[1]
    assert case.hold_ms + case.slot_ms <= 5.0 + 1e-9
    assert case.reverse_slot_ms <= 5.0
    assert len(case.losses) <= 3
    assert all(one.at_s <= EVERYTHING.last_event_s for one in (*case.fades, *case.steps, *case.bursts))
    assert 0 <= case.capacity(4.0, 20.0) <= case.rate_mbps


def test_equal_vectors_are_equal_cases_and_no_bound_is_no_event():
    assert EVERYTHING.case([0.3] * EVERYTHING.size) == EVERYTHING.case([0.3] * EVERYTHING.size)
    assert Bounds().size == 3
    assert Bounds().case([0.5] * 3).events == 0


def test_a_case_is_told_in_sentences():
    case = Case(12.0, 100.0, 1.0, losses=(3, 40), fades=(Fade(2.0, 0.05),), hold_ms=3.0, dip=Dip(0.0, 0.01, 5.0))
    told = case.told()
    assert told[1] == "Packets number 3, 40 of the flow are lost."
    assert "for 50 ms from 2 s" in told[2]
    assert "extra delay of 3 ms, except for 10 ms from 0 s, again every 5 s" in told[3]


def test_a_case_is_made_small_by_leaving_out_what_adds_nothing():
    # The damage is that of the loss of packet 7, and a little of the fade.
    def damages(cases):
        return [5.0 + 80.0 * (7 in one.losses) + 2.0 * bool(one.fades) for one in cases]

    case = Case(13.7, 61.3, 1.31, losses=(7, 90), fades=(Fade(2.0, 0.05),), bursts=(Burst(1.0, 1.0, 0.5),))
    small = smaller(case, EVERYTHING, damages, 5.0)
    assert small.losses == (7,)
    assert not small.fades
    assert not small.bursts
    # Numbers that do not matter become round.
    assert (small.rate_mbps, small.rtt_ms, small.buffer_bdp) == (10.0, 60.0, 1.0)


def test_a_number_that_matters_keeps_its_digits():
    def damages(cases):
        return [100.0 if one.losses and 130 <= one.losses[0] < 140 else 0.0 for one in cases]

    small = smaller(Case(20.0, 50.0, 1.0, losses=(137,)), EVERYTHING, damages, 0.0)
    assert small.losses in ((137,), (130,))
    exact = smaller(
        Case(20.0, 50.0, 1.0, losses=(137,)), EVERYTHING, lambda cases: [float(137 in one.losses) for one in cases], 0.0
    )
    assert exact.losses == (137,)


def test_rounding_stays_within_the_bounds():
    tight = Bounds(rate_mbps=(13.0, 14.0), rtt_ms=(50.0, 60.0), buffer_bdp=(1.2, 1.4))
    small = smaller(Case(13.7, 57.0, 1.3), tight, lambda cases: [10.0 for _ in cases], 10.0)
    assert small == Case(14.0, 60.0, 1.3)


@pytest.mark.parametrize(("text", "found"), [("10..20", (10.0, 20.0)), ("15", (15.0, 15.0)), ("0.5..4", (0.5, 4.0))])
def test_a_span_is_a_number_or_two(text, found):
    assert span(text, "--rate", 0.1, 1000.0) == found


@pytest.mark.parametrize("text", ["20..10", "fast", "1..2..3", "0", "nan", "1..", "1e9"])
def test_a_text_that_is_no_span_is_refused(text):
    with pytest.raises(RefusedError, match=r"--rate .*: expected a number or LOW\.\.HIGH"):
        span(text, "--rate", 0.1, 1000.0)
