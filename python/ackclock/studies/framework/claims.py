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
    null = "pacing off"         # the mechanism that its null reading removes; by default the study's first
    turned_by = "2 BDP"         # if it is not reproduced: the reading that turns the verdict, and so shows the cause
    because = "why it fails"    # the cause, as a sentence; without `turned_by` it is argued and not shown
    note = "what is known of why"
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.stats import Estimate

__all__ = [
    "CAUSES",
    "NO_NULL",
    "VERDICTS",
    "Cause",
    "Claim",
    "ClaimResult",
    "Kind",
    "NullReading",
    "Verdict",
    "assess",
    "combined",
    "judge",
    "load_claims",
    "with_null",
]

Verdict: TypeAlias = Literal[
    "reproduced", "not reproduced", "split", "inconclusive", "not testable", "withdrawn", "illustration"
]
"""``split``: readings of the same rank have different verdicts."""
Expect: TypeAlias = Literal["value", "above", "below"]
Status: TypeAlias = Literal["published", "withdrawn", "illustration"]

Kind: TypeAlias = Literal["assumption", "definition", "cell"]
"""Subject of a reading: an assumption about the unknown, the definition of a word, or another cell of the original."""

Cause: TypeAlias = Literal["shown", "argued", "unexplained"]
"""Knowledge of the cause for which a claim is not reproduced: an experiment of the study turns the verdict; a cause is
named, but no experiment here has turned the verdict; or no cause is known."""

CAUSES: tuple[str, ...] = get_args(Cause)

VERDICTS: tuple[str, ...] = get_args(Verdict)
"""All verdicts, in the order of tables."""

NOT_MEASURED = "nothing here measures it"

NO_NULL = "none"
"""The `null` of a claim that is about no mechanism which the study could remove, such as a number of the control."""


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
    null: str = ""
    """The null reading of the claim: a name of `Study.nulls`, `NO_NULL`, or nothing for the study's first."""
    turned_by: str = ""
    """The reading under which a claim that is not reproduced holds, and which shows the cause."""
    because: str = ""
    """The cause of a claim that is not reproduced, as a sentence."""

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
        if self.turned_by and not self.because:
            raise ValueError(f"claim {self.id}: turned_by needs the cause that the reading shows, in because")


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
class NullReading:
    """A claim measured with its mechanism removed."""

    without: str
    """Mechanism that was removed, for example ``newCWV off``."""
    measured: Estimate | None
    verdict: Verdict
    """The verdict that the claim would have."""


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
    null: NullReading | None = None
    """The claim with its mechanism removed, where that was run."""
    beside: tuple[str, ...] = ()
    """The readings that have the same rank as the main one, and decide with it."""

    @property
    def holds_under(self) -> list[str]:
        """The readings under which the claim is reproduced."""
        return [name for name, (_, verdict) in self.readings.items() if verdict == "reproduced"]

    @property
    def cause(self) -> Cause | None:
        """Known cause for which the claim is not reproduced; None for any other verdict.

        A cause counts as shown only where the reading that the claim names turns the verdict in this run.
        """
        if self.verdict != "not reproduced":
            return None
        if self.claim.turned_by in self.holds_under:
            return "shown"
        return "argued" if self.claim.because else "unexplained"

    @property
    def regressed(self) -> bool:
        """Whether the claim is on record as reproduced and was measured, but no longer reproduced."""
        return self.claim.recorded == "reproduced" and self.verdict in ("not reproduced", "split", "inconclusive")

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
            "beside": [
                {"reading": name, **_numbers(self.readings[name][0]), "verdict": self.readings[name][1]}
                for name in self.beside
            ],
            "cause": self.cause,
            "because": claim.because,
            "turned_by": claim.turned_by,
            "null": None
            if self.null is None
            else {"without": self.null.without, **_numbers(self.null.measured), "verdict": self.null.verdict},
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


def combined(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict from those of readings that have the same rank.

    It is theirs where they agree. If they do not, it is undecided as long as one of them is, and ``split`` otherwise.
    """
    if len(set(verdicts)) == 1:
        return verdicts[0]
    undecided: tuple[Verdict, ...] = ("not testable", "inconclusive")
    return next((one for one in undecided if one in verdicts), "split")


def assess(
    claim: Claim,
    measured: Mapping[str, Estimate],
    main: str | Sequence[str],
    kind_of: Callable[[str], Kind] | None = None,
) -> ClaimResult:
    """The result of a claim measured under several readings of what the original left open.

    The verdict is that of the reading `main`, or of several readings that have the same rank (see `combined`); the
    others say how far it depends on the choice. A claim that nothing measured, under any reading, is not testable. A
    withdrawn claim stays withdrawn and an illustration an illustration; the readings say under which of them it would
    have held. Without `kind_of`, every reading is an assumption.
    """
    first, *beside = [main] if isinstance(main, str) else main
    verdict, reason = judge(claim, measured.get(first))
    if beside and claim.status == "published":
        judged = {name: judge(claim, measured.get(name))[0] for name in (first, *beside)}
        verdict = combined(list(judged.values()))
        reason = "; ".join(f"{one} under “{name}”" for name, one in judged.items()) + ". These have the same rank"
    asserted = replace(claim, status="published")
    readings = {name: (estimate, judge(asserted, estimate)[0]) for name, estimate in measured.items()}
    kinds = {} if kind_of is None else {name: kind_of(name) for name in measured}
    equal = tuple(name for name in beside if name in measured)
    return ClaimResult(claim, measured.get(first), verdict, reason, readings, kinds, beside=equal)


def with_null(result: ClaimResult, null: NullReading) -> ClaimResult:
    """The result with its null reading. A claim that also holds without its mechanism is an illustration.

    Such a claim says nothing of the mechanism: a simulator that ignored it would reproduce the claim as well.
    """
    if result.verdict != "reproduced" or null.verdict != "reproduced":
        return replace(result, null=null)
    return replace(
        result, null=null, verdict="illustration", reason=f"it holds with the mechanism removed: {null.without}"
    )
