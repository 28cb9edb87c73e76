"""Receivers that lie: who gains what, and against which defence (Savage and others 1999; RFC 3465, RFC 3168)."""

import pytest

import ackclock

PATH = """
name = "liar"
duration = "20s"
packet_size = "1500B"

[bottleneck]
rate = "100Mbps"
delay = "50ms"
queue = "4bdp"

[[flows]]
name = "liar"
stack = "rfc"
app = { kind = "transfer", size = "1MB" }
"""


def completion(**fields):
    """Completion time of a megabyte, s, with these fields of the flow."""
    changes = {f"flows.liar.{name}": value for name, value in fields.items()}
    (row,) = ackclock.run(PATH, overrides=changes).transfers.rows()
    return row["duration_s"]


def test_divided_acks_save_rounds_where_acks_count_and_nothing_where_bytes_count():
    # 1 MB has 685 segments. Doubling from ten segments takes seven rounds (10, 20, ...). With 20 ACKs a segment, the
    # window has 210 segments in the second round, and the third holds the rest.
    honest = completion(slow_start="per-ack", delayed_ack="0s")
    assert completion(slow_start="per-ack", delayed_ack="0s", ack_division=20) < honest - 0.3
    counted = completion(delayed_ack="0s")
    assert completion(delayed_ack="0s", ack_division=20) == pytest.approx(counted, abs=0.005)


@pytest.mark.parametrize("stack", ["linux", "linux-3.12", "freebsd", "freebsd-2014"])
def test_no_operating_system_sends_a_megabyte_faster_for_divided_acks(stack):
    assert completion(stack=stack, ack_division=20) >= completion(stack=stack) - 0.005


def test_spoofed_duplicates_pay_off_without_sack_alone():
    reno = {"recovery": "newreno", "sack": False, "delayed_ack": "0s"}
    assert completion(**reno, dupack_spoofing=50) < completion(**reno) - 0.2
    assert completion(delayed_ack="0s", dupack_spoofing=50) == pytest.approx(completion(delayed_ack="0s"), abs=0.005)


SHARED = """
name = "shared"
duration = "20s"

[bottleneck]
rate = "20Mbps"
delay = "20ms"
queue = { kind = "codel", ecn = true }

[[flows]]
name = "liar"
app = "bulk"

[[flows]]
name = "honest"
app = "bulk"
"""


def shares(mode, cc, **fields):
    """Goodputs of the liar and of an equal flow whose receiver is honest, Mbit/s."""
    both = {f"flows.{name}.{key}": value for name in ("liar", "honest") for key, value in (("ecn", mode), ("cc", cc))}
    changes = both | {f"flows.liar.{name}": value for name, value in fields.items()}
    return [row["goodput_bps"] / 1e6 for row in ackclock.run(SHARED, overrides=changes).flows.rows()]


@pytest.mark.parametrize(("mode", "cc"), [("classic", "reno"), ("dctcp", "dctcp"), ("l4s", "prague")])
def test_a_flow_whose_receiver_hides_marks_takes_the_path_from_an_equal_one(mode, cc):
    honest = shares(mode, cc)
    assert max(honest) < 2 * min(honest)
    liar, victim = shares(mode, cc, suppress_marks=True)
    assert liar > 5 * victim


def test_acks_that_run_ahead_hide_losses_from_the_sender():
    changes = {"bottleneck.loss": "1%", "flows.liar.optimistic_acks": 10, "bottleneck.queue": "1bdp"}
    liar, honest = ackclock.run(SHARED, overrides=changes).flows.rows()
    assert (liar["retransmits"], liar["recoveries"]) == (0, 0)
    assert honest["retransmits"] > 0
    assert liar["goodput_bps"] > 3 * honest["goodput_bps"]
