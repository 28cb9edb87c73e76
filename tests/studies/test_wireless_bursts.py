"""The studies iw10 and irto on the real engine, at a size of seconds: their stable claims, and what they write."""

import json

import numpy as np
import pytest

from ackclock import _core
from ackclock.engine.run import run_job
from ackclock.results.result import Result
from ackclock.studies import irto, iw10
from ackclock.studies.framework import Lab, Reading, job
from ackclock.studies.framework.setups.wireless_bursts import cells, measures
from tests.helpers.records import held_without_its_mechanism
from tests.helpers.tables import make_table

pytestmark = pytest.mark.slow


def small(study):
    """The study under its main reading and one more."""
    with pytest.MonkeyPatch.context() as patch:
        chosen = {name: cells.CHOICES[name] for name in (cells.MAIN, "both bursts at once")}
        patch.setattr(cells, "CHOICES", chosen)
        patch.setattr(cells, "QUICK_REPLICATIONS", 20)
        return study.STUDY.reproduce(Lab(quick=True))


@pytest.fixture(scope="module")
def windows():
    return small(iw10)


@pytest.fixture(scope="module")
def timers():
    return small(irto)


def verdicts(result):
    return {one.claim.id: one.verdict for one in result.claims}


@pytest.mark.parametrize("claim", ["few-faster", "first-less-fair", "later-less-fair"])
def test_stable_claims_of_the_initial_window(windows, claim):
    assert verdicts(windows)[claim] == "reproduced"


@pytest.mark.parametrize(
    "claim", ["lte-no-effect", "lte-no-spurious", "lte-rtos-18", "lte-rtos-not-first", "edge-rtos-rise"]
)
def test_stable_claims_of_the_initial_rto(timers, claim):
    holds_without = claim in held_without_its_mechanism(irto.STUDY)
    assert verdicts(timers)[claim] == ("illustration" if holds_without else "reproduced")


def test_no_timeout_on_lte_with_six_flows(timers):
    assert verdicts(timers)["lte-rtos-6"] == "not reproduced"


@pytest.mark.parametrize("claim", ["delay-many-flows-highest", "too-many-iw10", "queueing-imposed"])
def test_stable_claims_of_delays_and_of_many_flows(windows, claim):
    assert verdicts(windows)[claim] == "reproduced"


def overflows(cell, choice):
    """Drops on a link before the bottleneck and retransmission timeouts with IW10, in one run."""
    probes = measures.TIMEOUT_PROBE | measures.DELAY_PROBE
    result = run_job(job(cells.reading(cell, choice), cells.variant(10), 1, probes), _core.Cancel(), lambda _: None)
    before = sum(row["queue_drops"] for row in result.links.rows() if row["link"] == "sender")
    return before, measures.timeouts(result)["rtos"]


def test_a_shared_link_of_the_sender_with_the_default_queue_overflows_with_sixty_segments():
    (cell,) = cells.choose(cells.CELLS, networks=("LTE",), buffers=("1 BDP",), flows=(6,))
    assert overflows(cell, cells.MAIN) == (0, 0)
    drops, rtos = overflows(cell, "one sender's link with ns-2's default queue")
    assert drops > 0
    assert rtos > 0


def test_transfers_are_whole_packets_that_carry_180_kb():
    for cell in cells.CELLS:
        size = cell.overrides()["flows[*].app.size"]
        assert size == f"{cell.transfer_packets * 1460}B"
        assert 0 <= cell.transfer_packets * 1460 * cell.flows - 180_000 < 1460 * cell.flows


def resolved(cell, choice):
    one = job(cells.reading(cell, choice), cells.variant(3), None)
    text = one.scenario
    return json.loads(_core.check(text.text, text.format, list(one.overrides), text.folder))


def test_the_stack_is_that_of_the_slides_and_the_handshake_a_reading():
    (cell,) = cells.choose(cells.CELLS, networks=("HSPA",), buffers=("1 BDP",), flows=(6,))
    for choice, handshake in ((cells.MAIN, "three-way"), ("without a handshake", "none")):
        for flow in resolved(cell, choice)["flows"]:
            assert (flow["stack"], flow["handshake"]) == ("ns2-sack", handshake)
    assert resolved(cell, cells.ONE_PACKET_LESS)["bottleneck"]["queue"]["limit"] == "23 packets"


def test_reports_hold_every_figure(windows, timers, tmp_path):
    for result, plots, intervals in ((windows, 21, 0), (timers, 21, 8)):
        folder = tmp_path / result.slug
        folder.mkdir()
        result.write(folder)
        page = (folder / "report.html").read_text()
        assert (page.count("data-plot="), page.count('class="intervals"')) == (plots, intervals)
        assert {path.name for path in folder.iterdir()} >= {"verdicts.json", "cells.csv", "runs.csv", "scenario.toml"}


