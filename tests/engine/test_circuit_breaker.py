"""The circuit breaker of a stream of datagrams (RFC 8084): when it trips, and that the stream then ends."""

import pytest

import ackclock

PATH = """
name = "breaker"
duration = "60s"

[bottleneck]
rate = "3Mbps"
delay = "20ms"
queue = "1bdp"

[[flows]]
name = "stream"
app = { kind = "cbr", rate = "4Mbps", packet_size = "1500B", circuit_breaker = {} }
"""


def run(**changes):
    """The row of the breaker, that of the stream, and the result."""
    result = ackclock.run(PATH, overrides={key.replace("__", "."): value for key, value in changes.items()})
    (breaker,), (stream,) = result.breakers.rows(), result.cbr.rows()
    return breaker, stream, result


def test_a_quarter_of_loss_ends_the_stream_after_three_intervals():
    breaker, stream, _ = run()
    # Three reports of 5 s, the third of which takes 20 ms.
    assert breaker["tripped_s"] == pytest.approx(15.02, abs=0.001)
    assert (breaker["reason"], breaker["measurements"], breaker["exceeded"]) == ("loss", 3, 3)
    assert breaker["loss_max"] == pytest.approx(0.25, abs=0.01)
    # 4 Mbit/s in packets of 1500 bytes are 1000 datagrams in 3 s.
    assert stream["sent"] == pytest.approx(15.02 * 1000 / 3, abs=2)


def test_a_stream_within_the_envelope_goes_on():
    for rate, loss in (("4Mbps", 0.3), ("3.2Mbps", 0.1), ("2Mbps", 0.1)):
        app = f'{{ kind = "cbr", rate = "{rate}", circuit_breaker = {{ loss = {loss} }} }}'
        breaker, _, _ = run(**{"flows.stream.app": app})
        assert (breaker["tripped_s"], breaker["reason"], breaker["exceeded"]) == (None, None, 0), rate
        assert breaker["measurements"] == 11


def test_single_events_do_not_trip_it():
    # Two intervals in five are lost to an interruption of the path for 7 s: an interval and a part of the next.
    outages = '[{ from = "10s", to = "17s" }]'
    breaker, _, _ = run(bottleneck__rate="10Mbps", bottleneck__outages=outages)
    assert breaker["tripped_s"] is None
    assert 1 <= breaker["exceeded"] <= 2


def test_no_report_ends_the_stream():
    breaker, stream, _ = run(bottleneck__rate="10Mbps", bottleneck__reverse_outages='[{ from = "12s", to = "60s" }]')
    # The last report came at 10.02 s; three intervals and the time of a report later the stream ends.
    assert breaker["tripped_s"] == pytest.approx(30.02, abs=0.001)
    assert breaker["reason"] == "no-report"
    assert stream["sent"] == pytest.approx(30.02 * 1000 / 3, abs=2)


def test_the_path_is_free_for_others_once_the_stream_has_ended():
    flows = """
[[flows]]
name = "tcp"
app = "bulk"
cc = "reno"

[probes]
rates = true
interval = "1s"
"""
    result = ackclock.run(PATH + flows)
    (breaker,) = result.breakers.rows()
    rates = [(row["time_s"], row["goodput_bps"]) for row in result.rates.rows() if row["flow"] == "tcp"]
    before = [rate for time, rate in rates if time <= breaker["tripped_s"]]
    after = [rate for time, rate in rates if time > breaker["tripped_s"] + 15]
    assert sum(before) / len(before) < 0.2e6
    assert sum(after) / len(after) > 2.5e6


def test_the_same_bytes_with_a_breaker_that_does_not_trip():
    plain = '{ kind = "cbr", rate = "4Mbps" }'
    wide = '{ kind = "cbr", rate = "4Mbps", circuit_breaker = { loss = 1.0 } }'
    one, other = (ackclock.run(PATH, overrides={"flows.stream.app": app}) for app in (plain, wide))
    assert list(one.cbr.rows()) == list(other.cbr.rows())


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("{ loss = 1.5 }", "circuit_breaker.loss: 1.5 is more than 1"),
        ("{ intervals = 0 }", "circuit_breaker.intervals: 0 is less than 1"),
        ("{ interval = '0s' }", "circuit_breaker.interval"),
        ("{ losses = 0.1 }", "unknown key"),
    ],
)
def test_mistakes_are_told(table, message):
    app = f'{{ kind = "cbr", rate = "4Mbps", circuit_breaker = {table} }}'
    with pytest.raises(ackclock.ScenarioError, match=message):
        run(**{"flows.stream.app": app})
