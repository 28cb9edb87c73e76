"""The report of a sweep: its question and answer, figures over what was varied and over time, and what was run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ackclock.report.experiment.beginning import beginning
from ackclock.report.experiment.curves import figures_of
from ackclock.report.experiment.samples import completion_times, one_way_delays, throughput_delay
from ackclock.report.experiment.traces import runs_over_time
from ackclock.report.filters import filtered_table
from ackclock.report.page import Report
from ackclock.report.render import render
from ackclock.report.words import counted, interval_text
from ackclock.results.names import in_sentence
from ackclock.results.names.words import capital
from ackclock.stats.estimate import doubt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.report.experiment.axes import Axis
    from ackclock.report.experiment.measures import Shown
    from ackclock.report.page import Figure
    from ackclock.stats import Estimate
    from ackclock.store import Store

__all__ = ["MOST_TRACE_POINTS", "SweepReport", "seed_ranges", "sweep_report"]

MOST_TRACE_POINTS = 24_000
"""Points of lines over time in one file: about 300 kB."""

MOST_ROWS = 1500
"""Points of a sweep that the table has."""

MOST_FAILURES = 50

MOST_OPEN = 4
"""Figures of measures that are open besides the first; further ones are folded."""


@dataclass(frozen=True, slots=True)
class SweepReport:
    """A report, and what is in it."""

    report: Report
    measures: Sequence[str]
    figures: Sequence[str]
    """Their titles."""
    left_out: Sequence[str] = field(default_factory=list)
    """Sentences on the parts that the file leaves out."""


def sweep_report(
    store: Store,
    measures: Sequence[str] = (),
    *,
    against: tuple[str, object] | None = None,
    question: str = "",
    command: str = "",
) -> SweepReport:
    """The report of a store that shows one sweep.

    The page begins with the question, the answer for the first measure, and the figure of this measure.

    Parameters
    ----------
    store
        See `ackclock.open`.
    measures
        As for `Store.values`; without any, those of the sweep, or the usual ones of its flows.
    against
        A varied field and one of its values: the others are compared with this value, pair by pair, with a figure for
        each measure. Without it, the values of the most important setting are compared with the first of them.
    question
        The question that the page begins with; by default one that follows from what was varied.
    command
        Repeats it.

    Raises
    ------
    StoreError
        If the store shows none or several sweeps, or is damaged.
    MeasureError
        If a measure cannot be read or the store does not have it.
    ValueError
        If `against` is not among what was varied.
    """
    begun = beginning(store, measures, against=against, question=question)
    axes, roles, names, every, compared = begun.axes, begun.roles, begun.names, begun.every, begun.compared
    sweep = store.sweeps[0]
    report = Report(sweep.name, subtitle=_summary(store), command=command)
    left: list[str] = []
    figures: list[Figure] = []
    drawn = begun.drawn
    for one, places in drawn:
        if not any(cell.estimate is not None for cell in one.cells):
            left.append(f"{one.title}: no run has a value.")
        elif (len(sweep.points) > 1 or places is not roles) and _several(one):
            # The table of points has single numbers, and rivals are compared even in a single point.
            own, without = figures_of(one, places, "")
            figures += own
            left += without
    if every:
        report.open_with_html(
            render(
                "opening.html",
                question=begun.question,
                sentences=begun.sentences,
                details=begun.details,
                note=begun.note,
            )
        )
    leading = figures[:1] if figures and figures[0].title == drawn[0][0].title else []
    for figure in leading:
        report.open_with_figure(figure)
    for number, figure in enumerate(figures[len(leading) :]):
        report.add_figure(figure, folded=number >= MOST_OPEN)
    if compared is not None:
        report.add_html("Differences", compared.table(axes), kind="differences", folded=True)
    for make in (throughput_delay, completion_times, one_way_delays):
        choice = make(store, roles, "")
        if choice is not None:
            figures.append(choice)
            report.add_figure(choice)
    traces, told = runs_over_time(store, MOST_TRACE_POINTS, "")
    if traces is not None:
        figures.append(traces)
        report.add_figure(traces)
        left.append(told)
    report.add_html("Points", _points(store, axes, every, left), kind="points")
    report.add_html("What was run", _front(store, axes))
    if left:
        report.add_text("# What is left out\n\n" + "\n".join(f"- {one}" for one in left))
    return SweepReport(report, names, [figure.title for figure in figures], left)


def _several(one: Shown) -> bool:
    """Whether a figure of a measure compares something: several values, or differences with zero."""
    return one.diverging or sum(cell.estimate is not None for cell in one.cells) > 1


def _summary(store: Store) -> str:
    sweep = store.sweeps[0]
    missing = len(sweep.runs) - store.finished
    parts = [f"{counted(len(sweep.runs), 'run')} of {counted(len(sweep.points), 'point')}"]
    if store.failed:
        parts.append(f"{store.failed} failed")
    if missing:
        parts.append(f"{missing} not finished")
    return f"{', '.join(parts)}; ackclock {sweep.version}"


def _front(store: Store, axes: Sequence[Axis]) -> Markup:
    """The section on the runs, their provenance, and the failures."""
    sweep = store.sweeps[0]
    seeds = sorted({seed for _, _, seed, _ in sweep.runs})
    accounts = [account for account in store.provenance() if account["sweep"] == sweep.id]
    facts: list[tuple[str, str]] = [("sweep", f"{sweep.id} ({sweep.name})")]
    for axis in axes:
        path = f" ({axis.name})" if axis.title != axis.name else ""
        facts.append((f"varied: {in_sentence(axis.title)}{path}", _listed([axis.text(value) for value in axis.values])))
    facts.append(("seeds", seed_ranges(seeds)))
    facts.append(("runs", f"{store.finished} of {len(sweep.runs)} have finished, {store.failed} of them failed"))
    facts.append(("engine", f"ackclock {sweep.version}"))
    for account in accounts:
        host, git = account["host"], account["git"]
        machine = ", ".join(str(host[name]) for name in ("processor", "system", "machine") if host.get(name))
        revision = ""
        if git is not None:
            revision = f"; git {git['commit'][:12]}{' with changes' if git['modified'] else ''}"
        ended = f"to {_time(account['ended'])}" if account["ended"] else "and did not end"
        told = f"{account['finished']} runs on {account['where']}; {machine}; Python {host['python']}{revision}"
        facts.append(("started", f"{_time(account['began'])} {ended}; {told}"))
    failed = [(row["point"], row["seed"], row["error"]) for row in store.failures.rows()]
    listed = failed[:MOST_FAILURES]
    table = filtered_table(["Point", "Seed", "Error"], listed, {"Point": [row[0] for row in listed]}, what="failures")
    return render(
        "provenance.html",
        facts=facts,
        commands=list(dict.fromkeys(_command(account["command"]) for account in accounts)),
        scenarios=[one["text"] for one in sweep.document["scenarios"]],
        failures=table if failed else "",
        count=len(failed),
        more=len(failed) - len(listed),
    )


def _time(stamp: str) -> str:
    return stamp.replace("T", " ").removesuffix("+00:00") + " UTC"


def _points(store: Store, axes: Sequence[Axis], every: Sequence[Shown], left: list[str]) -> Markup:
    """The table of points."""
    sweep = store.sweeps[0]
    counts = {
        row["point"]: row
        for row in store.sql(
            "SELECT point, count(*) FILTER (status = 'done') AS done, count(*) AS asked FROM runs GROUP BY point"
        ).rows()
    }
    numbers = range(min(len(sweep.points), MOST_ROWS))
    if len(sweep.points) > MOST_ROWS:
        left.append(f"Points in the table: {len(sweep.points) - MOST_ROWS} of {len(sweep.points)}.")
    columns = ["Point", *(axis.title for axis in axes), "Runs", *(one.label for one in every)]
    rows = [
        [
            number,
            *(_cell(sweep.points[number], axis) for axis in axes),
            _runs(counts.get(number)),
            *(_estimate(one.cells[number].estimate) for one in every),
        ]
        for number in numbers
    ]
    by = {axis.title: [_cell(sweep.points[number], axis) for number in numbers] for axis in axes}
    table = filtered_table(columns, rows, by, what="points")
    note = "The mean over the seeds with its 95 % interval." + _alike(every) + _doubtful(every)
    return Markup("<p>{}</p>{}").format(note, table)


def _doubtful(every: Sequence[Shown]) -> str:
    """States how many intervals are in doubt."""
    estimates = [cell.estimate for one in every for cell in one.cells if cell.estimate is not None]
    wide = [estimate for estimate in estimates if estimate.has_interval and estimate.low < estimate.high]
    count = sum(estimate.is_doubtful for estimate in wide)
    return f" {capital(doubt(count, len(wide)))}." if count else ""


def _alike(every: Sequence[Shown]) -> str:
    """Names the measures that have intervals of no width, so that nobody takes such an interval for certainty."""
    found: dict[str, int] = {}
    for one in every:
        estimates = [cell.estimate for cell in one.cells if cell.estimate is not None and cell.estimate.has_interval]
        count = sum(estimate.low == estimate.high for estimate in estimates)
        if count:
            found[one.title] = count
    if not found:
        return ""
    listed = ", ".join(f"{name} (points: {count})" for name, count in found.items())
    return f" The same under all seeds, so that the interval means nothing: {listed}."


def _runs(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "0"
    return str(row["done"]) if row["done"] == row["asked"] else f"{row['done']} of {row['asked']}"


def _cell(params: Mapping[str, Any], axis: Axis) -> str:
    return axis.text(params.get(axis.name))


def _estimate(estimate: Estimate | None) -> str:
    return "-" if estimate is None else interval_text(estimate.value, estimate.low, estimate.high)


def _listed(texts: Sequence[str], most: int = 12) -> str:
    if len(texts) <= most:
        return ", ".join(texts)
    return f"{', '.join(texts[: most - 1])} and {len(texts) - most + 1} more"


def seed_ranges(seeds: Sequence[int]) -> str:
    """Seeds as 1 to 30, where they follow each other."""
    if len(seeds) > 2 and seeds[-1] - seeds[0] == len(seeds) - 1:
        return f"{seeds[0]} to {seeds[-1]}"
    return _listed([str(seed) for seed in seeds])


def _command(arguments: Sequence[str]) -> str:
    """A command line as a shell takes it; the program without its folder."""
    import shlex

    program, *rest = arguments or [""]
    name = "ackclock" if program.endswith(("/__main__.py", "/ackclock")) else program.rpartition("/")[2]
    return shlex.join([name, *rest])
