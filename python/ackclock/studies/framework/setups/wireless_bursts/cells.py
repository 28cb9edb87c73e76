"""The networks, the bursts, and the readings of the settings that the slides do not state."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ackclock.scenario import Text
from ackclock.studies.framework.grid import Grid, Reading, Variant, hashes
from ackclock.studies.framework.study import Outcome, study_file

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from ackclock.report import Figure
    from ackclock.results.result import Result
    from ackclock.stats import Estimate
    from ackclock.studies.framework.claims import ClaimResult, Kind
    from ackclock.studies.framework.lab import Lab
    from ackclock.studies.framework.study import Sheet

__all__ = [
    "CELLS",
    "CHOICES",
    "FEW",
    "FLOWS",
    "MAIN",
    "MORE",
    "NETWORKS",
    "ONE_PACKET_LESS",
    "Cell",
    "Choices",
    "Grids",
    "Network",
    "always",
    "choose",
    "everywhere",
    "kind_of",
    "name_of",
    "outcome",
    "reading",
    "run_cells",
    "variant",
]

REPLICATIONS, SWEPT_REPLICATIONS = 100, 20
QUICK_REPLICATIONS, QUICK_SWEPT_REPLICATIONS = 10, 2

BURST_BYTES = 180_000
PAYLOAD = 1460
"""Payload of a packet of 1500 bytes."""

SCENARIO = "scenario.toml"


def _text() -> str:
    return study_file("ackclock.studies.framework.setups.wireless_bursts", SCENARIO)


@dataclass(frozen=True, slots=True)
class Network:
    """A wireless access network."""

    name: str
    rate_kbps: int
    delay_ms: int
    """Propagation delay of the wireless link, one way."""
    buffers: tuple[tuple[str, int], ...]
    """Names and packets."""
    alone_ms: int
    """About the time of one flow of 180 kB alone with an initial window of 3. The later burst starts within it."""

    @property
    def packet_us(self) -> int:
        """The time of a packet of 1500 bytes on the wireless link."""
        return 1500 * 8 * 1000 // self.rate_kbps


NETWORKS = (
    Network("EDGE", 160, 250, (("1 BDP", 7), ("2 BDP", 14), ("50 packets", 50)), 10_500),
    Network("HSPA", 2_000, 70, (("1 BDP", 24), ("2 BDP", 48)), 1_400),
    Network("LTE", 50_000, 15, (("1 BDP", 125), ("2 BDP", 250)), 350),
)

OTHER_CELLS = (*(network.name for network in NETWORKS), "all networks", "FIFO", "RED", "REDok", "IW3", "IW10", "18+18")
"""Beginnings of the names of cells."""

FLOWS = (1, 2, 6, 18)
"""Flows of a burst, which carry 180 kB in all."""

FEW, MORE = (1, 2), (6, 18)
"""The smaller numbers of flows, and the larger ones: on the slides 6+6 belongs to these."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One network, buffer and number of flows."""

    network: Network
    buffer: str
    packets: int
    flows: int

    @property
    def name(self) -> str:
        """The name of the cell, for example ``EDGE, 2 BDP, 6+6``."""
        return f"{self.network.name}, {self.buffer}, {self.flows}+{self.flows}"

    @property
    def transfer_packets(self) -> int:
        """Packets of each transfer. Agents of ns-2 send whole packets only, so the last one is full as well."""
        return math.ceil(BURST_BYTES / self.flows / PAYLOAD)

    def overrides(self) -> dict[str, object]:
        """The overrides of the scenario for this cell."""
        network = self.network
        return {
            "bottleneck.rate": f"{network.rate_kbps}kbps",
            "bottleneck.delay": f"{network.delay_ms}ms",
            "bottleneck.queue": f"{self.packets} packets",
            "flows[*].count": self.flows,
            "flows[*].app.size": f"{self.transfer_packets * PAYLOAD}B",
            "flows[*].start_jitter": f"{network.packet_us}us",
            "flows[1].group_jitter": f"{network.alone_ms}ms",
        }


