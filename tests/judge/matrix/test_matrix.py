"""Matrices by hand: shares, harm and order from numbers of runs; labels and networks from texts."""

import math

import pytest

from ackclock._errors import RefusedError
from ackclock.judge.card import Candidate
from ackclock.judge.matrix import CONTESTANTS, MAPS, NETWORKS, Matrix, contestant, label_of, network
from ackclock.judge.matrix.page import page, starved
from ackclock.judge.matrix.perform import make, pairs_of, planned
from ackclock.judge.matrix.written import markdown
from ackclock.scenario import check

PATH = network("8Mbps,50ms,4bdp")


def run(a, b=None, *, delay=10.0, retransmitted=(1.0, 2.0)):
    """The numbers of a run: goodputs of the first and of the second flow, Mbit/s."""
    found = {"a_mbps": a, "a_retransmitted": retransmitted[0], "delay_p50_ms": delay, "delay_p95_ms": 2 * delay}
    found |= {"utilisation": 99.0}
    return found if b is None else found | {"b_mbps": b, "b_retransmitted": retransmitted[1]}


def matrix(**changes):
    """Two contestants: `hog` leaves `shy` one of eight Mbit/s."""
    values = {
        (PATH.name, "hog", ""): {1: run(8.0, delay=40.0), 2: run(8.0, delay=40.0)},
        (PATH.name, "shy", ""): {1: run(8.0, delay=10.0, retransmitted=(0.5, 0)), 2: run(4.0, delay=10.0)},
        (PATH.name, "hog", "hog"): {1: run(3.0, 5.0), 2: run(6.0, 2.0)},
        (PATH.name, "hog", "shy"): {1: run(7.0, 1.0, delay=40.0), 2: run(7.0, 1.0, delay=40.0)},
        (PATH.name, "shy", "shy"): {1: run(4.0, 4.0), 2: run(4.0, 4.0)},
    }
    given = {
        "networks": (PATH,), "contestants": ("shy", "hog"), "against": (), "seeds": (1, 2), "duration_s": 300.0,
        "warm_up_s": 60.0, "values": values, "failures": (),
    }  # fmt: skip
    return Matrix(**given | changes)


def value(found, name, row, column, seed=1):
    one = next(one for one in MAPS if one.name == name)
    return one.value(found, PATH.name, row, column, seed)


def test_a_share_is_that_of_the_row_whichever_flow_it_is():
    found = matrix()
    assert value(found, "share", "hog", "shy") == pytest.approx(87.5)
    assert value(found, "share", "shy", "hog") == pytest.approx(12.5)


def test_beside_itself_the_share_is_that_of_the_slower_flow():
    assert value(matrix(), "share", "hog", "hog") == pytest.approx(37.5)
    assert value(matrix(), "share", "hog", "hog", seed=2) == pytest.approx(25.0)


def test_harm_is_what_the_row_does_to_the_column_under_the_same_seed():
    found = matrix()
    assert value(found, "harm_goodput", "hog", "shy") == pytest.approx(100 * (8 - 1) / 8)
    assert value(found, "harm_goodput", "hog", "shy", seed=2) == pytest.approx(100 * (4 - 1) / 4)
    assert value(found, "harm_goodput", "shy", "hog") == pytest.approx(100 * (8 - 7) / 8)
    assert value(found, "harm_delay", "hog", "shy") == pytest.approx(100 * (40 - 10) / 40)
    assert value(found, "harm_delay", "shy", "hog") == 0
    # The second flow of the run is the column's: 2 % beside the row, and 0.5 % alone.
    assert value(found, "harm_loss", "hog", "shy") == pytest.approx(100 * (2 - 0.5) / 2)


def test_losses_and_delays_of_the_row():
    found = matrix()
    assert value(found, "loss", "hog", "shy") == 1.0
    assert value(found, "loss", "shy", "hog") == 2.0
    assert value(found, "delay", "shy", "hog") == 40.0
    assert value(found, "delay_p95", "shy", "hog") == 80.0
    # Both flows are the contestant's: their mean.
    assert value(found, "loss", "hog", "hog") == 1.5


