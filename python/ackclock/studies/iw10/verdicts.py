"""Compares the claims with the measured numbers under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import ClaimResult, assess_all
from ackclock.studies.framework.setups.wireless_bursts.cells import MAIN, choose, kind_of
from ackclock.studies.framework.setups.wireless_bursts.windows import (
    delay_change,
    highest_end,
    measure_claims,
    shown,
    spread_change,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.stats import Estimate
    from ackclock.studies.framework.setups.wireless_bursts.cells import Cell, Grids

__all__ = ["assess_claims"]

ONE_BDP = "1 BDP"
LARGER = ("2 BDP", "50 packets")


def assess_claims(grids: Grids) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    measured = measure_claims(grids, grids.cells) | _delays(grids)
    return assess_all(__package__, measured.__getitem__, MAIN, kind_of)


def _delays(grids: Grids) -> dict[str, dict[str, Estimate]]:
    """The changes of one-way delays from IW3 to IW10, by claim and reading."""
    cells = grids.cells
    small, larger = choose(cells, buffers=(ONE_BDP,)), choose(cells, buffers=LARGER)
    many = choose(cells, flows=(18,))

    def delays(some: Sequence[Cell]) -> dict[str, Estimate]:
        return delay_change(grids, some)

    def highest(some: Sequence[Cell]) -> dict[str, Estimate]:
        return highest_end(grids, some)

    one, two = shown(larger, 1, delays), delays(choose(larger, flows=(2,)))
    return {
        "delay-one-flow": one,
        "delay-one-flow-slightly": one,
        "delay-two-flows": two,
        "delay-two-flows-slightly": two,
        "delay-one-bdp": shown(small, 1, delays),
        "delay-one-bdp-highest": shown(small, 1, highest),
        "delay-six-flows": shown(cells, 6, delays),
        "spread-six-flows": shown(cells, 6, lambda some: spread_change(grids, some)),
        "delay-many-flows": delays(many),
        "delay-many-flows-highest": highest(many),
    }
