"""Compares the claims with the measured windows under every reading, and makes the table of all windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import ClaimResult, Sheet, assess_all
from ackclock.studies.response_functions.cells import ALGORITHMS, ASSUMPTIONS, MAIN, mathis

if TYPE_CHECKING:
    from ackclock.stats import Estimate
    from ackclock.studies.response_functions.cells import Windows

__all__ = ["assess_claims", "windows_sheet"]

SMALL = 3
"""Exponent from which on the window is large enough for Mathis's formula to leave out segments and recovery."""


def assess_claims(windows: Windows) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``: its id is the algorithm and the loss rate."""

    def measured(identifier: str) -> dict[str, Estimate]:
        if identifier == "mathis":
            return _from_mathis(windows)
        algorithm, _, rate = identifier.partition("-")
        return windows.readings(algorithm, int(rate.removeprefix("1e-")))

    return assess_all(__package__, measured, MAIN)


def _from_mathis(windows: Windows) -> dict[str, Estimate]:
    """Largest difference of Reno from Mathis's formula, in %."""
    largest = {}
    for assumption in ASSUMPTIONS:
        exponents = [one for one in windows.exponents(assumption.name, "reno") if one >= SMALL]
        away = [np.abs(windows.values[assumption.name, "reno", one] / mathis(10.0**-one) - 1) for one in exponents]
        largest[assumption.name] = stats.mean(100 * np.max(away, axis=0))
    return largest


def windows_sheet(windows: Windows) -> Sheet:
    """Every window beside the formula of its algorithm."""
    rows: list[list[object]] = []
    for assumption, name, exponent in windows.values:
        algorithm = next(one for one in ALGORITHMS if one.name == name)
        measured, published = windows.mean(assumption, name, exponent), algorithm.window(10.0**-exponent)
        away = 100 * (measured.value / published - 1)
        rows.append(
            [
                assumption,
                algorithm.label,
                f"1e-{exponent}",
                published,
                measured.value,
                measured.low,
                measured.high,
                away,
            ]
        )
    columns = ["reading", "algorithm", "loss rate", "formula", "measured", "low", "high", "away %"]
    caption = (
        "Average windows in segments: packets per round-trip time between losses. Intervals over three first losses."
    )
    return Sheet("windows", "Every window", columns, rows, caption)
