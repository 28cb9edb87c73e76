"""The comparison of an initial window of 3 segments with one of 10: estimates for claims, findings and a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock import stats
from ackclock.studies.framework.setups.wireless_bursts.cells import choose, everywhere, variant
from ackclock.studies.framework.setups.wireless_bursts.measures import BURSTS
from ackclock.studies.framework.study import Sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.stats import Estimate
    from ackclock.studies.framework.grid import Grid
    from ackclock.studies.framework.setups.wireless_bursts.cells import Cell, Grids

__all__ = ["IW3", "IW10", "VARIANTS", "cells_sheet", "findings", "measure_claims"]

IW3, IW10 = variant(3), variant(10)
VARIANTS = (IW3, IW10)


def measure_claims(grids: Grids, cells: Sequence[Cell]) -> dict[str, dict[str, Estimate]]:
    """The estimates for the claims on elapsed time and fairness, by claim and reading, over some of the cells."""

    def changed(measure: str, *flows: int) -> dict[str, Estimate]:
        def estimate(grid: Grid, names: list[str]) -> Estimate:
            return grid.geometric_change(names, IW10.name, IW3.name, measure)

        return everywhere(grids, choose(cells, flows=flows), estimate)

    def fairness(burst: str) -> dict[str, Estimate]:
        def estimate(grid: Grid, names: list[str]) -> Estimate:
            measure = f"{burst}_fairness"
            return stats.paired_difference(*(grid.over(names, one.name, measure) for one in (IW10, IW3)))

        return everywhere(grids, choose(cells, flows=(2, 6, 18)), estimate)

    return {
        "few-faster": changed("mean_s", 1, 2),
        "many-slower": changed("mean_s", 18),
        "later-fairer": changed("later_over_first"),
        "first-less-fair": fairness("first"),
        "later-less-fair": fairness("later"),
    }


def findings(grids: Grids) -> str:
    """The cells in which IW10 shortens elapsed times and those in which it lengthens them, in Markdown."""
    faster: list[str] = []
    slower: list[str] = []
    neither: list[str] = []
    for cell in grids.cells:
        change = grids.main.geometric_change([cell.name], IW10.name, IW3.name, "mean_s")
        text = f"{cell.name} ({change.value:+.0f} %)"
        (faster if change.high < 0 else slower if change.low > 0 else neither).append(text)
    lines = ["## Where IW10 helps, and where it harms", "Elapsed time under the main reading, against IW3:", ""]
    for what, cells in (("shorter", faster), ("longer", slower), ("neither", neither)):
        lines.append(f"- {what} in {len(cells)} of {len(grids.cells)} cells: {'; '.join(cells) or 'none'}.")
    return "\n".join(lines)


def cells_sheet(grids: Grids) -> Sheet:
    """Every cell and variant of the main reading."""
    grid = grids.main
    rows: list[list[object]] = []
    measures = [f"{burst}_{what}" for burst in BURSTS for what in ("mean_s", "q100_s", "fairness")]
    measures += ["later_over_first", "drops", "queue_delay_mean_ms"]
    for cell in grids.cells:
        for one in grid.variants:
            means = [grid.mean(cell.name, one.name, name).value for name in measures]
            rows.append([cell.name, one.label, *means])
    columns = ["cell", "variant"]
    columns += [f"{burst}: {what}" for burst in BURSTS for what in ("mean s", "longest s", "fairness")]
    columns += ["later / first", "dropped", "mean queueing ms"]
    return Sheet("cells", "Every cell", columns, rows, "Means over the replications, main reading.")
