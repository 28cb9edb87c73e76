"""Compares the claims with the measured numbers under every reading."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import ClaimResult, Sheet, assess_all, geometric, load_claims, study_file
from ackclock.studies.framework.setups.wireless_bursts.cells import MAIN, NETWORKS, choose, everywhere, name_of
from ackclock.studies.framework.setups.wireless_bursts.windows import (
    IW3,
    IW10,
    VARIANTS,
    change,
    delay_change,
    measure_claims,
    spread_change,
)
from ackclock.studies.iw10_aqm.queues import ALONE, FIFO, RED, REDOK

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Variant
    from ackclock.studies.framework.setups.wireless_bursts.cells import Cell, Grids, Network

__all__ = ["LONGEST", "assess_claims", "longest_sheet", "packets_waiting"]

SIXTH = 6
"""The replications are divided into six parts; the longest delay of each part is one sample."""

OF_PARTS = "the longest of a sixth of the replications"
OF_ALL = "the longest of all replications"

LONGEST: dict[str, tuple[int, Variant, str]] = {
    "redok-one-flow-iw10": (1, IW10, "EDGE"),
    "redok-one-flow-iw3": (1, IW3, "EDGE"),
    "redok-six-flows-iw10": (6, IW10, "HSPA"),
    "redok-six-flows-iw3": (6, IW3, "HSPA"),
}
"""Claims of the longest delay: flows, variant, and the network that the published delay is possible and likely on."""


def assess_claims(grids: Grids) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    measured = _competition(grids) | _delays(grids)
    for identifier, (flows, one, network) in LONGEST.items():
        measured[identifier] = _longest(grids, flows, one, network)
    return assess_all(__package__, measured.__getitem__, MAIN)


def _competition(grids: Grids) -> dict[str, dict[str, Estimate]]:
    """The estimates for the claims on elapsed times and fairness, over both queues and over each."""
    measured = measure_claims(grids, choose(grids.cells, buffers=(RED, REDOK)))
    for queue in (RED, REDOK):
        of_queue = measure_claims(grids, choose(grids.cells, buffers=(queue,)))
        for identifier, readings in of_queue.items():
            measured[identifier][f"{MAIN}; {queue}"] = readings[MAIN]
    # Bursts that never meet do not share the link.
    return {key: {name: one for name, one in some.items() if name != ALONE} for key, some in measured.items()}


def _delays(grids: Grids) -> dict[str, dict[str, Estimate]]:
    """The estimates for the claims on one-way delays, by claim and reading. Each queue has claims of its own."""

    def of(queues: tuple[str, ...], flows: int) -> list[Cell]:
        return choose(grids.cells, buffers=queues, flows=(flows,))

    def both(flows: int, measured: Callable[[Grids, Sequence[Cell]], dict[str, Estimate]]) -> dict[str, Estimate]:
        each = {f"{MAIN}; {queue}": measured(grids, of((queue,), flows))[MAIN] for queue in (RED, REDOK)}
        return measured(grids, of((RED, REDOK), flows)) | each

    one, two = delay_change(grids, of((RED,), 1)), both(2, delay_change)
    all_red = choose(grids.cells, buffers=(RED,))
    return {
        "red-one-flow": one,
        "red-one-flow-slightly": one,
        "red-like-fifo": _against_fifo(grids, 1) | {f"{MAIN}; 6+6": _against_fifo(grids, 6)[MAIN]},
        "redok-one-flow": delay_change(grids, of((REDOK,), 1)),
        "red-six-flows": delay_change(grids, of((RED,), 6)),
        "red-six-spread": spread_change(grids, of((RED,), 6)),
        "redok-six-tail-drops": _tail_drops(grids, of((REDOK,), 6))
        | {f"{MAIN}; {queue}": _tail_drops(grids, of((queue,), 6))[MAIN] for queue in (RED, FIFO)},
        "redok-six-flows": delay_change(grids, of((REDOK,), 6)),
        "delay-two-flows": two,
        "delay-two-flows-slightly": two,
        "delay-many-flows": both(18, delay_change),
        "delay-many-flows-highest": both(18, lambda grids, cells: change(grids, cells, "delay_max_ms")),
        "red-no-control": change(grids, all_red, "queue_delay_mean_ms")
        | {f"{MAIN}; REDok": change(grids, choose(grids.cells, buffers=(REDOK,)), "queue_delay_mean_ms")[MAIN]},
    }


def _against_fifo(grids: Grids, flows: int) -> dict[str, Estimate]:
    """The mean one-way delay with RED in per cent above that with a FIFO queue of the same buffer, by reading."""

    def logs(choice: str, queue: str, network: str) -> NDArray[np.float64]:
        (cell,) = choose(grids.cells, networks=(network,), buffers=(queue,), flows=(flows,))
        grid = grids.of(choice)
        values = [np.log(grid.values(name_of(cell, choice), one.name, "delay_mean_ms")) for one in VARIANTS]
        return np.asarray(np.mean(values, axis=0))

    def of(choice: str, networks: Sequence[str]) -> Estimate:
        return geometric(np.mean([logs(choice, RED, one) - logs(choice, FIFO, one) for one in networks], axis=0))

    names = [network.name for network in NETWORKS]
    return {choice: of(choice, names) for choice in grids.choices} | {
        f"{MAIN}; {one}": of(MAIN, [one]) for one in names
    }


def _tail_drops(grids: Grids, cells: Sequence[Cell]) -> dict[str, Estimate]:
    """The part of the dropped packets that the queue dropped because it was full, in per cent, by reading."""

    def share(grid: Grid, names: list[str], variants: Sequence[Variant] = VARIANTS) -> Estimate | None:
        full, drops = (
            np.mean([grid.over(names, one.name, measure) for one in variants], axis=0)
            for measure in ("tail_drops", "drops")
        )
        if not drops.any():
            return None
        part = full.mean() / drops.mean()
        # The interval is that of the linearised ratio.
        return stats.mean(part + (full - part * drops) / drops.mean()).scaled(100)

    measured = {c: share(grids.of(c), [name_of(cell, c) for cell in cells]) for c in grids.choices}
    measured |= {f"{MAIN}; {cell.name}": share(grids.main, [cell.name]) for cell in cells}
    names = [cell.name for cell in cells]
    measured |= {f"{MAIN}; {one.label}": share(grids.main, names, (one,)) for one in VARIANTS}
    return {name: one for name, one in measured.items() if one is not None}


def _longest(grids: Grids, flows: int, one: Variant, network: str) -> dict[str, Estimate]:
    """The mean over the runs of the longest one-way delay in seconds, and other readings of "longest"."""

    def of_runs(grid: Grid, names: list[str]) -> Estimate:
        return stats.mean(grid.over(names, one.name, "delay_max_ms") / 1e3)

    (cell,) = choose(grids.cells, networks=(network,), buffers=(REDOK,), flows=(flows,))
    measured = everywhere(grids, [cell], of_runs)
    others = [
        *choose(grids.cells, buffers=(REDOK,), flows=(flows,)),
        *choose(grids.cells, networks=(network,), buffers=(REDOK,)),
    ]
    for other in dict.fromkeys(others):
        name = f"{MAIN}; {other.name}"
        measured[name] = of_runs(grids.main, [other.name])
        parts = np.array_split(grids.main.values(other.name, one.name, "delay_max_ms"), SIXTH)
        longest = stats.mean([part.max() / 1e3 for part in parts])
        measured[f"{name}; {OF_PARTS}"] = longest
        # The maximum of all has no interval of its own; that of the parts shows how far maxima scatter.
        least, most = (extreme(part.max() / 1e3 for part in parts) for extreme in (min, max))
        measured[f"{name}; {OF_ALL}"] = replace(longest, value=most, low=least, high=most)
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
