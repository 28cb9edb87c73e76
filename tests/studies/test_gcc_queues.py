"""The study gcc-queues: some cells on the real engine, and its verdicts and figures on made numbers."""

import numpy as np
import pytest

from ackclock.scenario import Text
from ackclock.studies import gcc_queues
from ackclock.studies.framework import Grid, Lab, Reading
from ackclock.studies.gcc_queues import cells, figures, verdicts

BESIDE = cells.Cell("CUBIC", 1)
MEASURES = ("call_mbps", "other_mbps", "used_percent", "jain", "queue_mean_ms", "queue_p95_ms", "loss_percent")
MEASURES += ("freezes", "played_percent")


@pytest.fixture(scope="module")
def measured():
    readings = cells.readings(gcc_queues.STUDY, [BESIDE, cells.Cell("alone", 1)])
    return Lab().grid(readings, cells.QUEUES, [1, 2], cells.measure)


def test_flow_queueing_gives_the_call_its_part_and_a_short_queue(measured):
    at = cells.name(BESIDE)
    rate = {one.name: measured.mean(at, one.name, "call_mbps").value for one in cells.QUEUES}
    assert min(rate["sfq"], rate["fq-codel"]) > max(0.35, rate["codel"])
    # The buffer of 300 ms is full of CUBIC's packets most of the time.
    delay = {one.name: measured.mean(at, one.name, "queue_p95_ms").value for one in cells.QUEUES}
    assert 200 < delay["drop-tail"] <= 300
    assert max(delay["codel"], delay["fq-codel"]) < 100


def test_a_call_alone_has_the_link_for_itself(measured):
    at = cells.name(cells.Cell("alone", 1))
    assert measured.values(at, "drop-tail", "other_mbps").tolist() == [0, 0]
    assert measured.values(at, "drop-tail", "jain").tolist() == [1, 1]
    # The rate of the flow is that of the payload.
    payload, used = (measured.mean(at, "drop-tail", one).value for one in ("call_mbps", "used_percent"))
    assert 0.9 * used < 100 * payload < used <= 100


@pytest.mark.parametrize("name", ["drop-tail", "no GCC"])
def test_a_mechanism_is_removed(name):
    reading = cells.readings(gcc_queues.STUDY, [BESIDE])
    lab = Lab(without=gcc_queues.STUDY.nulls[name])
    grid = lab.grid(reading, cells.QUEUES[:2], [1], cells.measure)
    values = [grid.values(cells.name(BESIDE), one.name, "call_mbps")[0] for one in cells.QUEUES[:2]]
    if name == "drop-tail":
        assert values[0] == values[1]
    else:
        # A call of 2.5 Mbit/s leaves nothing of a link of 1 Mbit/s to CUBIC.
        assert values[0] > 0.9


def test_buffers_are_times_at_the_rate_of_the_link():
    [reading] = cells.readings(gcc_queues.STUDY, [cells.Cell("alone", 0.5, 100)])
    assert reading.overrides == {"bottleneck.rate": "0.5Mbps", "bottleneck.queue": "6250B"}
    assert cells.queue_without_discipline(reading.overrides) == {"bottleneck.queue": "18750B"}


def test_choices_are_those_of_all_calls():
    for traffic, calls in (("two calls", 2), ("CUBIC", 1)):
        [reading] = cells.readings(gcc_queues.STUDY, [cells.Cell(traffic, 1, choice=cells.WEBRTC)])
        chosen = {path: value for path, value in reading.overrides.items() if path.endswith("app.control")}
        assert chosen == {f"flows[{at}].app.control": "gcc" for at in range(calls)}


def made(wanted, **values):
    """A grid in which each measure has its place in the list of queues, or the value that `values` gives it."""
    readings = tuple(Reading(cells.name(one), Text("")) for one in wanted)
    found = {
        (reading.name, queue.name): {
            name: np.array([values.get(f"{queue.name}:{name}", float(place))] * 2) for name in MEASURES
        }
        for reading in readings
        for place, queue in enumerate(cells.QUEUES)
    }
    seeds = {reading.name: (1, 2) for reading in readings}
    return Grid(readings, cells.QUEUES, seeds, found)


def test_every_claim_is_measured_where_it_is_made():
    wanted = cells.wanted(quick=False)
    assert len(wanted) == len(set(wanted)) == 42
    values = {"drop-tail:jain": 0.7, "drop-tail:used_percent": 80.0, "drop-tail:queue_p95_ms": 40.0}
    results = verdicts.assess_claims(made(wanted, **values), wanted)
    measured = {one.claim.id: one.measured.value for one in results}
    assert measured == pytest.approx(
        {
            "alone-delay": 40,
            "alone-loss-codel": 1,
            "alone-loss-pie": 2,
            "tcp-delay-codel": 1,
            "tcp-delay-pie": 2,
            "tcp-loss-codel": 1,
            "tcp-loss-pie": 2,
            "flow-delay-fq-codel": 4,
            "flow-loss-fq-codel": 3,
            "flow-delay-sfq": 3,
            "flow-loss-sfq": 2,
            "full-utilisation": 80,
            "intra-fairness": 0.7,
            "inter-fairness": 0.7,
        }
    )
    rates = {"0.5 Mbit/s", "1 Mbit/s", "2 Mbit/s"}
    by_id = {one.claim.id: set(one.readings) for one in results}
    assert by_id["alone-delay"] == {cells.MAIN, *cells.CHOICES, *rates, "100 ms", "600 ms"}
    assert by_id["inter-fairness"] == by_id["alone-delay"] | {verdicts.WITH_BBR}
    assert by_id["intra-fairness"] == {cells.MAIN, *cells.CHOICES, *rates}
    assert results[0].kinds["100 ms"] == "cell"
    assert results[0].kinds[cells.WEBRTC] == "assumption"


def test_the_figures_and_the_table_have_every_queue():
    wanted = cells.wanted(quick=True)
    grid = made(wanted)
    for figure in (figures.delays(grid, wanted, ""), figures.rates(grid, wanted, "")):
        assert len(figure.rows) == 3 * len(cells.QUEUES)
    rows = verdicts.sheet(grid).rows
    assert rows[5][:5] == [cells.MAIN, "two calls", "1 Mbit/s", "300 ms", "drop-tail"]
