"""The stacks named after agents of ns-2, against figures recorded from ns-2.35 (Debian 2.35+dfsg-5) with agents.tcl."""

from __future__ import annotations

import pytest

from tools.crosscheck.agents import Agreement, Network, ours

NETWORK = Network(1_000_000, 50, 10, 1, 20)
"""agents.tcl Sack1 1000000 0.05 10 1 20."""

SENT, RESENT = 2347, 33
FIRST_RESENT = [
    (0.709, 45),
    (0.900, 47),
    (1.009, 49),
    (1.009, 51),
    (1.118, 53),
    (1.118, 55),
    (1.126, 57),
    (1.126, 59),
    (1.227, 61),
    (1.227, 63),
    (1.235, 65),
    (1.235, 67),
]
"""Times in seconds and numbers of the first retransmissions: the first at the third duplicate, the second at the first
partial acknowledgment, then two for each."""


def test_sack1_sends_as_many_packets_and_resends_the_same_at_the_same_times() -> None:
    """As in ns-2.35."""
    (sent,) = ours("ns2-sack", NETWORK)
    seen: set[int] = set()
    resent = []
    for time, number in sent:
        if number in seen:
            resent.append((time, number))
        seen.add(number)
    assert (len(sent), len(resent)) == (SENT, RESENT)
    assert [number for _, number in resent[: len(FIRST_RESENT)]] == [number for _, number in FIRST_RESENT]
    assert [time for time, _ in resent[: len(FIRST_RESENT)]] == pytest.approx(
        [time for time, _ in FIRST_RESENT], abs=1e-3
    )


LINUX = {
    "ns2-linux": (2408, 33, [(14.028, 1634), (16.109, 1883), (18.190, 2132)]),
    "ns2-linux, cubic": (2469, 84, [(17.440, 2055), (18.680, 2204), (19.920, 2353)]),
}
"""agents.tcl Linux/reno and Linux/cubic with the same numbers: packets, retransmissions, and the last of these."""


@pytest.mark.parametrize("stack", LINUX)
def test_tcp_linux_sends_and_resends_the_same_packets_to_the_end(stack: str) -> None:
    """As in ns-2.35: a single difference would last, because the queue drops whatever arrives at another time."""
    (sent,) = ours(stack, NETWORK)
    seen: set[int] = set()
    resent = []
    for time, number in sent:
        if number in seen:
            resent.append((time, number))
        seen.add(number)
    packets, retransmissions, last = LINUX[stack]
    assert (len(sent), len(resent)) == (packets, retransmissions)
    assert [number for _, number in resent[-3:]] == [number for _, number in last]
    assert [time for time, _ in resent[-3:]] == pytest.approx([time for time, _ in last], abs=1e-3)


def test_the_first_packets_leave_at_once_without_a_handshake() -> None:
    """windowInit_ is 2."""
    for stack in ("ns2-newreno", "ns2-sack", "ns2-linux"):
        (sent,) = ours(stack, Network(1_000_000, 50, 10, 1, 1))
        assert sent[:2] == [(0.0, 0), (0.0, 1)], stack
        assert sent[2][0] > 0.1, stack


def test_agreement_ends_at_the_first_packet_that_differs_in_number_or_time() -> None:
    """And counts what both sent."""
    theirs = [(0.0, 0), (0.1, 1), (0.2, 0)]
    assert Agreement.of([theirs], [theirs]) == Agreement(3, (3, 3), (1, 1), 3)
    assert Agreement.of([[(0.0, 0), (0.1, 2), (0.2, 0)]], [theirs]).same == 1
    assert Agreement.of([[(0.0, 0), (0.102, 1)]], [theirs]) == Agreement(1, (2, 3), (0, 1), 3)
