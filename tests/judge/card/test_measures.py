"""The measures of the card, worked by hand on small tables."""

import math

import pytest

from ackclock.judge.card import measures
from ackclock.judge.card.measures import value_of
from ackclock.judge.conform.evidence import Unreadable
from tests.helpers.tables import make_result, make_table


def flows(*names, stack="linux", **columns):
    every = {"flow": list(names), "stack": [stack] * len(names), "start_s": [0.0] * len(names)}
    return make_table(**(every | columns))


def rates(table, *rows, step=1.0):
    """Goodputs in Mbit/s of all flows in intervals of `step` seconds."""
    names = [str(name) for name in table["flow"]]
    cells = [
        ((number + 1) * step, name, rate * 1e6)
        for number, row in enumerate(rows)
        for name, rate in zip(names, row, strict=True)
    ]
    times, flow, goodput = (list(column) for column in zip(*cells, strict=True))
    return make_table(time_s=times, flow=flow, goodput_bps=goodput)


def links(**columns):
    whole = {"packets": [100], "bytes": [150_000], "drops": [0], "losses": [0], "wire_losses": [0], "marks": [0]}
    return make_table(link=["bottleneck"], **(whole | columns))


@pytest.fixture
def shared():
    table = flows("a.0", "a.1", "b", stack="linux")
    return make_result(1, flows=table, rates=rates(table, (1, 1, 4), (2, 4, 6), (3, 3, 0)))


def test_goodput_is_that_of_the_named_flows_within_the_time(shared):
    assert value_of(shared, "goodput", {}) == pytest.approx((6 + 12 + 6) / 3)
    assert value_of(shared, "goodput", {"flows": ["a"], "from_s": 1.0}) == pytest.approx((6 + 6) / 2)
    assert value_of(shared, "goodput", {"flows": ["b"], "to_s": 2.0}) == pytest.approx(5)


def test_a_flow_is_known_by_its_whole_name():
    table = flows("a", "ab", "a.1x")
    found = make_result(1, flows=table, rates=rates(table, (1, 10, 100)))
    assert value_of(found, "goodput", {"flows": ["a"]}) == 1


def test_datagrams_are_no_flows_that_compete():
    table = make_table(flow=["a", "call"], stack=["linux", "udp"], start_s=[0.0, 0.0])
    found = make_result(1, flows=table, rates=rates(table, (3, 9)))
    assert value_of(found, "goodput", {}) == 3
    assert value_of(found, "goodput", {"flows": ["call"]}) == 9


def test_shares(shared):
    # The means are 2, 8/3 and 10/3.
    assert value_of(shared, "smallest_share", {}) == pytest.approx(2 / (8 / 3))
    assert value_of(shared, "share_of", {"flow": "b"}) == pytest.approx((10 / 3) / (8 / 3))
    assert value_of(shared, "share_of", {"flow": "a"}) == pytest.approx((7 / 3) / (8 / 3))
    assert value_of(shared, "jain", {}) == pytest.approx(8**2 / (3 * (4 + 64 / 9 + 100 / 9)))


def test_a_flow_without_a_byte_has_no_share():
    table = flows("a", "b")
    nothing = make_result(1, flows=table, rates=rates(table, (0, 0)))
    assert value_of(nothing, "smallest_share", {}) == 0
    assert value_of(nothing, "share_of", {"flow": "a"}) == 0


def with_duration(result, duration_s):
    result.meta["duration_s"] = duration_s
    return result


def test_a_late_comer_that_never_gets_its_share_has_the_rest_of_the_run():
    table = flows("a", "b", start_s=[0.0, 1.0])
    fair = with_duration(make_result(1, flows=table, rates=rates(table, (9, 0), (8, 2), (5, 5), (5, 5))), 4.0)
    assert value_of(fair, "late_comer", {"delta": 0.25, "hold": 2.0}) == 1
    never = with_duration(make_result(1, flows=table, rates=rates(table, (9, 0), (8, 2), (8, 2), (8, 2))), 4.0)
    assert value_of(never, "late_comer", {"delta": 0.25, "hold": 2.0}) == 3


def test_times_until_a_rate_is_reached():
    table = flows("a")
    found = with_duration(make_result(1, flows=table, rates=rates(table, (8,), (10,), (0,), (4,), (9,), (9,))), 6.0)
    # The mean from 0 to 2 s is 9; nine tenths of it are reached in the interval that ends at 5 s.
    assert value_of(found, "regained", {"at_s": 2.0, "before_s": 0.0, "share": 0.9}) == 3
    assert value_of(found, "reaches", {"at_s": 2.0, "mbps": 4.0}) == 2
    assert value_of(found, "reaches", {"at_s": 2.0, "mbps": 99.0}) == 4, "the rest of the run"


def test_retransmissions_with_and_without_need():
    table = flows("a", "b", retransmits=[30, 10], data_segments_sent=[300, 100])
    found = make_result(1, flows=table, links=links(drops=[20], losses=[5], wire_losses=[3]))
    assert value_of(found, "retransmitted", {}) == pytest.approx(10)
    assert value_of(found, "retransmitted", {"flows": ["b"]}) == pytest.approx(10)
    assert value_of(found, "unneeded", {}) == pytest.approx(100 * (40 - 28) / 400)
    lossy = make_result(1, flows=table, links=links(drops=[50]))
    assert value_of(lossy, "unneeded", {}) == 0, "packets lost at the end are not retransmitted any more"
    silent = make_result(1, flows=flows("a", retransmits=[0], data_segments_sent=[0]), links=links())
    assert math.isnan(value_of(silent, "retransmitted", {}))


