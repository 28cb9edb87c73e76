"""Rules and callbacks: the same as the engine's where they say the same, and asked with what they promise."""

import math

import pytest

import ackclock
from ackclock import _core
from ackclock.cc import templates
from tests.cc.mine import MARKED, MARKS, equal, full, registered, run


@pytest.mark.parametrize("stack", ["rfc", "linux", "freebsd-2014"])
def test_the_templates_are_reno_to_the_last_packet(tmp_path, monkeypatch, stack):
    monkeypatch.chdir(tmp_path)
    ackclock.load(templates.write("window-reno"))
    ackclock.load(templates.write("full-reno", full=True))
    reno = run("reno", **{"flows[*].stack": stack})
    assert reno.flows["retransmits"].min() > 0
    for cc in ("window-reno", "full-reno"):
        mine = run(cc, **{"flows[*].stack": stack})
        assert equal(mine, reno)
        assert set(mine.flows["cc"]) == {cc}
        assert not equal(run({"kind": cc, "kept": 0.8}, **{"flows[*].stack": stack}), reno)


def test_rules_that_are_left_out_are_reno():
    registered("plain", ackclock.WindowRules)
    assert equal(run("plain"), run("reno"))
    assert equal(run("plain", **MARKED), run("reno", **MARKED))


def test_every_rule_is_asked_in_segments_and_seconds():
    asked = {}

    def noting(name, answer):
        def rule(self, flow):
            asked.setdefault(name, []).append(
                (
                    flow.now,
                    flow.cwnd,
                    flow.ssthresh,
                    flow.acked,
                    flow.rtt,
                    flow.min_rtt,
                    flow.cause,
                    flow.idle,
                    flow.mss,
                )
            )
            return answer

        return rule

    answers = {"start": 3, "increase": 2, "reduction": 0.7, "timeout": 0.25, "idle": 0.5}
    registered("noting", ackclock.WindowRules, **{name: noting(name, answer) for name, answer in answers.items()})
    lossy = run("noting", **{"bottleneck.loss": "4%"})
    result = run("noting")
    assert asked.keys() == answers.keys()
    timeouts = lossy.flows["timeouts"].sum() + result.flows["timeouts"].sum()
    assert timeouts >= len(asked["timeout"])
    now, cwnd, ssthresh, *_, mss = asked["start"][0]
    assert (cwnd, ssthresh, mss) == (10, math.inf, 1460)
    assert 0.04 <= now < 1
    firsts = result.window["cwnd"][result.window["flow"] == "bulk.0"]
    assert firsts[0] == 3 * 1460
    for now, cwnd, ssthresh, acked, rtt, min_rtt, cause, idle, _ in asked["increase"]:
        assert 0 < now <= 10
        assert ssthresh <= cwnd
        assert 0 < acked < 100
        assert rtt is None or 0.04 <= rtt < 2
        assert 0.04 <= min_rtt < 0.2
        assert (cause, idle) == (None, 0)
    assert {row[6] for row in asked["reduction"]} == {"loss"}
    assert {row[6] for row in asked["timeout"]} == {"timeout"}
    assert all(1 <= row[7] < 20 for row in asked["idle"])


def test_a_rule_changes_what_it_says_it_changes():
    seen = []

    def reduction(self, flow):
        seen.append((flow.now, min(flow.flight_size, flow.cwnd)))
        return 0.7

    registered("cut", ackclock.WindowRules, reduction=reduction)
    events = run("cut", **{"flows[1].app": "bulk", "flows[0].count": 1}).window
    for now, flight in seen:
        after = events["ssthresh"][(abs(events["time_s"] - now) < 1e-9)]
        assert int(0.7 * round(flight * 1460)) in after


def test_every_callback_is_called_with_what_the_engine_knows():
    seen = {}

    def note(name):
        def callback(self, window, *args):
            seen.setdefault(name, []).append(args)
            assert isinstance(window, _core.Window)
            assert window.cwnd >= 1460

        return callback

    def on_delivery(self, window, delivery):
        rate = delivery.rate
        seen.setdefault("on_delivery", []).append(
            (delivery.newly, delivery.delivered, delivery.ack.ctx.now, rate and (rate.bytes_per_second, rate.interval))
        )

    def on_lost(self, window, lost):
        seen.setdefault("on_lost", []).append((lost.len, lost.tx_in_flight, lost.lost_since, lost.ctx.now))

    def seed(self, seed):
        seen.setdefault("seed", []).append(seed)

    names = ("on_start", "on_recovery_end", "on_idle_end", "on_sent")
    registered(
        "noting",
        ackclock.CongestionControl,
        **full(**{name: note(name) for name in names}, on_delivery=on_delivery, on_lost=on_lost, seed=seed),
    )
    result = run("noting")
    assert seen.keys() == {*names, "on_delivery", "on_lost", "seed"}
    assert len(set(seen["seed"])) == len(seen["seed"]) == 2 * 3
    assert len(seen["on_start"]) == 2 * 3
    # Data, and the FIN of the bursts.
    assert len(seen["on_sent"]) == result.flows["data_segments_sent"].sum() + 1
    deliveries = seen["on_delivery"]
    assert [now for _, _, now, _ in deliveries] == sorted(now for _, _, now, _ in deliveries)
    assert max(delivered for _, delivered, _, _ in deliveries) > 1e6
    rates = [rate[0] for *_, rate in deliveries if rate and rate[1]]
    assert max(rates) == pytest.approx(10e6 / 8, rel=0.3)
    assert all(length == 1460 for length, *_ in seen["on_lost"])
    # The burst that waits longest, and the sink, which sends nothing before its FIN.
    assert 1e9 < max(idle for _, idle in seen["on_idle_end"]) < 10e9
    assert equal(result, run("reno"))


