"""The study iw10-aqm: claims computed from made-up runs, and its queues on the real engine."""

import json

import pytest

from ackclock import _core
from ackclock.engine.run import run_job
from ackclock.results.result import Result
from ackclock.studies import iw10_aqm
from ackclock.studies.framework import Lab, job
from ackclock.studies.framework.setups.wireless_bursts import cells, windows
from ackclock.studies.framework.setups.wireless_bursts.windows import VARIANTS
from ackclock.studies.iw10_aqm import queues, verdicts
from tests.helpers.records import held_without_its_mechanism
from tests.helpers.tables import make_table

NETWORK_OF = {f"{network.rate_kbps}kbps": network for network in cells.NETWORKS}
DIRECTIONS = [
    "red-one-flow",
    "redok-one-flow",
    "red-six-flows",
    "red-six-spread",
    "redok-six-flows",
    "delay-two-flows",
    "delay-many-flows",
    "red-no-control",
]
WAITING = "departure: RED waits between drops"

# Seconds by network, flows and window: the published ones where they are possible, others elsewhere.
LONGEST = {("EDGE", 1, 10): 2.80, ("EDGE", 1, 3): 2.06, ("HSPA", 6, 10): 0.429, ("HSPA", 6, 3): 0.296}

# One-way delay with IW10 over that with IW3, by flows: RED, and REDok.
AGGRESSIVE = {1: (1.04, 1.08), 2: (1.02, 1.06), 6: (0.8, 1.3), 18: (0.9, 0.95)}


def made(one):
    """A run in which everything is as the slides say, but for RED that waits: there it is the other way round."""
    overrides = dict(one.overrides)
    assert overrides["probes.delays"] == "true"
    flows, window = int(overrides["flows[*].count"]), int(overrides["flows[*].initial_window"])
    network = NETWORK_OF[overrides["bottleneck.rate"].strip('"')]
    more = window == 10
    if "bottleneck.queue.wait" in overrides:
        more = not more
    queue = overrides["bottleneck.queue"]
    tuned = "0.65" in queue or "400" in queue
    wobble = 1 + one.seed / 1e4
    slow = {1: 0.5, 2: 0.6, 6: 0.7, 18: 1.6 if tuned else 1.2}[flows] if more else 1.0
    first = [slow * wobble * (1 + 0.1 * index * (1 + more)) for index in range(flows)]
    later = [time * (0.9 if more else 1.0) for time in first]
    mean = 100.0 * wobble * (AGGRESSIVE[flows][tuned] if more else 1.0)
    longest = 1e3 * LONGEST.get((network.name, flows, 10 if more else 3), 7.0)
    if "red" in queue and flows == 6 and not tuned:
        longest = 9e3 if more else 6e3
    names = [f"{burst}.{index}" for burst in ("first", "later") for index in range(flows)]
    tables = {
        "transfers": make_table(start_s=[1.0] * 2 * flows, duration_s=first + later),
        "links": make_table(
            link=["bottleneck"],
            drops=[20],
            # With REDok a twentieth of the drops are by overflow, and with the others half of them.
            queue_drops=[1 if tuned else 10],
            queue_delay_mean_ms=[(1.0 + one.seed) * (1.2 if more else 1.0)],
            queue_delay_max_ms=[2.0],
        ),
        "delays": make_table(flow=names, packets=[2] * len(names), mean_ms=[mean] * len(names)),
        "delay_cdf": make_table(
            flow=[name for name in names for _ in range(2)],
            quantile=[0.5, 1.0] * len(names),
            # The last flow has the longest; that of every second run is longer by 60 ms.
            delay_ms=[20.0, 30.0] * (len(names) - 1) + [20.0, longest + 60 * (one.seed % 2)],
        ),
    }
    return Result({"duration_s": 600.0}, tables)


@pytest.fixture(scope="module")
def study():
    with pytest.MonkeyPatch.context() as patch:
        kept = (cells.MAIN, queues.ALONE, WAITING)
        patch.setattr(iw10_aqm, "CHOICES", {name: queues.CHOICES[name] for name in kept})
        patch.setattr(cells, "QUICK_REPLICATIONS", 12)
        return iw10_aqm.STUDY.reproduce(Lab(quick=True, worker=lambda one, cancel, note: made(one)))


def claims(study):
    return {one.claim.id: one for one in study.claims}


def test_claims_that_the_runs_were_made_to_hold_are_reproduced(study):
    others = {identifier: one.verdict for identifier, one in claims(study).items() if one.verdict != "reproduced"}
    # "Slightly" is a part of two statements, which count once.
    slightly = {"red-one-flow-slightly", "delay-two-flows-slightly"}
    assert others == dict.fromkeys(slightly | held_without_its_mechanism(iw10_aqm.STUDY), "illustration")
    assert len(claims(study)) == 17


