"""A card as a page: one HTML file of the project's reports."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ackclock import _core, stats
from ackclock.judge.card.candidate import BESIDE, CANDIDATE, CUBIC
from ackclock.judge.card.judge import AS_GOOD, BETWEEN, FACT, NOT_SHOWN, RULE, VERDICTS, WORSE
from ackclock.judge.card.words import difference, label, number, sentence, told
from ackclock.plot.contrast import WHITE
from ackclock.plot.palette import COLOURS, GREY
from ackclock.report import Intervals, Report
from ackclock.report.colours import DARK_PAGE, mix, readable_on
from ackclock.report.figures import Row as Line
from ackclock.report.render import render

if TYPE_CHECKING:
    from markupsafe import Markup

    from ackclock.judge.card.card import Card
    from ackclock.judge.card.judge import Judged
    from ackclock.judge.card.section import Section

__all__ = ["page"]

SIGNS = {AS_GOOD: "\u2713", BETWEEN: "~", WORSE: "\u2715", FACT: "i", NOT_SHOWN: "\u2013"}
"""Signs of the verdicts, so that colours are not needed to read the page."""
KINDS = {AS_GOOD: "good", BETWEEN: "between", WORSE: "worse", FACT: "fact", NOT_SHOWN: "unshown"}
"""Classes of the verdicts in the style of the page."""
MARKS = {"good": "#00795a", "between": "#b07800", "worse": "#c44900", "fact": "#35709f", "unshown": "#66707a"}
"""Colours of these classes, each at 3 to 1 or more from the page and its sign at 4.5 to 1 from the colour."""
ARROWS = {"higher": ("\u2191", "more is better"), "lower": ("\u2193", "less is better"), "": ("", "")}
"""Signs of the directions of rows, and what they mean."""
MEANINGS = {
    AS_GOOD: "not worse than CUBIC",
    BETWEEN: "worse than CUBIC, not than Reno",
    WORSE: "worse than CUBIC and Reno",
    FACT: "a number without a verdict",
    NOT_SHOWN: "not in this laboratory",
}


HARM = (
    "- Harm is that of Ware, Mukerjee, Seshan and Sherry (HotNets 2019): with x alone and y beside a rival, (x - y)/x "
    "where more is better, and (y - x)/y where less is better. Negative harm is a gain, and is stated down to -100 %."
)


def page(card: Card) -> Report:
    """The page, to be written."""
    form = "quick form" if card.quick else "full form"
    report = Report(
        f"{card.suite.title}: {card.candidate.title}",
        subtitle=f"{card.suite.subtitle}; {form}; ackclock {_core.version()}",
        command=card.command,
    )
    if card.suite.note:
        report.open_with(card.suite.note)
    report.open_with_html(_overview(card))
    for section in card.sections:
        keyword = f" ({section.keyword})" if section.keyword else ""
        report.add_html(f"{section.number} {section.title}{keyword}", _section(card, section), kind="card")
        if section.number == "5.2.1" and (figure := _harm(card, section)) is not None:
            report.add_figure(figure)
    report.add_text(_method(card))
    return report


def _overview(card: Card) -> Markup:
    counts = card.summary
    return render(
        "card.html",
        part="overview",
        counts=[
            {"verdict": one, "kind": KINDS[one], "sign": SIGNS[one], "count": counts[one], "meaning": MEANINGS[one]}
            for one in VERDICTS
        ],
        marks=[{"kind": kind, "colour": colour, "on": readable_on(colour)} for kind, colour in MARKS.items()],
        lines=[
            {
                "number": section.number,
                "title": section.title,
                "keyword": section.keyword,
                "anchor": _anchor(section),
                "cells": [_square(one) for one in card.of(section)]
                + [
                    {
                        "kind": KINDS[NOT_SHOWN],
                        "sign": SIGNS[NOT_SHOWN],
                        "look": "",
                        "hover": f"{one.what}: not shown",
                    }
                    for one in section.unshown
                ],
            }
            for section in card.sections
        ],
        standing=[
            {"number": one.cell.section.number, "anchor": _anchor(one.cell.section), "text": sentence(one)}
            for one in card.standing_out()
        ],
        rule=RULE,
    )


def _square(one: Judged) -> dict[str, Any]:
    hover = one.reason if one.verdict == NOT_SHOWN else sentence(one)
    return {
        "kind": KINDS[one.verdict],
        "sign": SIGNS[one.verdict],
        "look": _look(one),
        "hover": f"{told(one)}: {hover}",
    }


def _look(one: Judged) -> str:
    """The style of a square that has not all of the colour of its verdict: it is paler where the distance is small."""
    share = 0.25 + 0.75 * one.distance
    if one.verdict not in (BETWEEN, WORSE) or share >= 1:
        return ""
    colour = MARKS[KINDS[one.verdict]]
    light, dark = (mix(page, colour, share) for page in (WHITE, DARK_PAGE))
    return f"background:light-dark({light},{dark});color:light-dark({readable_on(light)},{readable_on(dark)})"


def _section(card: Card, section: Section) -> Markup:
    scenarios = []
    for scenario in section.scenarios:
        mine = [one for one in card.of(section) if one.cell.scenario.name == scenario.name]
        if mine:
            scenarios.append(
                {
                    "summary": scenario.summary,
                    "rows": _rows(mine),
                    "points": any(one.cell.point.name for one in mine),
                    "compared": any(one.row.direction for one in mine),
                }
            )
    return render(
        "card.html",
        part="section",
        anchor=_anchor(section),
        asks=section.asks,
        scenarios=scenarios,
        beside=[_name(who) for who in BESIDE],
        unshown=section.unshown,
    )


def _rows(found: list[Judged]) -> list[dict[str, Any]]:
    """The rows of a scenario, those of the same number beside each other."""
    ordered = sorted(found, key=lambda one: found[0].cell.scenario.rows.index(one.row))
    rows: list[dict[str, Any]] = []
    last = None
    for one in ordered:
        arrow, direction = ARROWS[one.row.direction] if one.row != last else ("", "")
        rows.append(
            {
                "label": label(one) if one.row != last else "",
                "arrow": arrow,
                "direction": direction,
                "point": one.cell.point.name,
                "numbers": [number(one, who) for who in (CANDIDATE, *BESIDE)],
                "differences": [difference(one, who) for who in BESIDE],
                "kind": KINDS[one.verdict],
                "sign": SIGNS[one.verdict],
                "look": _look(one),
                "verdict": one.verdict,
                "better": one.better and one.verdict == AS_GOOD,
                "reason": one.reason,
                "hover": "",
            }
        )
        last = one.row
    return rows


def _harm(card: Card, section: Section) -> Intervals | None:
    """The harm to the goodput of CUBIC's and Reno's flows, by scenario and point."""
    colours = {CANDIDATE: COLOURS["vermillion"], BESIDE[0]: COLOURS["blue"], BESIDE[1]: GREY}
    candidate = card.candidate.name if card.candidate.name not in BESIDE else f"{card.candidate.name}, candidate"
    lines = [
        Line(
            f"{one.row.text}, {one.cell.point.name}" if one.cell.point.name else one.row.text,
            candidate if who == CANDIDATE else _name(who),
            stats.mean(one.values[who]),
            colours[who],
        )
        for one in card.of(section)
        if one.row.harm and one.row.measure == "goodput" and not one.reason
        for who in (CANDIDATE, *BESIDE)
        if all(math.isfinite(value) for value in one.values[who])
    ]
    if not lines:
        return None
    return Intervals(
        title="Harm to flows of CUBIC and Reno",
        x_label="harm to the goodput (%): 0 with no rival, 100 if nothing is left",
        rows=lines,
        caption="Share of its goodput alone that a flow loses beside each of three rivals, with 95 % intervals.",
    )


def _method(card: Card) -> str:
    runs = card.runs[0].upper() + card.runs[1:]
    lines = [
        "# How the numbers were made\n",
        f"- {runs}.",
        "- The laboratory is a deterministic simulator: the same card, seeds and version give the same bytes.",
        HARM,
        "- At a level of 95 %, about one row in 40 looks worse than CUBIC by chance alone, and one in 40 looks better.",
    ]
    if card.doubt:
        lines.append(f"- Of the differences, {card.doubt}.")
    return "\n".join(lines)


def _anchor(section: Section) -> str:
    return f"rfc9743-{section.number}"


def _name(who: str) -> str:
    return who.upper() if who == CUBIC else who.capitalize()
