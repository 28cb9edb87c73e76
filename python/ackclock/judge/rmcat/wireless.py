"""The test cases of RFC 8869, as far as links show them: cells as links of varying rate, Wi-Fi with aggregation.

Not shown, because no link here has it: radio propagation and mobility, handover, the proportionally fair scheduler of a
cell, contention and collisions of stations. Uplink and downlink of Wi-Fi share the air; here all flows of a case whose
bottleneck is the air share one queue, whatever their direction in the RFC, and their feedback takes no air time.
"""

from __future__ import annotations

import math
from typing import Any

from ackclock.judge.rmcat.case import JITTER, Case, Phase, Variant, cbr, queue

__all__ = ["WIRELESS"]

DOCUMENT = "RFC 8869"
AIR_MBPS = 20.0
"""Throughput of 802.11n at the MCS index of the RFC: "around 20 Mbps" (section 3.2.3)."""
AGGREGATION = {"slot": {"kind": "uniform", "min": "0ms", "max": "5ms", "bytes": "65535B"}}
"""Aggregates of at most 65,535 bytes, the largest A-MPDU of 802.11n, with up to 5 ms between two of them. The RFC
leaves the time to the simulator of the radio."""
CELL = ("40 ms", "10ms"), ("150 ms", "65ms")
"""Round-trip times (section 2.1.2) with their delays: 10 ms of wire one way, and the delay of the cell."""
SMALL_CELL = {"kind": "cellular", "max_rate": "12Mbps", "sigma": 50.0, "outage_escape": 10.0}
"""The cells of 166 m of section 2.1: Sprout's model with a quarter of its noise, and outages of 0.1 s in the mean."""
LARGE_CELL = {"kind": "cellular", "max_rate": "6Mbps", "sigma": 100.0}
"""The cells of 577 m of section 2.2: Sprout's model with its noise, in proportion to the rate, and outages of 1 s."""
CELL_CALLS = tuple(f"S{index + 1}" for index in range(9))


def _cell(
    number: str, name: str, title: str, rate: dict[str, Any], most_mbps: float, web_mbps: float, *, aqm: bool
) -> Case:
    """Calls of 30 s that begin every 7.5 s, so that four share the cell, beside web traffic up to a rate."""
    variants = []
    for label, delay in CELL:
        variants.append(Variant(label, {"delay": delay}))
        if aqm:
            variants.append(Variant(f"{label}, AQM", {"delay": delay, "queue": "fq-codel"}))
    calls = {call: {"start": f"{7.5 * index:g}s", "app": {"on": "30s"}} for index, call in enumerate(CELL_CALLS)}
    web = {
        "kind": "onoff", "size": {"kind": "uniform", "min": "30kB", "max": "50kB"},
        # 40 kB every 10 s are 32 kbit/s.
        "off": {"kind": "exponential", "mean": "10s"},
    }  # fmt: skip
    return Case(
        number, name, title, "The calls use the cell with stable rates and little delay.", 91,
        {"rate": rate, "queue": queue(most_mbps / 2)}, calls,
        # Section 2.1.2 evaluates 30 to 60 s; these three calls send in all of the second half.
        (Phase(30, 60, math.nan, ("S5", "S6", "S7")),),
        ({"name": "web", "count": round(web_mbps / 0.032), "start_jitter": "10s", "cc": "reno", "app": web},),
        tuple(variants), document=DOCUMENT,
    )  # fmt: skip


_AIR = {"name": "air", "ends": ["station", "left"], "rate": f"{AIR_MBPS:g}Mbps", "delay": "1ms", "netem": AGGREGATION,
        "reverse_netem": AGGREGATION, "queue": queue(AIR_MBPS)}  # fmt: skip
_UP = {"route": ["station", "left", "right"]}
_DOWN = {"route": ["right", "left", "station"]}


def _wired(letter: str, name: str, title: str, calls: dict[str, Any], phases: tuple[tuple[float, float, float], ...],
           others: tuple[dict[str, Any], ...] = ()) -> Case:  # fmt: skip
    """A case of section 3.1: Wi-Fi in front of a wire of 1 Mbit/s."""
    return Case(
        f"3.1{letter}", name, title, "The uplink flow finds the capacity of the wire and does not oscillate.",
        120, {"rate": "1Mbps", "queue": queue(1), "reverse_jitter": JITTER}, calls,
        tuple(Phase(start, end, mbps * 1e6, ("S1",)) for start, end, mbps in phases), others,
        document=DOCUMENT, links=(_AIR,),
    )  # fmt: skip


