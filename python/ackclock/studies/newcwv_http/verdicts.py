"""Compares the claims with the measured numbers under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import ClaimResult, Sheet, assess_all
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, PACED, SPREAD, TEXTBOOK
from ackclock.studies.newcwv_http.readings import MAIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid

__all__ = ["assess_claims", "sizes_sheet"]

CONTROLS = {"": NEWRENO.name, "; RFC 5681's NewReno": TEXTBOOK.name}
"""Suffix of a reading to its control. The main reading has the first."""


FORMS = {"newcwv": {"": NEWCWV.name}, "pacing": {"": PACED.name, "; paced over an SRTT": SPREAD.name}}
"""First part of a claim's id to the suffix of a reading and its variant."""


def assess_claims(grid: Grid) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    measured = {}
    for identifier, forms in FORMS.items():
        loss = _all(
            grid, forms, lambda reading, variant, control: grid.change(reading, variant, control, "loss_percent")
        )
        measured[f"{identifier}-loss"] = loss
        measured[f"{identifier}-loses-{'more' if identifier == 'newcwv' else 'less'}"] = loss
        measured[f"{identifier}-faster"] = _all(
            grid, forms, lambda reading, variant, control: grid.geometric_change([reading], variant, control, "all_s")
        )
        larger = _all(grid, forms, lambda *names: _steeper(grid, *names))
        measured["larger-gain-more" if identifier == "newcwv" else "larger-gain-more-pacing"] = larger
    return assess_all(__package__, measured.__getitem__, MAIN)


def _all(grid: Grid, forms: dict[str, str], estimate: Callable[[str, str, str], Estimate]) -> dict[str, Estimate]:
    """An estimate from reading, variant and control, under every reading."""
    return {
        f"{reading.name}{form}{suffix}": estimate(reading.name, variant, control)
        for reading in grid.readings
        for form, variant in forms.items()
        for suffix, control in CONTROLS.items()
    }


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
