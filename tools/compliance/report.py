"""Whether each requirement is obeyed, and the page that says so."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tools.compliance.annotations import SCRIPTS, Annotation, scan
from tools.compliance.requirements import Document, Requirement, load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PAGE = "docs/compliance.md"

STATUSES = ("obeyed", "obeyed, with exceptions", "deviating", "not applicable")

_INTRODUCTION = """\
# Requirements of the RFCs

*For those who check a TCP against the RFCs, requirement by requirement.*

This page lists the requirements of twelve RFCs: each sentence with MUST, SHOULD, MAY or another key word of RFC 2119,
and the steps of algorithms that are specified without key words ("step").

The sources quote each requirement where they obey it, and above the tests that prove it. `python -m tools.compliance`
generates this page from these quotations and from the tables in `docs/compliance/rfcs`. `make test` fails if a
requirement has no code, no test and no reason, or if this page is out of date.

| status | meaning |
|---|---|
| obeyed | The code named obeys the requirement, and the tests named prove it. |
| obeyed, with exceptions | The same, but a stack or a setting deviates on purpose, for the reason given. |
| deviating | The requirement is not obeyed, for the reason given. |
| not applicable | Nothing in ackclock falls under the requirement, or it is a permission that is not used. |

Requirements of an optional algorithm are judged with the algorithm switched on. A quotation is as long as is needed
to find its sentence. Paths of code are below `crates/ackclock-tcp/src`, those of tests below the same folder or
`crates/ackclock-tcp/tests`, and those of packetdrill scripts below `crates/ackclock-drill/tests`.
"""


@dataclass
class Finding:
    """A requirement with everything that the sources say of it."""

    requirement: Requirement
    code: list[Annotation] = field(default_factory=list)
    tests: list[Annotation] = field(default_factory=list)
    exceptions: list[Annotation] = field(default_factory=list)

    @property
    def status(self) -> str:
        """One of `STATUSES`."""
        if self.requirement.status:
            return self.requirement.status
        if not self.code:
            return "deviating"
        return "obeyed, with exceptions" if self.exceptions else "obeyed"

    @property
    def reason(self) -> str:
        """The reason why the requirement is not obeyed or not obeyed everywhere, or a note for the reader."""
        given = [self.requirement.reason, *(one.reason for one in self.exceptions), self.requirement.note]
        return " ".join(dict.fromkeys(text for text in given if text))

    def problems(self) -> list[str]:
        """Messages about missing and contradictory annotations and statuses."""
        of, found = self.requirement, []
        if of.status and (self.code or self.tests or self.exceptions):
            places = ", ".join(one.where for one in [*self.code, *self.tests, *self.exceptions])
            found.append(f"{of.name}: {of.status} by its table, but annotated at {places}")
        elif not of.status and not self.code and not self.exceptions:
            found.append(f"{of.name}: no code is annotated with it: {of.quote}")
        elif self.code and not self.tests:
            found.append(f"{of.name}: no test is annotated with it: {of.quote}")
        return found


def judge(documents: Sequence[Document], annotations: Sequence[Annotation]) -> tuple[list[Finding], list[str]]:
    """Joins requirements with annotations. Returns every requirement's finding and every problem."""
    findings = {
        (one.rfc, one.section, one.quote): Finding(one) for document in documents for one in document.requirements
    }
    problems = []
    for annotation in annotations:
        finding = findings.get((annotation.rfc, annotation.section, annotation.quote))
        if finding is None:
            what = f"RFC {annotation.rfc}, section {annotation.section}"
            problems.append(f"{annotation.where}: the table has no such requirement: {what}: {annotation.quote}")
            continue
        kinds = {"implementation": finding.code, "test": finding.tests, "exception": finding.exceptions}
        kinds[annotation.kind].append(annotation)
    for finding in findings.values():
        problems += finding.problems()
    return [*findings.values()], problems


def examine(root: Path | None = None) -> tuple[list[Document], list[Finding], list[str]]:
    """The tables, the finding of each requirement, and every problem of the repository."""
    documents = load()
    annotations, wrong = scan(root) if root else scan()
    findings, problems = judge(documents, annotations)
    return documents, findings, wrong + problems


def page(documents: Sequence[Document], findings: Sequence[Finding]) -> str:
    """The page, as Markdown."""
    sections = (_section(one, [found for found in findings if found.requirement.rfc == one.rfc]) for one in documents)
    return "\n".join([_INTRODUCTION, _summary(documents, findings), *sections])


def _summary(documents: Sequence[Document], findings: Sequence[Finding]) -> str:
    lines = ["| RFC | title | requirements | " + " | ".join(STATUSES) + " |", "|---" * (3 + len(STATUSES)) + "|"]
    for document in documents:
        counts = Counter(one.status for one in findings if one.requirement.rfc == document.rfc)
        link = f"[{document.rfc}](#rfc-{document.rfc})"
        lines.append(_row([link, document.title, str(counts.total()), *_counts(counts)]))
    counts = Counter(one.status for one in findings)
    lines.append(_row(["all", "", str(counts.total()), *_counts(counts)]))
    return "\n".join(lines) + "\n"


def _counts(counts: Counter[str]) -> list[str]:
    return [str(counts[status] or "") for status in STATUSES]


def _section(document: Document, findings: Sequence[Finding]) -> str:
    lines = [
        f"## RFC {document.rfc}",
        "",
        f"[{document.title}](https://www.rfc-editor.org/rfc/rfc{document.rfc}). {document.about}",
        "",
        "| id | level | requirement | status | code | tests | reason or note |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in findings:
        of, code = one.requirement, _places(one.code or one.exceptions)
        cells = [of.id, of.level, _escaped(of.quote), one.status, code, _places(one.tests), _escaped(one.reason)]
        lines.append(_row(cells))
    return "\n".join(lines) + "\n"


def _places(annotations: Sequence[Annotation]) -> str:
    """Each place once: file and function, which stay where lines move."""
    found = dict.fromkeys(f"`{_short(one.path)}`" + (f" `{one.place}`" if one.place else "") for one in annotations)
    return ", ".join(found)


def _short(path: str) -> str:
    for prefix, instead in (
        ("crates/ackclock-tcp/src/", ""),
        ("crates/ackclock-tcp/", ""),
        (f"{SCRIPTS}/", "scripts/"),
        ("crates/", ""),
    ):
        if path.startswith(prefix):
            return instead + path.removeprefix(prefix)
    return path


def _escaped(text: str) -> str:
    for character in "\\`*_<>[]|":
        text = text.replace(character, "\\" + character)
    return text


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
