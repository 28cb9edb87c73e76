"""``ackclock plot`` and ``ackclock export``: figures and tables as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ackclock.cli.commands import Load, Set, load_files, overrides_of
from ackclock.cli.output import DONE, UsageError, did_you_mean, say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.store import Store
    from ackclock.store.estimates import PointEstimate
    from ackclock.table import Table

__all__ = ["export", "plot"]

FIGURES: dict[str, tuple[str, ...]] = {
    "window": ("window",),
    "cwnd": ("window",),
    "rtt": ("window",),
    "throughput": ("rates",),
    "jain": ("rates",),
    "queue": ("queues",),
    "occupancy": ("queues",),
    "wait": ("queues",),
    "sequence": ("packets",),
    "dash": (),
    "dash_level": (),
    "dash_buffer": (),
    "completion_cdf": (),
    "delay_cdf": ("delays",),
}
"""The figures of `ackclock.plot.Plot`, and the probes that each needs."""
OF_LINKS = ("queue", "occupancy", "wait")
TABLES = (".csv", ".parquet", ".tex")


def plot(
    scenario: Path,
    figure: str,
    /,
    *,
    out: Path | None = None,
    flow: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    seed: int | None = None,
    settings: Set = (),
    load: Load = (),
) -> int:
    """Run a scenario and write one figure of it as PDF, SVG or PNG.

    The probes that the figure needs are switched on.

    Parameters
    ----------
    scenario
        The scenario: a TOML file.
    figure
        window, cwnd, rtt, throughput, jain, queue, occupancy, wait, sequence, dash, dash_level, dash_buffer,
        completion_cdf or delay_cdf.
    out
        The file: NAME.pdf, NAME.svg or NAME.png; by default the name of the scenario and of the figure, as PDF.
    flow
        A flow that is drawn; for queue, occupancy and wait a link. Can be repeated. By default, all flows are.
    seed
        Seed of the run, instead of the scenario's.
    settings
        PATH=VALUE: replaces a value of the scenario. Can be repeated.
    load
        Your own congestion controls: a Python file, a library, or the folder of a crate. Can be repeated.
    """
    import ackclock
    from ackclock import plot as figures

    if figure not in FIGURES:
        raise UsageError(f"no figure {figure}; accepted: {', '.join(FIGURES)}{did_you_mean(figure, FIGURES)}")
    target = Path(f"{scenario.stem}-{figure}.pdf") if out is None else out
    probes = [(f"probes.{name}", "true") for name in FIGURES[figure]]
    load_files(load)
    result = ackclock.run(scenario, overrides=[*probes, *overrides_of(settings)], seed=seed, progress=True)
    draw: Callable[..., Any] = getattr(result.plot, figure)
    named = "link" if figure in OF_LINKS else "flow"
    chosen: str | Sequence[str] | None = list(flow) or None
    if figure == "sequence" and chosen is not None:
        chosen = flow[0]
    from matplotlib import pyplot

    before = set(pyplot.get_fignums())
    try:
        figures.save(draw(**{named: chosen}), target)
    except (ValueError, KeyError) as error:
        raise UsageError(f"{figure}: {error.args[0]}") from None
    finally:
        for number in set(pyplot.get_fignums()) - before:
            pyplot.close(number)
    say(str(target))
    return DONE


def export(
    store: Path,
    /,
    *,
    table: str | None = None,
    of: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    sweep: str | None = None,
    out: Path,
) -> int:
    """Write a table of a store as CSV, Parquet or LaTeX.

    Parameters
    ----------
    store
        The store of a sweep.
    table
        A table of all runs, such as flows, with what was varied and the seed in front of its columns.
    of
        A measure: one row for each point, with the mean over the seeds and its 95 % interval. Can be repeated.
    sweep
        The sweep, if the store has several: its name, or the beginning of its id.
    out
        The file: NAME.csv, NAME.parquet or NAME.tex; LaTeX is for measures, in the form of the package booktabs.
    """
    import ackclock

    if (table is None) == (not of):
        raise UsageError("expected --table, for example --table flows, or --of, for example --of flows.goodput_bps")
    if out.suffix not in TABLES:
        raise UsageError(f"--out {out}: accepted: a name that ends in {', '.join(TABLES)}")
    if table is not None and out.suffix == ".tex":
        raise UsageError("--table: has too many rows for LaTeX; accepted: --of, or a file .csv or .parquet")
    with ackclock.open(store, sweep=sweep) as opened:
        if table is not None:
            written = _rows_of(opened, table)
            rows = len(written)
            _write(out, written)
        else:
            estimates = {measure: opened.estimates(measure) for measure in of}
            rows = len(next(iter(estimates.values())))
            if out.suffix == ".tex":
                from ackclock.report.experiment.measures import flow_groups

                _written(out, _latex(estimates, flow_groups(opened)))
            else:
                _write(out, _points(estimates))
    say(f"{out}: {rows} rows")
    return DONE


def _rows_of(store: Store, table: str) -> Table:
    if table not in store.tables:
        raise UsageError(f"no table {table}; accepted: {', '.join(store.tables)}{did_you_mean(table, store.tables)}")
    if table == "runs":
        return store.table("runs")
    varied = list(dict.fromkeys(name for sweep in store.sweeps for name in sweep.varied))
    quoted = ", ".join('runs."' + name.replace('"', '""') + '"' for name in [*varied, "seed"])
    places = "(SELECT run, min(place) AS place FROM runs GROUP BY run)"
    query = f'SELECT {quoted}, t.* FROM "{table}" AS t JOIN runs USING (run) JOIN {places} AS p USING (run) '  # noqa: S608
    return store.sql(query + "ORDER BY p.place")


def _points(estimates: Mapping[str, Sequence[PointEstimate]]) -> Table:
    """One row a point: what was varied, and of each measure the mean, the ends of the interval and the count."""
    from arro3.core import Table as ArrowTable

    from ackclock.table import Table

    first = next(iter(estimates.values()))
    names = dict.fromkeys(name for one in first for name in one.params)
    columns: dict[str, list[Any]] = {name: [one.params.get(name) for one in first] for name in names}
    for measure, points in estimates.items():
        told = [one.document() for one in points]
        columns[measure] = [one["mean"] for one in told]
        columns[f"{measure} low"] = [None if one["ci"] is None else one["ci"][0] for one in told]
        columns[f"{measure} high"] = [None if one["ci"] is None else one["ci"][1] for one in told]
        columns[f"{measure} n"] = [one["n"] for one in told]
    return Table(ArrowTable.from_pydict({name: _array(cells) for name, cells in columns.items()}))


def _array(cells: Sequence[object]) -> Any:
    from arro3.core import Array, DataType

    numbers = all(cell is None or (isinstance(cell, (int, float)) and not isinstance(cell, bool)) for cell in cells)
    if numbers:
        return Array([None if cell is None else float(cell) for cell in cells], type=DataType.float64())  # type: ignore[arg-type]
    return Array([None if cell is None else str(cell) for cell in cells], type=DataType.string())


def _latex(estimates: Mapping[str, Sequence[PointEstimate]], flows: Sequence[str]) -> str:
    """Means with names and units in the heads; an interval that a bound cuts off is written with both ends."""
    from ackclock.names import field_name, measure_name, unit_of, with_unit
    from ackclock.report.words import cell_text

    first = next(iter(estimates.values()))
    names = list(dict.fromkeys(name for one in first for name in one.params))
    units = {
        measure: unit_of(measure, [one.estimate.value for one in points if one.estimate is not None])
        for measure, points in estimates.items()
    }
    heads = [field_name(name, flows) for name in names]
    heads += [with_unit(measure_name(measure), unit) for measure, (unit, _) in units.items()]
    lines = [
        r"% needs \usepackage{booktabs}; means over the seeds, with half the width of their 95 % intervals",
        r"\begin{tabular}{" + "l" * len(names) + "r" * len(estimates) + "}",
        r"\toprule",
        " & ".join(_escaped(head) for head in heads) + r" \\",
        r"\midrule",
    ]
    for number, point in enumerate(first):
        cells = [_escaped(str(point.params.get(name, "--"))) for name in names]
        for measure, points in estimates.items():
            estimate = points[number].estimate
            if estimate is None:
                cells.append("--")
                continue
            one = estimate.scaled(units[measure][1])
            text = cell_text(float(one.value)).replace(",", r"\,")
            if one.has_interval and abs(one.high + one.low - 2 * one.value) <= 1e-9 * abs(one.value):
                text += rf" $\pm$ {cell_text(float(f'{one.half_width:.2g}'))}"
            elif one.has_interval:
                low, high = (cell_text(float(end)).replace(",", r"\,") for end in (one.low, one.high))
                text += f" [{low}, {high}]"
            cells.append(text)
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def _escaped(text: str) -> str:
    return "".join(ESCAPES.get(letter, letter) for letter in text)


def _write(out: Path, table: Table) -> None:
    import io

    from ackclock import files

    if out.suffix == ".csv":
        files.write_csv(out, table)
        return
    from arro3.core import Table as ArrowTable
    from arro3.io import write_parquet

    content = io.BytesIO()
    write_parquet(ArrowTable.from_arrow(table), content)
    files.write_bytes(out, content.getvalue())


def _written(out: Path, text: str) -> None:
    from ackclock import files

    files.write_text(out, text)
