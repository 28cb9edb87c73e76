"""Compares the claims with the measured numbers under every reading."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import ClaimResult, Sheet, assess_all, geometric
from ackclock.studies.framework.setups.wireless_bursts.cells import (
    CELLS,
    FEW,
    FLOWS,
    MAIN,
    MORE,
    choose,
    everywhere,
    kind_of,
    name_of,
    variant,
)
from ackclock.studies.framework.setups.wireless_bursts.measures import BURSTS, QUARTILES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Variant
    from ackclock.studies.framework.setups.wireless_bursts.cells import Cell, Grids

__all__ = ["PAIRS", "VARIANTS", "assess_claims", "cells_sheet", "findings"]

PAIRS = {window: (variant(window, 1), variant(window, 3)) for window in (3, 10)}
"""Initial window to its variants with an initial RTO of 1 s and of 3 s."""

VARIANTS = tuple(one for window in PAIRS for one in reversed(PAIRS[window]))

LARGE, SMALLER = "50 packets", "2 BDP"
"""The buffers of the two slides on EDGE: one says "large buffer", which is the larger of both."""

ELAPSED = tuple(f"{burst}_{what}_s" for burst in BURSTS for what in ("mean", *(f"q{part}" for part in QUARTILES)))

SECOND_MS = 1e3
SOURCE_DELAY_MS = 11
"""Delay from the sender to the wireless link, in ms."""

NONE_ADDED = stats.mean([0.0])
"""Stands for the part of RTOs that is spurious where an initial RTO of 1 s adds none. It is no reading."""


def assess_claims(grids: Grids) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    measured = _lte(grids) | _hspa(grids) | _edge_large(grids) | _edge_smaller(grids) | _conclusions(grids)
    return assess_all(__package__, measured.__getitem__, MAIN, kind_of)


def _lte(grids: Grids) -> dict[str, dict[str, Estimate]]:
    lte = choose(CELLS, networks=("LTE",))
    return {
        "lte-no-effect": _changed(grids, lte, "mean_s"),
        "lte-no-spurious": _everywhere(grids, lte, (3, 10), _count("spurious")),
        "lte-rtos-6": _everywhere(grids, choose(lte, flows=(6,)), (10,), _count("rtos")),
        "lte-rtos-18": _everywhere(grids, choose(lte, flows=(18,)), (10,), _count("rtos")),
        "lte-rtos-not-first": _early_rtos(grids, choose(lte, flows=(6, 18))),
    }


def _hspa(grids: Grids) -> dict[str, dict[str, Estimate]]:
    crowded = choose(CELLS, networks=("HSPA",), flows=MORE)
    few = choose(CELLS, networks=("HSPA",), flows=FEW)
    later_gains = _changed(grids, crowded, "later_q100_s")
    shortest = _changed(grids, crowded, "first_q0_s")
    for what, measure in (("lower quartile", "first_q25_s"), ("mean", "first_mean_s"), ("longest", "first_q100_s")):
        shortest[f"{MAIN}; the {what}"] = _changed(grids, crowded, measure)[MAIN]
    none = _everywhere(grids, few, (3, 10), _differing)
    none[f"{MAIN}; the change of elapsed time in % instead"] = _changed(grids, few, "mean_s")[MAIN]
    return {
        "hspa-later-gains": later_gains,
        "hspa-later-gain-small": later_gains,
        "hspa-first-loses": shortest,
        "hspa-few-none": none,
    }


def _edge_large(grids: Grids) -> dict[str, dict[str, Estimate]]:
    """The slide on EDGE with a large buffer."""
    edge = choose(CELLS, networks=("EDGE",), buffers=(LARGE,))
    few, more = choose(edge, flows=FEW), choose(edge, flows=MORE)

    def delayed(cells: Sequence[Cell]) -> dict[str, Estimate]:
        bursts = {f"{MAIN}; of the {one} burst": _changed(grids, cells, f"{one}_q100_s")[MAIN] for one in BURSTS}
        return _changed(grids, cells, "longest_s") | bursts

    return {
        "edge-rtos-rise": _everywhere(grids, few, (3, 10), _added("rtos")),
        "edge-mostly-spurious": _spurious_shares(grids, few),
        "edge-longest-delayed": delayed(few),
        "edge-more-flows": delayed(more),
        **_first_early(grids, edge),
    }


def _edge_smaller(grids: Grids) -> dict[str, dict[str, Estimate]]:
    """The other slide on EDGE."""
    edge = choose(CELLS, networks=("EDGE",), buffers=(SMALLER,))
    several = (2, 6, 18)

    def with_large(
        flows: Sequence[int], measured: Callable[[Sequence[Cell]], dict[str, Estimate]]
    ) -> dict[str, Estimate]:
        large = measured(choose(CELLS, networks=("EDGE",), buffers=(LARGE,), flows=flows))
        return measured(choose(edge, flows=flows)) | {f"{MAIN}; EDGE, {LARGE}": large[MAIN]}

    def added(measure: str) -> Callable[[Sequence[Cell]], dict[str, Estimate]]:
        return lambda cells: _everywhere(grids, cells, (10,), _added(measure))

    fairer = with_large(several, added("fairness"))
    for what in ("first_fairness", "later_fairness", "between"):
        name = "between the bursts" if what == "between" else f"within the {what.partition('_')[0]} burst"
        fairer[f"{MAIN}; {name}"] = added(what)(choose(edge, flows=several))[MAIN]
    return {
        "edge-mostly-same": with_large(FLOWS, lambda cells: _changed(grids, cells, "mean_s")),
        "edge-iw10-fairer": fairer,
        "edge-later-sooner": with_large(FLOWS, added("later_until_rto_s")),
        "edge-later-spurious": with_large(FLOWS, lambda cells: _first_spurious(grids, cells)),
    }


def _conclusions(grids: Grids) -> dict[str, dict[str, Estimate]]:
    better, worse = _by_round_trip(grids)
    short = choose(CELLS, networks=("HSPA", "LTE"))
    return {
        "short-rtt-better": better | {f"{MAIN}; HSPA and LTE": _changed(grids, short, "mean_s")[MAIN]},
        "long-rtt-controversial": worse,
        "delay-shifts-slightly": _largest_shift(grids),
        "delay-none-lte": _changed(grids, choose(CELLS, networks=("LTE",)), "delay_mean_ms"),
    }


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
    """The time of the later burst over that of the first with IW10, in per cent, by claim and reading.

    For the first claim it is that with an initial RTO of 1 s, less 100, and for the second the change from 3 s to 1 s.
    """
    short, long = PAIRS[10]
    few = PAIRS[3]

    def over(grid: Grid, names: list[str], variant: str) -> Estimate:
        return geometric(np.mean([np.log(grid.values(one, variant, "later_over_first")) for one in names], axis=0))

    def changed(grid: Grid, names: list[str], pair: Sequence[Variant] = PAIRS[10]) -> Estimate:
        return grid.geometric_change(names, pair[0].name, pair[1].name, "later_over_first")

    names = [cell.name for cell in cells]
    early = everywhere(grids, cells, lambda grid, names: over(grid, names, short.name))
    early[f"{MAIN}; IW10, an initial RTO of 3 s"] = over(grids.main, names, long.name)
    early[f"{MAIN}; IW3"] = over(grids.main, names, few[0].name)
    advantage = everywhere(grids, cells, changed) | {f"{MAIN}; IW3": changed(grids.main, names, few)}
    return {"edge-first-early": early, "edge-first-early-iw10": advantage}


def _differing(grid: Grid, names: list[str], windows: Sequence[int]) -> Estimate:
    """The part of the pairs of runs with both initial RTOs, in per cent, in which any elapsed time differs."""

    def differs(name: str, window: int) -> NDArray[np.bool_]:
        short, long = (np.stack([grid.values(name, one.name, measure) for measure in ELAPSED]) for one in PAIRS[window])
        return np.asarray((short != long).any(axis=0))

    pairs = [differs(name, window) for name in names for window in windows]
    return stats.mean(np.mean(pairs, axis=0)).scaled(100).within(0, 100)


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> Estimate | None:
    """The sum of `part` over that of `whole` in per cent, if there is any; the interval is of the linearised ratio."""
    if not whole.any():
        return None
    share = part.mean() / whole.mean()
    return stats.mean(share + (part - share * whole) / whole.mean()).scaled(100)


def _shares(grids: Grids, cells: Sequence[Cell], part: str, whole: str) -> dict[str, Estimate]:
    """One count over another with IW10 and an initial RTO of 1 s, by reading; not where there is nothing to count."""

    def share(grid: Grid, names: list[str]) -> Estimate | None:
        return _ratio(*(grid.over(names, PAIRS[10][0].name, measure) for measure in (part, whole)))

    shares = {choice: share(grids.of(choice), [name_of(cell, choice) for cell in cells]) for choice in grids.choices}
    shares |= {f"{MAIN}; {cell.name}": share(grids.main, [cell.name]) for cell in cells}
    return {name: one for name, one in shares.items() if one is not None}


def _early_rtos(grids: Grids, cells: Sequence[Cell]) -> dict[str, Estimate]:
    """The part of the RTOs of the flow that completes last that are of its SYN or first packet."""
    return _shares(grids, cells, "last_early_rtos", "last_rtos")


def _first_spurious(grids: Grids, cells: Sequence[Cell]) -> dict[str, Estimate]:
    """The part of the first RTOs of the flows of the later burst that are spurious."""
    return _shares(grids, cells, "later_first_spurious", "later_first_rtos")


def effective_rtt_ms(grid: Grid, cell: Cell, choice: str = MAIN) -> float:
    """The effective round-trip time of a cell: that of its links and the mean queueing delay of all data packets."""
    name = name_of(cell, choice)
    forward = np.mean([grid.values(name, one.name, "delay_mean_ms") for one in VARIANTS])
    return float(forward) + SOURCE_DELAY_MS + cell.network.delay_ms


def _by_round_trip(grids: Grids) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    """Two estimates by reading, of the cells with an effective round-trip time below a second and of those above.

    The first is the change of the elapsed time in the cells below. The second is the part of the runs that an initial
    RTO of 1 s makes slower, in the cells above less that in the cells below.
    """
    better: dict[str, Estimate] = {}
    worse: dict[str, Estimate] = {}
    for choice in grids.choices:
        grid = grids.of(choice)
        short, long = (
            [name_of(one, choice) for one in CELLS if (effective_rtt_ms(grid, one, choice) < SECOND_MS) is below]
            for below in (True, False)
        )
        if short:
            changes = [grid.log_ratios(short, one.name, other.name, "mean_s") for one, other in PAIRS.values()]
            better[choice] = geometric(np.mean(changes, axis=0))
        if short and long:
            worse[choice] = stats.paired_difference(_slower(grid, long), _slower(grid, short)).scaled(100)
    return better, worse


def _slower(grid: Grid, names: Sequence[str]) -> NDArray[np.float64]:
    """The part of the cells and initial windows in which 1 s is slower than 3 s: one number a seed."""
    pairs = [
        np.less(*(grid.values(name, one.name, "mean_s") for one in reversed(PAIRS[window])))
        for name in names
        for window in PAIRS
    ]
    return np.asarray(np.mean(pairs, axis=0))


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
    share = _ratio(spurious, rtos)
    return NONE_ADDED if share is None else share


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
