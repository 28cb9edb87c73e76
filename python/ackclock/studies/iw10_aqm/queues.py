"""The queues of the slides' table with the settings of their backup slide, and the readings of what neither states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.studies.framework.setups.wireless_bursts import cells
from ackclock.studies.framework.setups.wireless_bursts.cells import FLOWS, NETWORKS, Cell, always, choose

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ackclock.studies.framework.setups.wireless_bursts.cells import Choices

__all__ = ["ALONE", "CELLS", "CHOICES", "DRAWN", "FIFO", "FIFO_CELLS", "RED", "REDOK", "RedCell", "Settings", "red_off"]

_QUEUE = "bottleneck.queue"

RED, REDOK, FIFO = "RED", "REDok", "FIFO"

PRINTED = {
    "bytes": True,
    "queue_in_bytes": True,
    "gentle": False,
    "wait": False,
    "setbit": False,
    "use_mark_p": False,
    "mean_pktsize": "1500B",
}
"""The settings of the backup slide. Its idle_pktsize_ of 1500 is the mean size here, and its linterm_ is 1/max_p."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Parameters of RED, and the buffer."""

    q_weight: float
    max_p: float
    thresh: int
    """Minimum threshold, in packets."""
    maxthresh: int
    """Maximum threshold, in packets."""
    packets: int
    """The buffer."""


TABLE = {
    (RED, "EDGE"): Settings(0.002, 0.1, 3, 9, 14),
    (RED, "HSPA"): Settings(0.002, 0.1, 5, 20, 48),
    (RED, "LTE"): Settings(0.002, 0.1, 5, 20, 250),
    (REDOK, "EDGE"): Settings(0.2, 0.65, 3, 40, 50),
    (REDOK, "HSPA"): Settings(0.02, 0.65, 3, 50, 100),
    (REDOK, "LTE"): Settings(0.001, 0.1, 5, 125, 400),
}
"""The slides' table, by queue and network. Buffers of RED are two BDP."""


@dataclass(frozen=True, slots=True)
class RedCell(Cell):
    """One network, queue and number of flows."""

    settings: Settings

    def overrides(self) -> dict[str, object]:
        """The overrides of the scenario for this cell."""
        red = self.settings
        queue: dict[str, object] = {
            "kind": "red",
            **PRINTED,
            "limit": f"{red.packets} packets",
            "q_weight": red.q_weight,
            "max_p": red.max_p,
            "thresh": red.thresh,
            "maxthresh": red.maxthresh,
        }
        return {**Cell.overrides(self), _QUEUE: queue}


CELLS = tuple(
    RedCell(network, queue, TABLE[queue, network.name].packets, flows, TABLE[queue, network.name])
    for network in NETWORKS
    for queue in (RED, REDOK)
    for flows in FLOWS
)

FIFO_CELLS = tuple(
    Cell(network, FIFO, TABLE[RED, network.name].packets, flows) for network in NETWORKS for flows in (1, 6)
)
"""FIFO queues with the buffers of RED, for the claim that RED behaves like them."""

DRAWN = choose(CELLS, flows=(1, 6))
"""The cells whose one-way delays the slides show."""

ALONE = "each burst alone"
"""The later burst starts long after the end of the first. Only one-way delays are read from it: nothing competes."""


def _departing(setting: str, value: object) -> Callable[[Cell], Mapping[str, object]]:
    return lambda cell: {f"{_QUEUE}.{setting}": value} if isinstance(cell, RedCell) else {}


NEVER = 1_000_000
"""A threshold, in packets, that no queue of the study reaches."""


def red_off(overrides: Mapping[str, object]) -> dict[str, object]:
    """Takes its drops from RED, so that its queue is a FIFO queue with the same buffer."""
    if not isinstance(overrides.get(_QUEUE), dict):
        return {}
    return {f"{_QUEUE}.thresh": NEVER, f"{_QUEUE}.maxthresh": 2 * NEVER}


CHOICES: Choices = {
    **{name: choice for name, choice in cells.CHOICES.items() if name != cells.ONE_PACKET_LESS},
    ALONE: always({"flows[1].start": "300s", "flows[1].group_jitter": "0s"}),
    "departure: RED is gentle": _departing("gentle", value=True),
    "departure: RED waits between drops": _departing("wait", value=True),
    "departure: RED's mean packet of 500 bytes": _departing("mean_pktsize", "500B"),
}
"""One change of the main reading at a time. Departures change what the slides print, to show its weight."""