def test_losses_marks_and_rates_of_a_link():
    found = make_result(1, flows=flows("a"), links=links(drops=[20], losses=[5], wire_losses=[10], marks=[25]))
    # 125 packets came; those lost on the wire had left the queue.
    assert value_of(found, "lost", {}) == pytest.approx(100 * 35 / 125)
    assert value_of(found, "marked", {}) == 25
    assert value_of(with_duration(found, 2.0), "arriving", {}) == pytest.approx(8 * 125 * 1500 / 2 / 1e6)


def test_the_queueing_delay_within_a_time():
    table = make_table(
        time_s=[1.0, 1.0, 2.0, 3.0, 4.0],
        link=["bottleneck", "other", "bottleneck", "bottleneck", "bottleneck"],
        sojourn_ms=[90.0, 99.0, 10.0, 20.0, math.nan],
    )
    found = make_result(1, flows=flows("a"), queues=table)
    assert value_of(found, "queue_delay", {"from_s": 1.0, "to_s": 4.0, "quantile": 1.0}) == 20
    assert value_of(found, "queue_delay", {"from_s": 1.0, "to_s": 4.0, "quantile": 0.5}) == 15


def test_what_is_not_complete_counts_until_the_end():
    table = make_table(flow=["s.0", "s.1", "x"], start_s=[0.0, 6.0, 0.0], duration_s=[1.0, math.nan, 9.0])
    found = with_duration(make_result(1, flows=flows("s.0"), transfers=table), 10.0)
    assert value_of(found, "completion", {"flow": "s", "quantile": 1.0}) == 4000
    assert value_of(found, "completion", {"flow": "s", "quantile": 0.0}) == 1000
    assert value_of(found, "completion", {"flow": "none", "quantile": 0.5}) == 10_000


def packets(*rows):
    times, events, sides, lengths = (list(column) for column in zip(*rows, strict=True))
    return make_table(time_s=times, flow=["a"] * len(times), event=events, side=sides, len=lengths)


def test_segments_that_are_sent_within_a_time():
    table = packets(
        (1.0, "sent", "source", 100),
        (1.05, "sent", "source", 100),
        (1.06, "sent", "source", 0),
        (1.07, "dropped", "source", 100),
        (1.08, "sent", "sink", 100),
        (1.3, "sent", "source", 100),
    )
    found = make_result(1, flows=flows("a"), packets=table)
    assert value_of(found, "sent_in", {"flow": "a", "from_s": 1.0, "to_s": 1.2}) == 2
    assert value_of(found, "first_flight", {"flow": "a", "round_s": 0.2}) == 2


def test_the_factor_of_the_timer_is_that_of_one_segment():
    table = make_table(
        time_s=[1.0, 2.0, 4.0, 8.0, 9.0, 9.1],
        flow=["a"] * 6,
        side=["source"] * 6,
        segment=[7, 7, 7, 7, 8, 9],
    )
    assert value_of(make_result(1, flows=flows("a"), timeouts=table), "timer_factor", {}) == 2
    few = make_table(time_s=[1.0, 2.0], flow=["a", "a"], side=["source"] * 2, segment=[7, 7])
    with pytest.raises(Unreadable, match="three successive timeouts"):
        value_of(make_result(1, flows=flows("a"), timeouts=few), "timer_factor", {})


def window(*rows):
    times, cwnd = (list(column) for column in zip(*rows, strict=True))
    return make_table(time_s=times, cwnd=cwnd, srtt_ms=[100.0] * len(times))


def events(*rows):
    times, event = (list(column) for column in zip(*rows, strict=True))
    return make_table(time_s=times, flow=["a"] * len(times), event=event)


def test_the_share_of_the_window_that_remains():
    rows = window((1.0, 1000), (2.0, 2000), (2.1, 900), (2.3, 800), (2.5, 1200))
    told = events((2.05, "recovery_started"), (2.15, "recovery_ended"))
    found = make_result(1, flows=flows("a"), window=rows, events=told, links=links())
    # 2000 before the recovery; 800 in the first record that is a round-trip time after its end at 2.15 s.
    assert value_of(found, "kept_window", {"event": "recovery_started"}) == pytest.approx(0.4)
    with pytest.raises(Unreadable, match="no recovery started that ended"):
        value_of(found, "kept_window", {"event": "recovery_started", "from_s": 2.1})


def test_marks_without_a_response_leave_the_whole_window():
    rows = window((1.0, 1000), (2.0, 2000))
    told = events((2.05, "timeout"))
    marked = make_result(1, flows=flows("a"), window=rows, events=told, links=links(marks=[3]))
    assert value_of(marked, "kept_window", {"event": "ecn_reduction"}) == 1
    bare = make_result(1, flows=flows("a"), window=rows, events=told, links=links())
    with pytest.raises(Unreadable):
        value_of(bare, "kept_window", {"event": "ecn_reduction"})


def test_control_packets_for_each_kilobyte():
    table = make_table(link=["bottleneck", "bottleneck.reverse"], packets=[100, 40])
    found = make_result(1, flows=flows("a", bytes_delivered=[20_000]), links=table)
    assert value_of(found, "control_packets", {}) == 2


def test_a_table_that_is_not_there_is_a_reason():
    found = make_result(1, flows=flows("a"))
    with pytest.raises(Unreadable, match="packets"):
        value_of(found, "sent_in", {"flow": "a", "from_s": 0.0, "to_s": 1.0})
    with pytest.raises(Unreadable, match="there is no table voip"):
        value_of(found, "voip[call].mos", {})


def test_every_measure_has_a_docstring():
    for name, function in measures.MEASURES.items():
        assert function.__doc__, name
