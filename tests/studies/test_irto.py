"""The study irto: claims computed from made-up runs."""

import pytest

from ackclock.results.result import Result
from ackclock.studies import irto
from ackclock.studies.framework import Lab
from ackclock.studies.framework.setups.wireless_bursts import cells, measures
from tests.helpers.records import held_without_its_mechanism
from tests.helpers.tables import make_table

NETWORK_OF = {f"{network.rate_kbps}kbps": network.name for network in cells.NETWORKS}
SWAPPED = "RTO of at least 1 s"
DIRECTIONS = [
    "hspa-later-gains",
    "hspa-first-loses",
    "edge-rtos-rise",
    "edge-longest-delayed",
    "edge-more-flows",
    "edge-first-early-iw10",
    "edge-iw10-fairer",
    "edge-later-sooner",
    "short-rtt-better",
    "long-rtt-controversial",
]
ADDED = [(1.0, True), (1.5, True), (2.0, True), (2.5, False)]
"""Seconds after the start, and whether spurious: RTOs that an initial RTO of 1 s adds."""


def times(network, queue, flows, *, many, short):
    """Elapsed times of the first burst and of the later one."""
    first = [1.0] * flows
    if (network, queue) == ("EDGE", "50 packets"):
        # The longest flow is delayed by 2 %, and with IW10 the later burst takes a tenth longer.
        first = [10.0] * (flows - 1) + [10.0 * (1.02 if short else 1.0)]
        return first, [time * (1.1 if many and short else 1.0) for time in first]
    later = [*first[1:], 1.1]
    if (network, queue) == ("EDGE", "14 packets"):
        # The flows of the first burst are apart; with IW10 and 1 s they come closer together, and it is the faster one.
        apart = 0.1 if many and short else 0.2
        first = [(9.99 if short else 10.0) * (1 + apart * index / flows) for index in range(flows)]
        return first, [10.0] * flows
    if network == "HSPA" and flows > 2:
        # The longest flow of the later burst gains 5 %, and the shortest of the first loses 1 %.
        first[0] = 0.808 if short else 0.8
        later[-1] = 1.9 if short else 2.0
    return first, later


def expired(network, queue, flows, *, many, short):
    """Flow, seconds after its start, segment and whether spurious: the RTOs of the senders."""
    last = "later" if flows == 1 else f"later.{flows - 1}"
    if (network, queue) == ("EDGE", "50 packets"):
        # Three of four RTOs that 1 s adds are spurious.
        return [(last, 3.0, 1460, False)] * 2 + [(last, at, 1460, spurious) for at, spurious in ADDED if short]
    if (network, queue) == ("EDGE", "14 packets"):
        # The first RTO of the last flow comes two seconds sooner and is spurious.
        return [(last, 1.0 if short else 3.0, None, True)]
    if network == "LTE" and flows > 2 and many:
        return [(last, 0.3, 1460, False), ("first.0", 0.3, None, False)]
    return []


def made(one):
    """A run in which everything is as the slides say; where the RTO is 1 s at least, both initial RTOs are swapped."""
    overrides = dict(one.overrides)
    flows, many = int(overrides["flows[*].count"]), overrides["flows[*].initial_window"] == "10"
    short = (overrides["flows[*].initial_rto"] == "1s") != ("flows[*].min_rto" in overrides)
    network, queue = NETWORK_OF[overrides["bottleneck.rate"]], overrides["bottleneck.queue"]
    wobble = 1 + one.seed / 1e6
    first, later = times(network, queue, flows, many=many, short=short)
    rtos = expired(network, queue, flows, many=many, short=short)
    delay = 100.0 * (1.03 if short and network == "EDGE" and queue == "14 packets" else 1.0)
    if (network, queue) == ("EDGE", "50 packets"):
        delay = 2000.0
    names = [f"{burst}.{index}" if flows > 1 else burst for burst in ("first", "later") for index in range(flows)]
    tables = {
        # The later burst starts a second after the first.
        "transfers": make_table(
            flow=names, start_s=[1.0] * flows + [2.0] * flows, duration_s=[time * wobble for time in first + later]
        ),
        "links": make_table(
            link=["bottleneck"], drops=[3], queue_drops=[3], queue_delay_mean_ms=[1.0], queue_delay_max_ms=[2.0]
        ),
        "delays": make_table(flow=["first.0"], packets=[10], mean_ms=[delay * wobble]),
        "delay_cdf": make_table(flow=["first.0"], quantile=[1.0], delay_ms=[delay]),
        "timeouts": make_table(
            flow=[flow for flow, *_ in rtos] + ["first.0"],
            time_s=[at + (2.0 if flow.startswith("later") else 1.0) for flow, at, *_ in rtos] + [1.0],
            side=["source"] * len(rtos) + ["sink"],
            spurious=[spurious for *_, spurious in rtos] + [True],
            segment=[segment for *_, segment, _ in rtos] + [1],
        ),
    }
    return Result({"duration_s": 600.0}, tables)


@pytest.fixture(scope="module")
def claims():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "CHOICES", {name: cells.CHOICES[name] for name in (cells.MAIN, SWAPPED)})
        patch.setattr(cells, "QUICK_REPLICATIONS", 5)
        study = irto.STUDY.reproduce(Lab(quick=True, worker=lambda one, cancel, note: made(one)))
    return {one.claim.id: one for one in study.claims}


def test_claims_that_the_runs_were_made_to_hold_are_reproduced(claims):
    shown = {identifier for identifier, one in claims.items() if one.claim.status == "illustration"}
    shown |= held_without_its_mechanism(irto.STUDY)
    assert {identifier: one.verdict for identifier, one in claims.items() if one.verdict != "reproduced"} == (
        dict.fromkeys(shown, "illustration")
    )
    assert len(claims) == 23


