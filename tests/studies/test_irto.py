"""The study irto: claims computed from made-up runs."""

import pytest

from ackclock.results.result import Result
from ackclock.studies import irto
from ackclock.studies.framework import Lab
from ackclock.studies.framework.setups.wireless_bursts import cells
from tests.helpers.tables import make_table

NETWORK_OF = {f"{network.rate_kbps}kbps": network.name for network in cells.NETWORKS}
SWAPPED = "RTO of at least 1 s"
DIRECTIONS = [
    "hspa-later-gains",
    "hspa-first-loses",
    "edge-rtos-rise",
    "edge-longest-delayed",
    "edge-iw10-fairer",
    "short-rtt-better",
]


def times(network, queue, flows, *, many, short):
    """Elapsed times of the first burst and of the later one."""
    first = [1.0] * flows
    if (network, queue) == ("EDGE", "50 packets"):
        # The longest flow is delayed by 2 %. With IW10 flows are apart, and the others come closer to it.
        apart = 0.2 if many else 0.1
        longest = 10 * (1 + apart * (flows - 1) / flows)
        closer = 0.5 if short and many else 0.0
        first = [closer * longest + (1 - closer) * 10 * (1 + apart * index / flows) for index in range(flows)]
        first[-1] = longest * (1.02 if short else 1.0)
        return first, [time * (1.1 if many else 1.0) for time in first]
    later = list(first)
    if network == "HSPA" and flows == 18:
        # One flow of the later burst gains 5 %, and one of the first loses 1 %.
        first[-1], later[-1] = (2.02, 1.9) if short else (2.0, 2.0)
    if network == "HSPA" and flows == 6:
        later = [0.9 if short else 1.0] * flows
    return first, later


def made(one):
    """A run in which everything is as the slides say; where the RTO is 1 s at least, both initial RTOs are swapped."""
    overrides = dict(one.overrides)
    flows, many = int(overrides["flows[*].count"]), overrides["flows[*].initial_window"] == "10"
    short = (overrides["flows[*].initial_rto"] == "1s") != ("flows[*].min_rto" in overrides)
    network, queue = NETWORK_OF[overrides["bottleneck.rate"]], overrides["bottleneck.queue"]
    wobble = 1 + one.seed / 1e6
    first, later = times(network, queue, flows, many=many, short=short)
    spurious = []
    if (network, queue) == ("EDGE", "50 packets"):
        # Three of four RTOs that 1 s adds are spurious.
        spurious = [False, False] + ([True, True, True, False] if short else [])
    elif network == "LTE" and flows > 2 and many:
        spurious = [False, False]
    delay = 100.0 * (1.03 if short and network == "EDGE" and queue == "14 packets" else 1.0)
    tables = {
        "transfers": make_table(start_s=[1.0] * 2 * flows, duration_s=[time * wobble for time in first + later]),
        "links": make_table(
            link=["bottleneck"], drops=[3], queue_drops=[3], queue_delay_mean_ms=[1.0], queue_delay_max_ms=[2.0]
        ),
        "delays": make_table(flow=["first.0"], packets=[10], mean_ms=[delay * wobble]),
        "delay_cdf": make_table(flow=["first.0"], quantile=[1.0], delay_ms=[delay]),
        "timeouts": make_table(
            side=["source"] * len(spurious) + ["sink"],
            spurious=[*spurious, True],
            segment=[1] * len(spurious) + [1],
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
    assert {identifier: one.verdict for identifier, one in claims.items() if one.verdict != "reproduced"} == {}
    assert len(claims) == 18


@pytest.mark.parametrize("claim", DIRECTIONS)
def test_a_direction_turned_round_is_not_reproduced(claims, claim):
    assert claims[claim].readings[SWAPPED][1] == "not reproduced"


def test_the_numbers_are_those_of_the_made_runs(claims):
    values = {identifier: one.measured.value for identifier, one in claims.items()}
    assert values["hspa-later-gains"] == pytest.approx(-5, rel=1e-6)
    assert values["hspa-first-loses"] == pytest.approx(1, rel=1e-6)
    assert values["edge-rtos-rise"] == 4
    assert values["edge-mostly-spurious"] == pytest.approx(75)
    assert values["edge-longest-delayed"] == pytest.approx(2)
    assert values["edge-first-early"] == pytest.approx(10)
    assert values["edge-first-early-iw10"] == pytest.approx(10)


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
    for burst in ("first", "later"):
        assert readings[f"{cells.MAIN}; of the {burst} burst"][0].value == pytest.approx(2)
