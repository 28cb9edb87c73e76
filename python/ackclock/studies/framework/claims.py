"""Claims as data: what was published, how close counts, and the verdict computed from what is measured.

A claim is one table of a study's ``claims.toml``:

    [[claims]]
    id = "newcwv-segment-rate"
    statement = "newCWV lowers the average segment rate by 2.24 %"
    source = "slides, IETF 89, page 12"
    published = -2.24           # a number, or a sentence for a claim without one
    unit = "%"
    expect = "value"            # the interval is near `published`; or "above", "below": it lies beyond `bound`
    tolerance = 2.0             # for "value": how far from `published` still counts, in `unit`
    status = "published"        # or "withdrawn", or "illustration": it can hardly fail, and does not count
    recorded = "reproduced"     # the verdict on record; a run that no longer reaches it is a regression
    note = "what is known of why"
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ackclock.stats import Estimate

__all__ = ["VERDICTS", "Claim", "ClaimResult", "Kind", "Verdict", "assess", "judge", "load_claims"]

Verdict: TypeAlias = Literal[
    "reproduced", "not reproduced", "inconclusive", "not testable", "withdrawn", "illustration"
]
Expect: TypeAlias = Literal["value", "above", "below"]
Status: TypeAlias = Literal["published", "withdrawn", "illustration"]

Kind: TypeAlias = Literal["assumption", "definition", "cell"]
"""What a reading varies: an assumption about the unknown, the definition of a word, or another cell of the original."""

VERDICTS: tuple[str, ...] = get_args(Verdict)
"""All verdicts, in the order of tables."""

NOT_MEASURED = "nothing here measures it"


@dataclass(frozen=True, slots=True)
class Claim:
    """One published claim."""

    id: str
    statement: str
    source: str
    published: float | str
    expect: Expect
    unit: str = ""
    tolerance: float = 0.0
    bound: float = 0.0
    status: Status = "published"
    recorded: Verdict | None = None
    note: str = ""

    def __post_init__(self) -> None:
        for name, value, accepted in (
            ("expect", self.expect, get_args(Expect)),
            ("status", self.status, get_args(Status)),
            ("recorded", self.recorded, (None, *get_args(Verdict))),
        ):
            if value not in accepted:
                raise ValueError(f"claim {self.id}: {name} is one of {accepted}, not {value!r}")
        if self.expect == "value" and (isinstance(self.published, str) or self.tolerance <= 0):
            raise ValueError(f"claim {self.id}: a value needs a published number and a tolerance above 0")


def load_claims(text: str) -> dict[str, Claim]:
    """The claims of a ``claims.toml``, by id, in order."""
    claims = [Claim(**entry) for entry in tomllib.loads(text)["claims"]]
    by_id = {claim.id: claim for claim in claims}
    if len(by_id) != len(claims):
        raise ValueError("two claims have the same id")
    return by_id


def judge(claim: Claim, measured: Estimate | None) -> tuple[Verdict, str]:
    """The verdict on a claim from one measured interval, with its reason.

    - ``value``: the band is the published number with the tolerance on either side. An interval that lies inside the
      band reproduces the claim, and one that lies outside does not, however wide it is. Of the intervals across an edge
      of the band, one whose half width exceeds the tolerance is inconclusive; a narrower one is judged by the measured
      number.
    - ``above``, ``below``: the claim is reproduced if the whole interval lies on that side of the bound, not reproduced
      if nothing of it does (the bound itself is on neither side), and inconclusive otherwise.
    """
    if claim.status == "withdrawn":
        return "withdrawn", "its authors withdrew it"
    if claim.status == "illustration":
        return "illustration", "it can hardly fail, and does not count"
    if measured is None:
        return "not testable", NOT_MEASURED
    if not measured.has_interval:
        return "not testable", "one replication gives no interval"
    if claim.expect == "value":
        return _judge_value(claim, measured)
    where = f"{claim.bound:g}{_unit(claim)}"
    nearer, farther = (measured.low, measured.high) if claim.expect == "above" else (-measured.high, -measured.low)
    bound = claim.bound if claim.expect == "above" else -claim.bound
    if nearer > bound:
        return "reproduced", f"the interval lies {claim.expect} {where}"
    if farther <= bound:
        return "not reproduced", f"nothing of the interval lies {claim.expect} {where}"
    return "inconclusive", f"the interval crosses {where}"


def _judge_value(claim: Claim, measured: Estimate) -> tuple[Verdict, str]:
    assert isinstance(claim.published, int | float)  # noqa: S101 -- Claim checks it
    lowest, highest = claim.published - claim.tolerance, claim.published + claim.tolerance
    away = abs(measured.value - claim.published)
    distance = f"{away:.3g}{_unit(claim)} from the published value, tolerance {claim.tolerance:g}"
    if measured.low > highest or measured.high < lowest:
        return "not reproduced", distance
    # An interval inside the band is never as wide as this.
    if measured.half_width > claim.tolerance:
        return "inconclusive", f"the interval is wider than the tolerance of {claim.tolerance:g}"
    return "reproduced" if away <= claim.tolerance else "not reproduced", distance


def _unit(claim: Claim) -> str:
    return f" {claim.unit}" if claim.unit else ""


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """A claim with its measured estimates: under the study's main reading, and under every other reading."""

    claim: Claim
    measured: Estimate | None
    verdict: Verdict
    reason: str
    readings: dict[str, tuple[Estimate, Verdict]] = field(default_factory=dict)
    """Reading to the estimate under it and the verdict that this estimate would give."""
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """Reading to its kind; a reading that is not named here is an assumption."""

    @property
    def holds_under(self) -> list[str]:
        """The readings under which the claim is reproduced."""
        return [name for name, (_, verdict) in self.readings.items() if verdict == "reproduced"]

    @property
    def regressed(self) -> bool:
        """Whether the claim is on record as reproduced and was measured, but no longer reproduced."""
        return self.claim.recorded == "reproduced" and self.verdict in ("not reproduced", "inconclusive")

    def document(self) -> dict[str, Any]:
        """The claim's object in ``ackclock reproduce --json``."""
        claim = self.claim
        return {
            "id": claim.id,
            "statement": claim.statement,
            "published": claim.published,
            **_numbers(self.measured),
            "verdict": self.verdict,
            "unit": claim.unit,
            "tolerance": claim.tolerance if claim.expect == "value" else None,
            "expect": claim.expect,
            "source": claim.source,
            "reason": self.reason,
            "note": claim.note,
            "recorded": claim.recorded,
            "holds_under": self.holds_under,
            "readings": [
                {"reading": name, "kind": self.kinds.get(name, "assumption"), **_numbers(measured), "verdict": verdict}
                for name, (measured, verdict) in self.readings.items()
            ],
        }


def _numbers(measured: Estimate | None) -> dict[str, Any]:
    if measured is None:
        return {"measured": None, "ci": [None, None], "n": 0}
    ends = [measured.low, measured.high] if measured.has_interval else [None, None]
    return {"measured": measured.value, "ci": ends, "n": measured.n}


def assess(
    claim: Claim, measured: Mapping[str, Estimate], main: str, kind_of: Callable[[str], Kind] | None = None
) -> ClaimResult:
    """The result of a claim measured under several readings of what the original left open.

    The verdict is that of the reading `main`; the others say how far it depends on the choice. A claim that nothing
    measured, under any reading, is not testable. A withdrawn claim stays withdrawn and an illustration an illustration;
    the readings say under which of them it would have held. Without `kind_of`, every reading is an assumption.
    """
    verdict, reason = judge(claim, measured.get(main))
    asserted = replace(claim, status="published")
    readings = {name: (estimate, judge(asserted, estimate)[0]) for name, estimate in measured.items()}
    kinds = {} if kind_of is None else {name: kind_of(name) for name in measured}
    return ClaimResult(claim, measured.get(main), verdict, reason, readings, kinds)
