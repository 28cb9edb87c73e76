"""Compares the claims with the measured numbers under every reading, and makes the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock import stats
from ackclock.studies.bbr_loss.cells import BBR, BBR3, CUBIC, LOSSES, MAIN, VARIANTS, name, possible_mbps
from ackclock.studies.framework import ClaimResult, Sheet, assess_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Kind

__all__ = ["PAYLOAD", "assess_claims", "shares", "sheet"]

PAYLOAD = "payload only"
"""The definition of throughput beside the main one: goodput without headers."""

WITH_HEADERS, WITHOUT_HEADERS = "throughput_mbps", "goodput_mbps"


def assess_claims(grids: Sequence[Grid]) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    return assess_all(__package__, lambda identifier: _of_claim(grids, identifier), MAIN, kind_of)


def kind_of(reading: str) -> Kind:
    """The kind of a reading."""
    return "definition" if reading == PAYLOAD else "assumption"


def shares(grid: Grid, variant: str, loss: float, choice: str = MAIN, measure: str = WITH_HEADERS) -> Estimate:
    """The throughput in per cent of the maximum possible."""
    return stats.mean(_shares(grid, variant, loss, choice, measure))


def _shares(grid: Grid, variant: str, loss: float, choice: str, measure: str) -> NDArray[np.float64]:
    return grid.values(name(loss, choice), variant, measure) * (100 / possible_mbps(loss))


def _extreme(
    grid: Grid, variant: str, losses: Sequence[float], choice: str, measure: str, pick: Callable[..., Estimate]
) -> Estimate:
    """The share at that of several loss rates where its mean is the smallest or the largest."""
    return pick((shares(grid, variant, loss, choice, measure) for loss in losses), key=lambda one: one.value)


def _of_claim(grids: Sequence[Grid], identifier: str) -> dict[str, Estimate]:
    """The estimates for a claim under every reading."""
    found = {}
    for grid in grids:
        for choice in dict.fromkeys(one.name.partition("; ")[0] for one in grid.readings):
            found[choice] = _measure(grid, identifier, choice, WITH_HEADERS)
    if not identifier.startswith("replication"):
        found[PAYLOAD] = _measure(grids[0], identifier, MAIN, WITHOUT_HEADERS)
    return found


def _measure(grid: Grid, identifier: str, choice: str, measure: str) -> Estimate:
    if identifier.startswith("replication"):
        _, who, loss = identifier.split("-")
        variant = {"cubic": CUBIC, "bbr": BBR}[who]
        return grid.mean(name(float(loss), choice), variant.name, WITHOUT_HEADERS)
    if identifier == "cubic-tenfold":
        least, tenth = (grid.values(name(loss, choice), CUBIC.name, measure) for loss in (0.001, 0.1))
        return stats.mean(least / tenth)
    if identifier == "cubic-stalls":
        return grid.mean(name(2, choice), CUBIC.name, measure)
    variant, losses, pick = {
        "bbr-to-5": (BBR, _up_to(5), min),
        "bbr-to-15": (BBR, _up_to(15), min),
        "bbr-cliff": (BBR, _from(25), max),
        "bbr3-to-1": (BBR3, _up_to(1), min),
        "bbr3-cliff": (BBR3, _from(5), max),
    }[identifier]
    return _extreme(grid, variant.name, losses, choice, measure, pick)


def _up_to(most: float) -> list[float]:
    return [loss for loss in LOSSES if loss <= most]


def _from(least: float) -> list[float]:
    return [loss for loss in LOSSES if loss >= least]


def sheet(grids: Sequence[Grid]) -> Sheet:
    """Every measure of every variant, at every loss rate and under every reading."""
    rows: list[list[object]] = []
    for grid in grids:
        for reading in grid.readings:
            choice, _, rate = reading.name.partition("; ")
            loss = float(rate.removesuffix(" %"))
            for one in VARIANTS:
                throughput = grid.mean(reading.name, one.name, WITH_HEADERS)
                others = [
                    grid.mean(reading.name, one.name, measure).value
                    for measure in (WITHOUT_HEADERS, "resent_percent", "recoveries", "timeouts")
                ]
                share = shares(grid, one.name, loss, choice).value
                rows.append(
                    [choice, one.label, loss, throughput.value, throughput.low, throughput.high, share, *others]
                )
    columns = ["reading", "variant", "loss %", "throughput Mbit/s", "low", "high", "% of the maximum"]
    columns += ["goodput Mbit/s", "retransmissions %", "recoveries", "timeouts"]
    caption = "Means over the replications. Throughput is that of packets, goodput that of their payload."
    return Sheet("measures", "Throughput by loss rate", columns, rows, caption)
