"""Compares the claims with the measured numbers under every reading."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import ClaimResult, Sheet, assess_all, geometric, load_claims, study_file
from ackclock.studies.framework.setups.wireless_bursts.cells import (
    MAIN,
    NETWORKS,
    choose,
    everywhere,
    kind_of,
    name_of,
)
from ackclock.studies.framework.setups.wireless_bursts.windows import (
    DELAY_MEASURES,
    IW3,
    IW10,
    SHOWN,
    VARIANTS,
    change,
    delay_change,
    highest_end,
    measure_claims,
    shown,
    spread_change,
)
from ackclock.studies.iw10_aqm.queues import FIFO, RED, REDOK

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Variant
    from ackclock.studies.framework.setups.wireless_bursts.cells import Cell, Grids, Network

__all__ = ["LONGEST", "assess_claims", "competition_sheet", "longest_sheet", "packets_waiting"]

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
    measured = _delays(grids)
    for identifier, (flows, one, network) in LONGEST.items():
        measured[identifier] = _longest(grids, flows, one, network)
    return assess_all(__package__, measured.__getitem__, MAIN, kind_of)


def _delays(grids: Grids) -> dict[str, dict[str, Estimate]]:
    """The estimates for the claims on one-way delays, by claim and reading. Each queue has claims of its own."""

    def of(*queues: str) -> list[Cell]:
        return choose(grids.cells, buffers=queues)

    def delays(some: Sequence[Cell]) -> dict[str, Estimate]:
        return delay_change(grids, some)

    def both(flows: int, measured: Callable[[Grids, Sequence[Cell]], dict[str, Estimate]]) -> dict[str, Estimate]:
        each = {f"{MAIN}; {queue}": measured(grids, choose(of(queue), flows=(flows,)))[MAIN] for queue in (RED, REDOK)}
        return measured(grids, choose(of(RED, REDOK), flows=(flows,))) | each

    one, two = shown(of(RED), 1, delays), both(2, delay_change)
    return {
        "red-one-flow": one,
        "red-one-flow-slightly": one,
        "red-like-fifo": _against_fifo(grids),
        "redok-one-flow": shown(of(REDOK), 1, delays),
        "red-six-flows": shown(of(RED), 6, delays),
        "red-six-spread": shown(of(RED), 6, lambda some: spread_change(grids, some)),
        "redok-six-tail-drops": shown(of(REDOK), 6, lambda some: _tail_drops(grids, some))
        | {f"{MAIN}; HSPA, {queue}, 6+6": _tail_drops(grids, _hspa_six(grids, queue))[MAIN] for queue in (RED, FIFO)},
        "redok-six-flows": shown(of(REDOK), 6, lambda some: change(grids, some, "delay_max_ms"))
        | _other_measures(grids, _hspa_six(grids, REDOK)),
        "delay-two-flows": two,
        "delay-two-flows-slightly": two,
        "delay-many-flows": both(18, delay_change),
        "delay-many-flows-highest": both(18, highest_end),
        "red-no-control": change(grids, of(RED), "queue_delay_mean_ms")
        | {f"{MAIN}; REDok": change(grids, of(REDOK), "queue_delay_mean_ms")[MAIN]},
    }


def _hspa_six(grids: Grids, queue: str) -> list[Cell]:
    return choose(grids.cells, networks=(SHOWN[6],), buffers=(queue,), flows=(6,))


def _other_measures(grids: Grids, cells: Sequence[Cell]) -> dict[str, Estimate]:
    """The change of other measures than the longest one-way delay of a run, by reading."""
    names = [cell.name for cell in cells]
    measures = {"delay_mean_ms": "the mean", **{key: f"the {what}" for key, what in DELAY_MEASURES.items()}}
    del measures["delay_max_ms"]
    found = {
        f"{MAIN}; {what} delay of a run": grids.main.geometric_change(names, IW10.name, IW3.name, key)
        for key, what in measures.items()
    }
    more, few = (
        np.array([part.max() for part in np.array_split(grids.main.over(names, one.name, "delay_max_ms"), SIXTH)])
        for one in (IW10, IW3)
    )
    return found | {f"{MAIN}; {OF_PARTS}": geometric(np.log(more / few))}


def _against_fifo(grids: Grids) -> dict[str, Estimate]:
    """The mean one-way delay with RED in per cent above that with a FIFO queue of the same buffer, by reading."""

    def logs(choice: str, queue: str, network: str, flows: int) -> NDArray[np.float64]:
        (cell,) = choose(grids.cells, networks=(network,), buffers=(queue,), flows=(flows,))
        grid = grids.of(choice)
        values = [np.log(grid.values(name_of(cell, choice), one.name, "delay_mean_ms")) for one in VARIANTS]
        return np.asarray(np.mean(values, axis=0))

    def of(choice: str, networks: Sequence[str], flows: int = 1) -> Estimate:
        apart = [logs(choice, RED, one, flows) - logs(choice, FIFO, one, flows) for one in networks]
        return geometric(np.mean(apart, axis=0))

    names = [network.name for network in NETWORKS]
    others = {f"{MAIN}; {one}, {flows}+{flows}": of(MAIN, [one], flows) for one in names for flows in SHOWN}
    everywhere_else = {f"{MAIN}; all networks": of(MAIN, names)}
    return {choice: of(choice, [SHOWN[1]]) for choice in grids.choices} | others | everywhere_else


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


STATEMENTS = {
    "few-faster": ("1+1 and 2+2 flows: faster with IW10", "% of elapsed time"),
    "many-slower": ("6+6 and 18+18 flows: slower with IW10", "% of elapsed time"),
    "later-fairer": ("The later burst fares better", "% of later burst's time over first's"),
    "first-less-fair": ("Within the first burst less fair", "of Jain's index"),
    "later-less-fair": ("Within the later burst less fair", "of Jain's index"),
    "too-many-iw3": ("18+18 flows suboptimal, IW3", "% of the time of the best smaller number"),
    "too-many-iw10": ("18+18 flows suboptimal, IW10", "% of the time of the best smaller number"),
    "elapsed-improves": ("Elapsed times improve", "% of elapsed time"),
    "queueing-imposed": ("More queueing delay", "% of mean queueing delay"),
}
"""The statements on elapsed times and fairness, which count in the study iw10, and their units here."""


def competition_sheet(grids: Grids) -> Sheet:
    """Sheet of the values of the statements on elapsed times and fairness under RED and REDok, from IW3 to IW10."""
    rows: list[list[object]] = []
    for queue in (RED, REDOK):
        measured = measure_claims(grids, choose(grids.cells, buffers=(queue,)))
        for identifier, (statement, unit) in STATEMENTS.items():
            one = measured[identifier][MAIN]
            rows.append([queue, statement, one.value, one.low, one.high, unit])
    columns = ["queue", "statement", "measured", "low", "high", "unit"]
    caption = "95 % intervals, main reading. Each statement counts once, with FIFO queues, in the study iw10."
    return Sheet("competition", "Elapsed times and fairness under RED and REDok", columns, rows, caption)


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
