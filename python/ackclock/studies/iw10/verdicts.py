"""Compares the claims with the measured numbers under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import ClaimResult, assess_all
from ackclock.studies.framework.setups.wireless_bursts.cells import MAIN, choose
from ackclock.studies.framework.setups.wireless_bursts.windows import (
    change,
    delay_change,
    measure_claims,
    spread_change,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.stats import Estimate
    from ackclock.studies.framework.setups.wireless_bursts.cells import Grids

__all__ = ["assess_claims"]

ONE_BDP = "1 BDP"
LARGER = ("2 BDP", "50 packets")


def assess_claims(grids: Grids) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    measured = measure_claims(grids, grids.cells) | _delays(grids)
    return assess_all(__package__, measured.__getitem__, MAIN)


def _delays(grids: Grids) -> dict[str, Mapping[str, Estimate]]:
    """The changes of one-way delays from IW3 to IW10, by claim and reading."""
    cells = grids.cells
    one, two = (delay_change(grids, choose(cells, buffers=LARGER, flows=(flows,))) for flows in (1, 2))
    small = choose(cells, buffers=(ONE_BDP,), flows=(1,))
    six, many = choose(cells, flows=(6,)), choose(cells, flows=(18,))
    return {
        "delay-one-flow": one,
        "delay-one-flow-slightly": one,
        "delay-two-flows": two,
        "delay-two-flows-slightly": two,
        "delay-one-bdp": delay_change(grids, small),
        "delay-one-bdp-highest": change(grids, small, "delay_max_ms"),
        "delay-six-flows": delay_change(grids, six),
        "spread-six-flows": spread_change(grids, six),
        "delay-many-flows": delay_change(grids, many),
        "delay-many-flows-highest": change(grids, many, "delay_max_ms"),
    }
