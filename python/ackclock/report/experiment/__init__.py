"""The report of a sweep: what was run, what came of it, and figures over what was varied and over time."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from ackclock.report.experiment.axes import axes_of
from ackclock.report.experiment.curves import figures_of, roles_of
from ackclock.report.experiment.measures import change, default_measures, shown
from ackclock.report.experiment.samples import completion_times, one_way_delays, throughput_delay
from ackclock.report.experiment.traces import runs_over_time
from ackclock.report.filters import filtered_table
from ackclock.report.page import Report
from ackclock.report.tables import cell_text, counted
from ackclock.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.report.experiment.axes import Axis
    from ackclock.report.experiment.measures import Shown
    from ackclock.stats import Estimate
    from ackclock.store import Store

__all__ = ["MOST_TRACE_POINTS", "SweepReport", "seed_ranges", "sweep_report"]

MOST_TRACE_POINTS = 24_000
"""Points of lines over time in one file: about 300 kB."""

MOST_ROWS = 1500
"""Points of a sweep that the table has."""

MOST_FAILURES = 50


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
    command: str = "",
) -> SweepReport:
    """The report of a store that shows one sweep.

    Parameters
    ----------
    store
        See `ackclock.open`.
    measures
        As for `Store.values`; without any, those that the store has of the usual ones.
    against
        What was varied and one of its values: how much the others change each measure, pair by pair.
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
    if len(store.sweeps) != 1:
        told = ", ".join(f"{sweep.id} ({sweep.name})" for sweep in store.sweeps) or "none"
        raise StoreError(f"{store.path}: a report is of one sweep; choose it with --sweep; there are {told}")
    sweep = store.sweeps[0]
    axes = axes_of(sweep.points)
    roles = roles_of(axes, len(sweep.points))
    names = list(measures) or default_measures(store)
    every = [shown(store, name) for name in names]
    report = Report(sweep.name, subtitle=_summary(store), command=command)
    left: list[str] = []
    report.add_html(_front(store, axes))
    report.add_html(_points(store, axes, every, left))
    titles: list[str] = []
    changes = [change(store, name, *against) for name in names] if against is not None else []
    for one in [*every, *(found for found in changes if found is not None)]:
        if not any(cell.estimate is not None for cell in one.cells):
            left.append(f"{one.name}: no run has a value.")
            continue
        if len(sweep.points) == 1:
            # The table has it.
            continue
        figures, without = figures_of(one, roles, "")
        left += without
        for figure in figures:
            titles.append(figure.title)
            report.add_figure(figure)
    for make in (throughput_delay, completion_times, one_way_delays):
        choice = make(store, roles, "")
        if choice is not None:
            titles.append(choice.title)
            report.add_figure(choice)
    traces, told = runs_over_time(store, MOST_TRACE_POINTS, "")
    if traces is not None:
        titles.append(traces.title)
        report.add_figure(traces)
        left.append(told)
    if left:
        report.add_text("# What is left out\n\n" + "\n".join(f"- {one}" for one in left))
    return SweepReport(report, names, titles, left)


def _summary(store: Store) -> str:
    sweep = store.sweeps[0]
    missing = len(sweep.runs) - store.finished
    parts = [f"{counted(len(sweep.runs), 'run')} of {counted(len(sweep.points), 'point')}"]
    if store.failed:
        parts.append(f"{store.failed} failed")
    if missing:
        parts.append(f"{missing} not finished")
    return f"{', '.join(parts)}; ackclock {sweep.version}"


def _front(store: Store, axes: Sequence[Axis]) -> str:
    """The section on the runs, their provenance, and the failures."""
    sweep = store.sweeps[0]
    seeds = sorted({seed for _, _, seed, _ in sweep.runs})
    accounts = [account for account in store.provenance() if account["sweep"] == sweep.id]
    facts: list[tuple[str, str]] = [("sweep", f"{sweep.id} ({sweep.name})")]
    facts += [(f"varied: {axis.name}", _listed([cell_text(value) for value in axis.values])) for axis in axes]
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
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts)
    commands = dict.fromkeys(_command(account["command"]) for account in accounts)
    made = "".join(f'<p class="source">Made with <code>{escape(command)}</code></p>' for command in commands)
    scenarios = "".join(
        f"<details><summary>The scenario</summary><pre><code>{escape(one['text'])}</code></pre></details>"
        for one in sweep.document["scenarios"]
    )
    return (
        f'<section><h2>What was run</h2><dl class="facts">{listed}</dl>{made}{scenarios}{_failures(store)}</section>\n'
    )


def _time(stamp: str) -> str:
    return stamp.replace("T", " ").removesuffix("+00:00") + " UTC"


def _failures(store: Store) -> str:
    rows = [(row["point"], row["seed"], row["error"]) for row in store.failures.rows()]
    if not rows:
        return ""
    shown_rows = rows[:MOST_FAILURES]
    by = {"point": [row[0] for row in shown_rows]}
    table = filtered_table(["point", "seed", "error"], shown_rows, by, what="failures")
    more = f"<p>and {len(rows) - MOST_FAILURES} more.</p>" if len(rows) > MOST_FAILURES else ""
    return f"<h3>Runs that failed: {len(rows)}</h3>{table}{more}"


def _points(store: Store, axes: Sequence[Axis], every: Sequence[Shown], left: list[str]) -> str:
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
    columns = ["point", *(axis.name for axis in axes), "runs", *(one.label for one in every)]
    rows = [
        [
            number,
            *(_cell(sweep.points[number], axis) for axis in axes),
            _runs(counts.get(number)),
            *(_estimate(one.cells[number].estimate) for one in every),
        ]
        for number in numbers
    ]
    by = {axis.name: [_cell(sweep.points[number], axis) for number in numbers] for axis in axes}
    table = filtered_table(columns, rows, by, what="points")
    note = escape("The mean over the seeds with its 95 % interval." + _alike(every))
    return f'<section class="points"><h2>Points</h2><p>{note}</p>{table}</section>\n'


def _alike(every: Sequence[Shown]) -> str:
    """Which measures have intervals of no width, that nobody takes one for certainty."""
    found: dict[str, int] = {}
    for one in every:
        estimates = [cell.estimate for cell in one.cells if cell.estimate is not None and cell.estimate.has_interval]
        count = sum(estimate.low == estimate.high for estimate in estimates)
        if count:
            found[one.name] = count
    if not found:
        return ""
    listed = ", ".join(f"{name} (points: {count})" for name, count in found.items())
    return f" The same under all seeds, so that the interval means nothing: {listed}."


def _runs(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "0"
    return str(row["done"]) if row["done"] == row["asked"] else f"{row['done']} of {row['asked']}"


def _cell(params: Mapping[str, Any], axis: Axis) -> str:
    return cell_text(params.get(axis.name))


def _estimate(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    value = cell_text(float(estimate.value))
    if not estimate.has_interval:
        return value
    return f"{value} [{cell_text(float(estimate.low))}, {cell_text(float(estimate.high))}]"


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
