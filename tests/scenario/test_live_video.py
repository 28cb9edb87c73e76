"""Live video in scenarios: what is refused, and what a viewer sees over a link."""

import pytest

import ackclock
from ackclock.scenario._estimate import estimate

LADDER = ["500kbps", "1Mbps", "2Mbps"]


def scenario(seconds=60, link=None, transport=None, **app):
    flow = {"name": "viewer", "app": {"kind": "live", "ladder": LADDER, "segment": "2s", "chunk": "500ms", **app}}
    return {
        "duration": f"{seconds}s",
        "bottleneck": {"rate": "20Mbps", "delay": "20ms", "queue": "100kB"} | (link or {}),
        "flows": [flow | ({"transport": transport} if transport else {})],
    }


def row(document):
    return next(ackclock.run(document, verify=True).live.rows())


@pytest.mark.parametrize(
    ("app", "path", "message"),
    [
        ({"chunk": "300ms"}, "chunk", 'is not a whole part of the segment; accepted: "2s" divided by a whole number'),
        ({"latency": "500ms"}, "latency", 'accepted: more than chunk and encode, "500ms"'),
        ({"latency": "1s", "encode": "600ms"}, "latency", 'accepted: more than chunk and encode, "1100ms"'),
        ({"startup": "4s"}, "startup", 'accepted: at most "3500ms"'),
        ({"latency": "2s", "resume": "2.5s"}, "resume", 'accepted: at most "2s"'),
        ({"rate_max": 0.9}, "rate_max", "accepted: a number from 1 to 4"),
        ({"catchup": "fast"}, "catchup", "accepted: latency, lol-plus, off"),
        ({"measure": "segment"}, "measure", "accepted: chunks, segments"),
    ],
)
def test_mistakes_are_named(app, path, message):
    with pytest.raises(ackclock.ScenarioError) as raised:
        ackclock.check(scenario(**app))
    problems = {problem["path"]: problem["message"] for problem in raised.value.problems}
    assert message in problems[f"flows[0].app.{path}"]


@pytest.mark.parametrize("transport", [None, "quinn"])
@pytest.mark.parametrize("abr", ["throughput", "l2a", "lol-plus"])
def test_over_a_fast_link_the_latency_is_the_target(transport, abr):
    """The theory of capacity far above the rate, over TCP and QUIC: the target, the highest level, and no stall."""
    link = {"rate": "200Mbps", "queue": "2MB"}
    viewer = row(scenario(120, link, transport, abr=abr, latency="3s"))
    assert viewer["latency_end_s"] == pytest.approx(3, abs=0.02)
    assert viewer["latency_mean_s"] == pytest.approx(3, abs=0.05)
    assert viewer["stalls"] == viewer["skips"] == 0
    assert viewer["mean_level_bps"] > 1.5e6


def test_a_link_below_the_lowest_level_stalls():
    """Half of the media that passes can be fetched, so that at least half of the time is a stall."""
    viewer = row(scenario(60, {"rate": "250kbps"}))
    assert viewer["stalls"] > 10
    assert 0.45 * 60 < viewer["stall_s"] < 0.65 * 60
    assert viewer["latency_end_s"] > 25


def test_the_estimate_covers_live_video():
    document = scenario(30, sample="200ms")
    run = ackclock.run(document)
    bound = estimate(document)
    rows = sum(len(table) for name, table in run.tables.items() if name.startswith("live"))
    assert rows <= bound.rows
    link = next(row for row in run.links.rows() if row["link"] == "bottleneck")
    assert link["packets"] <= bound.packets


def test_viewers_of_a_seed_see_the_same_presentation():
    """The sizes of segments do not depend on how a viewer adapts, nor on the network."""
    sizes = []
    for rate, abr in (("20Mbps", "throughput"), ("3Mbps", "l2a")):
        segments = ackclock.run(scenario(30, {"rate": rate}, abr=abr, size_cv=0.5)).live_segments
        sizes.append([row["bytes"] / row["level_bps"] for row in segments.rows()])
    count = min(map(len, sizes))
    assert count > 10
    assert sizes[0][:count] == pytest.approx(sizes[1][:count], rel=1e-4)
    assert max(sizes[0]) > 1.2 * min(sizes[0])
