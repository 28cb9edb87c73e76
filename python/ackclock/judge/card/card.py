"""A card as a whole: its rows by section, counts, the rows that stand out, and the document for JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock.judge.card.candidate import BESIDE, Candidate
from ackclock.judge.card.judge import LEVEL, NOT_SHOWN, RULE, VERDICTS, WORSE, Judged, judged
from ackclock.judge.card.perform import Plan, measured, planned
from ackclock.judge.card.suite import CARD, Suite
from ackclock.stats.estimate import doubt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.base.progress import ProgressCallback
    from ackclock.judge.card.section import Section

__all__ = ["FULL", "QUICK", "Card", "make"]

QUICK, FULL = 8, 30
"""Number of seeds of the quick and of the full form."""

MOST_SHOWN = 10
"""Rows that the beginning of a page lists."""


@dataclass(frozen=True)
class Card:
    """A report card."""

    candidate: Candidate
    sections: tuple[Section, ...]
    plan: Plan
    rows: tuple[Judged, ...]
    quick: bool
    command: str = ""
    """The command that makes the same card."""
    suite: Suite = CARD

    @property
    def summary(self) -> dict[str, int]:
        """Verdict to the number of rows, parts of sections that cannot be shown included."""
        counts = Counter(one.verdict for one in self.rows)
        counts[NOT_SHOWN] += sum(len(section.unshown) for section in self.sections)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    @property
    def runs(self) -> str:
        """The runs of the card in a sentence."""
        seeds = self.plan.seeds
        equal = self.plan.wanted - self.plan.runs
        again = f"; {equal:,} more would have been equal to one of them" if equal else ""
        return (
            f"{self.plan.runs:,} runs of {self.plan.seconds:,.0f} s of network time in all, under the seeds "
            f"{seeds[0]} to {seeds[-1]}{again}"
        )

    @property
    def doubt(self) -> str:
        """A sentence on intervals that are likely to miss the truth; empty if there are none."""
        made = [
            other.difference
            for one in self.rows
            if one.row.direction
            for other in one.beside.values()
            if other.difference is not None
        ]
        count = sum(one.is_doubtful for one in made)
        return doubt(count, len(made)) if count else ""

    def of(self, section: Section) -> list[Judged]:
        """The rows of a section."""
        return [one for one in self.rows if one.cell.section.number == section.number]

    def standing_out(self) -> list[Judged]:
        """The rows that are worse by most, one for each scenario: those with the largest distance first."""
        found: dict[tuple[str, str], Judged] = {}
        worse = [one for one in self.rows if one.verdict == WORSE]
        for one in sorted(worse, key=lambda one: one.distance, reverse=True):
            found.setdefault((one.cell.section.number, one.cell.scenario.name), one)
        return list(found.values())[:MOST_SHOWN]

    def fails(self, level: str | None) -> bool:
        """Whether a row has the verdict `level`, or a worse one."""
        order = VERDICTS.index(level) if level is not None else len(VERDICTS)
        return any(order <= VERDICTS.index(one.verdict) <= VERDICTS.index(WORSE) for one in self.rows)

    def document(self) -> dict[str, Any]:
        """Everything for JSON."""
        return {
            **self.suite.facts,
            "candidate": {
                "name": self.candidate.name,
                "stack": self.candidate.stack if self.candidate.transport is None else None,
                "transport": self.candidate.transport,
                "library": self.candidate.library,
                "fields": dict(self.candidate.fields),
            },
            "beside": list(BESIDE),
            "backend": self.candidate.backend,
            "form": "quick" if self.quick else "full",
            "seeds": list(self.plan.seeds),
            "level": LEVEL,
            "rule": RULE,
            "runs": {"wanted": self.plan.wanted, "made": self.plan.runs, "network_time_s": self.plan.seconds},
            "version": _core.version(),
            "engine": _core.engine()[:8],
            "command": self.command,
            "summary": self.summary,
            "sections": [
                {
                    "section": section.number,
                    "title": section.title,
                    "keyword": section.keyword or None,
                    "asks": section.asks,
                    "rows": [one.document() for one in self.of(section)],
                    "not_shown": [{"what": one.what, "why": one.why} for one in section.unshown],
                }
                for section in self.sections
            ],
        }


def make(
    candidate: Candidate,
    *,
    sections: Sequence[str] = (),
    seeds: Sequence[int],
    quick: bool = False,
    threads: int | None = None,
    command: str = "",
    suite: Suite = CARD,
    begin: Callable[[Plan], ProgressCallback | None] = lambda _: None,
) -> Card:
    """Makes a card.

    Parameters
    ----------
    candidate
        The congestion control that the card is about.
    sections
        Numbers of sections of the suite; all without any.
    seeds
        The seeds of each scenario, at least two.
    quick
        Whether points of scenarios that only the full form has are left out.
    threads
        Runs at the same time; as many as there are cores when not given. It does not change the card.
    command
        The command that makes the same card, which its pages show.
    suite
        The suite whose sections are run; by default the card by RFC 9743.
    begin
        Called with the plan before the first run; it returns the function to call with the part done.

    Raises
    ------
    RefusedError
        If there is no such section.
    ScenarioError, AlgorithmError, TransportError, ProcessError, KernelError
        As of `ackclock.run`.
    """
    found = suite.chosen(tuple(sections))
    plan = planned(found, candidate, seeds, quick=quick)
    numbers = measured(plan, candidate, threads=threads, progress=begin(plan))
    return Card(candidate, found, plan, tuple(judged(numbers)), quick, command, suite)
