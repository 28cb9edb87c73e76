"""Compares the claims with the measured numbers under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import ClaimResult, assess_all
from ackclock.studies.framework.setups.wireless_bursts.cells import MAIN
from ackclock.studies.framework.setups.wireless_bursts.windows import measure_claims

if TYPE_CHECKING:
    from ackclock.studies.framework.setups.wireless_bursts.cells import Grids

__all__ = ["assess_claims"]


def assess_claims(grids: Grids) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    return assess_all(__package__, measure_claims(grids, grids.cells).__getitem__, MAIN)
