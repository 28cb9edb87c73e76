"""Each measure on made tables, against arithmetic."""

import numpy as np
import pytest

from ackclock import Result
from ackclock.judge.conform.evidence import Absent, Evidence, Unreadable
from ackclock.judge.conform.measures import MEASURES
from tests.judge.conform.made import BDP, CAPACITY, MSS, PACED, RATE, evidence, steps

CYCLE = [("startup", 200), ("drain", 100), ("probe_bw_cruise", 300), ("probe_bw_refill", 41), ("probe_bw_up", 200)]
DOWN = ("probe_bw_down", 100)
PROBE = [("startup", 500), ("probe_rtt", 250), ("probe_bw_cruise", 400)]
UP = [("probe_bw_cruise", 100), ("probe_bw_up", 400), ("probe_bw_down", 300)]
DATA = MSS


def doubling():
    """A window that grows by 1, 2, 4, 8 and 16 packets from one round of 40 ms to the next, and is full until then."""
    sizes = np.cumsum([50, 1, 2, 4, 8, 16]) * MSS
    window = steps((sizes[0], 100), *((size, 40) for size in sizes), (sizes[-1], 460))
    return {"cwnd": window, "pipe": np.concatenate([window[:300], np.full(500, 40 * MSS)])}


def undone():
    """A recovery at 0.2 s from a window of 100 packets and a gain of 1.25, which is undone at 0.25 s."""
    phases = [("probe_bw_up", 200), ("probe_bw_down", 50), ("probe_bw_refill", 41), ("probe_bw_up", 200)]
    pacing = steps((1.25, 200), (0.45, 50), (1.0, 41), (1.125, 200)) * PACED * CAPACITY
    cwnd = steps((100 * MSS, 200), (50 * MSS, 50), (90 * MSS, 241))
    events = [(0.2, "recovery_started"), (0.25, "undone"), (0.251, "recovery_ended")]
    return evidence(phases, moment_s=0.1, events=events, columns={"pacing_bps": pacing, "cwnd": cwnd})


