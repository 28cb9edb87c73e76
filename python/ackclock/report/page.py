"""The page of a report, as HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from markdown_it import MarkdownIt
from markupsafe import Markup

from ackclock.base import files
from ackclock.report import assets
from ackclock.report.choice import Choice
from ackclock.report.clouds import Clouds
from ackclock.report.figures import Intervals, Plot
from ackclock.report.render import render
from ackclock.report.tables import html_table
from ackclock.report.words import cell_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["Figure", "Report"]

Figure: TypeAlias = Plot | Intervals | Clouds | Choice

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""The page may not load anything: what is not inside it does not exist."""


FEWEST_CONTENTS = 4
"""A page with fewer headings has no table of contents."""

HEADING = re.compile(r"<h2>(.*?)</h2>")


class Report:
    """A page in the making.

    The page begins with what `open_with` and `open_with_figure` got. A table of contents follows, and then the sections
    in the order in which they are added. A folded section shows its heading until it is opened.
    """

    def __init__(self, title: str, *, subtitle: str = "", command: str = "") -> None:
        self._title = title
        self._subtitle = subtitle
        self._command = command
        self._opening = Markup()
        self._sections: list[Markup] = []
        self._figures = 0

    def open_with(self, markdown: str) -> None:
        """Puts text in Markdown before the table of contents."""
        self.open_with_html(_markdown(markdown))

    def open_with_html(self, body: Markup) -> None:
        """Puts HTML before the table of contents."""
        self._opening += _section(body, kind="text opening")

    def open_with_figure(self, figure: Figure) -> None:
        """Puts a figure before the table of contents."""
        self._opening += self._figure(figure, folded=False)

    def add_text(self, markdown: str, *, folded: bool = False) -> None:
        """Adds text in Markdown (CommonMark with tables), of which each part with a heading is a section.

        HTML in the text is shown, not obeyed.
        """
        html = _markdown(markdown)
        if not folded:
            self._sections.append(_section(html, kind="text"))
            return
        before, *parts = re.split(r"<h2>(.*?)</h2>", html)
        if before.strip():
            self._sections.append(_section(Markup(before), kind="text"))  # noqa: S704 -- a part of HTML made here
        for title, body in zip(parts[::2], parts[1::2], strict=True):
            self._sections.append(_section(Markup(body), Markup(title), kind="text", folded=True))  # noqa: S704

    def add_table(
        self,
        title: str,
        columns: Sequence[str],
        rows: Sequence[Sequence[object]],
        *,
        caption: str = "",
        folded: bool = False,
    ) -> None:
        """Adds a table. Cells are text, numbers, truth values or None."""
        note = Markup("<p>{}</p>").format(caption) if caption else Markup()
        self.add_html(title, note + html_table(columns, rows), folded=folded)

    def add_html(self, title: str, body: Markup, *, kind: str = "", folded: bool = False) -> None:
        """Adds a section with a body that is HTML already. `kind` is its class."""
        self._sections.append(_section(body, title, kind=kind, folded=folded))

    def add_figure(self, figure: Figure, *, folded: bool = False) -> None:
        """Adds a figure with its caption, and with its command and seed if they are not those of the page."""
        self._sections.append(self._figure(figure, folded=folded))

    def _figure(self, figure: Figure, *, folded: bool) -> Markup:
        self._figures += 1
        command = figure.command if figure.command != self._command else ""
        body = render(
            "figure.html",
            body=figure.html(f"figure-{self._figures}"),
            caption=figure.caption,
            command=_command(command),
            seed=figure.seed,
        )
        return _section(body, figure.title, kind="figure", folded=folded)

    def add_claims(self, claims: Sequence[Mapping[str, Any]]) -> None:
        """Adds the verdicts: the objects of ``claims`` in ``ackclock reproduce --json``."""
        counts: dict[str, int] = {}
        for claim in claims:
            counts[claim["verdict"]] = counts.get(claim["verdict"], 0) + 1
        tally = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        body = render("claims.html", tally=tally, claims=[_claim(claim) for claim in claims])
        self.add_html("Published against measured", body)

    def html(self) -> str:
        """The page."""
        contents, sections = _with_contents(Markup().join(self._sections))
        page = render(
            "page.html",
            policy=Markup(POLICY),  # noqa: S704 -- a constant
            title=self._title,
            subtitle=self._subtitle,
            style=Markup(assets.style()),  # noqa: S704 -- a file of this package
            script=Markup(assets.script()),  # noqa: S704 -- as above
            opening=self._opening,
            contents=contents,
            sections=sections,
            command=_command(self._command),
        )
        return str(page)

    def write(self, path: Path) -> None:
        """Writes the page, whole or not at all."""
        files.write_text(path, self.html())


