"""The picture that a report opens with: each published number with its band, and the measured one below it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ackclock.report import Intervals, Row, colour_of
from ackclock.results.names import with_unit
from ackclock.stats import Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.studies.framework.claims import Claim, ClaimResult

__all__ = ["side_by_side"]

PUBLISHED_COLOUR = "var(--quiet)"


def side_by_side(claims: Sequence[ClaimResult], command: str) -> list[Intervals]:
    """The claims with a published number and a measured one, a figure for each unit, in the order of the claims."""
    by_unit: dict[str, list[Row]] = {}
    for one in claims:
        published = _published(one.claim)
        if published is not None and one.measured is not None:
            rows = by_unit.setdefault(one.claim.unit, [])
            rows.append(Row(one.claim.statement, "published", published, PUBLISHED_COLOUR))
            rows.append(Row(one.claim.statement, "measured", one.measured, colour_of(0)))
    title = "The published numbers and ours"
    caption = (
        "Published numbers with the band in which a measured one counts as the same; measured ones with 95 % intervals."
    )
    return [
        Intervals(
            title if len(by_unit) == 1 else with_unit(title, unit),
            with_unit("Published and measured", unit),
            rows,
            caption,
            command,
        )
        for unit, rows in by_unit.items()
    ]


def _published(claim: Claim) -> Estimate | None:
    """The published number as an estimate, whose interval is the band of a claim that has one."""
    if isinstance(claim.published, str):
        return None
    reach = claim.tolerance if claim.expect == "value" else math.nan
    return Estimate(claim.published, claim.published - reach, claim.published + reach, 0)