CELLS = tuple(
    Cell(network, buffer, packets, flows)
    for network in NETWORKS
    for buffer, packets in network.buffers
    for flows in FLOWS
)

MAIN = "later burst at any time within the first"
"""The main reading: every offset has the same weight, and unstated settings have the defaults of ns-2."""

NS2_QUEUE = 50
"""The default of ns-2's queues, in packets."""


def _offset(part: float) -> Callable[[Cell], Mapping[str, object]]:
    return lambda cell: {
        "flows[1].start": f"{round(part * cell.network.alone_ms * 1000)}us",
        "flows[1].group_jitter": "0s",
    }


def always(changes: Mapping[str, object]) -> Callable[[Cell], Mapping[str, object]]:
    """A choice that is the same in every cell."""
    return lambda _: changes


def _one_packet_less(cell: Cell) -> Mapping[str, object]:
    # ns-2's DropTail drops an arrival that would bring the queue to its limit.
    return {"bottleneck.queue": f"{cell.packets - 1} packets"}


def _payload_of_1500(cell: Cell) -> Mapping[str, object]:
    return {"flows[*].app.size": f"{math.ceil(BURST_BYTES / cell.flows / 1500) * PAYLOAD}B"}


SHARED_SENDER: Mapping[str, object] = {
    "links": [
        {
            "name": "sender",
            "ends": ["server", "left"],
            "rate": "100Mbps",
            "delay": "11ms",
            "queue": f"{NS2_QUEUE - 1} packets",
            "reverse_queue": "unlimited",
        }
    ],
    "flows[*].route": ["server", "left", "right"],
    "access.rate": "10Gbps",
    "access.source_delay": "0s",
}
"""All flows share the link of one sender. Its queue has the default of ns-2, whose DropTail holds one packet less."""

ONE_PACKET_LESS = "FIFO queues of one packet less"
"""The reading of the FIFO buffers as limits of ns-2's DropTail."""

Choices: TypeAlias = "Mapping[str, Callable[[Cell], Mapping[str, object]]]"

CHOICES: Choices = {
    MAIN: always({}),
    "both bursts at once": _offset(0),
    "later burst after a quarter of the first": _offset(0.25),
    "later burst after a half of the first": _offset(0.5),
    "later burst after three quarters of the first": _offset(0.75),
    "without a handshake": always({"flows[*].handshake": "none"}),
    "delayed acknowledgments": always({"flows[*].delayed_ack": "100ms", "flows[*].ack_every": 2}),
    "RTO of at least 1 s": always({"flows[*].min_rto": "1s"}),
    "access links of 1 Gbit/s": always({"access.rate": "1Gbps"}),
    "one sender's link with ns-2's default queue": always(SHARED_SENDER),
    ONE_PACKET_LESS: _one_packet_less,
    "180 kB with headers": _payload_of_1500,
    "departure: the stack rfc": always({"flows[*].stack": "rfc", "flows[*].min_rto": "200ms"}),
}
"""One change of the main reading at a time, by name. All but the last change settings that the slides do not state."""


def name_of(cell: Cell, choice: str = MAIN) -> str:
    """The name of a cell under one reading of the unstated settings."""
    return cell.name if choice == MAIN else f"{cell.name}; {choice}"


def kind_of(name: str) -> Kind:
    """The kind of a reading from its name.

    What follows the name of the main reading is another cell, if it begins with the name of a network or has the name
    of a queue or an initial window, and else another definition. All other readings are assumptions.
    """
    after = name.removeprefix(f"{MAIN}; ")
    if after == name:
        return "assumption"
    first, _, rest = after.partition("; ")
    if rest:
        return "definition"
    return "cell" if first.partition(",")[0] in OTHER_CELLS else "definition"


def reading(cell: Cell, choice: str = MAIN, choices: Choices = CHOICES) -> Reading:
    """A cell under one reading of the unstated settings."""
    text = Text(_text(), name=f"wireless_bursts/{SCENARIO}")
    return Reading(name_of(cell, choice), text, {**cell.overrides(), **choices[choice](cell)})


