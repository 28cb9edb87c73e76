"""Compares the claims with the measured numbers under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import ClaimResult, Sheet, assess_all, side_sheet
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, ONE_WAY, PACINGS, ROUND_TRIP, TEXTBOOK
from ackclock.studies.framework.setups.newcwv_2014 import FORMS as FORMS_OF_NEWCWV
from ackclock.studies.newcwv_http import authors
from ackclock.studies.newcwv_http.readings import CLOSED, KEPT, MAIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Kind

__all__ = ["assess_claims", "decides", "delays_sheet", "kind_of", "main_of", "sizes_sheet"]

CONTROLS = {"": NEWRENO.name, "; RFC 5681's NewReno": TEXTBOOK.name}
"""Suffix of a reading to its control. The main reading has the first."""


FORMS = {
    "newcwv": {"": NEWCWV.name},
    "pacing": {f"; {name}": variant.name for name, variant in PACINGS.items()},
}
"""First part of a claim's id to the suffix of a reading and its variant. Both pacings have the same rank."""

PAGES = {"persistent-saves-time": "object_s", "persistent-more-stable": "variation"}
"""The claims about persistent connections, and their measures."""


def main_of(identifier: str) -> str | list[str]:
    """The readings that decide a claim, the first of which is shown."""
    if identifier in PAGES:
        return f"pages, {ROUND_TRIP}"
    if "pacing" in identifier:
        return [f"{MAIN}{form}" for form in FORMS["pacing"]]
    return MAIN


def assess_claims(grid: Grid, pages: Grid, beside: Grid | None = None) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``; `beside` has the readings with the authors' generator."""
    measured = {}
    for identifier, forms in FORMS.items():
        parts = [(grid, forms, CONTROLS)]
        if beside is not None:
            parts.append((beside, authors.claimed(paced=identifier == "pacing"), {"": NEWRENO.name}))
        loss = _all(parts, _loss)
        measured[f"{identifier}-loss"] = loss
        measured[f"{identifier}-loses-{'more' if identifier == 'newcwv' else 'less'}"] = loss
        measured[f"{identifier}-faster"] = _all(parts, _time)
        larger = _all(parts, _steeper)
        measured["larger-gain-more" if identifier == "newcwv" else "larger-gain-more-pacing"] = larger
    names = [reading.name for reading in pages.readings]
    measured["persistent-saves-time"] = {
        name: pages.geometric_change([name], KEPT.name, CLOSED.name, "object_s") for name in names
    }
    measured["persistent-more-stable"] = {
        name: pages.change(name, KEPT.name, CLOSED.name, "variation") for name in names
    }
    return assess_all(__package__, measured.__getitem__, main_of, kind_of)


def kind_of(name: str) -> Kind:
    """The kind of a reading. The claims are about the module of 2014; its other forms are other cells."""
    return "cell" if set(FORMS_OF_NEWCWV) & set(name.split("; ")) else "assumption"


def decides(identifier: str) -> str:
    """The first of the readings that decide a claim."""
    main = main_of(identifier)
    return main if isinstance(main, str) else main[0]


def delays_sheet(claims: list[ClaimResult]) -> Sheet:
    """Every claim with 200 ms as a round trip and one way."""
    return side_sheet(claims, ROUND_TRIP, ONE_WAY, decides)


def _all(
    parts: list[tuple[Grid, dict[str, str], dict[str, str]]], estimate: Callable[[Grid, str, str, str], Estimate]
) -> dict[str, Estimate]:
    """An estimate from grid, reading, variant and control, under every reading, with every form and every control."""
    return {
        f"{reading.name}{form}{suffix}": estimate(grid, reading.name, variant, control)
        for grid, forms, controls in parts
        for reading in grid.readings
        for form, variant in forms.items()
        for suffix, control in controls.items()
    }


def _loss(grid: Grid, reading: str, variant: str, control: str) -> Estimate:
    """The relative change of the loss."""
    return grid.change(reading, variant, control, "loss_percent")


def _time(grid: Grid, reading: str, variant: str, control: str) -> Estimate:
    """The relative change of the time of exchanges after idle."""
    return grid.geometric_change([reading], variant, control, "all_s")


def _steeper(grid: Grid, reading: str, variant: str, control: str) -> Estimate:
    """The relative change of the time of large bursts less that of small ones, in percentage points."""

    def change(measure: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.asarray(100 * np.expm1(grid.log_ratios([reading], variant, control, measure)))

    return stats.paired_difference(change("large_s"), change("small_s"))


def sizes_sheet(grid: Grid, bins: dict[str, str]) -> Sheet:
    """Losses and times after idle by size, under every reading and variant."""
    rows: list[list[object]] = [
        [
            reading.name,
            variant.label,
            *(grid.mean(reading.name, variant.name, m).value for m in ("loss_percent", *bins)),
        ]
        for reading in grid.readings
        for variant in grid.variants
    ]
    columns = ["reading", "variant", "loss %", *bins.values()]
    return Sheet("sizes", "Transfer times after idle by size", columns, rows, "Times in seconds, geometric means.")
