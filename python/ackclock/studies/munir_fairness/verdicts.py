"""Compares the claims with the measured shares, with every set of versions and under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import ClaimResult, Sheet, assess_all, load_claims, study_file
from ackclock.studies.munir_fairness.readings import GROUPS, MAIN, MAIN_SET

if TYPE_CHECKING:
    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid

__all__ = ["MAIN_READING", "assess_claims", "published", "shares_sheet"]

MAIN_READING = f"{MAIN}; {MAIN_SET.name}"

MEASURES = {
    **{name: f"{name}_mbps" for name in GROUPS},
    "sum": "sum_mbps",
    "bic-most": "bic_mbps",
    "newreno-least": "newreno_over_least",
}
"""Claim to its measure."""


def assess_claims(grids: list[Grid]) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""

    def measured(identifier: str) -> dict[str, Estimate]:
        return {
            f"{reading.name}; {variant.name}": grid.mean(reading.name, variant.name, MEASURES[identifier])
            for grid in grids
            for reading in grid.readings
            for variant in grid.variants
        }

    return assess_all(__package__, measured, MAIN_READING)


def published() -> dict[str, float]:
    """The published Mbit/s of each kind."""
    claims = load_claims(study_file(__package__, "claims.toml"))
    return {name: float(claims[name].published) for name in GROUPS}


def shares_sheet(grids: list[Grid]) -> Sheet:
    """The shares of each group, with every set and under every reading."""
    measures = [f"{name}_mbps" for name in GROUPS] + ["sum_mbps", "jain", "timeouts", "drop_rate_percent", "packets"]
    rows: list[list[object]] = [
        [reading.name, variant.label, *(grid.mean(reading.name, variant.name, one).value for one in measures)]
        for grid in grids
        for reading in grid.readings
        for variant in grid.variants
    ]
    columns = ["reading", "versions", *(f"{label} Mbit/s" for label in GROUPS.values()), "sum Mbit/s"]
    columns += ["Jain's index", "RTOs", "lost %", "packets"]
    return Sheet(
        "shares", "What each kind of flow got", columns, rows, "Means over the replications; twenty flows of each."
    )
