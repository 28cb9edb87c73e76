"""The test cases of RFC 8867 section 6: priorities, ECN, and several bottlenecks."""

from __future__ import annotations

from dataclasses import replace

from ackclock.judge.rmcat.basic import BASIC
from ackclock.judge.rmcat.case import Case, Phase, Variant, queue

__all__ = ["FURTHER"]


def _priority() -> Case:
    """Case 5.4 with twice the priority for the first flow. RFC 8867 gives 2, 1 and 1 as its example."""
    (basic,) = (case for case in BASIC if case.number == "5.4")
    return replace(
        basic, number="6.1", name="priority", title="Media Flows with Priority",
        expected="Of three flows the first one, with twice the priority, gets twice the rate.",
        # NADA alone has priorities; SCReAM and GCC weigh the streams of one sender.
        controls=("nada",), parameters={"S1": {"prio": 2.0}}, equal=False,
    )  # fmt: skip


def _ecn(basic: Case) -> Case:
    """A basic case with queues that mark: CoDel for ECT(0), and DualPI2 for ECT(1) and a control that has L4S.

    GCC does not react to marks.
    """
    return replace(
        basic, number=f"6.2/{basic.number}", name=f"ecn-{basic.name}", title=f"{basic.title}, with ECN",
        expected="No worse than without marks.",
        variants=(
            Variant("CoDel", {"queue": "codel"}, {"ecn": "ect0"}),
            Variant("DualPI2", {"queue": "dualpi2"}, {"ecn": "ect1"}, controls=("scream2",)),
        ),
        controls=("nada", "scream", "scream2"),
    )  # fmt: skip


def _bottlenecks() -> Case:
    """One flow over two bottlenecks, each with a flow of its own: 2 Mbit/s, 8 Mbit/s between, and 1.5 Mbit/s."""
    through = ["left", "right", "c", "d"]
    fair_bps = 0.75e6 + 1.25e6 + 0.75e6
    return Case(
        "6.3", "bottlenecks", "Multiple Bottlenecks",
        "The calls use both bottlenecks, and none of the three starves.",
        300, {"rate": "2Mbps", "queue": queue(2), "delay": "40ms"},
        {"S1": {"route": through}, "S2": {}, "S3": {"route": ["c", "d"]}},
        # The fair shares are 0.75 Mbit/s for S1 and S3, and for S2 what S1 leaves.
        (Phase(0, 299, fair_bps, ("S1", "S2", "S3")),),
        links=(
            {"name": "between", "ends": ["right", "c"], "rate": "8Mbps", "delay": "20ms", "queue": queue(8)},
            {"name": "second", "ends": ["c", "d"], "rate": "1500kbps", "delay": "40ms", "queue": queue(1.5)},
        ),
    )  # fmt: skip


FURTHER = (_priority(), *(_ecn(case) for case in BASIC), _bottlenecks())
"""The cases, by their sections; 6.2 asks for all basic cases."""
