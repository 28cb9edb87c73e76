"""Page of a search's result: the case in words, the damage beside CUBIC and Reno, and the run over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import _core, stats
from ackclock.judge.worst.goals import FROM
from ackclock.plot.palette import COLOURS, GREY
from ackclock.report import Report
from ackclock.report.figures import Plot, Series
from ackclock.report.words import cell_text, interval_text

if TYPE_CHECKING:
    from ackclock.judge.worst.search import Found
    from ackclock.results.result import Result

__all__ = ["FLOWS", "label_of", "page", "summary"]

FLOWS = {"flow": COLOURS["vermillion"], "other": COLOURS["blue"]}
"""The colours of the attacked flow and of the one beside it."""


def page(found: Found, run: Result, command: str) -> Report:
    """The page, to be written."""
    report = Report(
        f"The worst case for {found.candidate.title}: {found.goal.name}",
        subtitle=f"a search within stated bounds; ackclock {_core.version()}",
        command=command,
    )
    report.open_with("\n".join(f"- {line}" for line in found.case.told()))
    columns = ["on this path", f"{found.goal.text} ({found.goal.unit})"]
    report.add_table("Damage", columns, summary(found))
    for plot in _plots(found, run):
        report.add_figure(plot)
    how = (
        f"- {found.tried} cases were run under seed {found.seed}: a Latin hypercube over the bounds, then CMA-ES "
        "from the worst of them. The damage of the same path with nothing happening is subtracted. The worst case was "
        "then made small: an event that adds less than a tenth of the damage is left out, and numbers are rounded.\n"
        f"- The first {100 * FROM:g} % of a run do not count.\n"
        f"- Before it was made small, the damage was {cell_text(found.raw_damage)} {found.goal.unit}. A search gives "
        "a bad case, not a proof that none is worse."
    )
    lines = ["# The search", "", *(f"- {line}" for line in found.bounds.told()), how]
    report.add_text("\n".join(lines))
    report.add_figure(_history(found))
    return report


def summary(found: Found) -> list[list[str]]:
    """The damage of the case, under other seeds, with nothing happening, and with CUBIC and Reno in its place."""
    again = stats.mean(found.again)
    title = found.candidate.title
    rows = [
        [title, cell_text(float(found.damage))],
        [
            f"{title} under {len(found.again)} other seeds",
            interval_text(again.value, again.low, again.high),
        ],
        [f"{title} on the same path with nothing happening", cell_text(float(found.plain_damage))],
    ]
    return rows + [[f"{who} in its place", cell_text(float(value))] for who, value in found.beside.items()]


def _plots(found: Found, run: Result) -> list[Plot]:
    flows = [name for name in FLOWS if name in {str(one) for one in run.flows["flow"]}]
    rates = run.rates
    names = rates["flow"].astype(str)
    series = [
        Series(
            label_of(found, name),
            rates["time_s"][names == name],
            rates["goodput_bps"][names == name].astype(np.float64) / 1e6,
            FLOWS[name],
        )
        for name in flows
    ]
    plots = [Plot(title="Goodput", x_label="time (s)", y_label="goodput (Mbit/s)", series=series)]
    queues = run.queues
    mine = queues["link"].astype(str) == "bottleneck"
    waited = queues["sojourn_ms"][mine].astype(np.float64)
    line = Series("bottleneck", queues["time_s"][mine], waited, GREY)
    plots.append(Plot(title="Queueing delay", x_label="time (s)", y_label="queueing delay (ms)", series=[line]))
    return plots


def label_of(found: Found, flow: str) -> str:
    """A flow as figures call it."""
    if found.goal.beside == "none":
        return found.candidate.name
    if flow == "flow":
        return f"{found.candidate.name}, attacked" if found.goal.beside == "equal" else found.candidate.name
    return found.candidate.name if found.goal.beside == "equal" else "cubic, victim"


def _history(found: Found) -> Plot:
    damages = np.array(found.history)
    cases = np.arange(1, len(damages) + 1)
    return Plot(
        title="Cases that were tried",
        x_label="case",
        y_label=f"damage beyond that of the plain path ({found.goal.unit})",
        series=[
            Series("case", cases, damages, GREY, kind="points", faint=True),
            Series("worst so far", cases, np.maximum.accumulate(damages), COLOURS["vermillion"], kind="step"),
        ],
    )
