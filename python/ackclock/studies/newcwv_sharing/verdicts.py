"""Compares the claims with the measured numbers under every reading and variant, and makes the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import ClaimResult, Sheet, assess_all
from ackclock.studies.framework.setups.newcwv import NEWCWV
from ackclock.studies.newcwv_sharing.readings import MAIN, RIVALS, VARIANTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Kind

__all__ = ["HARMS", "SHARES", "assess_claims", "sheets"]

RATIOS = {"": "ratio_by_class", "; by answer under way": "ratio_by_flow"}
"""Suffix of a reading to the measure of the shares. The main reading has the first."""

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
"""Measure of the first table to the name of its column."""

HARMS = {
    "windows_dash": "DASH's windows",
    "starved_dash": "DASH starved",
    "windows_rival": "other's windows",
    "starved_rival": "other starved",
    "loss_percent": "lost %",
    "dash_loss_percent": "DASH's lost %",
    "rival_loss_percent": "other's lost %",
}
"""Measure of the second table to the name of its column."""


def assess_claims(grids: Mapping[str, Grid]) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``; `grids` are by the traffic that shares the link with DASH."""

    def measured(identifier: str) -> dict[str, Estimate]:
        rival, _, subject = identifier.partition("-")
        return {"proportional": _ratios, "starves": _starved}[subject](grids[rival])

    return assess_all(__package__, measured, MAIN, kind_of)


def kind_of(name: str) -> Kind:
    """The kind of a reading. Those with another variant of DASH are cells that the claims are not about."""
    if any(name.endswith(_suffix(one.label) + suffix) for one in VARIANTS[1:] for suffix in ("", *RATIOS)):
        return "cell"
    definitions = [suffix for suffix in RATIOS if suffix]
    return "definition" if name.endswith(tuple(definitions)) else "assumption"


def _suffix(variant_label: str) -> str:
    """The suffix of the readings of a variant. Those of newCWV, which the claims are about, have none."""
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
