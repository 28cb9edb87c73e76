"""The basic test cases of RFC 8867 section 5 as scenarios.

The capacity changes by itself, or by background traffic where section 4.2 asks for both.
"""

from __future__ import annotations

from typing import Any

from ackclock.judge.rmcat.case import JITTER, Case, Phase, Variant, cbr, phases, queue, steps

__all__ = ["BASIC"]

PHYSICAL_MBPS = 4.0
"""Capacity of the path with background traffic, whose rate is this less the capacity that is left."""


def _one(name: str) -> dict[str, dict[str, Any]]:
    return {name: {}}


_VARIABLE: dict[float, float] = {0: 1.0, 40: 2.5, 60: 0.6, 80: 1.0}
_MULTIPLE: dict[float, float] = {0: 2.0, 25: 1.0, 50: 1.75, 75: 0.5, 100: 1.0}
_FORWARD: dict[float, float] = {0: 2.0, 20: 1.0, 40: 0.5, 60: 2.0}
_BACKWARD: dict[float, float] = {0: 2.0, 35: 0.8, 70: 2.0}
_DELAYS_MS = (10, 25, 50, 100, 150)
_BACK = {"route": ["right", "left"], "return_route": ["left", "right"]}


def _physical() -> dict[str, Any]:
    return {"rate": f"{PHYSICAL_MBPS:g}Mbps", "queue": queue(PHYSICAL_MBPS)}


def _background(
    reference_mbps: float,
    ratios: dict[float, float],
    end_s: float,
    name: str = "udp",
    fields: dict[str, Any] | None = None,
) -> tuple[dict[str, Any], ...]:
    """Datagrams that leave the capacity of each phase: 4 Mbit/s less the capacity. A phase with all of it has none."""
    starts = [*ratios, end_s]
    rates = [PHYSICAL_MBPS - reference_mbps * ratio for ratio in ratios.values()]
    return tuple(
        cbr(f"{name} {index + 1}", mbps, starts[index], starts[index + 1], **(fields or {}))
        for index, mbps in enumerate(rates)
        if mbps > 0
    )


BASIC = (
    Case(
        "5.1", "variable-capacity", "Variable Available Capacity with a Single Flow",
        "The flow finds the capacity, follows its changes and does not oscillate.",
        100, {"rate": steps(1, _VARIABLE), "queue": queue(1)}, _one("S1"),
        phases(1, _VARIABLE, 99, ("S1",)),
        variants=(
            Variant("50 ms", {}), Variant("100 ms", {"delay": "100ms", "reverse_delay": "50ms"}),
            Variant("UDP", _physical(), others=_background(1, _VARIABLE, 100)),
        ),
    ),
    Case(
        "5.2", "variable-capacity-two", "Variable Available Capacity with Multiple Flows",
        "Both flows follow the changes of the capacity, and ramp up when congestion is over.",
        125, {"rate": steps(2, _MULTIPLE), "queue": queue(2)}, {"S1": {}, "S2": {}},
        phases(2, _MULTIPLE, 124, ("S1", "S2")),
        variants=(Variant("", {}), Variant("UDP", _physical(), others=_background(2, _MULTIPLE, 125))),
        equal=True,
    ),
    Case(
        "5.3", "congested-feedback", "Congested Feedback Link with Bi-directional Media Flows",
        "The forward flow copes with a congested feedback path.",
        100,
        {
            "rate": steps(1, _FORWARD), "reverse_rate": steps(1, _BACKWARD), "queue": queue(1),
            "reverse_jitter": JITTER,
        },
        {"S1": {}, "S2": {"route": ["right", "left"], "return_route": ["left", "right"]}},
        phases(1, _FORWARD, 99, ("S1",)),
        variants=(
            Variant("", {}),
            Variant(
                "UDP", _physical() | {"reverse_rate": f"{PHYSICAL_MBPS:g}Mbps"},
                others=(*_background(1, _FORWARD, 100), *_background(1, _BACKWARD, 100, "back", _BACK)),
            ),
        ),
    ),
    Case(
        "5.4", "competing-media", "Competing Media Flows with the Same Congestion Control Algorithm",
        "Three flows that start one after the other converge to equal rates.",
        120, {"rate": "3.5Mbps", "queue": queue(3.5)}, {"S1": {}, "S2": {"start": "20s"}, "S3": {"start": "40s"}},
        (
            Phase(0, 20, 3.5e6, ("S1",)), Phase(20, 40, 3.5e6, ("S1", "S2")),
            Phase(40, 119, 3.5e6, ("S1", "S2", "S3")),
        ),
        equal=True,
    ),
    Case(
        "5.5", "rtt-fairness", "Round Trip Time Fairness",
        "Five flows with delays of 10 to 150 ms converge to equal rates.",
        300, {"rate": "4Mbps", "queue": queue(4), "delay": "10ms"},
        {
            f"S{index + 1}": {"start": f"{10 * index}s", "access": {"source_delay": f"{delay - 10}ms"}}
            for index, delay in enumerate(_DELAYS_MS)
        },
        (
            *(
                Phase(10 * index, 10 * (index + 1), 4e6, tuple(f"S{flow + 1}" for flow in range(index + 1)))
                for index in range(4)
            ),
            Phase(40, 299, 4e6, ("S1", "S2", "S3", "S4", "S5")),
        ),
        equal=True,
    ),
    Case(
        "5.6", "long-tcp", "Media Flow Competing with a Long TCP Flow",
        "The media flow keeps at least its least rate beside a long TCP flow.",
        120, {"rate": "2Mbps", "queue": queue(2)}, {"S1": {"start": "5s"}},
        (Phase(5, 119, 2e6, ("S1",)),),
        ({"name": "tcp", "app": {"kind": "bulk"}, "cc": "reno"},),
        (Variant("300 ms", {}), Variant("1000 ms", {"queue": queue(2, 1000)})),
    ),
    Case(
        "5.7", "short-tcp", "Media Flow Competing with Short TCP Flows",
        "Two media flows keep at least their least rate beside ten flows that fetch small files.",
        300, {"rate": "2Mbps", "queue": queue(2)}, {"S1": {"start": "5s"}, "S2": {"start": "5s"}},
        (Phase(5, 299, 2e6, ("S1", "S2")),),
        (
            *(
                {"name": f"{name}", "count": count, "start_jitter": jitter, "cc": "reno", "app": {
                    "kind": "onoff", "size": {"kind": "uniform", "min": "30kB", "max": "50kB"},
                    "off": {"kind": "exponential", "mean": "10s"},
                }}
                for name, count, jitter in (("tcp on", 2, "0s"), ("tcp off", 8, "20s"))
            ),
        ),
    ),
    Case(
        "5.8", "pause", "Media Pause and Resume",
        "The other flows take the capacity of a flow that pauses, and give it back.",
        120, {"rate": "3.5Mbps", "queue": queue(3.5)},
        {"S1": {}, "S2": {"app": {"pauses": [{"at": "40s", "until": "60s"}]}}, "S3": {}},
        (
            Phase(0, 40, 3.5e6, ("S1", "S2", "S3")), Phase(40, 60, 3.5e6, ("S1", "S3")),
            Phase(60, 119, 3.5e6, ("S1", "S2", "S3")),
        ),
        equal=True,
    ),
)  # fmt: skip
"""The basic cases, by their sections."""
