"""The claims against what was measured, under every reading, and the table of all windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.claims import ClaimResult, assess, load_claims
from ackclock.studies.response_functions.cells import ALGORITHMS, CHOICES, MAIN, mathis
from ackclock.studies.study import Sheet, page

if TYPE_CHECKING:
    from ackclock.stats import Estimate
    from ackclock.studies.response_functions.cells import Windows

__all__ = ["assess_claims", "windows_sheet"]

SMALL = 3
"""Exponent from which on the window is large enough for Mathis's formula to leave out segments and recovery."""


def assess_claims(windows: Windows) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``: its id is the algorithm and the loss rate."""
    results = []
    for identifier, claim in load_claims(page(__package__, "claims.toml")).items():
        if identifier == "mathis":
            measured = _from_mathis(windows)
        else:
            algorithm, _, rate = identifier.partition("-")
            measured = windows.readings(algorithm, int(rate.removeprefix("1e-")))
        results.append(assess(claim, measured, MAIN))
    return results


def _from_mathis(windows: Windows) -> dict[str, Estimate]:
    """By how many per cent Reno differs from Mathis's formula where it differs most."""
    largest = {}
    for choice in CHOICES:
        exponents = [one for one in windows.exponents(choice.name, "reno") if one >= SMALL]
        away = [np.abs(windows.values[choice.name, "reno", one] / mathis(10.0**-one) - 1) for one in exponents]
        largest[choice.name] = stats.mean(100 * np.max(away, axis=0))
    return largest


def windows_sheet(windows: Windows) -> Sheet:
    """Every window beside the formula of its algorithm."""
    rows: list[list[object]] = []
    for choice, name, exponent in windows.values:
        algorithm = next(one for one in ALGORITHMS if one.name == name)
        measured, published = windows.mean(choice, name, exponent), algorithm.window(10.0**-exponent)
        away = 100 * (measured.value / published - 1)
        rows.append(
            [choice, algorithm.label, f"1e-{exponent}", published, measured.value, measured.low, measured.high, away]
        )
    columns = ["reading", "algorithm", "loss rate", "formula", "measured", "low", "high", "away %"]
    caption = (
        "Average windows in segments: packets per round-trip time between losses. Intervals over three first losses."
    )
    return Sheet("windows", "Every window", columns, rows, caption)