def _shared(
    letter: str, name: str, title: str, count: int, phases: tuple[tuple[float, float, float], ...],
    others: tuple[dict[str, Any], ...] = (), fields: dict[str, Any] | None = None,
) -> Case:  # fmt: skip
    """A case of section 3.2: calls share the air, behind which the wire has 100 Mbit/s."""
    calls = {f"S{index + 1}": dict(fields or {}) for index in range(count)}
    return Case(
        f"3.2{letter}", name, title, "Each call gets its fair share of the air, with acceptable delay and loss.",
        120, {"rate": f"{AIR_MBPS:g}Mbps", "queue": queue(AIR_MBPS), "netem": AGGREGATION, "jitter": "0ms"}, calls,
        tuple(Phase(start, end, mbps * 1e6, tuple(calls)) for start, end, mbps in phases), others,
        document=DOCUMENT, equal=True,
    )  # fmt: skip


def _floods(start_s: float, end_s: float) -> tuple[dict[str, Any], ...]:
    """Five flows of datagrams (the RFC's example for M), which take half of the air; the RFC gives no rate."""
    return tuple(cbr(f"cbr {index + 1}", 2.0, start_s, end_s) for index in range(5))


_BOTH: dict[str, dict[str, Any]] = {"S1": _UP, "S2": _DOWN}
_TCP = {"name": "tcp", "cc": "reno", "app": {"kind": "bulk"}}

WIRELESS = (
    _cell("2.1", "cell-load", "Varying Network Load", SMALL_CELL, 12, 4, aqm=True),
    _cell("2.2", "bad-coverage", "Bad Radio Coverage", LARGE_CELL, 6, 2, aqm=False),
    _wired("a", "wifi-uplink", "Bottleneck in Wired Network: one uplink flow", {"S1": _UP}, ((0, 119, 1),)),
    _wired("b", "wifi-both", "Bottleneck in Wired Network: a flow in each direction", _BOTH, ((0, 119, 1),)),
    _wired("c", "wifi-on-off", "Bottleneck in Wired Network: constant-rate traffic leaves", _BOTH,
           ((0, 60, 0.5), (60, 119, 1)), (cbr("cbr", 0.5, 0, 60, **_UP),)),
    _wired("d", "wifi-off-on", "Bottleneck in Wired Network: constant-rate traffic comes", _BOTH,
           ((0, 60, 1), (60, 119, 0.5)), (cbr("cbr", 0.5, 60, 119, **_UP),)),
    _wired("e", "wifi-tcp", "Bottleneck in Wired Network: beside a long TCP flow", {"S1": _UP}, ((0, 119, 1),),
           ({**_TCP, **_UP},)),
    _shared("a", "wifi-sixteen", "Bottleneck in Wi-Fi Network: 16 flows", 16, ((0, 119, AIR_MBPS),)),
    _shared("d", "wifi-sixteen-on-off", "Bottleneck in Wi-Fi Network: constant-rate traffic leaves", 16,
            ((0, 60, AIR_MBPS / 2), (60, 119, AIR_MBPS)), _floods(0, 60)),
    _shared("e", "wifi-sixteen-off-on", "Bottleneck in Wi-Fi Network: constant-rate traffic comes", 16,
            ((0, 60, AIR_MBPS), (60, 119, AIR_MBPS / 2)), _floods(60, 119)),
    _shared("f", "wifi-sixteen-tcp", "Bottleneck in Wi-Fi Network: beside TCP", 16,
            ((0, 40, AIR_MBPS), (40, 119, AIR_MBPS)), ({**_TCP, "count": 5, "start": "40s"},)),
    *(
        _shared("g", f"wifi-{count}", f"Bottleneck in Wi-Fi Network: {count} flows", count, ((10, 110, AIR_MBPS),),
                fields={"start_jitter": "10s", "app": {"on": "110s"}})
        for count in (4, 8, 12, 20)
    ),
)  # fmt: skip
"""The cases, by their sections and the order of the scenarios there. 3.2b and 3.2c are 16 uplink flows and 8 flows
in each direction, which differ from 3.2a by contention alone."""