def _markdown(text: str) -> Markup:
    html: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    # The page has one h1, its title.
    html = re.sub(r"<(/?)h1>", r"<\1h2>", html)
    html = html.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")
    return Markup(html)  # noqa: S704 -- the renderer escapes HTML in the text


def _section(body: Markup, title: str = "", *, kind: str = "", folded: bool = False) -> Markup:
    return render("section.html", body=body, title=title, kind=kind, folded=folded)


def _with_contents(sections: Markup) -> tuple[list[Markup], Markup]:
    """The entries of a table of contents, and the sections with an anchor at every heading that it names."""
    titles: list[Markup] = []

    def anchored(match: re.Match[str]) -> str:
        titles.append(Markup(match[1]))  # noqa: S704 -- a part of HTML made here
        return f'<h2 id="section-{len(titles)}">{match[1]}</h2>'

    anchors = Markup(HEADING.sub(anchored, sections))  # noqa: S704 -- as above
    return (titles, anchors) if len(titles) >= FEWEST_CONTENTS else ([], sections)


def _command(command: str) -> Markup:
    return render("command.html", command=command) if command else Markup()


def _claim(claim: Mapping[str, Any]) -> dict[str, Any]:
    """A claim as its template has it."""
    low, high = claim["ci"]
    unit = f" {claim['unit']}" if claim["unit"] else ""
    interval = "" if low is None else f" [{cell_text(low)}, {cell_text(high)}]"
    measured = "-"
    if claim["measured"] is not None:
        measured = f"{cell_text(claim['measured'])}{interval}{unit}"
    published = claim["published"]
    if not isinstance(published, str):
        published = f"{published:g}{unit}"
    readings, held = Markup(), ""
    if claim["readings"]:
        rows = [
            [row["reading"], row["measured"], row["ci"][0], row["ci"][1], row["verdict"]] for row in claim["readings"]
        ]
        held = f"holds under {len(claim['holds_under'])} of {len(rows)} readings"
        readings = html_table(["reading", f"measured{unit}", "low", "high", "verdict"], rows)
    told = {name: claim[name] for name in ("verdict", "statement", "reason", "source", "note")}
    shown = {"measured": measured, "published": published, "held": held, "readings": readings}
    return told | shown | {"cause": _cause(claim), "without": _without(claim, unit)}


def _cause(claim: Mapping[str, Any]) -> str:
    """Known cause for which a claim is not reproduced, as a sentence."""
    cause = claim.get("cause")
    if cause is None:
        return ""
    if cause == "unexplained":
        return "The cause is unexplained."
    shown = f" It is shown by the reading “{claim['turned_by']}”." if cause == "shown" else ""
    return f"Cause {cause}: {claim['because']}{shown}"


def _without(claim: Mapping[str, Any], unit: str) -> str:
    """The null reading of a claim, as a sentence."""
    null = claim.get("null")
    if null is None:
        return ""
    measured = "not measured" if null["measured"] is None else f"{cell_text(null['measured'])}{unit}"
    holds = "holds" if null["verdict"] == "reproduced" else "does not hold"
    return f"With the mechanism removed ({null['without']}) the claim {holds}: {measured}."
