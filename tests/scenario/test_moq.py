"""Live video over streams in scenarios: what is refused, and what priorities and drops change."""

import pytest

import ackclock
from ackclock.scenario._estimate import estimate

NARROW = {"kind": "steps", "steps": [{"at": "0s", "rate": "6Mbps"}, {"at": "10s", "rate": "1.5Mbps"}]}
NARROW["steps"].append({"at": "16s", "rate": "6Mbps"})


def scenario(seconds=30, link=None, transport="quinn", **app):
    flow = {"name": "viewer", "app": {"kind": "moq", "rate": "3Mbps", **app}}
    return {
        "duration": f"{seconds}s",
        "bottleneck": {"rate": "20Mbps", "delay": "20ms", "queue": "30 packets"} | (link or {}),
        "flows": [flow | ({"transport": transport} if transport else {})],
    }


def row(document, **options):
    return next(ackclock.run(document, verify=True, **options).moq.rows())


@pytest.mark.parametrize(
    ("app", "path", "message"),
    [
        ({"frame": "300ms"}, "frame", 'is not a whole part of the group; accepted: "1s" divided by a whole number'),
        ({"latency": "40ms"}, "latency", 'accepted: more than frame and encode, "40ms"'),
        ({"latency": "100ms", "encode": "80ms"}, "latency", 'accepted: more than frame and encode, "120ms"'),
        (
            {"streams": "one", "delivery_timeout": "1s"},
            "delivery_timeout",
            "all groups are in one stream; accepted",
        ),
        ({"streams": "two"}, "streams", "accepted: groups, one"),
        ({"order": "newest"}, "order", "accepted: descending, ascending"),
        ({"key_frame": 0.5}, "key_frame", "accepted: a number from 1 to 1000"),
    ],
)
def test_mistakes_are_named(app, path, message):
    with pytest.raises(ackclock.ScenarioError) as raised:
        ackclock.check(scenario(**app))
    problems = {problem["path"]: problem["message"] for problem in raised.value.problems}
    assert message in problems[f"flows[0].app.{path}"]


@pytest.mark.parametrize(
    ("app", "lacks"),
    [
        ({}, "has no unidirectional streams and no priorities of streams, which the application moq needs"),
        (
            {"delivery_timeout": "1s"},
            "and no resets of streams, which the application moq needs; accepted: a",
        ),
    ],
)
def test_a_transport_without_streams_is_refused(app, lacks):
    with pytest.raises(ackclock.ScenarioError) as raised:
        ackclock.check(scenario(transport=None, **app))
    assert lacks in {problem["path"]: problem["message"] for problem in raised.value.problems}["flows[0].transport"]
    ackclock.check(scenario(transport=None, streams="one"))


def test_a_reader_that_waits_is_refused():
    document = scenario()
    document["flows"][0]["reading"] = {"rate": "5Mbps"}
    with pytest.raises(ackclock.ScenarioError) as raised:
        ackclock.check(document)
    assert "has no effect on streams" in {p["path"]: p["message"] for p in raised.value.problems}["flows[0].reading"]


@pytest.mark.parametrize(("transport", "streams"), [(None, "one"), ("quinn", "one"), ("quinn", "groups")])
def test_over_a_fast_link_the_latency_is_the_target(transport, streams):
    """The theory of capacity far above the rate: the target, every frame, and no stall."""
    viewer = row(scenario(60, {"rate": "200Mbps", "queue": "2MB"}, transport, streams=streams))
    assert viewer["latency_end_s"] == pytest.approx(0.5, abs=0.005)
    assert viewer["stalls"] == viewer["skips"] == viewer["groups_dropped"] == 0
    # The request arrives after 0.1 s at most, so that the group from 1 s is the first.
    assert viewer["groups"] == 59
    assert viewer["frames_shown"] >= viewer["frames"] - 14


def test_priorities_and_drops_on_a_link_that_becomes_slow():
    """For 6 s the link has half of the rate: 3 s of media are missing, and are played later, or are not played.

    The player has a buffer of less than half a second, so that it stalls for 2.5 to 3 s in one stream.
    """
    link = {"rate": NARROW}
    one = row(scenario(40, link, streams="one"))
    assert one["skips"] == one["groups_dropped"] == 0
    assert 2.5 < one["stall_s"] < 3.1
    assert one["latency_max_s"] == pytest.approx(0.5 + one["stall_s"], abs=0.05)
    first = row(scenario(40, link))
    assert first["frames_skipped"] == 0
    dropped = row(scenario(40, link, delivery_timeout="500ms"))
    assert dropped["groups_dropped"] >= 5
    assert 60 < dropped["frames_skipped"] < 110
    assert dropped["latency_max_s"] < one["latency_max_s"] - 1
    assert first["latency_max_s"] > dropped["latency_max_s"]
    assert dropped["frames_shown"] + dropped["frames_skipped"] <= dropped["frames"]


def test_losses_are_repaired_in_every_stream():
    """With random losses that leave CUBIC more than the rate, all groups arrive whole in both kinds of streams."""
    link = {"loss": "0.3%"}
    kinds = {streams: row(scenario(30, link, streams=streams), seed=3) for streams in ("one", "groups")}
    for viewer in kinds.values():
        assert viewer["groups_complete"] >= viewer["groups"] - 1
        assert viewer["frames_skipped"] == 0


def test_any_number_of_threads_gives_the_same_tables():
    document = scenario(15, {"rate": NARROW, "loss": "1%"}, delivery_timeout="500ms", sample="1s", size_cv=0.3)
    one, two = (ackclock.run(document, seeds=3, threads=threads) for threads in (1, 2))
    for first, second in zip(one, two, strict=True):
        assert first.tables.keys() == second.tables.keys() >= {"moq", "moq_groups", "moq_samples"}
        assert all(first.tables[name].equals(second.tables[name]) for name in first.tables)
    assert len({next(result.moq.rows())["stall_s"] for result in one}) > 1


def test_the_estimate_covers_it():
    document = scenario(20, sample="200ms", streams="one", transport=None)
    run = ackclock.run(document)
    bound = estimate(document)
    rows = sum(len(table) for name, table in run.tables.items() if name.startswith("moq"))
    assert rows <= bound.rows
    link = next(row for row in run.links.rows() if row["link"] == "bottleneck")
    assert link["packets"] <= bound.packets
