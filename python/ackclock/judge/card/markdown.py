"""A card as Markdown: an appendix of an Internet-Draft, as kramdown-rfc and other tools read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock import _core
from ackclock.base.markdown import cell, table_row
from ackclock.judge.card.candidate import BESIDE, CANDIDATE, CUBIC
from ackclock.judge.card.judge import LEVEL, RULE, VERDICTS
from ackclock.judge.card.words import difference, label, number, told

if TYPE_CHECKING:
    from ackclock.judge.card.card import Card
    from ackclock.judge.card.judge import Judged
    from ackclock.judge.card.section import Section

__all__ = ["markdown"]

NAMES = {"cubic": "CUBIC", "reno": "Reno"}


def markdown(card: Card) -> str:
    """The appendix, in ASCII but for what the candidate's own name holds."""
    name = cell(card.candidate.title)
    about = (
        f"This appendix evaluates {name} by {card.suite.criteria}. The numbers are from "
        f"ackclock {_core.version()}, a deterministic simulator: {card.runs}."
    )
    lines = [f"# {card.suite.heading}", "", about]
    if card.suite.note:
        lines += ["", card.suite.note, ""]
    if card.command:
        lines += ["The following command repeats them:", "", "~~~", card.command, "~~~"]
    lines += ["", "## Rule of the Verdicts", "", _ascii(RULE), "", "## Summary", ""]
    lines += [f"| Section | Requirement | {' | '.join(VERDICTS)} |", f"|---|---|{'---:|' * len(VERDICTS)}"]
    for section in card.sections:
        counts = _counts(card, section)
        lines.append(
            f"| {section.number} {section.title} | {section.keyword or '-'} | "
            f"{' | '.join(str(counts[verdict]) for verdict in VERDICTS)} |"
        )
    total = card.summary
    lines.append(f"| All | | {' | '.join(str(total[verdict]) for verdict in VERDICTS)} |")
    for section in card.sections:
        lines += ["", f"## Section {section.number}: {section.title}", "", section.asks]
        lines += _rows(card, section)
        for one in section.unshown:
            lines += ["", f"Not shown: {_lower(one.what)}. {one.why}"]
    return _ascii("\n".join(lines)) + "\n"


def _rows(card: Card, section: Section) -> list[str]:
    lines: list[str] = []
    for scenario in section.scenarios:
        mine = [one for one in card.of(section) if one.cell.scenario.name == scenario.name]
        if not mine:
            continue
        lines += ["", scenario.summary, ""]
        head = ["Number", "Candidate", *(NAMES[who] for who in BESIDE), f"Minus CUBIC [{LEVEL * 100:g} %]", "Verdict"]
        lines += [f"| {' | '.join(head)} |", "|---|---:|---:|---:|---|---|"]
        lines += [table_row(_cells(one)) for one in mine]
        reasons = dict.fromkeys(one.reason for one in mine if one.reason)
        for reason in reasons:
            lines += ["", f"Not shown: {cell(reason)}."]
    return lines


def _cells(one: Judged) -> list[str]:
    point = f"{one.cell.point.name}: " if one.cell.point.name else ""
    found = [number(one, who) for who in (CANDIDATE, *BESIDE)]
    return [point + label(one), *found, difference(one, CUBIC) or "-", told(one)]


def _counts(card: Card, section: Section) -> dict[str, int]:
    counts = dict.fromkeys(VERDICTS, 0)
    for one in card.of(section):
        counts[one.verdict] += 1
    counts["not shown"] += len(section.unshown)
    return counts


def _lower(text: str) -> str:
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _ascii(text: str) -> str:
    return text.replace("“", '"').replace("”", '"')
