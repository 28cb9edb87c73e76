"""The tests of the suite as sections of a card: networks, traffic, points and rows."""

from __future__ import annotations

from functools import cache
from typing import Any

from ackclock.judge.card.section import Point, Row, Scenario, Section, Unshown
from ackclock.judge.tcpeval.traffic import traffic

__all__ = ["LOADS", "tests"]

LOADS = (0.60, 0.85, 1.10)
"""Loads of the core in the basic tests (draft-irtf-iccrg-tcpeval-01)."""
BUFFERS = (0.1, 0.2, 0.5, 1.0, 2.0)
"""Buffers over the bandwidth-delay product in the sweep of buffers (the same)."""
BDP_RTT = "100ms"
"""RTT with which the buffers of the sweep are counted: the mean of the nine pairs. Chosen here."""

CORES = (
    ("access", "An access link of 100 Mbit/s", 100e6, 40, True),
    ("satellite", "A geostationary satellite of 40 and 4 Mbit/s, 300 ms", 40e6, 60, True),
    ("dial-up", "A dial-up link of 64 kbit/s", 64e3, 600, True),
    ("transoceanic", "A transoceanic link of 1 Gbit/s, 65 ms", 1e9, 15, False),
)
"""Links of the core by their presets: in words, rate in bit/s, duration of a run in s, and whether the quick form has
them. The durations are chosen here."""

LINK = (
    Row("Utilisation of the core", "links[bottleneck].utilisation", "%", "higher", scale=100.0),
    Row("Packets lost at the core", "lost", "%", "lower"),
    Row("Mean queueing delay at the core", "links[bottleneck].queue_delay_mean_ms", "ms", "lower"),
    Row("95th percentile of the queueing delay", "links[bottleneck].queue_delay_p95_ms", "ms", "lower"),
)
FLOWS = (
    Row("Median completion time of objects, mean over the pairs", "completions.p50_s", "s", "lower"),
    Row("95th percentile of completion times, mean over the pairs", "completions.p95_s", "s", "lower"),
)


@cache
def tests() -> tuple[Section, ...]:
    """All tests, in the order of the draft."""
    return (_basic(), _buffers(), _ramp_up(), _transients(), _impact(), _fairness(), _bottlenecks())


def _basic() -> Section:
    scenarios = [
        Scenario(
            name=f"{name}-{100 * load:.0f}",
            summary=f"{text}; nine pairs of nodes ask for {100 * load:.0f} % of it for {duration} s.",
            network={"duration": f"{duration}s", "bottleneck": {"preset": name}},
            flows=tuple(traffic(load, rate)),
            rows=LINK + FLOWS,
            points=(Point("", (), quick and load == LOADS[1]),),
        )
        for name, text, rate, duration, quick in CORES
        for load in LOADS
    ]
    return Section(
        number="basic",
        title="Basic scenarios",
        keyword="",
        asks="Throughput, delay, losses and completion times over links of different kinds at three loads.",
        scenarios=tuple(scenarios),
        unshown=(Unshown("the data centre and the wireless LAN", "Their topologies of the draft are not built here."),),
    )


def _buffers() -> Section:
    points = [
        Point(f"{100 * buffer:.0f} % of the BDP", (("bottleneck.queue", f"{buffer:g}bdp"),), buffer in (0.1, 1.0))
        for buffer in BUFFERS
    ]
    return Section(
        number="buffers",
        title="Delay and throughput as functions of the queue size",
        keyword="",
        asks="The trade of delay for throughput in buffers of 10 to 200 % of the bandwidth-delay product.",
        scenarios=(
            Scenario(
                name="access-buffers",
                summary="The access link at a load of 85 % for 30 s; the BDP is that of an RTT of 100 ms.",
                network={"duration": "30s", "bottleneck": {"preset": "access", "bdp_rtt": BDP_RTT}},
                flows=tuple(traffic(LOADS[1], 100e6)),
                rows=LINK + FLOWS,
                points=tuple(points),
            ),
        ),
    )


