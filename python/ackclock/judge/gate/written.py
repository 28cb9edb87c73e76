"""The results of a gate for machines and for people: JUnit XML, Markdown, and small figures as text.

Step summaries of GitHub show neither inline SVG nor files of the build, so the figures are characters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from ackclock.base import files
from ackclock.base.markdown import cell

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.judge.gate.judge import Judged, Verdicts

__all__ = ["figure", "junit", "markdown", "numbers", "sentence", "write"]

HALF = 12
"""Characters of a figure on either side of zero."""
REACH = 3.0
"""Tolerances that a figure reaches on either side of zero."""
LEGEND = (
    "Figures: `0` no change, `:` tolerance, `=` interval at 95 %, `o` change, `<` and `>` the interval goes on. "
    "The p-value is adjusted for all measures of this gate."
)
SIGNS = {"worse": "**worse**", "better": "better", "same": "same", "within": "within tolerance", "open": "open"}


def figure(one: Judged) -> str:
    """The interval of a change as characters, on a scale of three tolerances to either side.

    Without a tolerance, the scale is the farther end of the interval.
    """
    ends = [abs(end) for end in one.change if math.isfinite(end)]
    reach = one.tolerance * REACH or max(ends, default=0.0) or 1.0
    cells = ["."] * (2 * HALF + 1)

    def place(value: float) -> int:
        if math.isinf(value):
            return -1 if value < 0 else len(cells)
        # Far beyond the figure, a ratio may be too large for a whole number.
        return HALF + round(max(-2.0, min(2.0, value / reach)) * HALF)

    low, value, high = (place(end) for end in (one.change.low, one.change.value, one.change.high))
    for at in range(max(low, 0), min(high, len(cells) - 1) + 1):
        cells[at] = "="
    if one.tolerance:
        for at in (place(-one.tolerance), place(one.tolerance)):
            cells[at] = ":" if cells[at] == "." else cells[at]
    cells[HALF] = "0" if cells[HALF] == "." else cells[HALF]
    if low < 0:
        cells[0] = "<"
    if high >= len(cells):
        cells[-1] = ">"
    if 0 <= value < len(cells):
        cells[value] = "o"
    return "".join(cells)


def numbers(one: Judged) -> tuple[str, str, str, str]:
    """The baseline, the value now, the change and its interval as text, in the unit of the measure."""
    change = f"{one.change.value:+.4g}"
    if one.before and math.isfinite(one.change.value):
        change += f" ({one.change.value / abs(one.before) * 100:+.2g} %)"
    interval = f"[{one.change.low:.4g}, {one.change.high:.4g}]"
    return f"{one.before:.6g}", "no value" if math.isnan(one.now) else f"{one.now:.6g}", change, interval


def sentence(one: Judged) -> str:
    """The verdict of a measure in a sentence or two."""
    before, now, change, interval = numbers(one)
    unit = f" {one.unit}" if one.unit else ""
    told = (
        f"{one.expected.measure} of {one.scenario} was {before}{unit} and is {now}{unit}; the change by seed is "
        f"{change}, interval at 95 % {interval}, tolerance {one.tolerance:.4g}, adjusted p {one.p:.2g}, "
        f"{len(one.seeds)} seeds."
    )
    if one.valueless:
        told += f" {one.valueless} of {len(one.seeds)} runs have no value of it, which counts as the worst value."
    return told


def markdown(verdicts: Verdicts, *, strict: bool = False) -> str:
    """The summary as Markdown, for a step summary of GitHub, a comment, or an issue."""
    worse, better, undecided = (
        len(found) for found in (verdicts.having("worse"), verdicts.having("better"), verdicts.having("open"))
    )
    lines = [
        f"## ackclock gate: {'failed' if verdicts.failed(strict=strict) else 'passed'}",
        "",
        f"Of {len(verdicts.judged)} measures, {worse} are worse, {better} better and {undecided} open.",
        f"The gate took {verdicts.runs} runs; the level of all measures together is {verdicts.level * 100:g} %.",
    ]
    for name, (before, now) in verdicts.made.items():
        date, reason = verdicts.reasons[name]
        lines += ["", f"### {_plain(name)}", ""]
        lines += ["| measure | baseline | now | change | interval at 95 % | figure | p | verdict |"]
        lines += ["|---|---:|---:|---:|---|---|---:|---|"]
        for one in verdicts.judged:
            if one.scenario == name:
                unit = f" ({one.unit})" if one.unit else ""
                cells = [f"`{_code(one.expected.measure)}`{unit}", *numbers(one), f"`{figure(one)}`"]
                lines.append(f"| {' | '.join([*cells, f'{one.p:.2g}', SIGNS[one.verdict]])} |")
        lines += ["", f"Baseline of {_plain(date)}: {_plain(reason)} ({_plain(str(before))})."]
        if now != before:
            lines[-1] += f" Now: {_plain(str(now))}."
    if verdicts.notes:
        lines += ["", *(f"- {_plain(one)}" for one in verdicts.notes)]
    return "\n".join([*lines, "", LEGEND, ""])


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    escaped = "".join(f"\\{one}" if one in "\\`*_[]<>|#!&~" else one for one in text)
    return escaped.replace("\n", " ")


def _code(text: str) -> str:
    """Text between backticks in a cell of a table."""
    return cell(text.replace("`", "'"))


def junit(verdicts: Verdicts, *, strict: bool = False) -> str:
    """The verdicts as JUnit XML: a test suite per scenario, a test case per measure.

    A regression is a failure, as is an improvement with `strict`. Other verdicts have their numbers as output.
    """
    failing = ("worse", "better") if strict else ("worse",)
    root = ElementTree.Element("testsuites", name="ackclock gate")
    total = 0
    for name, (before, now) in verdicts.made.items():
        mine = [one for one in verdicts.judged if one.scenario == name]
        failures = sum(one.verdict in failing for one in mine)
        total += failures
        suite = ElementTree.SubElement(
            root, "testsuite", name=name, tests=str(len(mine)), failures=str(failures), errors="0", skipped="0"
        )
        properties = ElementTree.SubElement(suite, "properties")
        for key, value in (("baseline", str(before)), ("now", str(now)), ("level", f"{verdicts.level:g}")):
            ElementTree.SubElement(properties, "property", name=key, value=value)
        for one in mine:
            case = ElementTree.SubElement(suite, "testcase", classname=f"ackclock.{name}", name=one.expected.measure)
            if one.verdict in failing:
                _, _, change, _ = numbers(one)
                message = f"{one.expected.measure} is {one.verdict}: {change}"
                ElementTree.SubElement(case, "failure", message=message, type=one.verdict).text = sentence(one)
            else:
                ElementTree.SubElement(case, "system-out").text = f"{one.verdict}: {sentence(one)}"
    root.set("tests", str(len(verdicts.judged)))
    root.set("failures", str(total))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def write(verdicts: Verdicts, folder: Path, *, strict: bool = False) -> None:
    """Writes ``gate.json``, ``junit.xml`` and ``summary.md`` into an existing folder."""
    files.write_json(folder / "gate.json", verdicts.document(strict=strict))
    files.write_text(folder / "junit.xml", junit(verdicts, strict=strict))
    files.write_text(folder / "summary.md", markdown(verdicts, strict=strict))
