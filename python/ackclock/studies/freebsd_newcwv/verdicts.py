"""The claims against what was measured, under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import ClaimResult, assess_all
from ackclock.studies.freebsd_newcwv.readings import MAIN, NEWCWV, PRR, RFC, STOCK

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Variant
    from ackclock.studies.framework.sweep import Swept

__all__ = ["assess_claims"]


def assess_claims(size: Swept, flows: Swept, traces: Grid) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    measured = {
        "size-smallest": _all(size, size.smallest, NEWCWV),
        "size-largest": _all(size, size.largest, NEWCWV),
        "size-smallest-prr": _all(size, size.smallest, PRR),
        "size-largest-prr": _all(size, size.largest, PRR),
        "flows-smallest": _all(flows, flows.smallest, NEWCWV),
        "flows-largest": _all(flows, flows.largest, NEWCWV),
        "flows-smallest-prr": _all(flows, flows.smallest, PRR),
        "flows-largest-prr": _all(flows, flows.largest, PRR),
        "collapses": {MAIN: traces.mean(MAIN, STOCK.name, "window_left")},
        "stays": {MAIN: traces.mean(MAIN, NEWCWV.name, "window_left")},
    }
    return assess_all(__package__, measured.__getitem__, MAIN)


def _all(swept: Swept, estimate: Callable[[str, str, str], Estimate], variant: Variant) -> dict[str, Estimate]:
    """The estimate under every assumption, and with newCWV of RFC 7661 under the main one."""
    chosen = {one.name: estimate(one.name, variant.name, STOCK.name) for one in swept.assumptions}
    return chosen | {f"{MAIN}; RFC 7661": estimate(MAIN, RFC.name, STOCK.name)}
