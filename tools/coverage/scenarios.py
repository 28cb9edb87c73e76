"""Twenty scenarios of different kinds, each with a treatment: short, so that thousands of runs take minutes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["SCENARIOS", "Case"]

OBJECTS = {"kind": "pareto", "shape": 1.3, "mean": "20kB", "cap": "500kB"}
OTHER_CC = {"flows.one.cc": "cubic"}
PERIODS = {"on": {"kind": "exponential", "mean": "300ms"}, "off": {"kind": "exponential", "mean": "300ms"}}


@dataclass(frozen=True)
class Case:
    """A scenario, a treatment and a measure."""

    name: str
    about: str
    measure: str
    scenario: dict[str, Any]
    treatment: dict[str, str] = field(default_factory=lambda: OTHER_CC)
    """Settings that the treated runs have instead; the seeds are the same."""


def network(*flows: dict[str, Any], duration: str = "2s", **bottleneck: Any) -> dict[str, Any]:
    """A scenario of one bottleneck: 5 Mbit/s, 20 ms one way and a queue of one BDP unless other values are given."""
    given = {"rate": "5Mbps", "delay": "20ms", "queue": "1bdp", **bottleneck}
    return {"duration": duration, "bottleneck": given, "flows": list(flows)}


def flow(app: Any = "bulk", name: str = "one", cc: str = "reno", **more: Any) -> dict[str, Any]:
    """A flow that begins at a random moment of its first 200 ms."""
    return {"name": name, "app": app, "cc": cc, "start_jitter": "200ms", **more}


GOODPUT = "flows[one].goodput_bps"
PAGES = "completions[one].mean_s"
BESIDE = flow(name="beside")

SCENARIOS = [
    Case("bulk", "one flow", GOODPUT, network(flow())),
    Case("loss-1", "one flow, 1 % of the packets lost", GOODPUT, network(flow(), loss="1%")),
    Case("loss-5", "one flow, 5 % lost: timeouts", GOODPUT, network(flow(), loss="5%")),
    Case("two", "two flows", GOODPUT, network(flow(), BESIDE)),
    Case("shares", "the fairness of three flows", "jain(flows.goodput_bps)", network(flow(), flow(name="x"), BESIDE)),
    Case(
        "onoff", "exponential periods beside a flow", GOODPUT, network(flow({"kind": "onoff", **PERIODS}), BESIDE)
    ),
    Case(
        "pareto", "heavy-tailed volumes", GOODPUT,
        network(flow({"kind": "onoff", "size": OBJECTS, "off": {"kind": "exponential", "mean": "200ms"}})),
    ),
    Case(
        "web", "pages of fixed objects", PAGES,
        network(flow({"kind": "web", "users": 3, "objects": 3, "object_size": "15kB", "think": "300ms"})),
    ),
    Case(
        "web-tail", "pages of heavy-tailed objects", PAGES,
        network(flow({"kind": "web", "sessions_per_second": 4.0, "object_size": OBJECTS})),
    ),
    Case(
        "web-p95", "the 95th percentile of such pages", "completions[one].p95_s",
        network(flow({"kind": "web", "sessions_per_second": 4.0, "object_size": OBJECTS})),
    ),
    Case(
        "lte", "a cellular link", GOODPUT,
        network(flow(), rate={"kind": "cellular", "max_rate": "8Mbps"}, queue="200 packets"),
    ),
    Case(
        "lte-delay", "its queueing delay", "links[bottleneck].queue_delay_p95_ms",
        network(flow(), rate={"kind": "cellular", "max_rate": "8Mbps"}, queue="200 packets"),
    ),
    Case(
        "short-2", "transfers of 20 kB, 2 % lost", "mean(transfers.duration_s)",
        network(flow({"kind": "transfer", "size": "20kB", "count": 8, "gap": "50ms"}), loss="2%", duration="8s"),
    ),
    Case(
        "one-short", "one transfer of 10 kB, 5 % lost", "mean(transfers.duration_s)",
        network(flow({"kind": "transfer", "size": "10kB"}), loss="5%", duration="30s"),
    ),
    Case(
        "bursts", "bursts of 30 kB beside a flow", "p95(bursts.duration_s)",
        network(flow({"kind": "bursts", "size": "30kB", "interval": "400ms"}), BESIDE),
    ),
    Case(
        "rpc", "eight servers at once", PAGES,
        network(flow({"kind": "rpc", "servers": 8, "response_size": "10kB", "think": "50ms"}), queue="15 packets"),
    ),
    Case(
        "timeouts", "a count that is mostly zero", "sum(flows.timeouts)",
        network(flow(), BESIDE, queue="6 packets", rate="2Mbps", loss="2%"),
    ),
    Case(
        "call", "a call beside a flow, 1 % lost", "mean(voip.mos)",
        network(flow({"kind": "voip"}, name="call"), flow(), rate="1Mbps", loss="1%", queue="3bdp"),
    ),
    Case(
        "codel", "CoDel instead of drop-tail", "links[bottleneck].queue_delay_mean_ms",
        network(flow(), BESIDE, queue="3bdp"), {"bottleneck.queue": "codel"},
    ),
    Case(
        "dash", "a video beside a flow", "dash[one].mean_level_bps",
        network(
            flow({"kind": "dash", "ladder": ["500kbps", "1Mbps", "2Mbps", "3Mbps"], "segment": "500ms"}), BESIDE,
            duration="5s", rate="4Mbps",
        ),
    ),
]  # fmt: skip
"""The measure of each is that of one run; over the runs it has a mean, a median and a difference."""
