"""The page of a report, as HTML."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from markdown_it import MarkdownIt

from ackclock import files
from ackclock.report import assets
from ackclock.report.choice import Choice
from ackclock.report.clouds import Clouds
from ackclock.report.figures import Intervals, Plot
from ackclock.report.tables import cell_text, html_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["Figure", "Report"]

Figure: TypeAlias = Plot | Intervals | Clouds | Choice

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""The page may not load anything: what is not inside it does not exist."""


FEWEST_CONTENTS = 4
"""A page with fewer headings has no table of contents."""


class Report:
    """A page in the making. Sections appear in the order they are added, after a table of contents."""

    def __init__(self, title: str, *, subtitle: str = "", command: str = "") -> None:
        self._title = title
        self._subtitle = subtitle
        self._command = command
        self._opening = ""
        self._sections: list[str] = []
        self._figures = 0

    def open_with(self, markdown: str) -> None:
        """Puts text in Markdown before the table of contents."""
        self._opening = self._text(markdown)

    def add_text(self, markdown: str) -> None:
        """Adds text in Markdown (CommonMark with tables). HTML in it is shown, not obeyed."""
        self._sections.append(self._text(markdown))

    def _text(self, markdown: str) -> str:
        renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
        html: str = renderer.render(markdown)
        # The page has one h1, its title.
        html = re.sub(r"<(/?)h1>", r"<\1h2>", html)
        html = html.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")
        return f'<section class="text">{html}</section>\n'

    def add_table(
        self, title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, caption: str = ""
    ) -> None:
        """Adds a table. Cells are text, numbers, truth values or None."""
        note = f"<p>{escape(caption)}</p>" if caption else ""
        self._sections.append(f"<section><h2>{escape(title)}</h2>{note}{html_table(columns, rows)}</section>\n")

    def add_html(self, section: str) -> None:
        """Adds a section that is HTML already; whoever made it has escaped what is text in it."""
        self._sections.append(section)

    def add_figure(self, figure: Figure) -> None:
        """Adds a figure with its caption and the command and seed that repeat it."""
        self._figures += 1
        body = figure.html(f"figure-{self._figures}")
        source = _command(figure.command)
        if figure.seed is not None:
            source += f'<p class="source">Seed {figure.seed}</p>'
        caption = f"<p>{escape(figure.caption)}</p>" if figure.caption else ""
        self._sections.append(
            f'<section class="figure"><h2>{escape(figure.title)}</h2>{body}'
            f'<div class="caption">{caption}{source}</div></section>\n'
        )

    def add_claims(self, claims: Sequence[Mapping[str, Any]]) -> None:
        """Adds the verdicts: the objects of ``claims`` in ``ackclock reproduce --json``."""
        counts: dict[str, int] = {}
        for claim in claims:
            counts[claim["verdict"]] = counts.get(claim["verdict"], 0) + 1
        tally = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        cards = "".join(_claim(claim) for claim in claims)
        self._sections.append(f"<section><h2>Published against measured</h2><p>{tally}.</p>{cards}</section>\n")

    def html(self) -> str:
        """The page."""
        subtitle = f"<p>{escape(self._subtitle)}</p>" if self._subtitle else ""
        contents, sections = _with_contents("".join(self._sections))
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            f"<title>{escape(self._title)}</title>\n<style>\n{assets.style()}</style>\n</head>\n<body>\n<main>\n"
            f"<header><h1>{escape(self._title)}</h1>{subtitle}{_command(self._command)}</header>\n"
            "<noscript><p>The plots need JavaScript; tables, intervals and verdicts do not.</p></noscript>\n"
            f"{self._opening}{contents}{sections}</main>\n<script>\n{assets.script()}</script>\n</body>\n</html>\n"
        )

    def write(self, path: Path) -> None:
        """Writes the page, whole or not at all."""
        files.write_text(path, self.html())


def _with_contents(sections: str) -> tuple[str, str]:
    """A table of contents, and the sections with an anchor at every heading that it names."""
    titles: list[str] = []

    def anchored(match: re.Match[str]) -> str:
        titles.append(match[1])
        return f'<h2 id="section-{len(titles)}">{match[1]}</h2>'

    sections = re.sub(r"<h2>(.*?)</h2>", anchored, sections)
    if len(titles) < FEWEST_CONTENTS:
        return "", sections
    items = "".join(f'<li><a href="#section-{number}">{title}</a></li>' for number, title in enumerate(titles, 1))
    return f'<nav aria-label="Contents"><ol>{items}</ol></nav>\n', sections


def _command(command: str) -> str:
    return f'<p class="source">Repeat with <code>{escape(command)}</code></p>' if command else ""


def _claim(claim: Mapping[str, Any]) -> str:
    """One claim as a card, with its readings folded away."""
    low, high = claim["ci"]
    unit = f" {claim['unit']}" if claim["unit"] else ""
    interval = "" if low is None else f" [{cell_text(low)}, {cell_text(high)}]"
    measured = "-"
    if claim["measured"] is not None:
        measured = f"{cell_text(claim['measured'])}{interval}{unit}"
    published = claim["published"]
    if not isinstance(published, str):
        published = f"{published:g}{unit}"
    verdict = claim["verdict"]
    note = f"<p>{escape(claim['note'])}</p>" if claim["note"] else ""
    readings = ""
    if claim["readings"]:
        rows = [
            [row["reading"], row["measured"], row["ci"][0], row["ci"][1], row["verdict"]] for row in claim["readings"]
        ]
        held = f"holds under {len(claim['holds_under'])} of {len(rows)} readings"
        columns = ["reading", f"measured{unit}", "low", "high", "verdict"]
        readings = f"<details><summary>{held}</summary>{html_table(columns, rows)}</details>"
    return (
        f'<article class="claim {verdict.replace(" ", "-")}"><p class="verdict">{escape(verdict)}</p>'
        f"<h3>{escape(claim['statement'])}</h3>"
        f"<dl><dt>published</dt><dd>{escape(published)}</dd>"
        f"<dt>measured</dt><dd>{escape(measured)}</dd></dl>"
        f'<p class="source">{escape(claim["reason"])}. Source: {escape(claim["source"])}</p>'
        f"{note}{readings}</article>\n"
    )
