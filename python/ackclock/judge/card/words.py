"""Numbers and verdicts of a card as people read them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ackclock.judge.card.candidate import CANDIDATE, CUBIC
from ackclock.judge.card.judge import AS_GOOD
from ackclock.report.words import cell_text

if TYPE_CHECKING:
    from ackclock.judge.card.judge import Judged

__all__ = ["difference", "label", "number", "place", "sentence", "told"]


def number(one: Judged, who: str) -> str:
    """The mean of the candidate, of CUBIC or of Reno; a dash if there is none."""
    return cell_text(_rounded(one.mean(who)))


def difference(one: Judged, who: str) -> str:
    """The candidate minus another algorithm with its interval; what is missing in its place."""
    if not one.row.direction or who not in one.beside:
        return ""
    found = one.beside[who]
    if found.lacking:
        return f"no value under {found.lacking} of {len(one.values[CANDIDATE])} seeds"
    if found.difference is None:
        return "-"
    value, low, high = (_rounded(end) for end in (found.difference.value, found.difference.low, found.difference.high))
    width = (high - low) / 2
    if value == 0 and not width > 0:
        return "0"
    # The ends of an interval are known to two digits of its half width; nobody reads more than four of a number.
    digits = 1 - math.floor(math.log10(width)) if width > 0 else 3 - math.ceil(math.log10(abs(value)))
    if value:
        digits = min(digits, 3 - math.floor(math.log10(abs(value))))
    middle = f"{'+' if value > 0 else ''}{_to(value, digits)}"
    return middle if math.isnan(low) else f"{middle} [{_to(low, digits)}, {_to(high, digits)}]"


def told(one: Judged) -> str:
    """The verdict in words; “better” where the candidate is better than CUBIC."""
    return f"{one.verdict}, better" if one.verdict == AS_GOOD and one.better else one.verdict


def label(one: Judged) -> str:
    """The number of a row with its unit."""
    return one.row.text + (f" ({one.row.unit})" if one.row.unit else "")


def place(one: Judged) -> str:
    """Scenario and point of a row."""
    return one.cell.scenario.name + (f", {one.cell.point.name}" if one.cell.point.name else "")


def sentence(one: Judged) -> str:
    """A row as a sentence."""
    unit = f" {one.row.unit}" if one.row.unit else ""
    others = " and ".join(
        f"{number(one, who)}{unit} with {who.upper() if who == CUBIC else who.capitalize()}" for who in one.beside
    )
    return f"{one.row.text}: {number(one, CANDIDATE)}{unit}, and {others} in its place ({place(one)})."


def _to(value: float, digits: int) -> str:
    """A number with so many digits after the point; with tens, hundreds and so on where `digits` is below zero."""
    # Adding zero turns minus zero into zero.
    rounded = round(value, digits) + 0.0
    return f"{rounded:,.{max(digits, 0)}f}"


def _rounded(value: float) -> float:
    """A number without the noise of sums: what is below a billionth is zero."""
    return 0.0 if math.isfinite(value) and abs(value) < 1e-9 else value
