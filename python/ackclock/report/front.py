"""The front page of the studies: every claim with its verdict, good and bad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.report.filters import filtered_table
from ackclock.report.page import Report
from ackclock.report.render import render
from ackclock.report.words import cell_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

__all__ = ["front_page", "front_report"]

VERDICTS = ("reproduced", "not reproduced", "split", "inconclusive", "not testable", "withdrawn", "illustration")


def front_page(documents: Sequence[Mapping[str, Any]], *, links: Mapping[str, str] | None = None) -> str:
    """The page of all claims of all studies.

    Parameters
    ----------
    documents
        What ``ackclock reproduce --json`` prints of each study, and ``verdicts.json`` holds.
    links
        Name of a study to the address of its report, from where the page is.
    """
    return front_report(documents, links=links).html()


def front_report(
    documents: Sequence[Mapping[str, Any]], *, links: Mapping[str, str] | None = None, command: str = ""
) -> Report:
    """The same, to be written."""
    links = links or {}
    claims = [(document, claim) for document in documents for claim in document["claims"]]
    found = [*VERDICTS, *sorted({claim["verdict"] for _, claim in claims} - {*VERDICTS})]
    versions = ", ".join(dict.fromkeys(str(document["version"]) for document in documents))
    report = Report(
        "Published against measured",
        subtitle=f"{_count(claims, 'claim')} of {_count(documents, 'study', 'studies')}; ackclock {versions}",
        command=command,
    )
    report.add_html("Studies", _studies(documents, claims, found, links))
    report.add_html("Claims", _claims(claims, links), kind="verdicts")
    return report


def _count(things: Sequence[object], one: str, many: str = "") -> str:
    return f"{len(things)} {one if len(things) == 1 else many or f'{one}s'}"


def _studies(
    documents: Sequence[Mapping[str, Any]],
    claims: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
    verdicts: Sequence[str],
    links: Mapping[str, str],
) -> Markup:
    """Counts by study."""
    rows: list[list[object]] = []
    cells: dict[tuple[int, int], str] = {}
    for number, document in enumerate(documents):
        own = [claim["verdict"] for claim in document["claims"]]
        replications = f"{len(document['seeds'])}{', quick' if document['quick'] else ''}"
        rows.append(
            [document["study"], document["title"], len(own), *(own.count(one) for one in verdicts), replications]
        )
        if document["study"] in links:
            cells[number, 0] = links[document["study"]]
    every = [claim["verdict"] for _, claim in claims]
    rows.append(["all", "", len(every), *(every.count(one) for one in verdicts), ""])
    columns = ["study", "title", "claims", *verdicts, "replications"]
    quick = any(document["quick"] for document in documents)
    return render("studies.html", quick=quick, table=filtered_table(columns, rows, {}, what="rows", links=cells))


def _claims(claims: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]], links: Mapping[str, str]) -> Markup:
    """Every claim."""
    rows: list[list[object]] = []
    cells: dict[tuple[int, int], str] = {}
    for number, (document, claim) in enumerate(claims):
        unit = f" {claim['unit']}" if claim["unit"] else ""
        published = claim["published"]
        if not isinstance(published, str):
            published = f"{published:g}{unit}"
        low, high = claim["ci"]
        measured = "-" if claim["measured"] is None else cell_text(claim["measured"])
        if claim["measured"] is not None:
            measured += ("" if low is None else f" [{cell_text(low)}, {cell_text(high)}]") + unit
        holds = f"{len(claim['holds_under'])} of {len(claim['readings'])}" if claim["readings"] else "-"
        quick = " (quick)" if document["quick"] else ""
        rows.append([claim["verdict"] + quick, document["study"], claim["statement"], published, measured, holds])
        if document["study"] in links:
            cells[number, 1] = links[document["study"]]
    by = {
        "verdict": [claim["verdict"] for _, claim in claims],
        "study": [document["study"] for document, _ in claims],
    }
    columns = ["verdict", "study", "claim", "published", "measured, main reading [95 %]", "holds under readings"]
    return filtered_table(columns, rows, by, what="claims", links=cells)