def _ramp_up() -> Section:
    def transfer(size: str) -> dict[str, Any]:
        return {"name": "flow", "role": "candidate", "app": {"kind": "transfer", "size": size}, "start": "5s"}

    sizes = (("100kB", False), ("1MB", True), ("10MB", True))
    scenarios = [
        Scenario(
            name=f"ramp-up-{100 * load:.0f}",
            summary=f"One transfer over the access link with an RTT of 84 ms, whose core has {text}.",
            network={
                "duration": "30s",
                "bottleneck": {"preset": "access", "bdp_rtt": BDP_RTT},
                "access": {"sink_delay": "40ms"},
            },
            flows=(transfer("1MB"), *(traffic(load, 100e6, standard=True) if load else ())),
            rows=(
                Row("Completion time", "completion", "ms", "lower", args={"flow": "flow", "quantile": 0.5}),
                Row("Segments retransmitted", "retransmitted", "%", "lower", args={"flows": ["flow"]}),
            ),
            points=tuple(Point(size, (("flows[0].app.size", size),), quick) for size, quick in sizes),
        )
        for load, text in ((0.0, "no other traffic"), (0.5, "other traffic of CUBIC at a load of 50 %"))
    ]
    return Section(
        number="ramp-up",
        title="Ramp-up time: completion time of one flow",
        keyword="",
        asks="How soon one flow gets its data through, alone and in traffic of others.",
        scenarios=tuple(scenarios),
    )


def _transients() -> Section:
    network = {
        "duration": "40s",
        "bottleneck": {"rate": "100Mbps", "delay": "40ms", "queue": "1bdp"},
        "probes": {"rates": True, "queues": True, "interval": "200ms"},
    }
    flow = {"name": "flow", "role": "candidate", "app": "bulk", "start_jitter": "500ms"}
    many = {"name": "many", "role": "candidate", "count": 50, "app": {"kind": "transfer", "size": "500kB"}}
    mean = {"from_s": 20.0, "to_s": 22.0}
    return Section(
        number="transients",
        title="Transients",
        keyword="",
        asks="How soon a flow takes bandwidth that is released, and what a sudden arrival of many flows does.",
        scenarios=(
            Scenario(
                name="release",
                summary="Datagrams take 75 of 100 Mbit/s until 20 s; one long flow with an RTT of 80 ms.",
                network=network,
                flows=(flow, {"name": "datagrams", "app": {"kind": "cbr", "rate": "75Mbps", "on": "20s"}}),
                rows=(
                    Row(
                        "Time until the flow has 80 Mbit/s", "reaches", "s", "lower",
                        args={"at_s": 20.0, "mbps": 80.0, "flows": ["flow"]},
                    ),
                ),
                points=(Point(""),),
            ),
            Scenario(
                name="arrival",
                summary="Fifty transfers of 500 kB begin within 100 ms at 20 s beside one long flow.",
                network=network,
                flows=(flow, many | {"start": "20s", "start_jitter": "100ms"}),
                rows=(
                    Row("95th percentile of the queueing delay, 2 s", "queue_delay", "ms", "lower", args=mean),
                    Row("Packets lost", "lost", "%", "lower"),
                    Row(
                        "95th percentile of completion times", "completion", "ms", "lower",
                        args={"flow": "many", "quantile": 0.95},
                    ),
                ),
                points=(Point(""),),
            ),
        ),
    )  # fmt: skip


