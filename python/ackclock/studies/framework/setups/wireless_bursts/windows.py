"""The comparison of an initial window of 3 segments with one of 10: estimates for claims, findings and a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework.grid import geometric
from ackclock.studies.framework.nulls import held
from ackclock.studies.framework.setups.wireless_bursts.cells import (
    FEW,
    MAIN,
    MORE,
    choose,
    everywhere,
    name_of,
    variant,
)
from ackclock.studies.framework.setups.wireless_bursts.measures import BURSTS, delays, transfers
from ackclock.studies.framework.study import Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.results.result import Result
    from ackclock.stats import Estimate
    from ackclock.studies.framework.grid import Grid, Variant
    from ackclock.studies.framework.setups.wireless_bursts.cells import Cell, Grids

__all__ = [
    "DELAY_MEASURES",
    "IW3",
    "IW10",
    "IW10_OFF",
    "SHOWN",
    "VARIANTS",
    "cells_sheet",
    "change",
    "delay_change",
    "findings",
    "highest_end",
    "iw10_off",
    "measure_claims",
    "shown",
    "spread_change",
    "suboptimal",
    "transfers_and_delays",
]

IW3, IW10 = variant(3), variant(10)
VARIANTS = (IW3, IW10)

IW10_OFF = "IW10 off"
iw10_off = held({"flows[*].initial_window": 3})
"""The null reading of what an initial window of ten segments does: every flow begins with three."""

SHOWN = {1: "EDGE", 6: "HSPA"}
"""Number of flows to the network whose one-way delays the slides show.

