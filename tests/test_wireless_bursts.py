"""The studies iw10 and irto on the real engine, at a size of seconds: their stable claims, and what they write."""

import numpy as np
import pytest

from ackclock.result import Result
from ackclock.studies import irto, iw10
from ackclock.studies.grid import Reading, run_grid
from ackclock.studies.iw10 import cells, measures
from tests.conftest import make_table


def small(study):
    """The study under its main reading and one more."""
    with pytest.MonkeyPatch.context() as patch:
        chosen = {name: cells.CHOICES[name] for name in (cells.MAIN, "both bursts at once")}
        patch.setattr(cells, "CHOICES", chosen)
        patch.setattr(cells, "QUICK_REPLICATIONS", 20)
        return study.reproduce(quick=True)


@pytest.fixture(scope="module")
def windows():
    return small(iw10)


@pytest.fixture(scope="module")
def timers():
    return small(irto)


def verdicts(result):
    return {one.claim.id: one.verdict for one in result.claims}


@pytest.mark.parametrize("claim", ["few-faster", "many-slower", "first-less-fair", "later-less-fair"])
def test_stable_claims_of_the_initial_window(windows, claim):
    assert verdicts(windows)[claim] == "reproduced"


def test_what_needs_red_is_not_testable(windows):
    assert {one.claim.id for one in windows.claims if one.verdict == "not testable"} == {
        "delay-one-flow",
        "delay-congested",
        "redok-one-flow-iw10",
        "redok-one-flow-iw3",
        "redok-six-flows-iw10",
        "redok-six-flows-iw3",
    }


@pytest.mark.parametrize("claim", ["lte-no-effect", "lte-no-spurious", "lte-rtos-18", "edge-rtos-rise"])
def test_stable_claims_of_the_initial_rto(timers, claim):
    assert verdicts(timers)[claim] == "reproduced"


def test_no_timeout_on_lte_with_six_flows(timers):
    assert verdicts(timers)["lte-rtos-6"] == "not reproduced"


def test_reports_hold_every_figure(windows, timers, tmp_path):
    for result, plots, intervals in ((windows, 17, 0), (timers, 14, 3)):
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
    assert [cell.name for cell in cells.choose(networks=("EDGE",), buffers=("50 packets",), flows=(6, 18))] == [
        "EDGE, 50 packets, 6+6",
        "EDGE, 50 packets, 18+18",
    ]


def test_one_flow_alone_takes_about_what_the_offsets_say():
    for network in cells.NETWORKS:
        cell = cells.Cell(network, *network.buffers[-1], 1)
        alone = cells.reading(cell, "both bursts at once")
        far = Reading("", "", alone.scenario, {**alone.overrides, "flows[1].start": "100s"})
        grid = run_grid([far], [cells.variant(3)], [1], measures.transfers)
        assert grid.mean("", "iw3", "first_mean_s").value == pytest.approx(network.alone_ms / 1e3, rel=0.1)


def transfers(*durations, end=100.0):
    starts = [1.0] * len(durations)
    links = make_table(link=["bottleneck"], drops=[3], queue_delay_mean_ms=[1.0], queue_delay_max_ms=[2.0])
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
    assert (measured["longest_s"], measured["unfinished"], measured["drops"]) == (4.0, 0.0, 3)


def test_what_does_not_end_has_taken_the_rest_of_the_run():
    measured = measures.transfers(transfers(1.0, None))
    assert (measured["later_mean_s"], measured["unfinished"]) == (99.0, 1.0)


def test_one_way_delays_are_of_the_copies_that_arrived():
    rows = [
        (0.0, "sent", 0),
        (0.1, "sent", 1460),
        (0.2, "dropped", 1460),
        (0.5, "delivered", 0),
        (1.0, "sent", 1460),
        (1.5, "sent", 1460),
        (1.7, "delivered", 1460),
        (1.9, "delivered", 1460),
    ]
    packets = make_table(
        time_s=[row[0] for row in rows],
        flow=["f"] * len(rows),
        side=["source"] * len(rows),
        event=[row[1] for row in rows],
        seq=[row[2] for row in rows],
        len=[1460] * len(rows),
    )
    assert np.allclose(measures.one_way_delays_ms(Result({}, {"packets": packets})), [500, 700, 400])