@pytest.mark.parametrize("claim", DIRECTIONS)
def test_a_direction_turned_round_is_not_reproduced(study, claim):
    assert claims(study)[claim].readings[WAITING][1] == "not reproduced"


def test_each_queue_is_a_reading(study):
    readings = claims(study)["delay-two-flows"].readings
    red, redok = (readings[f"{cells.MAIN}; {queue}"][0].value for queue in ("RED", "REDok"))
    assert red < readings[cells.MAIN][0].value < redok
    assert (red, redok) == pytest.approx((2, 6))


@pytest.mark.parametrize(("claim", "network", "flows"), [("red-one-flow", "EDGE", 1), ("redok-six-flows", "HSPA", 6)])
def test_the_network_of_the_slide_decides_and_the_others_stand_beside_it(study, claim, network, flows):
    one = claims(study)[claim]
    queue = "RED" if claim.startswith("red-") else "REDok"
    cell = {name: f"{cells.MAIN}; {name}, {queue}, {flows}+{flows}" for name in ("EDGE", "HSPA", "LTE")}
    assert one.measured == one.readings[cell[network]][0]
    assert {one.kinds[name] for name in (*cell.values(), f"{cells.MAIN}; all networks")} == {"cell"}
    assert one.kinds[WAITING] == "assumption"


def test_statements_on_competition_are_a_table_and_no_claims(study):
    (sheet,) = (one for one in study.sheets if one.name == "competition")
    rows = {(queue, statement): value for queue, statement, value, *_ in sheet.rows}
    assert len(rows) == 2 * len(verdicts.STATEMENTS)
    assert not verdicts.STATEMENTS.keys() & claims(study).keys()
    for queue, slow in (("RED", 1.2), ("REDok", 1.6)):
        # Six flows take 0.7 and 18 flows `slow` times as long for the first of them, and more for each after it.
        six, many = ((1 + 0.1 * (n - 1)) / (1 + 0.05 * (n - 1)) * time for n, time in ((6, 0.7), (18, slow)))
        # The later burst takes a tenth less with IW10.
        slower = 100 * (0.95 * (six * many) ** 0.5 - 1)
        assert rows[queue, "6+6 and 18+18 flows: slower with IW10"] == pytest.approx(slower)
        assert rows[queue, "The later burst fares better"] == pytest.approx(-10)


def test_claims_of_one_queue_are_measured_with_that_queue(study):
    values = {identifier: one.measured.value for identifier, one in claims(study).items()}
    for identifier, change in (
        ("red-one-flow", 4),
        ("redok-one-flow", 8),
        ("red-six-flows", -20),
        # The longest delays of every second run have 60 ms more with both windows.
        ("redok-six-flows", 100 * ((0.429 * 0.489 / (0.296 * 0.356)) ** 0.5 - 1)),
    ):
        assert values[identifier] == pytest.approx(change)
    assert values["red-like-fifo"] == pytest.approx(0)
    assert values["redok-six-tail-drops"] == pytest.approx(5)
    assert claims(study)["redok-six-tail-drops"].readings[f"{cells.MAIN}; HSPA, RED, 6+6"][1] == "not reproduced"


def test_the_mean_is_another_measure_of_six_flows(study):
    readings = claims(study)["redok-six-flows"].readings
    assert readings[f"{cells.MAIN}; the mean delay of a run"][0].value == pytest.approx(30)
    assert readings[f"{cells.MAIN}; {verdicts.OF_PARTS}"][0].value == pytest.approx(100 * (0.489 / 0.356 - 1))


def test_longest_delays_are_of_the_network_where_they_are_possible(study):
    for identifier, (flows, one, network) in verdicts.LONGEST.items():
        result = claims(study)[identifier]
        window = 10 if one is VARIANTS[1] else 3
        longest = LONGEST[network, flows, window]
        # Half of the runs have 60 ms more; every sixth of them, two of twelve, has one of those.
        assert result.measured.value == pytest.approx(longest + 0.03)
        own = f"{cells.MAIN}; {network}, REDok, {flows}+{flows}"
        assert result.readings[f"{own}; {verdicts.OF_PARTS}"][0].value == pytest.approx(longest + 0.06)
        assert result.readings[f"{own}; {verdicts.OF_ALL}"][0].value == pytest.approx(longest + 0.06)
        for other in (f"LTE, REDok, {flows}+{flows}", f"{network}, REDok, 18+18"):
            assert result.readings[f"{cells.MAIN}; {other}"][0].value == pytest.approx(7.03)


