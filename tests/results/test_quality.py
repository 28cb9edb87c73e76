"""The linear score of adaptive video: worked by hand, and taken from runs."""

import math

import pytest

import ackclock
from ackclock._errors import RefusedError
from ackclock.quality import KINDS, measure, quality
from tests.helpers.tables import make_result, make_table

SEGMENTS = make_table(
    flow=["a", "a", "b", "a", "a", "b"],
    level_bps=[300_000, 1_200_000, 2_000_000, 1_200_000, 750_000, 2_000_000],
    done_s=[1.0, 2.0, 2.0, 3.0, None, 4.0],
    stall_s=[0.0, 0.0, 0.0, 0.5, None, 0.0],
)
CLIENTS = make_table(flow=["a", "b"], stall_s=[1.5, 0.0], startup_s=[2.0, None])
RESULT = make_result(1, dash=CLIENTS, dash_segments=SEGMENTS)


def test_the_linear_score_worked_by_hand():
    a, b = quality(RESULT)
    # Three segments have arrived: 0.3 + 1.2 + 1.2 Mbit/s, one change of 0.9, and 1.5 s of stalls at 4.3.
    assert (a.flow, a.kind, a.segments) == ("a", "lin", 3)
    assert (a.bitrate, a.rebuffering, a.switching, a.startup) == pytest.approx((2.7, 6.45, 0.9, 0.0))
    assert a.score == pytest.approx(2.7 - 6.45 - 0.9)
    assert a.per_segment == pytest.approx(a.score / 3)
    assert (b.bitrate, b.rebuffering, b.switching, b.score) == (4.0, 0.0, 0.0, 4.0)
    assert quality(RESULT, "b") == [b]
    assert measure(RESULT) == {"quality_lin": pytest.approx((a.per_segment + b.per_segment) / 2)}


def test_the_logarithmic_score_worked_by_hand():
    [a] = quality(RESULT, "a", kind="log", lowest_bps=300_000)
    # The logarithms of the ratios to the lowest bitrate are 0, ln 4 and ln 4.
    assert a.bitrate == pytest.approx(2 * math.log(4))
    assert (a.switching, a.rebuffering) == pytest.approx((math.log(4), 2.66 * 1.5))


def test_the_weights_of_pensieve_are_the_quality_of_its_highest_bitrate():
    lowest, highest = 0.3, 4.3
    assert KINDS["lin"].rebuffering == highest
    assert KINDS["log"].rebuffering == round(math.log(highest / lowest), 2)


def test_the_score_of_mpc_counts_the_startup():
    a, b = quality(RESULT, kind="mpc")
    assert (a.rebuffering, a.startup) == (3 * 1.5, 3 * 2.0)
    # Playback of b never starts: all of the run, of 5 s, counts.
    assert b.startup == 3 * 5.0


def test_weights_can_be_chosen():
    [a] = quality(RESULT, "a", rebuffering=1.0, switching=2.0, startup=0.5)
    assert (a.rebuffering, a.switching, a.startup) == pytest.approx((1.5, 1.8, 1.0))
    assert quality(RESULT, "a", rebuffering=0.0, switching=0.0)[0].score == pytest.approx(2.7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "p1203"}, "unknown kind 'p1203' of a quality score; accepted: lin, log, mpc"),
        ({"kind": "log"}, "the kind log needs the lowest bitrate of the ladder"),
        ({"kind": "log", "lowest_bps": 0}, "the kind log needs the lowest bitrate of the ladder"),
        ({"flow": "c"}, "no DASH client 'c'; there are a, b"),
        ({"rebuffering": -1}, "rebuffering=-1: expected a finite weight of at least 0"),
        ({"switching": math.nan}, "switching=nan: expected a finite weight of at least 0"),
    ],
)
def test_other_arguments_are_refused(arguments, message):
    with pytest.raises(RefusedError, match=message):
        quality(RESULT, **arguments)


def test_runs_without_video_or_segments_are_refused():
    with pytest.raises(RefusedError, match="no table dash"):
        quality(make_result(1, flows=make_table(flow=["a"])))
    none = make_table(flow=["a"], level_bps=[300_000], done_s=[math.nan], stall_s=[0.0])
    clients = make_table(flow=["a"], stall_s=[0.0], startup_s=[1.0])
    with pytest.raises(RefusedError, match="no segment of a has arrived"):
        quality(make_result(1, dash=clients, dash_segments=none))


VIDEO = """
duration = "60s"
[bottleneck]
rate = "5Mbps"
delay = "20ms"
queue = "50 packets"
[[flows]]
name = "tv"
app = { kind = "dash", ladder = ["300kbps", "750kbps", "1.2Mbps"], segment = "4s", abr = "bba" }
"""


def test_a_sweep_keeps_the_score_of_each_run():
    with ackclock.sweep(VIDEO, {"bottleneck.rate": ["600kbps", "5Mbps"]}, seeds=2, measure=measure) as store:
        slow, fast = (one.estimate.value for one in store.estimates("measures.quality_lin"))
    assert fast > slow
    assert fast == pytest.approx(quality(ackclock.run(VIDEO))[0].per_segment)
    # No score exceeds that of the highest bitrate without stalls and switches.
    assert fast <= 1.2
    assert all(kind.source for kind in KINDS.values())