def _impact() -> Section:
    standard = traffic(LOADS[1] / 2, 100e6, standard=True)
    mine = [one | {"name": f"own{number}"} for number, one in enumerate(traffic(LOADS[1] / 2, 100e6))]
    victims = [one["name"] for one in standard]
    scenario = Scenario(
        name="half",
        summary="The access link at a load of 85 %: half of it is standard traffic of CUBIC, and half uses the "
        "candidate; 40 s.",
        network={"duration": "40s", "bottleneck": {"preset": "access"}},
        flows=(*standard, *mine),
        rows=(
            Row("Completion time of the first standard pair, median", "completions[pair0].p50_s", "s", "lower"),
            Row("The same, 95th percentile", "completions[pair0].p95_s", "s", "lower"),
            Row("Completion time of the last standard pair, median", "completions[pair8].p50_s", "s", "lower"),
            Row("The same, 95th percentile", "completions[pair8].p95_s", "s", "lower"),
            Row("Segments that the standard flows retransmit", "retransmitted", "%", "lower", args={"flows": victims}),
        ),
        points=(Point(""),),
    )
    return Section(
        number="impact",
        title="Impact on standard TCP traffic",
        keyword="",
        asks="What standard flows lose if half of the traffic uses the algorithm instead of being standard.",
        scenarios=(scenario,),
    )


def _fairness() -> Section:
    network = {
        "duration": "60s",
        "bottleneck": {"rate": "100Mbps", "delay": "20ms", "queue": "1bdp"},
        "probes": {"rates": True, "interval": "1s"},
    }
    first = {"name": "first", "role": "candidate", "app": "bulk", "start_jitter": "500ms"}
    second = {"name": "second", "role": "candidate", "app": "bulk", "start": "5s", "start_jitter": "500ms"}
    later = {"from_s": 30.0}
    ratios = (("the same RTT", "0ms", True), ("twice the RTT", "20ms", True), ("four times the RTT", "60ms", False))
    return Section(
        number="fairness",
        title="Intra-protocol and inter-RTT fairness",
        keyword="",
        asks="How two flows of the algorithm share, with the same RTT and with different ones.",
        scenarios=(
            Scenario(
                name="two-flows",
                summary="Two long flows share 100 Mbit/s; the first has an RTT of 40 ms, and the second starts 5 s "
                "later. The last 30 s count.",
                network=network,
                flows=(first, second | {"access": {"source_delay": "0ms"}}),
                rows=(
                    Row(
                        "Goodput of the second flow over the equal share", "share_of", "%", "",
                        args={"flow": "second", **later}, scale=100.0,
                    ),
                    Row(
                        "Smaller goodput over the equal share", "smallest_share", "%", "higher",
                        args=later, scale=100.0,
                    ),
                    Row("Goodput of both", "goodput", "Mbit/s", "higher", args=later),
                ),
                points=tuple(
                    Point(text, (("flows[1].access.source_delay", delay),), quick) for text, delay, quick in ratios
                ),
            ),
        ),
    )  # fmt: skip


def _bottlenecks() -> Section:
    hop = {"rate": "50Mbps", "delay": "10ms", "bdp_rtt": "60ms"}
    links = [{"name": "second", "ends": ["right", "third"]} | hop, {"name": "third", "ends": ["third", "far"]} | hop]
    routes = (("left", "right"), ("right", "third"), ("third", "far"))
    cross = [
        {"name": f"cross{number}", "role": "candidate", "app": "bulk", "start_jitter": "1s", "route": list(route)}
        for number, route in enumerate(routes)
    ]
    through = {"name": "through", "role": "candidate", "app": "bulk", "start_jitter": "1s"}
    return Section(
        number="bottlenecks",
        title="Multiple bottlenecks",
        keyword="",
        asks="What a flow over three full links gets beside flows that cross one of them.",
        scenarios=(
            Scenario(
                name="parking-lot",
                summary="A flow over three links of 50 Mbit/s beside one flow over each of them; the last 40 s count.",
                network={
                    "duration": "60s", "bottleneck": hop, "links": links, "probes": {"rates": True, "interval": "1s"},
                },
                flows=(through | {"route": ["left", "right", "third", "far"]}, *cross),
                rows=(
                    Row(
                        "Goodput of the flow over three links", "goodput", "Mbit/s", "",
                        args={"flows": ["through"], "from_s": 20.0},
                    ),
                    Row("Goodput of all flows", "goodput", "Mbit/s", "higher", args={"from_s": 20.0}),
                ),
                points=(Point(""),),
            ),
        ),
    )  # fmt: skip
