"""One run on several threads: the same tables as on one, or the reason why there is only one."""

import logging

import pytest

import ackclock
from tests.helpers.tables import same

DUMBBELL = """
duration = "3s"
[bottleneck]
rate = "20Mbps"
delay = "15ms"
queue = "1bdp"
[access]
rate = "100Mbps"
source_delay = "3ms"
sink_delay = "0s"
[[flows]]
name = "bulk"
count = 5
app = { kind = "bulk" }
cc = "cubic"
start_jitter = "100ms"
[[flows]]
name = "bbr"
count = 2
app = { kind = "bulk" }
cc = "bbr3"
[[flows]]
name = "web"
count = 3
app = { kind = "web", object_size = "30kB", users = 2, pages = 20, think = "100ms" }
[[flows]]
name = "telephone"
app = { kind = "voip" }
"""

PARKING_LOT = """
duration = "3s"
[bottleneck]
rate = "10Mbps"
delay = "5ms"
queue = "1bdp"
[[links]]
name = "second"
ends = ["right", "city"]
rate = "8Mbps"
delay = "20ms"
queue = { kind = "codel", limit = "100 packets" }
loss = "0.1%"
[[flows]]
name = "long"
count = 3
app = { kind = "bulk" }
route = ["left", "right", "city"]
[[flows]]
name = "first"
count = 2
app = { kind = "onoff", on = "500ms", off = "300ms" }
[[flows]]
name = "last"
app = { kind = "bulk" }
route = ["right", "city"]
start = "1s"
"""


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(
    "overrides",
    [
        {},
        {"bottleneck.queue": '{ kind = "dualpi2", limit = "200 packets" }', "flows.bulk.cc": "prague"},
        {"bottleneck.loss": '{ kind = "random", probability = "1%" }', "probes.delays": "true"},
        {"access.source_policer": '{ rate = "5Mbps", burst = "20kB" }', "flows.bulk.stack": "rfc"},
    ],
    ids=str,
)
def test_a_run_is_the_same_on_any_number_of_threads(caplog, overrides, threads):
    alone = ackclock.run(DUMBBELL, overrides=overrides)
    many = ackclock.run(DUMBBELL, overrides=overrides, threads=threads)
    assert not caplog.records
    assert same(alone, many)
    assert list(many.tables) == list(alone.tables)
    assert many.meta == alone.meta


@pytest.mark.parametrize("threads", [2, 4])
def test_links_may_form_any_graph(caplog, threads):
    alone = ackclock.run(PARKING_LOT)
    many = ackclock.run(PARKING_LOT, threads=threads)
    assert not caplog.records
    assert alone.links["link"].tolist() == ["bottleneck", "bottleneck.reverse", "second", "second.reverse"]
    assert same(alone, many)


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        ({"probes.window": "true"}, "probes, traces and the verifier see the events"),
        ({"bottleneck.queue": '{ kind = "fq-codel" }'}, "asks to which connection a packet belongs"),
        (
            {"bottleneck.delay": "4us", "access.source_delay": "0s", "bottleneck.queue": "20 packets"},
            "packets take less than 10 us",
        ),
        ({"flows.telephone.transport": "quinn", "flows.telephone.app.kind": "bulk"}, "a transport other than TCP"),
    ],
    ids=str,
)
def test_a_run_that_cannot_be_divided_says_why(caplog, overrides, reason):
    caplog.set_level(logging.WARNING)
    overrides = {"duration": "1s", **overrides}
    many = ackclock.run(DUMBBELL, overrides=overrides, threads=2)
    (record,) = caplog.records
    assert record.getMessage().startswith("the run uses one thread of 2: ")
    assert reason in record.getMessage()
    assert same(ackclock.run(DUMBBELL, overrides=overrides), many)


def test_a_divided_run_can_be_cancelled_and_reports_progress():
    class StoppedError(Exception):
        pass

    def stop(part):
        assert 0 <= part <= 1
        raise StoppedError

    with pytest.raises(StoppedError):
        ackclock.run(DUMBBELL, overrides={"duration": "200s"}, threads=2, progress=stop)
