"""Video calls in scenarios: what is refused, and what a call does over a link."""

import pytest

import ackclock
from ackclock.scenario._estimate import estimate

LINK = {"rate": "2Mbps", "delay": "20ms", "queue": "100kB"}


def scenario(seconds=10, link=LINK, **app):
    return {
        "duration": f"{seconds}s",
        "bottleneck": link,
        "flows": [{"name": "call", "app": {"kind": "call", **app}}],
    }


@pytest.mark.parametrize(
    ("app", "path", "message"),
    [
        (
            {"control": "gcd"},
            "control",
            "is not a known congestion control of media; accepted: nada, scream, scream2, gcc",
        ),
        ({"control": {"kind": "nada", "beta": 0.5}}, "control.beta", "unknown key of nada"),
        ({"control": {"kind": "gcc", "beta": 5}}, "control.beta", "accepted: a number from 0.1 to 0.99"),
        ({"max_rate": "100kbps"}, "max_rate", "is less than min_rate; accepted: at least 150kbps"),
        ({"start_rate": "2Mbps"}, "start_rate", "accepted: from 150kbps to 1500kbps"),
        ({"playout": "2s"}, "playout", 'accepted: at most "1s"'),
        ({"pauses": [{"at": "5s", "until": "5s"}]}, "pauses", "pause 0 that does not end after it begins"),
        ({"trace": []}, "trace", "accepted: a list with at least one recorded rate"),
        ({"trace": [{"rate": "1Mbps", "sizes": ["1kB"]}] * 2}, "trace", "rates that do not ascend"),
        ({"feedback": "rtcp"}, "feedback", "accepted: ccfb, twcc"),
        ({"ecn": "on"}, "ecn", "accepted: off, ect0, ect1"),
        ({"fec": {"columns": 0}}, "fec.columns", "accepted: a whole number of packets from 1 to 255"),
        ({"fec": {}}, "fec.columns", "missing"),
        ({"fec": {"columns": 4, "parity": "both"}}, "fec.parity", "needs the number of rows; accepted: rows, or"),
        ({"fec": {"columns": 4, "rows": 4}}, "fec.rows", "has no effect, because rows alone have a parity"),
    ],
)
def test_mistakes_are_named(app, path, message):
    with pytest.raises(ackclock.ScenarioError) as raised:
        ackclock.check(scenario(**app))
    problems = {problem["path"]: problem["message"] for problem in raised.value.problems}
    assert message in problems[f"flows[0].app.{path}"]


def test_a_call_has_no_transport_besides():
    document = scenario()
    document["flows"][0]["transport"] = "quinn"
    with pytest.raises(ackclock.ScenarioError, match="the application sends datagrams of its own"):
        ackclock.check(document)


def test_a_constant_of_the_control_matters_and_is_part_of_the_hash():
    runs = [ackclock.run(scenario(60, control=control)) for control in ("nada", {"kind": "nada", "xref": 2})]
    assert runs[0].meta["scenario_hash"] != runs[1].meta["scenario_hash"]
    # The link has room for the largest rate; a smaller reference level gives it up at a shorter queue.
    assert all(run.call["received_bps"][0] > 0.9e6 for run in runs)


def test_the_estimate_covers_a_call():
    document = scenario(30, frames=True, sample="1s", audio="20kbps", feedback_interval="20ms")
    run = ackclock.run(document)
    bound = estimate(document)
    rows = sum(len(table) for name, table in run.tables.items() if name.startswith("call"))
    assert rows <= bound.rows
    link = next(row for row in run.links.rows() if row["link"] == "bottleneck")
    assert link["packets"] <= bound.packets


def test_a_trace_of_frame_sizes():
    sizes = {"500kbps": "2kB", "1Mbps": "4kB"}
    trace = [{"rate": rate, "sizes": [size] * 30} for rate, size in sizes.items()]
    run = ackclock.run(
        scenario(control="fixed", start_rate="800kbps", max_rate="1.5Mbps", trace=trace, frames=True, interval_scale=0)
    )
    bytes_ = set(run.call_frames["bytes"])
    # 800 kbit/s with headers leave about 761 kbit/s, between 2,000 and 4,000 bytes a frame.
    assert len(bytes_) == 1
    assert 3000 < bytes_.pop() < 3100


def test_calls_share_the_draws_of_their_encoders():
    """Frames of two controls with the same rate have the same sizes: variants of a scenario are paired."""
    frames = [
        ackclock.run(scenario(control=control, min_rate="500kbps", max_rate="500kbps", frames=True)).call_frames
        for control in ("fixed", "nada")
    ]
    assert list(frames[0]["bytes"]) == list(frames[1]["bytes"])
    assert list(frames[0]["captured_s"]) == list(frames[1]["captured_s"])


def test_feedback_costs_what_its_interval_says():
    costs = [
        ackclock.run(scenario(control="fixed", start_rate="500kbps", feedback_interval=interval)).call["feedback_bps"][
            0
        ]
        for interval in ("50ms", "100ms", "200ms")
    ]
    # A report has 48 bytes, and 4 more for each packet and that of the report before.
    assert costs[0] > 1.5 * costs[1] > 2 * costs[2]
    assert costs[1] == pytest.approx(8 * 10 * (48 + 4 * 6.5), rel=0.1)


@pytest.mark.parametrize(("delay", "sooner"), [("10ms", False), ("150ms", True)])
def test_parity_is_worth_its_rate_where_a_retransmission_comes_late(delay, sooner):
    """A retransmission takes a round trip longer than the frame; a repair packet follows the frame's packets."""
    link = {"rate": "4Mbps", "delay": delay, "queue": "200kB", "loss": "2%"}
    app = {"control": "fixed", "start_rate": "1Mbps"}
    kinds = {"nack": {}, "fec": {"nack": False, "fec": {"columns": 4}}, "both": {"fec": {"columns": 4}}}
    calls = {
        kind: next(ackclock.run(scenario(60, link, **app, **more), verify=True, seed=2).call.rows())
        for kind, more in kinds.items()
    }
    assert calls["nack"]["parity_packets"] == calls["nack"]["parity_repaired"] == 0
    assert calls["fec"]["parity_repaired"] > 0.5 * calls["fec"]["lost"]
    assert calls["fec"]["retransmitted"] == 0
    for kind in ("fec", "both"):
        assert 0.2 < calls[kind]["parity_overhead"] < 0.45
    late = {kind: call["frame_delay_p50_ms"] for kind, call in calls.items()}
    one_way = float(delay.removesuffix("ms"))
    assert late["both"] < one_way + 40
    assert (late["nack"] > late["both"] + 200) == sooner