EXPECTED = {
    "state_at": [
        (lambda: evidence(CYCLE), {"at_s": 0.25}, "drain"),
        (lambda: evidence(CYCLE, moment_s=0.3), {"at_s": 0.31, "after": True}, "probe_bw_refill"),
    ],
    "next_state": [
        (lambda: evidence(CYCLE), {"state": "startup"}, "drain"),
        (lambda: evidence(CYCLE), {"state": "drain", "phases": False}, "probe_bw"),
        (lambda: evidence(CYCLE), {"state": "startup", "phases": False}, "drain"),
        (lambda: evidence(CYCLE), {"state": "probe_bw_up"}, Absent),
        (lambda: evidence(CYCLE), {"state": "probe_rtt"}, Absent),
        (lambda: evidence(CYCLE, without=["cc_state"]), {"state": "startup"}, Unreadable),
        (lambda: evidence([*UP, *UP], moment_s=0.9), {"state": "probe_bw_cruise", "after": True}, Absent),
    ],
    "states_seen": [
        (lambda: evidence(CYCLE), {"to_s": 0.25}, "drain startup"),
        (lambda: evidence(CYCLE), {"from_s": 0.7}, "probe_bw_up"),
    ],
    "times_in": [
        (lambda: evidence([*UP, *UP]), {"state": "probe_bw_up"}, 2),
        (lambda: evidence([*UP, *UP], moment_s=0.5), {"state": "probe_bw_up", "after": True}, 1),
        (lambda: evidence(CYCLE), {"state": "probe_rtt"}, 0),
    ],
    "rounds_in": [
        (lambda: evidence(UP), {"state": "probe_bw_up"}, 10),
        (lambda: evidence(UP, without=["latest_rtt_ms"]), {"state": "probe_bw_up"}, Unreadable),
    ],
    "duration_s": [
        (lambda: evidence(PROBE), {"state": "probe_rtt"}, 0.25),
        (lambda: evidence([*UP, ("probe_bw_up", 500), DOWN]), {"state": "probe_bw_up", "longest": True}, 0.5),
    ],
    # The rates at the starts of rounds: 1, 2, 2, 3, 3, 3: the fourth is more than 1.25 times the second.
    "plateau_rounds": [
        (
            lambda: evidence(
                [("startup", 200), ("drain", 40)],
                columns={"delivery_bps": steps((1e6, 40), (2e6, 80), (3e6, 120))},
            ),
            {"state": "startup"},
            2,
        ),
        (lambda: evidence(CYCLE, without=["latest_rtt_ms"]), {"state": "startup"}, Unreadable),
    ],
    "rounds_until_exit": [
        (lambda: evidence(UP, without=["latest_rtt_ms"]), {"state": "probe_bw_up"}, Unreadable),
        (
            lambda: evidence(UP, packets=[(0.42, "dropped", DATA), (0.3, "dropped", 0)]),
            {"state": "probe_bw_up"},
            2,
        ),
        (
            lambda: evidence(UP, columns={"in_recovery": steps((False, 380), (True, 420))}),
            {"state": "probe_bw_up", "cause": "recovery"},
            3,
        ),
        (lambda: evidence(UP, packets=[(0.05, "dropped", DATA)]), {"state": "probe_bw_up"}, Absent),
        (lambda: evidence(UP), {"state": "probe_bw_up"}, Unreadable),
    ],
    "losses_in": [
        (
            lambda: evidence(UP, packets=[(0.2, "dropped", DATA), (0.3, "dropped", DATA), (0.6, "dropped", DATA)]),
            {"state": "probe_bw_up"},
            2,
        )
    ],
    "pacing_gain": [
        (
            lambda: evidence(UP, columns={"pacing_bps": 1.25 * PACED * CAPACITY * np.ones(800)}),
            {"state": "probe_bw_up"},
            1.25,
        ),
        (lambda: evidence(UP, without=["pacing_bps"]), {"state": "probe_bw_up"}, Unreadable),
    ],
    "inflight_excess_packets": [
        (lambda: evidence(UP), {"state": "probe_bw_up"}, 40 - BDP / MSS),
        (
            lambda: evidence(UP, columns={"pipe": steps((50 * MSS, 500), (40 * MSS, 300))}),
            {"state": "probe_bw_up", "side": "before"},
            50 - BDP / MSS,
        ),
    ],
    "startup_rate_share": [
        (lambda: evidence(CYCLE, columns={"delivery_bps": steps((0.9 * CAPACITY, 250), (2e9, 591))}), {}, 0.9),
    ],
    "bandwidth_share": [
        (
            lambda: evidence(UP, columns={"pacing_bps": 0.5 * PACED * CAPACITY * np.ones(800)}),
            {"state": "probe_bw_cruise"},
            0.5,
        ),
    ],
    "median_bandwidth_share": [
        (
            lambda: evidence(UP, columns={"pacing_bps": steps((0.5, 100), (9, 700)) * PACED * CAPACITY}),
            {"from_s": 0.0},
            0.5,
        ),
        (
            lambda: evidence(UP, without=["cc_state"], columns={"pacing_bps": 0.7 * PACED * CAPACITY * np.ones(800)}),
            {"from_s": 0.0},
            0.7,
        ),
        (lambda: evidence(UP), {"from_s": 0.5}, Absent),
    ],
    "goodput_share": [
        (lambda: evidence(UP, rates=steps((1000, 400), (0, 400))), {"from_s": 0.2, "to_s": 0.6}, 4e6 / CAPACITY),
        (
            lambda: evidence(UP, moment_s=0.2, rates=steps((1000, 400), (0, 400))),
            {"from_s": 0.0, "to_s": 0.4, "after": True},
            4e6 / CAPACITY,
        ),
    ],
    "state_goodput_share": [
        (lambda: evidence(UP, rates=steps((0, 100), (500, 400), (1000, 300))), {"state": "probe_bw_up"}, 4e6 / CAPACITY)
    ],
    "cwnd_bdps": [
        (
            lambda: evidence(UP, columns={"cwnd": steps((90 * MSS, 200), (70 * MSS, 600))}),
            {"state": "probe_bw_up"},
            90 * MSS / BDP,
        ),
        (
            lambda: evidence(UP, columns={"cwnd": steps((90 * MSS, 200), (70 * MSS, 600))}),
            {"state": "probe_bw_up", "statistic": "median"},
            70 * MSS / BDP,
        ),
    ],
    "cwnd_packets": [
        (lambda: evidence(UP, columns={"cwnd": steps((3 * MSS, 200), (5 * MSS, 600))}), {"from_s": 0.2}, 5),
        (lambda: evidence(UP, columns={"cwnd": steps((3 * MSS, 200), (5 * MSS, 600))}), {"from_s": 0.1}, 3),
    ],
    # The smallest RTT of the flow falls to 20 ms within ProbeRTT, after the filter has expired.
    "probe_rtt_window": [
        (
            lambda: evidence(
                PROBE,
                columns={
                    "cwnd": steps((80 * MSS, 500), (20 * MSS, 250), (80 * MSS, 400)),
                    "min_rtt_ms": steps((40.0, 500), (20.0, 650)),
                },
            ),
            {},
            20 * MSS / BDP,
        )
    ],
    "probe_rtt_window_spread": [
        (
            lambda: evidence(
                PROBE, columns={"cwnd": steps((80 * MSS, 501), (20 * MSS, 100), (22 * MSS, 149), (80 * MSS, 400))}
            ),
            {},
            2,
        )
    ],
    "probe_rtt_wait_s": [
        (
            lambda: evidence(PROBE, columns={"latest_rtt_ms": steps((50.0, 120), (40.0, 380), (20.0, 650))}),
            {},
            0.38,
        ),
        # A lower sample of a few nanoseconds counts, and an equal one does not.
        (
            lambda: evidence(
                PROBE, columns={"latest_rtt_ms": steps((40.0, 120), (39.999, 1), (50.0, 100), (39.999, 929))}
            ),
            {},
            0.38,
        ),
    ],
    "low_inflight_s": [
        (
            lambda: evidence(UP, columns={"pipe": steps((40 * MSS, 300), (10 * MSS, 120), (40 * MSS, 380))}),
            {"from_s": 0.1, "to_s": 0.7, "share": 0.5},
            0.12,
        ),
        (lambda: evidence(UP), {"from_s": 0.1, "to_s": 0.7, "share": 0.5}, 0.0),
        (
            lambda: evidence(UP, columns={"pipe": steps((40 * MSS, 600), (10 * MSS, 200))}),
            {"from_s": 0.1, "to_s": 0.7, "share": 0.5},
            0.1,
        ),
    ],
    "median_inflight_bdps": [(lambda: evidence(UP), {"from_s": 0.1, "to_s": 0.7}, 40 * MSS / BDP)],
    "sending_after": [
        (
            lambda: evidence(PROBE, columns={"pipe": steps((40 * MSS, 500), (10 * MSS, 300), (35 * MSS, 350))}),
            {"state": "probe_rtt", "rounds": 4},
            3.5,
        ),
        (lambda: evidence(PROBE), {"state": "probe_rtt", "rounds": 40}, Absent),
    ],
    "rounds_to_share": [
        (
            lambda: evidence(UP, columns={"delivery_bps": steps((0.5 * CAPACITY, 260), (CAPACITY, 540))}),
            {"share": 0.95, "state": "probe_bw_up"},
            4,
        ),
        # With a smoothed RTT of 50 ms instead of samples.
        (
            lambda: evidence(
                UP,
                without=["latest_rtt_ms"],
                columns={"delivery_bps": steps((0.5 * CAPACITY, 260), (CAPACITY, 540)), "srtt_ms": np.full(800, 50.0)},
            ),
            {"share": 0.95, "state": "probe_bw_up"},
            3,
        ),
        (lambda: evidence(UP), {"share": 1.1}, Absent),
        # The first recovery is at a low rate and does not count.
        (
            lambda: evidence(
                UP,
                columns={
                    "in_recovery": steps((True, 50), (False, 50), (True, 700)),
                    "pacing_bps": steps((1, 60), (2, 160), (1.2, 580)) * PACED * CAPACITY,
                },
            ),
            {"share": 1.25, "falling": True},
            3,
        ),
        (lambda: evidence(UP), {"share": 1.25, "falling": True}, Absent),
    ],
    "window_steps": [
        (lambda: evidence(UP, columns=doubling()), {"state": "probe_bw_up"}, 2),
        (lambda: evidence(UP), {"state": "probe_bw_up"}, Absent),
    ],
    "loss_share": [
        (
            lambda: evidence(
                UP,
                packets=[(0.001 * at, "sent", DATA) for at in range(100, 300)]
                + [(0.15, "dropped", DATA), (0.25, "dropped", DATA), (0.16, "dropped", 0)],
            ),
            {"from_s": 0.1, "to_s": 0.2},
            1.0,
        )
    ],
    "events": [
        (undone, {"event": "recovery_started"}, 1),
        (undone, {"event": "timeout"}, 0),
    ],
    "window_restored": [(undone, {}, 0.9), (lambda: evidence(UP), {}, Absent)],
    "bandwidth_restored": [(undone, {}, 1.0)],
    "state_after_undo": [(undone, {"rounds": 2}, "probe_bw_up"), (undone, {"rounds": 1}, "probe_bw_refill")],
    "bandwidth_kept": [
        (
            lambda: evidence(UP, moment_s=0.1, columns={"pacing_bps": steps((4.0, 100), (3.0, 700))}),
            {"span_s": 0.2},
            0.75,
        )
    ],
    "inflight_after_loss": [
        (
            lambda: evidence(
                UP,
                columns={
                    "pipe": steps((40 * MSS, 400), (60 * MSS, 400)),
                    "cwnd": steps((80 * MSS, 520), (45 * MSS, 280)),
                },
            ),
            {"state": "probe_bw_up"},
            0.75,
        )
    ],
}

