"""The grade for bufferbloat: worked by hand, and taken from the tests of flent that come with ackclock."""

from pathlib import Path

import pytest

import ackclock
from ackclock import examples
from ackclock._errors import RefusedError
from ackclock.bufferbloat import GRADES, Bufferbloat, bufferbloat, pings
from tests.helpers.tables import make_result, make_table

FLENT = Path(examples.__file__).parent / "flent"

ROUNDS = make_table(
    flow=["ping"] * 6,
    start_s=[0.0, 0.2, 0.4, 1.0, 2.0, 3.0],
    duration_s=[0.04, 0.02, 0.02, 0.1, 0.3, None],
)


def flows(*starts):
    return make_table(
        flow=["ping", *(f"f{at}" for at in range(len(starts)))],
        app=["rpc", *["bulk"] * len(starts)],
        start_s=[0.0, *starts],
    )


def test_idle_is_a_median_and_load_a_mean():
    found = bufferbloat(make_result(1, flows=flows(5.0, 1.0), rounds=ROUNDS))
    # The handshake of the first round does not count, and neither does the round that the run cut off.
    assert (found.flow, found.idle_ms, found.rounds) == ("ping", 20.0, 2)
    assert (found.loaded_ms, found.increase_ms) == pytest.approx((200.0, 180.0))
    assert found.loaded_p95_ms == pytest.approx(290.0)
    assert found.grade == "C"
    assert found.round_trips_per_minute == pytest.approx(300.0)
    assert "grade C" in str(found)


@pytest.mark.parametrize(
    ("increase", "grade"),
    [(0, "A+"), (4.9, "A+"), (5, "A"), (29, "A"), (30, "B"), (59, "B"), (60, "C"), (200, "D"), (399, "D"), (400, "F")],
)
def test_grades(increase, grade):
    assert Bufferbloat("ping", 20.0, 20.0 + increase, 0, 0, 1).grade == grade
    assert [least for least, _ in GRADES] == sorted(least for least, _ in GRADES)


@pytest.mark.parametrize(
    ("tables", "flow", "message"),
    [
        ({"flows": flows(1.0)}, None, "no rounds: the round-trip time is that of a flow with the application rpc"),
        ({"flows": flows(1.0), "rounds": ROUNDS}, "pong", "no rounds of pong; there are ping"),
        ({"flows": flows(), "rounds": ROUNDS}, None, "no flow of the application bulk"),
        ({"flows": flows(0.0), "rounds": ROUNDS}, None, "ping has no round before the load begins at 0 s"),
        ({"flows": flows(9.0), "rounds": ROUNDS}, None, "ping has no round after the load begins at 9 s"),
    ],
)
def test_runs_without_an_answer_are_refused(tables, flow, message):
    with pytest.raises(RefusedError, match=message):
        bufferbloat(make_result(1, **tables), flow)


@pytest.mark.parametrize("name", ["rrul", "tcp_nup", "tcp_ndown"])
def test_deep_queues_have_a_bad_grade_and_cake_has_a_good_one(name):
    short = {"duration": "25s"}
    deep = bufferbloat(ackclock.run(FLENT / f"{name}.toml", overrides=short))
    cake = {"bottleneck.queue": "cake", "bottleneck.reverse_queue": "cake"}
    good = bufferbloat(ackclock.run(FLENT / f"{name}.toml", overrides=short | cake))
    assert deep.grade in ("C", "D", "F")
    assert good.grade in ("A+", "A")
    # Without load, the delay is that of the links: 20 ms, and the packets of a ping on them.
    assert deep.idle_ms == good.idle_ms == pytest.approx(20.1, abs=0.1)
    assert pings(ackclock.run(FLENT / f"{name}.toml", overrides={"duration": "6s"}))[0] == "ping"
