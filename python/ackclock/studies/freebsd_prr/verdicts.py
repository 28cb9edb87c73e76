"""The claims against what was measured, under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.claims import ClaimResult, assess, load_claims
from ackclock.studies.freebsd_prr.readings import MAIN, PRR, STOCKS
from ackclock.studies.study import page

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.stats import Estimate
    from ackclock.studies.sweep import Swept

__all__ = ["MAIN_READING", "assess_claims"]

MAIN_READING = f"{MAIN}; PRR-SSRB; NewReno with SACK"
"""PRR-SSRB is what RFC 6937 recommends, and what FreeBSD ships; its stock offers SACK."""


def assess_claims(size: Swept, loss: Swept, rtt: Swept) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    measured = {
        "size-largest": _all(size, size.largest),
        "size-never-worse": _all(size, size.smallest),
        "loss-smallest": _all(loss, loss.smallest),
        "loss-largest": _all(loss, loss.largest),
        "rtt-largest": _all(rtt, rtt.largest),
        "rtt-never-worse": _all(rtt, rtt.smallest),
    }
    claims = load_claims(page(__package__, "claims.toml"))
    return [assess(claim, measured[identifier], MAIN_READING) for identifier, claim in claims.items()]


def _all(swept: Swept, estimate: Callable[[str, str, str], Estimate]) -> dict[str, Estimate]:
    return {
        f"{choice.name}; {what}; {stock}": estimate(choice.name, prr.name, control.name)
        for choice in swept.choices
        for what, prr in PRR.items()
        for stock, control in STOCKS.items()
    }