def variant(window: int, initial_rto_s: int | None = None) -> Variant:
    """An initial window, with an initial RTO other than the scenario's."""
    overrides: dict[str, object] = {"flows[*].initial_window": window}
    if initial_rto_s is None:
        return Variant(f"iw{window}", f"IW{window}", overrides)
    overrides["flows[*].initial_rto"] = f"{initial_rto_s}s"
    return Variant(f"iw{window}-rto{initial_rto_s}", f"IW{window}, RTO {initial_rto_s} s", overrides)


@dataclass(frozen=True, slots=True)
class Grids:
    """The grids of a study: every cell under the main reading, and with fewer replications under the other readings."""

    cells: Sequence[Cell]
    choices: Choices
    main: Grid
    swept: Grid
    seeds: Sequence[int]
    """Seeds of the main reading that the study states."""

    def of(self, choice: str) -> Grid:
        """The grid that a reading was run in."""
        return self.main if choice == MAIN else self.swept


def run_cells(
    lab: Lab,
    cells: Sequence[Cell],
    choices: Choices,
    variants: Sequence[Variant],
    measure: Callable[[Result], Mapping[str, float]],
    probes: Mapping[str, object],
) -> Grids:
    """Runs every cell under every reading."""

    def grid(some: Iterable[str], seeds: range, start: float, end: float, deciding: Collection[str]) -> Grid:
        readings = [reading(cell, choice, choices) for choice in some for cell in cells]
        probed = [Reading(one.name, one.scenario, {**one.overrides, **probes}) for one in readings]
        return lab.part(start, end).grid(probed, variants, seeds, measure, deciding)

    main = lab.seeds(REPLICATIONS, QUICK_REPLICATIONS)
    swept = lab.seeds(SWEPT_REPLICATIONS, QUICK_SWEPT_REPLICATIONS)
    others = [choice for choice in choices if choice != MAIN]
    deciding = [name_of(cell) for cell in cells]
    return Grids(cells, choices, grid([MAIN], main, 0, 0.3, deciding), grid(others, swept, 0.3, 0.95, ()), main)


def choose(
    cells: Iterable[Cell],
    *,
    networks: Iterable[str] = (),
    buffers: Iterable[str] = (),
    flows: Iterable[int] = (),
) -> list[Cell]:
    """The cells with these networks, buffers and numbers of flows. An empty argument accepts all."""
    wanted: list[set[object]] = [set(networks), set(buffers), set(flows)]

    def fits(cell: Cell) -> bool:
        own: list[object] = [cell.network.name, cell.buffer, cell.flows]
        return all(not some or one in some for one, some in zip(own, wanted, strict=True))

    return [cell for cell in cells if fits(cell)]


def everywhere(
    grids: Grids, cells: Sequence[Cell], estimate: Callable[[Grid, list[str]], Estimate]
) -> dict[str, Estimate]:
    """An estimate over some cells under every reading, and of each of the cells under the main one."""
    over = {c: estimate(grids.of(c), [name_of(cell, c) for cell in cells]) for c in grids.choices}
    return over | {f"{MAIN}; {cell.name}": estimate(grids.main, [cell.name]) for cell in cells}


def outcome(
    grids: Grids,
    *,
    claims: Sequence[ClaimResult],
    findings: str,
    sheets: Sequence[Sheet],
    figures: Sequence[Figure],
) -> Outcome:
    """The outcome of a study of these cells."""
    return Outcome(
        claims=claims,
        seeds=grids.seeds,
        findings=findings,
        sheets=sheets,
        runs={"runs": grids.main, "swept-runs": grids.swept},
        figures=figures,
        files={SCENARIO: _text()},
        hashes={
            name: hashed
            for grid in (grids.main, grids.swept)
            for name, hashed in hashes(grid.readings, grid.variants[0]).items()
        },
    )