CASES = [(name, *case) for name, cases in EXPECTED.items() for case in cases]


@pytest.mark.parametrize(("name", "make", "args", "expected"), CASES)
def test_a_measure_has_the_value_of_the_arithmetic(name, make, args, expected):
    if isinstance(expected, type):
        with pytest.raises(expected):
            MEASURES[name](make(), **args)
    elif isinstance(expected, str):
        assert MEASURES[name](make(), **args) == expected
    else:
        assert MEASURES[name](make(), **args) == pytest.approx(expected, rel=1e-3)


def test_every_measure_is_tested():
    assert EXPECTED.keys() == MEASURES.keys()


def test_a_run_without_a_table_cannot_be_read():
    made = evidence(UP)
    made.result.tables.pop("events")
    with pytest.raises(Unreadable, match="recoveries"):
        MEASURES["events"](made, event="undone")
    with pytest.raises(Unreadable, match="packets"):
        MEASURES["loss_share"](made, from_s=0.0, to_s=1.0)


def test_a_time_without_a_state_is_no_phase():
    # A kernel has no state before the first acknowledgment, and none after the last one of a connection.
    made = evidence([(None, 3), ("startup", 100), ("drain", 20), (None, 5)])
    assert [(one.state, one.first, one.end) for one in made.phases] == [("startup", 3, 103), ("drain", 103, 123)]
    assert MEASURES["states_seen"](made) == "drain startup"
    assert MEASURES["next_state"](made, state="startup") == "drain"
    with pytest.raises(Absent, match="stays in drain"):
        MEASURES["next_state"](made, state="drain")


def test_the_pacing_rate_of_linux_counts_payload_alone():
    made = evidence(PROBE, columns={"pacing_bps": np.full(1150, 0.99 * CAPACITY)})
    ours = MEASURES["median_bandwidth_share"](made, from_s=0.8)
    result = Result(made.result.meta | {"backend": "linux:6.12.117"}, made.result.tables)
    linux = MEASURES["median_bandwidth_share"](Evidence(result, RATE, 1500), from_s=0.8)
    assert linux == pytest.approx(1.0)
    assert ours == pytest.approx(1448 / 1488)