def test_published_delays_are_possible_on_one_network_each():
    possible = {}
    for identifier, (flows, _, network) in verdicts.LONGEST.items():
        published = {1: {10: 2.80, 3: 2.06}, 6: {10: 0.429, 3: 0.296}}[flows][10 if "iw10" in identifier else 3]
        waiting = {one.name: verdicts.packets_waiting(one, published) for one in cells.NETWORKS}
        # Six flows that begin with three segments each have 18 packets on EDGE's queue at once.
        least = flows * 3 - 2
        buffers = {name: queues.TABLE[queues.REDOK, name].packets for name in waiting}
        possible[identifier] = [name for name in waiting if least <= waiting[name] <= buffers[name]]
        assert possible[identifier] == [network]
    # 2.80 s on EDGE: 261 ms of links, and 75 ms for each of 32.9 packets and the last itself.
    assert verdicts.packets_waiting(cells.NETWORKS[0], 2.80) == pytest.approx((2800 - 261) / 75 - 1)


def test_the_sheet_has_every_network_beside_the_published_number(study):
    (sheet,) = (one for one in study.sheets if one.name == "longest")
    assert len(sheet.rows) == len(verdicts.LONGEST) * len(cells.NETWORKS)
    edge = sheet.rows[0]
    assert edge[:5] == ["EDGE, REDok, 1+1", "IW10", 2.80, 32.9, 50]
    assert edge[5:] == pytest.approx([2.83, 2.80, 2.86])


def test_the_report_has_its_figures(study, tmp_path):
    study.write(tmp_path)
    # Six networks and queues: delays, elapsed times, fairness.
    page = (tmp_path / "report.html").read_text()
    assert page.count("data-plot=") == 3 * 6
    # The published numbers beside ours in two units, and the two backup slides.
    assert page.count('class="intervals"') == 2 + 2
    for title in ("Elapsed time by queue, HSPA, 6+6 flows, later burst", "Fairness by queue, HSPA, 6+6 flows"):
        assert title in page
    assert {path.name for path in tmp_path.iterdir()} >= {"verdicts.json", "longest.csv", "cells.csv", "scenario.toml"}


def checked_queue(cell, choice=cells.MAIN):
    one = job(cells.reading(cell, choice, queues.CHOICES), VARIANTS[0], None)
    text = one.scenario
    document = json.loads(_core.check(text.text, text.format, list(one.overrides), text.folder))
    return document["bottleneck"]["queue"]


def test_queues_are_those_of_the_table():
    assert len(queues.CELLS) == 3 * 2 * 4
    for network in cells.NETWORKS:
        assert queues.TABLE[queues.RED, network.name].packets == dict(network.buffers)["2 BDP"]
    (cell,) = cells.choose(queues.CELLS, networks=("HSPA",), buffers=("REDok",), flows=(6,))
    queue = checked_queue(cell)
    assert queue["kind"] == "red"
    assert queue["limit"] == "100 packets"
    assert (queue["q_weight"], queue["max_p"], queue["thresh"], queue["maxthresh"]) == (0.02, 0.65, 3, 50)
    assert (queue["bytes"], queue["queue_in_bytes"], queue["mean_pktsize"]) == (True, True, "1500B")
    assert not any(queue[name] for name in ("gentle", "wait", "setbit", "use_mark_p"))
    assert checked_queue(cell, WAITING)["wait"] is True


def test_departures_leave_fifo_queues_alone():
    for cell in queues.FIFO_CELLS:
        assert cell.packets == queues.TABLE[queues.RED, cell.network.name].packets
        assert checked_queue(cell, WAITING)["kind"] == "drop-tail"


def test_no_delay_is_longer_than_the_buffer_on_the_real_engine():
    (cell,) = cells.choose(queues.CELLS, networks=("EDGE",), buffers=("REDok",), flows=(6,))
    one = job(cells.reading(cell), VARIANTS[1], 1, {"probes.delays": True})
    result = run_job(one, _core.Cancel(), lambda _: None)
    measured = windows.transfers_and_delays(result)
    assert measured["delay_max_ms"] == max(result.tables["delays"]["max_ms"])
    # 261 ms of links; 50 packets wait, one is in service, one is itself; 2 ms of access links.
    assert 261 < measured["delay_median_ms"] < measured["delay_p95_ms"] < measured["delay_max_ms"]
    assert measured["delay_max_ms"] < 261 + 52 * 75 + 2
    assert measured["queue_delay_mean_ms"] < measured["delay_mean_ms"] < measured["delay_max_ms"]