No slide names it. The longest delays that stand beside the curves of one flow, 2.80 s and 2.06 s, are possible on EDGE
alone, and those beside the curves of six flows, 0.429 s and 0.296 s, on HSPA alone.
"""

DELAY_MEASURES = {
    "delay_median_ms": "median",
    "delay_p95_ms": "95th percentile",
    "delay_p99_ms": "99th percentile",
    "delay_max_ms": "maximum",
}
"""Measures of the one-way delays of a run beside their mean, and their names."""


def transfers_and_delays(result: Result) -> dict[str, float]:
    """The measures of `transfers` and of `delays`."""
    return transfers(result) | delays(result)


def change(grids: Grids, cells: Sequence[Cell], measure: str) -> dict[str, Estimate]:
    """The change of a measure from IW3 to IW10 in per cent, geometric over some cells, by reading."""
    return everywhere(grids, cells, lambda grid, names: grid.geometric_change(names, IW10.name, IW3.name, measure))


def delay_change(grids: Grids, cells: Sequence[Cell], measures: dict[str, str] = DELAY_MEASURES) -> dict[str, Estimate]:
    """The change of the mean one-way delay from IW3 to IW10 in per cent. Other measures are readings."""
    names = [cell.name for cell in cells]
    return change(grids, cells, "delay_mean_ms") | {
        f"{MAIN}; {label} of a run": grids.main.geometric_change(names, IW10.name, IW3.name, measure)
        for measure, label in measures.items()
    }


def highest_end(grids: Grids, cells: Sequence[Cell]) -> dict[str, Estimate]:
    """Difference between the changes of the longest and of the mean one-way delay from IW3 to IW10, in %, by reading.

    The value is above 0 where the highest end is an exception from a decrease, and 0 where nothing changes.
    """

    def more(grid: Grid, names: list[str]) -> Estimate:
        longest, mean = (
            grid.log_ratios(names, IW10.name, IW3.name, measure) for measure in ("delay_max_ms", "delay_mean_ms")
        )
        return geometric(longest - mean)

    alone = change(grids, cells, "delay_max_ms")[MAIN]
    return everywhere(grids, cells, more) | {f"{MAIN}; the change of the longest delay alone": alone}


def spread_change(grids: Grids, cells: Sequence[Cell]) -> dict[str, Estimate]:
    """The change of the standard deviation of one-way delays from IW3 to IW10 in per cent, by reading."""
    names = [cell.name for cell in cells]
    relative = grids.main.geometric_change(names, IW10.name, IW3.name, "delay_relative_spread")
    return change(grids, cells, "delay_spread_ms") | {f"{MAIN}; relative to the mean delay": relative}


def shown(
    cells: Sequence[Cell], flows: int, measured: Callable[[Sequence[Cell]], Mapping[str, Estimate]]
) -> dict[str, Estimate]:
    """The estimates of the network that a slide shows with this number of flows, by reading.

    Beside them stand the cells of the other networks, and the mean of all.
    """
    mine, every = choose(cells, networks=(SHOWN[flows],), flows=(flows,)), choose(cells, flows=(flows,))
    over = measured(every)
    others = {name: over[name] for name in (f"{MAIN}; {cell.name}" for cell in every) if name in over}
    return {**others, f"{MAIN}; all networks": over[MAIN], **measured(mine)}


def suboptimal(grids: Grids, one: Variant, cells: Sequence[Cell], few: Sequence[int], many: int) -> dict[str, Estimate]:
    """The time that `many` flows need for the two bursts, in per cent above that of the best smaller number of flows.

    The best number is that with the least geometric mean time. It is found for each network and buffer and reading.
    """

    def above_best(grid: Grid, choice: str, network: str, buffer: str) -> NDArray[np.float64]:
        def logs(flows: int) -> NDArray[np.float64]:
            (cell,) = choose(cells, networks=(network,), buffers=(buffer,), flows=(flows,))
            return np.log(grid.values(name_of(cell, choice), one.name, "longest_s"))

        best = min((logs(flows) for flows in few), key=lambda times: float(times.mean()))
        return np.asarray(logs(many) - best)

    def of(choice: str, some: Sequence[Cell]) -> Estimate:
        grid = grids.of(choice)
        places = dict.fromkeys((cell.network.name, cell.buffer) for cell in some)
        return geometric(np.mean([above_best(grid, choice, *place) for place in places], axis=0))

    crowded = choose(cells, flows=(many,))
    measured = {choice: of(choice, crowded) for choice in grids.choices}
    return measured | {f"{MAIN}; {cell.name}": of(MAIN, [cell]) for cell in crowded}


def measure_claims(grids: Grids, cells: Sequence[Cell]) -> dict[str, dict[str, Estimate]]:
    """The estimates for the claims on elapsed time and fairness, by claim and reading, over some of the cells."""

    def changed(measure: str, *flows: int) -> dict[str, Estimate]:
        return change(grids, choose(cells, flows=flows), measure)

    def fairness(burst: str) -> dict[str, Estimate]:
        def estimate(grid: Grid, names: list[str]) -> Estimate:
            measure = f"{burst}_fairness"
            return stats.paired_difference(*(grid.over(names, one.name, measure) for one in (IW10, IW3)))

        return everywhere(grids, choose(cells, flows=(2, 6, 18)), estimate)

    return {
        "few-faster": changed("mean_s", *FEW),
        "many-slower": changed("mean_s", *MORE) | {f"{MAIN}; 18+18": changed("mean_s", 18)[MAIN]},
        "later-fairer": changed("later_over_first"),
        "first-less-fair": fairness("first"),
        "later-less-fair": fairness("later"),
        "too-many-iw3": suboptimal(grids, IW3, cells, (1, 2, 6), 18),
        "too-many-iw10": suboptimal(grids, IW10, cells, (1, 2, 6), 18),
        "elapsed-improves": changed("mean_s"),
        "queueing-imposed": changed("queue_delay_mean_ms"),
    }


def findings(grids: Grids) -> str:
    """The cells in which IW10 shortens elapsed times and those in which it lengthens them, in Markdown."""
    faster: list[str] = []
    slower: list[str] = []
    neither: list[str] = []
    for cell in grids.cells:
        moved = grids.main.geometric_change([cell.name], IW10.name, IW3.name, "mean_s")
        text = f"{cell.name} ({moved.value:+.0f} %)"
        (faster if moved.high < 0 else slower if moved.low > 0 else neither).append(text)
    lines = ["## Where IW10 helps, and where it harms", "Elapsed time under the main reading, against IW3:", ""]
    for what, cells in (("shorter", faster), ("longer", slower), ("neither", neither)):
        lines.append(f"- {what} in {len(cells)} of {len(grids.cells)} cells: {'; '.join(cells) or 'none'}.")
    return "\n".join(lines)


def cells_sheet(grids: Grids) -> Sheet:
    """Every cell and variant of the main reading."""
    grid = grids.main
    rows: list[list[object]] = []
    measures = [f"{burst}_{what}" for burst in BURSTS for what in ("mean_s", "q100_s", "fairness")]
    measures += ["later_over_first", "drops", "tail_drops", "queue_delay_mean_ms", "delay_mean_ms", "delay_max_ms"]
    for cell in grids.cells:
        for one in grid.variants:
            means = [grid.mean(cell.name, one.name, name).value for name in measures]
            rows.append([cell.name, one.label, *means])
    columns = ["cell", "variant"]
    columns += [f"{burst}: {what}" for burst in BURSTS for what in ("mean s", "longest s", "fairness")]
    columns += ["later / first", "dropped", "of them by overflow", "mean queueing ms", "mean delay ms", "longest ms"]
    return Sheet("cells", "Every cell", columns, rows, "Means over the replications, main reading.")
