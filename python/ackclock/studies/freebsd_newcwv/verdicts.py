"""The claims against what was measured, under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import ClaimResult, assess_all
from ackclock.studies.freebsd_newcwv.readings import MAIN, NEWCWV, PRR, RESTARTED, RFC, STOCK, restarted

if TYPE_CHECKING:
    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Variant
    from ackclock.studies.framework.sweep import Swept

__all__ = ["assess_claims"]


def assess_claims(
    size: Swept, flows: Swept, restarted_size: Swept, restarted_flows: Swept, traces: Grid
) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    measured = {
        f"{sweep}-{extreme}{suffix}": _all(swept, other, extreme, variant)
        for sweep, swept, other in (("size", size, restarted_size), ("flows", flows, restarted_flows))
        for suffix, variant in (("", NEWCWV), ("-prr", PRR))
        for extreme in ("smallest", "largest")
    } | {
        "collapses": {MAIN: traces.mean(MAIN, STOCK.name, "window_left")},
        "stays": {MAIN: traces.mean(MAIN, NEWCWV.name, "window_left")},
    }
    return assess_all(__package__, measured.__getitem__, MAIN)


def _all(swept: Swept, other: Swept, extreme: str, variant: Variant) -> dict[str, Estimate]:
    """The estimate under every assumption, with newCWV of RFC 7661, and against the stock of `other`."""
    estimate = getattr(swept, extreme)
    chosen = {one.name: estimate(one.name, variant.name, STOCK.name) for one in swept.assumptions}
    chosen[f"{MAIN}; RFC 7661"] = estimate(MAIN, RFC.name, STOCK.name)
    against = getattr(other, extreme)
    return chosen | {restarted(one.name): against(one.name, variant.name, RESTARTED.name) for one in other.assumptions}