def test_who_takes_more_stands_first_and_a_run_that_failed_leaves_a_gap():
    found = matrix()
    assert found.ordered() == ("hog", "shy")
    without = dict(found.values)
    del without[PATH.name, "hog", "shy"]
    gap = matrix(values=without, failures=("8Mbps,50ms,4bdp, hog beside shy, seed 1: it broke",))
    assert math.isnan(value(gap, "share", "hog", "shy"))
    assert gap.cell(MAPS[0], PATH.name, "hog", "shy") is None
    told = markdown(gap)
    assert "| hog | - | 31.2 |" in told
    assert "it broke" in told
    assert "it broke" in page(gap).html()


def test_a_seed_without_a_run_is_left_out_of_the_mean():
    values = dict(matrix().values)
    values[PATH.name, "hog", "shy"] = {2: run(6.0, 2.0)}
    cell = matrix(values=values).cell(MAPS[0], PATH.name, "hog", "shy")
    assert (cell.value, cell.n) == (75.0, 1)


def test_starvation_is_listed_with_the_lowest_share_first():
    values = dict(matrix().values)
    values[PATH.name, "hog", "shy"] = {1: run(7.9, 0.1)}
    assert starved(matrix(values=values), PATH) == [["shy", "hog", "1.25"]]
    assert starved(matrix(), PATH) == []


def test_a_row_of_ones_own_is_the_only_one():
    found = matrix(against=("shy",))
    assert found.rows() == ("shy",)
    assert {cell["row"] for cell in found.document()["cells"]} == {"shy"}
    assert {cell["row"] for cell in matrix().document()["cells"]} == {"shy", "hog"}


def test_the_pairs_are_all_or_those_with_ones_own():
    one, two, mine = (Candidate(name) for name in ("reno", "cubic", "vegas"))
    alone = [(one,), (two,), (mine,)]
    pairs = list(pairs_of([one, two, mine], []))
    assert pairs == [*alone, (one, one), (one, two), (one, mine), (two, two), (two, mine), (mine, mine)]
    against = list(pairs_of([one, two], [mine]))
    assert against == [*alone, (one, one), (one, mine), (two, two), (two, mine), (mine, mine)]


def test_the_usual_contestants_and_networks_can_be_run():
    assert len(CONTESTANTS) >= 25
    everyone = [contestant(label) for label in CONTESTANTS]
    assert [label_of(one) for one in everyone] == list(CONTESTANTS)
    plan = planned(NETWORKS, everyone, [], [1], 300.0, 60.0)
    count = len(CONTESTANTS)
    assert len(plan.points) == len(NETWORKS) * (count + count * (count + 1) // 2)


def test_labels_tell_transports_stacks_and_fields_apart():
    assert label_of(Candidate("cubic", fields=(("ecn", "classic"),))) == "cubic,ecn=classic"
    assert label_of(Candidate("cubic", stack="rfc")) == "cubic@rfc"
    assert label_of(Candidate("cubic", transport="quinn")) == "quinn:cubic"


def test_a_call_is_a_contestant_that_takes_harm():
    call = contestant("call:gcc")
    assert label_of(call) == "call:gcc"
    with pytest.raises(RefusedError, match=r"no congestion control of media gc; did you mean .*; accepted: call:NAME"):
        contestant("call:gc")
    made = make(
        [network("3Mbps,40ms,4bdp")], [contestant("cubic"), call], against=[call], seeds=(1,), duration_s=40.0,
        warm_up_s=20.0,
    )  # fmt: skip
    assert made.failures == []
    path = made.networks[0].name
    # The call alone has its largest rate of 1.5 Mbit/s, of which CUBIC's queue of 160 ms leaves GCC little.
    assert 1.0 < made.goodput(path, "call:gcc", "", 1) < 1.5
    harm = {one.name: one.value(made, path, "cubic", "call:gcc", 1) for one in MAPS}
    assert harm["harm_goodput"] > 30
    assert harm["harm_delay"] > 50


def test_a_network_is_a_rate_an_rtt_and_a_buffer():
    found = network("20Mbps, 25ms, 100 packets")
    assert found.title == "20 Mbit/s, 25 ms, 100 packets"
    document = {"duration": "1s", "flows": [{"app": "bulk"}], **found.tables()}
    assert check(document)["bottleneck"]["delay"] == "12500us"  # half of the RTT


@pytest.mark.parametrize("text", ["8Mbps", "8Mbps,50ms", "8Mbps,50ms,4bdp,9", "8Mbps,50,4bdp", "8Mbps,0ms,4bdp", ",,"])
def test_a_text_that_is_no_network_is_refused_by_name(text):
    with pytest.raises(RefusedError, match="network"):
        network(text)
