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
    if value == low == high == 0:
        return "0"
    if math.isnan(low):
        return _signed(value)
    return f"{_signed(value)} [{_short(low)}, {_short(high)}]"


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


def _short(value: float) -> str:
    """Three significant digits: an interval does not know more."""
    return cell_text(float(f"{value:.3g}"))


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{_short(value)}"


def _rounded(value: float) -> float:
    """A number without the noise of sums: what is below a billionth is zero."""
    return 0.0 if math.isfinite(value) and abs(value) < 1e-9 else value
