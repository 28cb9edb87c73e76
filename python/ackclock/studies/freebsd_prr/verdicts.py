"""The claims against what was measured, under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import ClaimResult, assess_all
from ackclock.studies.freebsd_prr.readings import LATER, MAIN, PRR, STOCKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Kind
    from ackclock.studies.framework.sweep import Swept

__all__ = ["MAIN_READING", "assess_claims"]

MAIN_READING = f"{MAIN}; PRR-SSRB; FreeBSD's SACK"
"""RFC 6937 recommends PRR-SSRB, and FreeBSD ships it; the stock is the stack without PRR."""


def assess_claims(size: Swept, loss: Swept, rtt: Swept) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    measured = {
        "size-largest": _all(size, size.largest),
        "size-smallest": _all(size, size.smallest),
        "loss-smallest": _all(loss, loss.smallest),
        "loss-largest": _all(loss, loss.largest),
        "rtt-largest": _all(rtt, rtt.largest),
        "rtt-smallest": _all(rtt, rtt.smallest),
    }
    return assess_all(__package__, measured.__getitem__, MAIN_READING, kind_of)


def kind_of(name: str) -> Kind:
    """The kind of a reading. The slides are older than RFC 9937, whose PRR is another algorithm."""
    return "cell" if f"; {LATER}; " in name else "assumption"


def _all(swept: Swept, estimate: Callable[[str, str, str], Estimate]) -> dict[str, Estimate]:
    return {
        f"{one.name}; {kind}; {stock}": estimate(one.name, prr.name, control.name)
        for one in swept.assumptions
        for kind, prr in PRR.items()
        for stock, control in STOCKS.items()
    }