def test_cells_are_those_of_the_slides():
    assert len(cells.CELLS) == 7 * 4
    bdp = {network.name: network.buffers[0][1] for network in cells.NETWORKS}
    assert bdp == {"EDGE": 7, "HSPA": 24, "LTE": 125}
    for network in cells.NETWORKS:
        exact = network.rate_kbps * 2 * network.delay_ms / 8 / 1500
        assert abs(network.buffers[0][1] - exact) < 1
    assert [
        cell.name for cell in cells.choose(cells.CELLS, networks=("EDGE",), buffers=("50 packets",), flows=(6, 18))
    ] == [
        "EDGE, 50 packets, 6+6",
        "EDGE, 50 packets, 18+18",
    ]


def test_one_flow_alone_takes_about_what_the_offsets_say():
    for network in cells.NETWORKS:
        cell = cells.Cell(network, *network.buffers[-1], 1)
        alone = cells.reading(cell, "both bursts at once")
        far = Reading("", alone.scenario, {**alone.overrides, "flows[1].start": "100s"})
        grid = Lab().grid([far], [cells.variant(3)], [1], measures.transfers)
        assert grid.mean("", "iw3", "first_mean_s").value == pytest.approx(network.alone_ms / 1e3, rel=0.1)


def transfers(*durations, end=100.0):
    starts = [1.0] * len(durations)
    links = make_table(
        link=["bottleneck"], drops=[3], queue_drops=[2], queue_delay_mean_ms=[1.0], queue_delay_max_ms=[2.0]
    )
    return Result(
        {"duration_s": end}, {"transfers": make_table(duration_s=list(durations), start_s=starts), "links": links}
    )


def test_bursts_are_measured_apart():
    measured = measures.transfers(transfers(1.0, 3.0, 4.0, 4.0))
    assert (measured["first_mean_s"], measured["later_mean_s"], measured["mean_s"]) == (2.0, 4.0, 3.0)
    assert measured["later_over_first"] == 2.0
    assert (measured["first_q0_s"], measured["first_q50_s"], measured["first_q100_s"]) == (1.0, 2.0, 3.0)
    # Rates 1 and 1/3: (4/3)^2 / (2 * 10/9).
    assert measured["first_fairness"] == pytest.approx(0.8)
    assert measured["later_fairness"] == pytest.approx(1.0)
    assert (measured["longest_s"], measured["unfinished"]) == (4.0, 0.0)
    assert (measured["drops"], measured["tail_drops"]) == (3, 2)


def test_what_does_not_end_has_taken_the_rest_of_the_run():
    measured = measures.transfers(transfers(1.0, None))
    assert (measured["later_mean_s"], measured["unfinished"]) == (99.0, 1.0)


def test_one_way_delays_are_pooled_by_packets():
    flows = ["a"] * 2 + ["b"] * 4
    cdf = make_table(
        flow=flows, quantile=[0.5, 1.0, 0.25, 0.5, 0.75, 1.0], delay_ms=[10.0, 40.0, 20.0, 30.0, 50.0, 60.0]
    )
    delays = make_table(flow=["a", "b"], packets=[2, 8], mean_ms=[25.0, 40.0])
    other = make_table(flow=["a"], packets=[10], mean_ms=[70.0])
    lone = make_table(flow=["a"] * 2, quantile=[0.9, 1.0], delay_ms=[65.0, 80.0])
    results = [Result({}, {"delays": one, "delay_cdf": many}) for one, many in ((delays, cdf), (other, lone))]
    first = measures.one_way_delays(results[:1])
    assert first.delays_ms.tolist() == [10, 20, 30, 40, 50, 60]
    assert np.allclose(first.parts, [0.1, 0.3, 0.5, 0.6, 0.8, 1])
    assert [first.quantile(part) for part in (0.1, 0.11, 0.5, 1)] == [10, 20, 30, 60]
    assert first.mean_ms == pytest.approx(37)
    # One packet each after 10 and 40 ms, two each after 20, 30, 50 and 60 ms.
    assert first.spread_ms == pytest.approx(np.std([10, 40, *[20, 30, 50, 60] * 2]))
    both = measures.one_way_delays(results)
    assert [both.quantile(part) for part in (0.5, 0.95, 1)] == [60, 65, 80]
    assert both.mean_ms == pytest.approx((370 + 700) / 20)


def test_a_curve_has_every_delay_once_and_ends_with_the_longest():
    lone = {"delays": make_table(flow=["a", "b"], packets=[1, 3], mean_ms=[10.0, 12.0])}
    same = make_table(flow=["a", "b", "b"], quantile=[1.0, 0.5, 1.0], delay_ms=[10.0, 10.0, 14.0])
    delays, parts = measures.one_way_delays([Result({}, lone | {"delay_cdf": same})]).curve()
    assert delays.tolist() == [10, 14]
    assert np.allclose(parts, [0.625, 1])


def test_a_curve_has_few_points():
    sample = measures.Distribution(np.arange(1.0, 10_001), np.arange(1, 10_001) / 10_000, 5000.5)
    delays, parts = sample.curve()
    assert (delays[0], parts[0], delays[-1], parts[-1]) == (1, 1e-4, 10_000, 1)
    assert len(parts) <= measures.POINTS
    assert np.allclose(delays / 10_000, parts)
