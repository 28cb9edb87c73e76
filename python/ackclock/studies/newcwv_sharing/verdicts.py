"""The claims against what was measured, under every reading and variant, and the tables of all measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.claims import ClaimResult, assess, load_claims
from ackclock.studies.newcwv_dash.readings import NEWCWV, PACED
from ackclock.studies.newcwv_sharing.readings import MAIN, RIVALS, VARIANTS
from ackclock.studies.study import Sheet, page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.stats import Estimate
    from ackclock.studies.grid import Grid

__all__ = ["HARMS", "SHARES", "assess_claims", "sheets"]

RATIOS = {"": "ratio_by_class", "; by answer under way": "ratio_by_flow"}
"""Suffix of a reading to what shares are taken of, that of the main reading first."""

LOSSES = {"": "loss_percent", "; DASH alone": "dash_loss_percent"}
"""Suffix of a reading to whose losses are counted, those of the main reading first."""

SHARES = {
    "both_percent": "both busy %",
    "dash_kbps": "DASH kbit/s",
    "rival_kbps": "other kbit/s",
    "dash_share_percent": "DASH's share %",
    "ratio_by_class": "ratio",
    "ratio_by_flow": "ratio by answer",
    "level_kbps": "level kbit/s",
    "stalled_s": "stalled s",
}
"""Measure of the first table to what its column is called."""

HARMS = {
    "windows_dash": "DASH's windows",
    "starved_dash": "DASH starved",
    "windows_rival": "other's windows",
    "starved_rival": "other starved",
    "loss_percent": "lost %",
    "dash_loss_percent": "DASH's lost %",
    "rival_loss_percent": "other's lost %",
}
"""The same of the second."""


def assess_claims(grids: Mapping[str, Grid]) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``; `grids` are by what DASH shares the link with."""
    results = []
    for identifier, claim in load_claims(page(__package__, "claims.toml")).items():
        rival, _, what = identifier.partition("-")
        grid = grids[rival]
        measured = {"proportional": _ratios, "starves": _starved, "pacing": _saved}[what](grid)
        results.append(assess(claim, measured, MAIN))
    return results


def _suffix(variant_label: str) -> str:
    """What the readings of a variant are called; newCWV's, the claims' own, have no suffix."""
    return "" if variant_label == NEWCWV.label else f"; {variant_label}"


def _ratios(grid: Grid) -> dict[str, Estimate]:
    return {
        f"{reading.name}{_suffix(variant.label)}{suffix}": grid.mean(reading.name, variant.name, measure)
        for suffix, measure in RATIOS.items()
        for variant in VARIANTS
        for reading in grid.readings
    }


def _starved(grid: Grid) -> dict[str, Estimate]:
    return {
        f"{reading.name}{_suffix(variant.label)}": grid.mean(reading.name, variant.name, "starved_percent")
        for variant in VARIANTS
        for reading in grid.readings
    }


def _saved(grid: Grid) -> dict[str, Estimate]:
    """Losses with pacing less those without."""
    return {
        f"{reading.name}{suffix}": grid.difference(reading.name, PACED.name, NEWCWV.name, measure)
        for suffix, measure in LOSSES.items()
        for reading in grid.readings
    }


def sheets(grids: Mapping[str, Grid]) -> list[Sheet]:
    """Every measure under every reading and variant."""
    shared = (
        "Means over the replications. Share and ratios are those of the time in which both have an answer under way; "
        "the first column is how much of the run that is."
    )
    harmed = (
        "Means over the replications. Windows are those of 10 s in which a class has an answer under way "
        "all along, and those of them in which it starved."
    )
    return [
        Sheet("sharing", "What both got", *_rows(grids, SHARES), shared),
        Sheet("harm", "Starvation and losses", *_rows(grids, HARMS), harmed),
    ]


def _rows(grids: Mapping[str, Grid], measures: Mapping[str, str]) -> tuple[list[str], list[list[object]]]:
    rows: list[list[object]] = [
        [RIVALS[rival], reading.name, variant.label]
        + [grid.mean(reading.name, variant.name, measure).value for measure in measures]
        for rival, grid in grids.items()
        for reading in grid.readings
        for variant in grid.variants
    ]
    return ["DASH beside", "reading", "variant", *measures.values()], rows
