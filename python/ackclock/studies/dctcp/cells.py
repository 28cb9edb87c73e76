"""The cells of the study: DCTCP and TCP over queues that mark and queues that drop, and the readings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import Reading, Variant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.scenario import Text

__all__ = [
    "DEGREES",
    "DYNAMIC",
    "FAST_RTO",
    "K_10G",
    "MAIN",
    "QUICK_DEGREES",
    "incast_name",
    "incast_readings",
    "marking",
    "readings",
    "variants",
]

MAIN = "main reading"
FAST_RTO = "RTO of at least 10 ms"
DYNAMIC = "dynamic buffer"

K_1G = 20
"""The marking threshold at 1 Gbit/s, in packets (section 4)."""
K_10G = 65
"""The marking threshold at 10 Gbit/s, in packets (section 4)."""

DEGREES = (5, 10, 15, 20, 25, 30, 35, 40)
"""Numbers of servers that answer at once."""
QUICK_DEGREES = (10, 40)

DELAYED: Mapping[str, object] = {"flows[0].delayed_ack": "1ms", "flows[1].delayed_ack": "1ms"}
"""The delay of acknowledgments where the smallest RTO is 10 ms. The paper does not state it; an acknowledgment that is
delayed for longer than the RTO would make it expire."""

LINUX: Mapping[str, object] = {"stack": "linux", "receive_buffer_max": "64MiB"}


def marking(threshold: int, limit: str = "700kB") -> dict[str, object]:
    """A queue that marks each packet which finds more than `threshold` packets: ns-2's RED without an average."""
    return {
        "kind": "red",
        "limit": limit,
        "q_weight": 1.0,
        "thresh": float(threshold),
        "maxthresh": threshold + 0.5,
        "gentle": False,
        "queue_in_bytes": False,
        "bytes": False,
        "setbit": True,
        "use_mark_p": True,
        "mark_p": 1.0,
    }


def variants(flows: int, queues: Mapping[str, Mapping[str, object]]) -> tuple[Variant, Variant]:
    """DCTCP with its queues and TCP with drop-tail, for scenarios with so many entries of flows."""
    every = range(flows)
    tcp = {f"flows[{one}].cc": "reno" for one in every} | {f"flows[{one}].ecn": "off" for one in every}
    return Variant("dctcp", "DCTCP", dict(queues)), Variant("tcp", "TCP", tcp)


def readings(
    text: Text, flows: int, fixed: Mapping[str, object], choices: Mapping[str, Mapping[str, object]]
) -> list[Reading]:
    """The main reading and the choices beside it; the key ``stack`` of a choice is for every entry of flows."""
    found = [Reading(MAIN, text, fixed)]
    for name, choice in choices.items():
        overrides = {
            path: value
            for key, value in choice.items()
            for path in ([f"flows[{one}].{key}" for one in range(flows)] if key in LINUX else [key])
        }
        # Linux delays its acknowledgments by a rule of its own.
        kept = {path: value for path, value in fixed.items() if "stack" not in choice or path not in DELAYED}
        found.append(Reading(name, text, {**kept, **overrides}))
    return found


def incast_name(choice: str, servers: int) -> str:
    """The name of a reading: the choice and the number of servers."""
    return f"{choice}; {servers} servers"


def incast_readings(text: Text, degrees: Sequence[int], choices: Sequence[str], rounds: int) -> list[Reading]:
    """Every number of servers under every choice: 1 MB in all, and servers that send at 1 Gbit/s each."""
    found = []
    for choice in choices:
        delayed = "flows[0].delayed_ack"
        fast = {"flows[0].min_rto": "10ms", delayed: DELAYED[delayed]}
        extra: dict[str, object] = dict(fast) if choice == FAST_RTO else {}
        for servers in degrees:
            overrides = {
                "flows[0].app.servers": servers,
                "flows[0].app.rounds": rounds,
                "flows[0].app.response_size": f"{1_000_000 // servers}B",
                "access.rate": "1Gbps",
                **extra,
            }
            found.append(Reading(incast_name(choice, servers), text, overrides))
    return found
