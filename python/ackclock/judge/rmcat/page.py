"""The suite as a page: one HTML file of the project's reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock import _core
from ackclock.judge.rmcat.figure import call_colours
from ackclock.judge.rmcat.measures import series_of
from ackclock.judge.rmcat.published import PUBLISHED
from ackclock.judge.rmcat.suite import HEADER
from ackclock.report import Plot, Report, Series

if TYPE_CHECKING:
    from ackclock.judge.rmcat.suite import Outcome, Suite

__all__ = ["page"]

NOTE = (
    "Rates have all headers. Utilisation is over the second halves of phases. The first rise is the time to 80 % of "
    "what the calls can reach in the first phase. Oscillation is the standard deviation of the sending rate over its "
    "mean in the last phase. The RFCs give few numbers; the column of checks judges those alone."
)


def page(suite: Suite, command: str) -> Report:
    """The page, to be written."""
    seeds = f"{len(suite.seeds)} seeds" if len(suite.seeds) > 1 else f"seed {suite.seeds[0]}"
    report = Report(
        "Test cases of rmcat",
        subtitle=f"RFC 8867 and RFC 8869 with the measures of RFC 8868; {seeds}; ackclock {_core.version()}",
        command=command,
    )
    report.open_with(NOTE)
    report.add_table("Cases", HEADER, suite.rows())
    report.add_text("\n".join(f"- {one.source}: {one.statement}" for one in PUBLISHED))
    for case, variant, control in suite.groups():
        outcome = suite.of(case, variant, control)[0]
        label = f"{case.number} {case.title}, {control}" + (f", {variant.name}" if variant.name else "")
        report.add_figure(_plot(outcome, label))
    return report


def _plot(outcome: Outcome, label: str) -> Plot:
    lines = []
    for call, colour in call_colours(outcome.case).items():
        series = series_of(outcome.result, call)
        lines.append(Series(call, series.at_s, series.received_bps / 1e6, colour))
    return Plot(label, "time (s)", "received (Mbit/s)", lines, seed=outcome.seed)
