"""Figures as on the slides: quantiles of elapsed times and fairness of each burst, and one-way delays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.studies.framework.grid import job
from ackclock.studies.framework.setups.wireless_bursts.cells import choose, reading
from ackclock.studies.framework.setups.wireless_bursts.measures import BURSTS, DELAY_PROBE, QUARTILES, one_way_delays

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.studies.framework.grid import Grid, Variant
    from ackclock.studies.framework.lab import Lab
    from ackclock.studies.framework.setups.wireless_bursts.cells import Cell
    from ackclock.studies.framework.setups.wireless_bursts.measures import Distribution

__all__ = ["delays", "per_buffer", "pooled_delays"]

MOST_DRAWN = 20
"""Most replications whose one-way delays are pooled for a figure."""

APART = 0.12
"""Horizontal distance of the marks of two series at the same number of flows."""

FLOWS_LABEL = "flows of a burst (1, 2, 6, 18)"


def per_buffer(grid: Grid, cells: Sequence[Cell], variants: Sequence[Variant], command: str) -> list[Figure]:
    """Elapsed times and fairness of both bursts by number of flows: two figures for each network and buffer."""
    figures: list[Figure] = []
    for network, buffer in dict.fromkeys((cell.network.name, cell.buffer) for cell in cells):
        mine = choose(cells, networks=(network,), buffers=(buffer,))
        figures.append(_elapsed(grid, mine, variants, command))
        figures.append(_fairness(grid, mine[1:], variants, command))
    return figures


def _series(
    cells: Sequence[Cell], variants: Sequence[Variant]
) -> list[tuple[str, str, NDArray[np.float64], Variant, str]]:
    """Label, colour, places, variant and burst of each series."""
    kinds = [(one, burst) for one in variants for burst in BURSTS]
    flows = np.array([cell.flows for cell in cells], dtype=np.float64)
    return [
        (f"{one.label}, {burst} burst", colour_of(index), flows + APART * (index - (len(kinds) - 1) / 2), one, burst)
        for index, (one, burst) in enumerate(kinds)
    ]


def _elapsed(grid: Grid, cells: Sequence[Cell], variants: Sequence[Variant], command: str) -> Figure:
    series = []
    for label, colour, x, one, burst in _series(cells, variants):
        pooled = [
            np.concatenate([grid.values(cell.name, one.name, f"{burst}_q{quartile}_s") for quartile in QUARTILES])
            for cell in cells
        ]
        low, middle, high = np.percentile(pooled, (25, 50, 75), axis=1)
        series.append(Series(label, x, middle, colour, "interval", low, high))
    caption = "Median and quartiles of the flows' elapsed times over all replications. Marks are moved apart sideways."
    title = f"Elapsed time, {cells[0].network.name}, {cells[0].buffer}"
    return Plot(title, FLOWS_LABEL, "elapsed time (s)", series, caption, command)


def _fairness(grid: Grid, cells: Sequence[Cell], variants: Sequence[Variant], command: str) -> Figure:
    series = []
    for label, colour, x, one, burst in _series(cells, variants):
        means = [grid.mean(cell.name, one.name, f"{burst}_fairness") for cell in cells]
        low, high = [mean.low for mean in means], [mean.high for mean in means]
        series.append(Series(label, x, [mean.value for mean in means], colour, "interval", low, high))
    caption = "Jain's index of the flows of a burst: means with 95 % intervals. 1 is fair."
    title = f"Fairness within a burst, {cells[0].network.name}, {cells[0].buffer}"
    return Plot(title, FLOWS_LABEL, "Jain's index", series, caption, command, from_zero=False)


def pooled_delays(
    lab: Lab, cells: Sequence[Cell], variants: Sequence[Variant], seeds: Sequence[int], command: str
) -> list[Figure]:
    """Runs the main reading of some cells anew, and draws the one-way delays over the replications together."""
    seeds = seeds[:MOST_DRAWN]
    kinds = [(cell, one) for cell in cells for one in variants]
    runs = lab.run([job(reading(cell), one, seed, DELAY_PROBE) for cell, one in kinds for seed in seeds])
    sampled = {
        (cell, one.name): one_way_delays(runs[index * len(seeds) : (index + 1) * len(seeds)])
        for index, (cell, one) in enumerate(kinds)
    }
    return delays(sampled, variants, command, f"seeds {seeds[0]} to {seeds[-1]}")


def delays(
    sampled: Mapping[tuple[Cell, str], Distribution], variants: Sequence[Variant], command: str, seeds: str
) -> list[Figure]:
    """Distribution functions of the one-way delay by cell and variant: a figure for each network and buffer."""
    caption = (
        f"Data packets of both bursts from the senders' hosts to their receivers', over replications with {seeds}."
    )
    figures: list[Figure] = []
    for network, buffer in dict.fromkeys((cell.network.name, cell.buffer) for cell, _ in sampled):
        mine = choose(dict.fromkeys(cell for cell, _ in sampled), networks=(network,), buffers=(buffer,))
        kinds = [(cell, one) for cell in mine for one in variants]
        series = [
            Series(
                f"{one.label}, {cell.flows}+{cell.flows} flows",
                *sampled[cell, one.name].curve(),
                colour_of(index),
                "step",
                dashed=cell is not mine[0],
            )
            for index, (cell, one) in enumerate(kinds)
        ]
        title = f"One-way delay, {network}, {buffer}"
        figures.append(Plot(title, "one-way delay (ms)", "part of the packets", series, caption, command))
    return figures
