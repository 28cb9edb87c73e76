"""``ackclock plot`` and ``ackclock export``: figures and tables as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.base import extras, files
from ackclock.cli.commands import load_files, overrides_of
from ackclock.cli.contrasts import contrasts_against, write_contrasts
from ackclock.cli.output import DONE, UsageError, did_you_mean, print_table, say
from ackclock.cli.tables import columns_of_points, latex_of_points, table_of, write_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.base.table import Table
    from ackclock.plot.load import Beside
    from ackclock.plot.reference import Difference
    from ackclock.results.result import Result
    from ackclock.store import Store

__all__ = ["export", "plot"]

FIGURES: dict[str, tuple[str, ...]] = {
    "window": ("window",),
    "cwnd": ("window",),
    "rtt": ("window",),
    "throughput": ("rates", "queues"),
    "load": ("rates",),
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
LEVEL = 0.95
"""Confidence of the intervals of an exported table."""


def plot(
    scenario: Path,
    figure: str,
    /,
    *,
    out: Path | None = None,
    flow: tuple[str, ...] = (),
    seed: int | None = None,
    settings: tuple[str, ...] = (),
    load: tuple[Path, ...] = (),
    reference: Path | None = None,
    offset: float = 0.0,
) -> int:
    """Run a scenario and write one figure of it as PDF, SVG or PNG.

    The probes that the figure needs are switched on. With --reference, a measurement is drawn over the run, and the
    differences are printed. With the figure load, the grade for bufferbloat is printed.

    Parameters
    ----------
    scenario
        The scenario: a TOML file.
    figure
        window, cwnd, rtt, throughput, load, jain, queue, occupancy, wait, sequence, dash, dash_level, dash_buffer,
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
        Your own congestion controls and rate adaptations: a Python file, a library, or the folder of a crate. Can be
        repeated.
    reference
        A measurement that is drawn over window, cwnd, rtt or throughput: the JSON of iperf3 -J, a log of ss -ti with
        the time of each call, or a file of flent. Its connections and the flows are paired in their order. Over load, a
        file of flent: the sums of its downloads and uploads, and its pings.
    offset
        Seconds by which the measurement begins after the flow.
    """
    extras.require("matplotlib", "figures")
    from ackclock import plot as figures
    from ackclock.engine.run import run
    from ackclock.plot import reference as references
    from ackclock.plot.load import draw_measured

    if figure not in FIGURES:
        raise UsageError(f"no figure {figure}; accepted: {', '.join(FIGURES)}{did_you_mean(figure, FIGURES)}")
    measured = None
    if reference is not None:
        over = {"window": ("cwnd", "rtt")} | {name: (name,) for name in (*references.FIGURES, "load")}
        if figure not in over:
            raise UsageError(f"--reference: not for the figure {figure}; accepted: {', '.join(over)}")
        try:
            measured = references.read(reference)
        except references.MeasurementError as error:
            raise UsageError(f"--reference: {error}") from None
    elif offset:
        raise UsageError(f"--offset {offset:g}: shifts a measurement; accepted: with --reference FILE")
    target = Path(f"{scenario.stem}-{figure}.pdf") if out is None else out
    wanted = FIGURES[figure] if measured is None or figure == "load" else ("window", "rates", "packets")
    probes = [(f"probes.{name}", "true") for name in wanted]
    load_files(load)
    result = run(scenario, overrides=[*probes, *overrides_of(settings)], seed=seed, progress=True)
    draw: Callable[..., Any] = getattr(result.plot, figure)
    named = "link" if figure in OF_LINKS else "flow"
    chosen: str | Sequence[str] | None = list(flow) or None
    if figure == "sequence" and chosen is not None:
        chosen = flow[0]
    from matplotlib import pyplot

    before = set(pyplot.get_fignums())
    beside: list[Beside] = []
    differences: list[Difference] = []
    try:
        drawn = draw(**{named: chosen})
        if figure == "load":
            beside = [] if measured is None else draw_measured(drawn, result, measured, chosen, offset)
        elif measured is not None:
            panels = drawn.flat if figure == "window" else [drawn]
            for axes, name in zip(panels, over[figure], strict=True):
                references.draw(axes, name, result, measured, flow=chosen, offset_s=offset)
        if measured is not None and figure != "load":
            differences = references.differences(result, measured, flow=chosen, offset_s=offset)
        figures.save(drawn, target)
    except (ValueError, KeyError) as error:
        raise UsageError(f"{figure}: {error.args[0]}") from None
    finally:
        for number in set(pyplot.get_fignums()) - before:
            pyplot.close(number)
    if differences:
        _print_differences(differences)
    if beside:
        rows = [[f"{one.what} {one.unit}", f"{one.ours:,.4g}", f"{one.measured:,.4g}"] for one in beside]
        print_table("under load", ["mean", "ours", "theirs"], rows)
    if figure == "load":
        _print_bufferbloat(result)
    say(str(target))
    return DONE


def _print_bufferbloat(result: Result) -> None:
    """The grade, if there are rounds without and with load."""
    from ackclock._errors import RefusedError
    from ackclock.results.bufferbloat import bufferbloat

    try:
        say(str(bufferbloat(result)))
    except RefusedError as error:
        say(f"no grade for bufferbloat: {error}")


def _print_differences(found: list[Difference]) -> None:
    """A table of the means of a run and of a measurement."""
    from ackclock.plot.reference import QUANTITIES

    def number(value: float | None) -> str:
        return "-" if value is None else f"{value:,.4g}"

    rows = []
    for one in found:
        quantity = QUANTITIES[one.quantity]
        ours, measured, rms = (
            None if value is None else value * quantity.factor for value in (one.ours, one.measured, one.rms)
        )
        relative = "-" if not one.measured else f"{100 * (one.ours / one.measured - 1):+.1f}"
        name = f"{quantity.name} {quantity.unit}".rstrip()
        rows.append(
            [one.flow, one.stream, name, str(one.samples), number(ours), number(measured), relative, number(rms)]
        )
    columns = ["flow", "measured", "quantity", "samples", "ours", "theirs", "difference %", "RMS difference"]
    print_table("differences", columns, rows)


def export(
    store: Path,
    /,
    *,
    table: str | None = None,
    of: tuple[str, ...] = (),
    against: str | None = None,
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
    against
        PATH=VALUE, such as flows[0].cc=reno: one row for each comparison of another value of PATH with this one, as
        `ackclock compare` prints them. Without --of, the usual measures are compared.
    sweep
        The sweep, if the store has several: its name, or the beginning of its id.
    out
        The file: NAME.csv, NAME.parquet or NAME.tex. LaTeX is for measures, and needs the packages booktabs and
        siunitx.
    """
    from ackclock.report.experiment.measures import flow_groups
    from ackclock.store import open_store

    if (table is None) == (not of and against is None):
        raise UsageError(
            "expected --table, for example --table flows, or --of, for example --of flows.goodput_bps, or --against"
        )
    if out.suffix not in TABLES:
        near = did_you_mean(out.suffix, TABLES)
        raise UsageError(f"--out {out}: accepted: a name that ends in {', '.join(TABLES)}{near}")
    if table is not None and out.suffix == ".tex":
        raise UsageError("--table: has too many rows for LaTeX; accepted: --of, or a file .csv or .parquet")
    with open_store(store, sweep=sweep) as opened:
        if table is not None:
            written = _rows_of(opened, table)
            rows = len(written)
            write_table(out, written, of=table)
        elif against is not None:
            contrasts = contrasts_against(opened, against, of, LEVEL)
            rows = len(contrasts)
            write_contrasts(out, contrasts, flow_groups(opened))
        else:
            estimates = {measure: opened.estimates(measure) for measure in of}
            weighted = len(opened.sweeps) == 1 and opened.sweeps[0].weights is not None
            populations = {measure: opened.population(measure) for measure in of} if weighted else {}
            rows = len(next(iter(estimates.values()))) + len(next(iter(populations.values()), ()))
            if out.suffix == ".tex":
                files.write_text(out, latex_of_points(estimates, populations, flow_groups(opened)))
            else:
                write_table(out, table_of(columns_of_points(estimates, populations)))
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
