"""Compares the claims with the measured numbers under every reading."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import ClaimResult, Sheet, assess_all, geometric
from ackclock.studies.framework.setups.wireless_bursts.cells import CELLS, MAIN, choose, everywhere, name_of, variant
from ackclock.studies.framework.setups.wireless_bursts.measures import BURSTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid
    from ackclock.studies.framework.setups.wireless_bursts.cells import Cell, Grids

__all__ = ["PAIRS", "VARIANTS", "assess_claims", "cells_sheet", "findings"]

PAIRS = {window: (variant(window, 1), variant(window, 3)) for window in (3, 10)}
"""Initial window to its variants with an initial RTO of 1 s and of 3 s."""

VARIANTS = tuple(one for window in PAIRS for one in reversed(PAIRS[window]))

LARGE = "50 packets"


NONE_ADDED = stats.mean([0.0])
"""Stands for the part of RTOs that is spurious where an initial RTO of 1 s adds none. It is no reading."""


def assess_claims(grids: Grids) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    lte = choose(CELLS, networks=("LTE",))
    edge = choose(CELLS, networks=("EDGE",), buffers=(LARGE,))
    hspa_few = choose(CELLS, networks=("HSPA",), flows=(1, 2))
    hspa_many = choose(CELLS, networks=("HSPA",), flows=(18,))
    short = choose(CELLS, networks=("HSPA", "LTE"))
    added = _everywhere(grids, edge, (3, 10), _added("rtos"))
    later_gains = _changed(grids, hspa_many, "later_q100_s")
    measured = {
        "lte-no-effect": _changed(grids, lte, "mean_s"),
        "lte-no-spurious": _everywhere(grids, lte, (3, 10), _count("spurious")),
        "lte-rtos-6": _everywhere(grids, choose(CELLS, networks=("LTE",), flows=(6,)), (10,), _count("rtos")),
        "lte-rtos-18": _everywhere(grids, choose(CELLS, networks=("LTE",), flows=(18,)), (10,), _count("rtos")),
        "hspa-later-gains": later_gains,
        "hspa-later-gain-small": later_gains,
        "hspa-first-loses": _changed(grids, hspa_many, "first_q100_s"),
        "hspa-few-none": _changed(grids, hspa_few, "mean_s"),
        "edge-rtos-rise": added,
        "edge-mostly-spurious": _spurious_shares(grids, edge),
        "edge-longest-delayed": _changed(grids, edge, "longest_s")
        | {f"{MAIN}; of the {burst} burst": _changed(grids, edge, f"{burst}_q100_s")[MAIN] for burst in BURSTS},
        "edge-iw10-fairer": _everywhere(
            grids, choose(CELLS, networks=("EDGE",), buffers=(LARGE,), flows=(2, 6, 18)), (10,), _added("fairness")
        ),
        "edge-mostly-same": _changed(grids, edge, "mean_s"),
        **_first_early(grids, edge),
        "short-rtt-better": _changed(grids, short, "mean_s"),
        "delay-shifts-slightly": _largest_shift(grids),
        "delay-none-lte": _changed(grids, lte, "delay_mean_ms"),
    }
    return assess_all(__package__, measured.__getitem__, MAIN)


def _everywhere(
    grids: Grids,
    cells: Sequence[Cell],
    windows: Sequence[int],
    estimate: Callable[[Grid, list[str], Sequence[int]], Estimate],
) -> dict[str, Estimate]:
    """An estimate over cells and initial windows under every reading, and of each window under the main one."""
    measured = everywhere(grids, cells, lambda grid, names: estimate(grid, names, windows))
    if len(windows) > 1:
        names = [cell.name for cell in cells]
        measured |= {f"{MAIN}; IW{window}": estimate(grids.main, names, (window,)) for window in windows}
    return measured


def _changed(grids: Grids, cells: Sequence[Cell], measure: str) -> dict[str, Estimate]:
    """The change in per cent from an initial RTO of 3 s to one of 1 s, over both initial windows."""

    def estimate(grid: Grid, names: list[str], windows: Sequence[int]) -> Estimate:
        changes = [grid.log_ratios(names, PAIRS[window][0].name, PAIRS[window][1].name, measure) for window in windows]
        return geometric(np.mean(changes, axis=0))

    return _everywhere(grids, cells, (3, 10), estimate)


def _mean(grid: Grid, names: list[str], windows: Sequence[int], measure: str, *, short: bool) -> NDArray[np.float64]:
    """One number a seed: the mean over cells and windows with the short initial RTO or the long one."""
    return np.asarray(
        np.mean([grid.over(names, PAIRS[window][0 if short else 1].name, measure) for window in windows], axis=0)
    )


def _count(measure: str) -> Callable[[Grid, list[str], Sequence[int]], Estimate]:
    """The mean number with an initial RTO of 1 s."""
    return lambda grid, names, windows: stats.mean(_mean(grid, names, windows, measure, short=True))


def _added(measure: str) -> Callable[[Grid, list[str], Sequence[int]], Estimate]:
    """The mean number with an initial RTO of 1 s less that with 3 s."""

    def estimate(grid: Grid, names: list[str], windows: Sequence[int]) -> Estimate:
        short, long = (_mean(grid, names, windows, measure, short=short) for short in (True, False))
        return stats.paired_difference(short, long)

    return estimate


def _spurious_shares(grids: Grids, cells: Sequence[Cell]) -> dict[str, Estimate]:
    """The part of the added RTOs that is spurious, for the readings in which RTOs are added."""

    def share(grid: Grid, names: list[str], windows: Sequence[int]) -> Estimate:
        return _spurious_share(grid, names, windows) if _added("rtos")(grid, names, windows).low > 0 else NONE_ADDED

    return {name: one for name, one in _everywhere(grids, cells, (3, 10), share).items() if one is not NONE_ADDED}


def _first_early(grids: Grids, cells: Sequence[Cell]) -> dict[str, dict[str, Estimate]]:
    """The time of the later burst over that of the first with an initial RTO of 1 s, in per cent, by claim and reading.

    For the first claim it is that with IW10, less 100, and for the second the change from IW3 to IW10.
    """
    short, long = PAIRS[10]
    few = PAIRS[3][0]

    def over(grid: Grid, names: list[str], variant: str) -> NDArray[np.float64]:
        return np.asarray(np.mean([np.log(grid.values(one, variant, "later_over_first")) for one in names], axis=0))

    def changed(grid: Grid, names: list[str]) -> Estimate:
        return grid.geometric_change(names, short.name, few.name, "later_over_first")

    names = [cell.name for cell in cells]
    early = everywhere(grids, cells, lambda grid, names: geometric(over(grid, names, short.name)))
    early[f"{MAIN}; initial RTO of 3 s"] = geometric(over(grids.main, names, long.name))
    early[f"{MAIN}; IW3"] = geometric(over(grids.main, names, few.name))
    return {"edge-first-early": early, "edge-first-early-iw10": everywhere(grids, cells, changed)}


def _largest_shift(grids: Grids) -> dict[str, Estimate]:
    """The largest change of the mean one-way delay of any cell and window in per cent, without its sign, by reading."""

    def largest(choice: str) -> Estimate:
        changes = [
            grids.of(choice).geometric_change([name_of(cell, choice)], short.name, long.name, "delay_mean_ms")
            for cell in CELLS
            for short, long in PAIRS.values()
        ]
        one = max(changes, key=lambda found: abs(found.value))
        return one if one.value >= 0 else replace(one, value=-one.value, low=-one.high, high=-one.low)

    return {choice: largest(choice) for choice in grids.choices}


def _spurious_share(grid: Grid, names: list[str], windows: Sequence[int]) -> Estimate:
    """Spurious RTOs added over RTOs added, in per cent; the interval is that of the linearised ratio."""
    spurious, rtos = (
        _mean(grid, names, windows, name, short=True) - _mean(grid, names, windows, name, short=False)
        for name in ("spurious", "rtos")
    )
    share, more = spurious.mean() / rtos.mean(), rtos.mean()
    return stats.mean(share + (spurious - share * rtos) / more).scaled(100)


def findings(grids: Grids) -> str:
    """The number of RTOs that expire and of the spurious ones among them, in Markdown."""
    lines = ["## RTOs, and those in vain", "A run under the main reading, all cells of a network and buffer:", ""]
    for network, buffer in dict.fromkeys((cell.network.name, cell.buffer) for cell in CELLS):
        names = [cell.name for cell in choose(CELLS, networks=(network,), buffers=(buffer,))]
        for short, seconds in ((True, 1), (False, 3)):
            counts = {name: _mean(grids.main, names, (3, 10), name, short=short).mean() for name in _COUNTS}
            lines.append(
                f"- {network}, {buffer}, initial RTO {seconds} s: {counts['rtos']:.2f} RTOs, of which "
                f"{counts['spurious']:.2f} spurious; {counts['syn_rtos']:.2f} of SYNs."
            )
    return "\n".join(lines)


_COUNTS = ("rtos", "spurious", "syn_rtos")


def cells_sheet(grids: Grids) -> Sheet:
    """Every cell and variant of the main reading."""
    measures = [*_COUNTS, *(f"{burst}_{what}" for burst in BURSTS for what in ("mean_s", "q100_s")), "fairness"]
    rows: list[list[object]] = [
        [cell.name, one.label, *(grids.main.mean(cell.name, one.name, name).value for name in measures)]
        for cell in CELLS
        for one in VARIANTS
    ]
    columns = ["cell", "variant", "RTOs", "spurious", "of SYNs"]
    columns += [f"{burst}: {what}" for burst in BURSTS for what in ("mean s", "longest s")] + ["fairness"]
    return Sheet("cells", "Every cell", columns, rows, "Means over the replications, main reading.")