def test_a_statement_counts_once(claims):
    shown = {identifier for identifier, one in claims.items() if one.verdict == "illustration"}
    assert shown == {"hspa-later-gain-small", "edge-first-early"} | held_without_its_mechanism(irto.STUDY)


@pytest.mark.parametrize("claim", DIRECTIONS)
def test_a_direction_turned_round_is_not_reproduced(claims, claim):
    assert claims[claim].readings[SWAPPED][1] == "not reproduced"


def test_the_numbers_are_those_of_the_made_runs(claims):
    values = {identifier: one.measured.value for identifier, one in claims.items()}
    assert values["hspa-later-gains"] == pytest.approx(-5, rel=1e-6)
    assert values["hspa-first-loses"] == pytest.approx(1, rel=1e-6)
    assert values["edge-rtos-rise"] == 4
    assert values["edge-mostly-spurious"] == pytest.approx(75)
    # With IW10, half of the pairs, the later burst takes a tenth longer as well.
    assert values["edge-longest-delayed"] == pytest.approx(100 * (1.02 * 1.1**0.5 - 1))
    assert values["edge-more-flows"] == pytest.approx(100 * (1.02 * 1.1**0.5 - 1))
    assert values["edge-first-early"] == pytest.approx(10)
    assert values["edge-first-early-iw10"] == pytest.approx(10)
    # One flow of 1, 2, 6 and 18 has its first RTO two seconds sooner.
    assert values["edge-later-sooner"] == pytest.approx(-2 * (1 + 1 / 2 + 1 / 6 + 1 / 18) / 4)
    assert values["edge-later-spurious"] == pytest.approx(100)


def test_an_rto_in_the_beginning_is_one_of_the_syn_or_the_first_packet_of_the_last_flow(claims):
    # A SYN of the first burst times out as well, and does not count.
    assert claims["lte-rtos-not-first"].measured.value == 0
    early = claims["edge-later-spurious"].readings
    assert f"{cells.MAIN}; EDGE, 2 BDP, 1+1" in early


def test_the_part_of_early_rtos_is_of_the_flow_that_completes_last():
    table = {
        "flow": ["later.1", "later.1", "later.1", "first.0"],
        "side": ["source", "source", "sink", "source"],
        "segment": [0, 2920, None, None],
        "time_s": [2.5, 3.0, 3.0, 1.5],
        "spurious": [False, True, True, True],
    }
    names = ["first.0", "first.1", "later.0", "later.1"]
    result = Result(
        {"duration_s": 9.0},
        {
            "transfers": make_table(flow=names, start_s=[1.0, 1.0, 2.0, 2.0], duration_s=[3.0, 3.0, 1.0, None]),
            "links": make_table(
                link=["bottleneck"], drops=[0], queue_drops=[0], queue_delay_mean_ms=[1.0], queue_delay_max_ms=[2.0]
            ),
            "delays": make_table(flow=["first.0"], packets=[10], mean_ms=[50.0]),
            "delay_cdf": make_table(flow=["first.0"], quantile=[1.0], delay_ms=[50.0]),
            "timeouts": make_table(**table),
        },
    )
    found = measures.timeouts(result)
    assert (found["rtos"], found["spurious"], found["syn_rtos"]) == (3, 2, 1)
    assert (found["last_rtos"], found["last_early_rtos"]) == (2, 1)
    # One flow has no RTO in its second, and the other has its first after half of one.
    assert (found["later_until_rto_s"], found["later_first_rtos"], found["later_first_spurious"]) == (0.75, 1, 0)


def test_cells_are_divided_by_their_effective_round_trip(claims):
    # Only EDGE with 50 packets has delays of two seconds. All of its runs are slower with 1 s, and no other.
    assert claims["long-rtt-controversial"].measured.value == 100


def test_other_cells_and_other_definitions_are_told_from_assumptions(claims):
    kinds = claims["hspa-first-loses"].kinds
    assert kinds[cells.MAIN] == kinds[SWAPPED] == "assumption"
    assert kinds[f"{cells.MAIN}; HSPA, 1 BDP, 6+6"] == kinds[f"{cells.MAIN}; IW10"] == "cell"
    assert kinds[f"{cells.MAIN}; the longest"] == "definition"


def test_runs_that_differ_in_any_elapsed_time_are_counted(claims):
    none = claims["hspa-few-none"]
    assert none.measured.value == 0
    assert none.readings[f"{cells.MAIN}; the change of elapsed time in % instead"][0].value == 0


def test_no_part_of_timeouts_is_spurious_where_none_is_added(claims):
    assert SWAPPED not in claims["edge-mostly-spurious"].readings
    assert SWAPPED in claims["edge-rtos-rise"].readings


def test_the_largest_shift_counts_without_its_sign(claims):
    shifts = claims["delay-shifts-slightly"].readings
    assert shifts[cells.MAIN][0].value == pytest.approx(3)
    assert shifts[SWAPPED][0].value == pytest.approx(100 * (1 - 1 / 1.03))
    assert shifts[SWAPPED][0].low <= shifts[SWAPPED][0].high


def test_the_longest_flow_of_each_burst_is_a_reading(claims):
    readings = claims["edge-longest-delayed"].readings
    assert readings[f"{cells.MAIN}; of the first burst"][0].value == pytest.approx(2)
    assert readings[f"{cells.MAIN}; of the later burst"][0].value == pytest.approx(100 * (1.02 * 1.1**0.5 - 1))
