"""The claims against what was measured, with every set of versions and under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.claims import ClaimResult, assess, load_claims
from ackclock.studies.munir_fairness.readings import GROUPS, MAIN, MAIN_SET
from ackclock.studies.study import Sheet, page

if TYPE_CHECKING:
    from ackclock.studies.grid import Grid

__all__ = ["MAIN_READING", "assess_claims", "published", "shares_sheet"]

MAIN_READING = f"{MAIN}; {MAIN_SET.name}"

MEASURES = {
    **{name: f"{name}_mbps" for name in GROUPS},
    "sum": "sum_mbps",
    "bic-most": "bic_mbps",
    "newreno-least": "newreno_over_least",
}
"""Claim to what it is about."""


def assess_claims(grids: list[Grid]) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    claims = load_claims(page(__package__, "claims.toml"))
    results = []
    for identifier, claim in claims.items():
        measured = {
            f"{reading.name}; {variant.name}": grid.mean(reading.name, variant.name, MEASURES[identifier])
            for grid in grids
            for reading in grid.readings
            for variant in grid.variants
        }
        results.append(assess(claim, measured, MAIN_READING))
    return results


def published() -> dict[str, float]:
    """The published Mbit/s of each kind."""
    claims = load_claims(page(__package__, "claims.toml"))
    return {name: float(claims[name].published) for name in GROUPS}


def shares_sheet(grids: list[Grid]) -> Sheet:
    """What each group got, with every set and under every reading."""
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
