"""Compares the claims with the measured numbers under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import ClaimResult, Sheet, assess_all, load_claims, study_file
from ackclock.studies.framework.setups.wireless_bursts.cells import MAIN, NETWORKS, choose, everywhere
from ackclock.studies.framework.setups.wireless_bursts.windows import IW3, IW10, measure_claims
from ackclock.studies.iw10_aqm.queues import ALONE, RED, REDOK

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Variant
    from ackclock.studies.framework.setups.wireless_bursts.cells import Cell, Grids, Network

__all__ = ["LONGEST", "assess_claims", "longest_sheet", "packets_waiting"]

SIXTH = 6
"""The replications are divided into six parts; the longest delay of each part is one sample."""

OF_PARTS = "the longest of a sixth of the replications"


LONGEST: dict[str, tuple[int, Variant, str]] = {
    "redok-one-flow-iw10": (1, IW10, "EDGE"),
    "redok-one-flow-iw3": (1, IW3, "EDGE"),
    "redok-six-flows-iw10": (6, IW10, "HSPA"),
    "redok-six-flows-iw3": (6, IW3, "HSPA"),
}
"""Claims of the longest delay: flows, variant, and the network that the published delay is possible and likely on."""


def assess_claims(grids: Grids) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    measured = _competition(grids)
    measured["delay-one-flow"] = _delay(grids, {"1+1": (1,)})
    measured["delay-congested"] = _delay(grids, {"6+6": (6,), "18+18": (18,), "6+6 and 18+18": (6, 18)})
    for identifier, (flows, one, network) in LONGEST.items():
        measured[identifier] = _longest(grids, flows, one, network)
    return assess_all(__package__, measured.__getitem__, MAIN)


def _competition(grids: Grids) -> dict[str, dict[str, Estimate]]:
    """The estimates for the claims on elapsed times and fairness, over both queues and over each."""
    measured = measure_claims(grids, grids.cells)
    for queue in (RED, REDOK):
        of_queue = measure_claims(grids, choose(grids.cells, buffers=(queue,)))
        for identifier, readings in of_queue.items():
            measured[identifier][f"{MAIN}; {queue}"] = readings[MAIN]
    # Bursts that never meet do not share the link.
    return {key: {name: one for name, one in some.items() if name != ALONE} for key, some in measured.items()}


def _delay(grids: Grids, kinds: dict[str, tuple[int, ...]]) -> dict[str, Estimate]:
    """The change of one-way delay from IW3 to IW10. The main reading has the first of `kinds`."""

    def changed(measure: str) -> Callable[[Grid, list[str]], Estimate]:
        return lambda grid, names: grid.geometric_change(names, IW10.name, IW3.name, measure)

    first, *others = kinds
    cells = choose(grids.cells, flows=kinds[first])
    measured = everywhere(grids, cells, changed("delay_mean_ms"))

    def over(some: Sequence[Cell], measure: str) -> Estimate:
        return changed(measure)(grids.main, [cell.name for cell in some])

    for queue in (RED, REDOK):
        measured[f"{MAIN}; {queue}"] = over(choose(cells, buffers=(queue,)), "delay_mean_ms")
    for name in others:
        measured[f"{MAIN}; {name}"] = over(choose(grids.cells, flows=kinds[name]), "delay_mean_ms")
    for measure, name in (
        ("delay_median_ms", "median"),
        ("delay_p95_ms", "95th percentile"),
        ("delay_max_ms", "maximum"),
    ):
        measured[f"{MAIN}; {name} of a run"] = over(cells, measure)
    return measured


def _longest(grids: Grids, flows: int, one: Variant, network: str) -> dict[str, Estimate]:
    """The mean over the runs of the longest one-way delay in seconds, and other readings of "longest"."""

    def of_runs(grid: Grid, names: list[str]) -> Estimate:
        return stats.mean(grid.over(names, one.name, "delay_max_ms") / 1e3)

    (cell,) = choose(grids.cells, networks=(network,), buffers=(REDOK,), flows=(flows,))
    measured = everywhere(grids, [cell], of_runs)
    for other in choose(grids.cells, buffers=(REDOK,), flows=(flows,)):
        name = f"{MAIN}; {other.name}"
        measured[name] = of_runs(grids.main, [other.name])
        parts = np.array_split(grids.main.values(other.name, one.name, "delay_max_ms"), SIXTH)
        measured[f"{name}; {OF_PARTS}"] = stats.mean([part.max() / 1e3 for part in parts])
    return measured


def packets_waiting(network: Network, delay_s: float, source_delay_ms: int = 11) -> float:
    """The number of packets of 1500 bytes in the queue before a packet with this one-way delay."""
    apart = delay_s * 1e3 - source_delay_ms - network.delay_ms
    return apart * 1e3 / network.packet_us - 1


def longest_sheet(grids: Grids) -> Sheet:
    """The published longest delays, the measured ones on every network under REDok, and the queue each one needs."""
    claims = load_claims(study_file(__package__, "claims.toml"))
    rows: list[list[object]] = []
    for identifier, (flows, one, _) in LONGEST.items():
        published = claims[identifier].published
        assert isinstance(published, float)  # noqa: S101 -- claims.toml has numbers there, and a test holds them
        for network in NETWORKS:
            (cell,) = choose(grids.cells, networks=(network.name,), buffers=(REDOK,), flows=(flows,))
            seconds = grids.main.values(cell.name, one.name, "delay_max_ms") / 1e3
            rows.append(
                [
                    cell.name,
                    one.label,
                    published,
                    round(packets_waiting(network, published), 1),
                    cell.packets,
                    float(np.mean(seconds)),
                    float(np.min(seconds)),
                    float(np.max(seconds)),
                ]
            )
    columns = ["cell", "variant", "published s", "packets before it there", "buffer", "mean s", "least s", "most s"]
    caption = (
        "The longest one-way delay of each run under the main reading: mean, least and most over the replications. "
        "A published delay is possible only where the packets before it are neither below none nor above the buffer."
    )
    return Sheet("longest", "REDok: longest one-way delays", columns, rows, caption)