def test_an_algorithm_may_own_the_window_in_every_phase():
    def hold(self, window, *args):
        window.cwnd = 5 * 1460

    def start(self, window, ctx):
        window.cwnd, window.ssthresh = 5 * 1460.9, 2**63
        window.pacing_rate = 50_000.5

    members = full(on_start=start, on_ack=hold, on_congestion=hold, on_timeout=hold)
    registered("five", ackclock.CongestionControl, scope=ackclock.Scope(slow_start=True, window=True), **members)
    result = run("five")
    assert set(result.window["cwnd"][5:]) <= {5 * 1460, int(5 * 1460.9)}
    assert result.flows["goodput_bps"].max() < 50_000 * 8
    registered("grows", ackclock.CongestionControl, **members)
    assert len(set(run("grows").window["cwnd"])) > 2


def test_slow_start_is_its_own_only_where_its_scope_says_so():
    for scope, own in [(ackclock.Scope(slow_start=True), True), (ackclock.Scope(window=True), False)]:
        windows = []

        def on_ack(self, window, ack, acked, windows=windows):
            windows.append(window.cwnd)

        members = full(on_ack=on_ack)
        registered(f"mine-{own}".lower(), ackclock.CongestionControl, scope=scope, **members)
        run(f"mine-{own}".lower(), duration="2s")
        assert (windows[0] == 10 * 1460) is own


def test_what_answers_marks_in_proportion_is_told_of_losses_beside_them():
    """It is told of every recovery; the others are not told of those that begin while a mark is being answered."""
    # Nearly every round trip has a mark.
    step = MARKS | {"q_weight": 1, "thresh": 2, "maxthresh": 3, "max_p": 1, "mark_p": 1, "bytes": False}
    for proportional in (False, True):
        causes = []

        def on_congestion(self, window, event, causes=causes):
            causes.append(event.cause)
            window.ssthresh = window.cwnd = max(window.cwnd * 15 // 16, 2 * event.ctx.mss)

        scope = ackclock.Scope(proportional=proportional)
        name = f"mine-{proportional}".lower()
        registered(name, ackclock.CongestionControl, **full(on_congestion=on_congestion), scope=scope)
        result = run(name, **MARKED | {"bottleneck.queue": step, "bottleneck.loss": "2%"})
        recoveries = result.flows["recoveries"].sum()
        if proportional:
            assert causes.count("loss") == recoveries
        else:
            assert 0 < causes.count("loss") < recoveries


def test_a_gap_is_waited_anew_when_the_rate_changes():
    def on_delivery(self, window, delivery):
        window.pacing_rate = 200_000 if window.pacing_rate == 400_000 else 400_000

    results = []
    for gap in (False, True):
        registered(
            f"mine-{gap}".lower(),
            ackclock.CongestionControl,
            **full(on_delivery=on_delivery),
            scope=ackclock.Scope(gap=gap),
        )
        results.append(run(f"mine-{gap}".lower()))
    assert not equal(*results)


def test_undo_is_the_engine_s_or_its_own():
    calls = []

    def on_timeout(self, window, event, first):
        members["on_timeout"](self, window, event, first)
        self.left = window.cwnd

    def on_undo(self, window, before):
        calls.append((self.left, window.cwnd, before.cwnd))
        super(cls, self).on_undo(window, before)

    members = full()
    registered("plain", ackclock.CongestionControl, **full())
    cls = registered("undoes", ackclock.CongestionControl, **full(on_timeout=on_timeout, on_undo=on_undo))
    # A burst makes the round trip many times longer at once.
    sudden = {"flows[*].stack": "linux", "flows[1].initial_window": 130, "bottleneck.queue": "500 packets"}
    sudden |= {"bottleneck.rate": "1Mbps", "bottleneck.loss": "0%", "flows[0].receive_buffer": "8kB"}
    first, second = run("plain", **sudden), run("undoes", **sudden)
    assert equal(first, second)
    # The window is the present one, which the sender has moved since.
    assert any(now < left == before for left, now, before in calls)
    assert equal(first, run("reno", **sudden))
