"""The arguments of rules and callbacks: every field has the documented value for marks, recoveries and deliveries."""

import inspect
import typing
from itertools import pairwise
from types import SimpleNamespace

import pytest

import ackclock
from ackclock import cc as control
from tests.cc.mine import MARKED, equal, full, registered, run


def test_a_mark_is_told_as_a_mark_and_whether_abe_is_on():
    told = {"rule": set(), "callback": set()}

    def reduction(self, flow):
        told["rule"].add((flow.cause, flow.abe))
        return 0.5

    def on_congestion(self, window, event):
        told["callback"].add((event.cause, event.abe))
        window.ssthresh = window.cwnd = max(window.cwnd // 2, 2 * event.ctx.mss)

    registered("rule", ackclock.WindowRules, reduction=reduction)
    registered("callback", ackclock.CongestionControl, **full(on_congestion=on_congestion))
    for cc, seen in told.items():
        result = run(cc, **MARKED)
        assert result.links["marks"][0] > 0
        # ABE is of marks only (RFC 8511 section 3).
        assert ("ecn", True) in seen
        assert {cause for cause, _ in seen} == {"ecn", "loss"}
        seen.clear()
        run(cc, **MARKED | {"flows[*].abe": False})
        assert {abe for _, abe in seen} == {False}


def test_what_a_base_class_says_is_what_the_engine_does_without():
    class Rules(ackclock.WindowRules):
        def reduction(self, flow):
            return super().reduction(flow)

        def timeout(self, flow):
            return super().timeout(flow)

    ackclock.congestion_control("rules")(Rules)
    assert equal(run("rules", **MARKED), run("reno", **MARKED))
    for abe, cause, kept in [(True, "ecn", 0.8), (False, "ecn", 0.5), (True, "loss", 0.5)]:
        assert Rules().reduction(SimpleNamespace(abe=abe, cause=cause)) == kept
    other = type("Other", (ackclock.WindowRules,), {"reduction": lambda self, flow: 0.7})
    assert other().timeout(None) == 0.7


@pytest.mark.parametrize("window", [(10, 5), (3, 40)])
def test_undo_raises_the_window_and_never_lowers_it(window):
    now, before = SimpleNamespace(cwnd=window[0], ssthresh=window[1]), SimpleNamespace(cwnd=4, ssthresh=20)
    ackclock.CongestionControl.on_undo(None, now, before)
    assert (now.cwnd, now.ssthresh) == (max(window[0], 4), max(window[1], 20))


def test_a_timeout_reduces_as_reduction_says_where_there_is_no_rule_for_it():
    told = []

    def reduction(self, flow):
        told.append((flow.now, flow.cause, min(flow.flight_size, flow.cwnd)))
        return 0.7

    registered("mine", ackclock.WindowRules, reduction=reduction)
    events = run("mine", **{"bottleneck.loss": "4%"}).window
    timeouts = [(now, flight) for now, cause, flight in told if cause == "timeout"]
    assert timeouts
    for now, flight in timeouts:
        after = events["ssthresh"][abs(events["time_s"] - now) < 1e-9]
        assert max(int(0.7 * round(flight * 1460)), 2 * 1460) in after


def test_a_situation_tells_samples_and_volumes_apart():
    told = []

    def increase(self, flow):
        told.append((flow.rtt, flow.srtt, flow.initial_window, flow.cwnd))
        return 1

    def reduction(self, flow):
        reductions.append((flow.pipe, flow.flight_size))
        return 0.5

    reductions = []
    registered("mine", ackclock.WindowRules, increase=increase, reduction=reduction)
    run("mine", **{"flows[*].initial_window": 7, "flows[*].stack": "linux"})
    rtts = [rtt for rtt, *_ in told if rtt is not None]
    smoothed = [srtt for _, srtt, *_ in told]
    # A sample weighs an eighth (RFC 6298 section 2.3).
    assert max(rtts) - min(rtts) > max(smoothed) - min(smoothed) > 0
    assert {first for _, _, first, _ in told} == {7}
    assert any(cwnd != 7 for *_, cwnd in told)
    assert all(pipe <= flight for pipe, flight in reductions)
    assert any(pipe < flight for pipe, flight in reductions)


def test_a_delivery_tells_what_was_lost_and_when_the_segment_left():
    deliveries, samples, lost, recoveries = [], [], [], []

    def on_delivery(self, window, delivery):
        deliveries.append((id(self), delivery.ack.ctx.now, delivery.lost, delivery.sent_at, delivery.forward_delay))
        if delivery.rate is not None:
            samples.append((delivery.rate, delivery.rate.delivered - delivery.rate.prior_delivered))

    def on_lost(self, window, segment):
        lost.append((id(self), segment.len))

    def on_recovery_end(self, window, end):
        recoveries.append(end.retransmitted)

    callbacks = {"on_delivery": on_delivery, "on_lost": on_lost, "on_recovery_end": on_recovery_end}
    registered("mine", ackclock.CongestionControl, **full(**callbacks))
    result = run("mine", **{"flows[*].timestamps": True})
    for sender in {sender for sender, _ in lost}:
        counts = [count for one, _, count, *_ in deliveries if one == sender]
        assert counts == sorted(counts)
        assert 0 < counts[-1] <= sum(length for one, length in lost if one == sender)
    # A segment takes 20 ms to the receiver, and so does its acknowledgment.
    times = [now - sent for _, now, _, sent, _ in deliveries if sent is not None]
    assert min(times) >= 40_000_000
    assert any(sent is None for _, _, _, sent, _ in deliveries)
    assert len({delay for *_, delay in deliveries}) > 10
    # They are kept: each is an object of its own.
    assert [sample.delivered - sample.prior_delivered for sample, _ in samples] == [volume for _, volume in samples]
    assert len({id(sample) for sample, _ in samples}) == len(samples)
    assert 0 < sum(recoveries) <= 1448 * result.flows["retransmits"].sum()


def test_slow_start_is_below_ssthresh():
    phases = set()

    def on_sent(self, window, ctx):
        phases.add((window.in_slow_start, window.cwnd < window.ssthresh))

    registered("mine", ackclock.CongestionControl, **full(on_sent=on_sent))
    run("mine")
    assert phases == {(True, True), (False, False)}


def test_what_slow_start_has_used_of_an_acknowledgment_is_not_left_for_growth():
    parts = []

    def on_start(self, window, ctx):
        window.ssthresh = window.cwnd + 1000

    def on_ack(self, window, ack, acked):
        parts.append((acked, ack.acked))

    registered("mine", ackclock.CongestionControl, **full(on_start=on_start, on_ack=on_ack))
    run("mine", **{"flows[1].cc": "reno", "flows[0].count": 1})
    first, whole = parts[0]
    assert first == whole - 1000 > 0
    assert all(acked == whole for acked, whole in parts[1:])


def test_a_timer_that_expires_again_is_told_as_the_same_congestion():
    firsts = []

    def on_timeout(self, window, event, first):
        firsts.append((first, event.ctx.snd_una, event.ctx.now))
        window.ssthresh = 2 * event.ctx.mss

    registered("mine", ackclock.CongestionControl, **full(on_timeout=on_timeout))
    run("mine", **{"bottleneck.loss": "25%", "duration": "60s", "flows[0].count": 1, "flows[1].cc": "reno"})
    again = [una == before for (_, before, _), (_, una, _) in pairwise(firsts)]
    assert [not first for first, *_ in firsts[1:]] == again
    assert True in again
    assert False in again


def test_the_types_of_arguments_are_public():
    used = set()
    for level in (control.WindowRules, control.CongestionControl):
        for method in vars(level).values():
            if inspect.isfunction(method):
                used |= set(typing.get_type_hints(method).values())
    views = {one for one in used if one.__module__ == "ackclock._core"}
    assert {one.__name__ for one in views} == {
        "Ack", "Congestion", "Context", "Delivery", "Lost", "RecoveryEnd", "Situation", "Window",
    }  # fmt: skip
    for one in views | {control.RateSample}:
        assert one.__name__ in control.__all__
        assert getattr(control, one.__name__) is one
