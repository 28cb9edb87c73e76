"""``ackclock sweep``: runs with many settings and seeds, kept in a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ackclock.cli.commands import at_least_one, load_files, overrides_of
from ackclock.cli.output import (
    NOT_DRAWN,
    UsageError,
    complain,
    has_no_width,
    print_json,
    print_table,
    say,
    tell_doubt,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.store import Store

__all__ = ["sweep"]

SHOWN = 40
"""Number of points that are printed. The store has all points."""


def sweep(
    scenario: Path,
    /,
    *,
    vary: tuple[str, ...] = (),
    points: Path | None = None,
    lhs: int | None = None,
    lhs_seed: int = 1,
    seeds: int | None = None,
    settings: tuple[str, ...] = (),
    load: tuple[Path, ...] = (),
    out: Path | None = None,
    tables: tuple[str, ...] = (),
    jobs: Annotated[int | None, Parameter(name=["--jobs", "--threads"])] = None,
    cluster: str | None = None,
    memory: str | None = None,
    until: str | None = None,
    of: tuple[str, ...] = (),
    name: str | None = None,
    json: bool = False,
) -> int:
    """Run a scenario at many points under many seeds, and keep the results in a store.

    An interrupted sweep continues when the same command runs again. The exit status is 1 if runs failed. The store
    keeps all other runs, and the error of each failed run.

    Parameters
    ----------
    scenario
        The scenario: a TOML file.
    vary
        PATH=VALUE,VALUE,...: a path and its values, for example 'flows[0].cc=cubic,reno'. Several paths make a grid.
        The path seeds stands for the seeds. Can be repeated.
    points
        A CSV file of points: the first line has paths, and each further line has values. With --vary, every point of
        the file runs at every point of the grid. A column weight makes the points a population, whose weighted means
        are printed. Weights can be changed without new runs.
    lhs
        Number of points of a Latin hypercube. --vary PATH=LOW..HIGH then gives a range, and PATH=LOW..HIGH:log a range
        that is sampled evenly over the logarithm.
    lhs_seed
        Seed of the Latin hypercube.
    seeds
        Number of replications of each point, with the scenario's seed and the seeds after it.
    settings
        PATH=VALUE: replaces a value of the scenario at every point. Can be repeated.
    load
        Your own congestion controls and rate adaptations: a Python file, a library, or the folder of a crate. Can be
        repeated.
    out
        Folder of the store; by default out/ and the name of the scenario file. The folder may hold other sweeps.
    tables
        A table to keep. Can be repeated. By default, all tables are kept.
    jobs
        Number of simultaneous runs; by default one per core. It does not change the results.
    cluster
        Address of a Dask scheduler whose workers do the runs, such as tcp://host:8786, or file:PATH of a scheduler
        file.
    memory
        Memory limit of a run, such as 4GiB. Every run then has a process of its own. A run that needs more fails, and
        the sweep continues.
    until
        Add seeds to each point until the interval of the first measure of --of is this narrow, such as ci=2%. Further
        terms follow after commas: level=99%, least=20, most=500.
    of
        A measure to print for every point, such as flows.goodput_bps or p95(flows[video].srtt_ms). Can be repeated. By
        default, the usual measures that the runs have are printed.
    name
        The name of the sweep in the store, which `ackclock ls` shows and --sweep of `ackclock report` takes; by default
        the name of the scenario.
    json
        Print one JSON document.
    """
    from ackclock.cli.vary import vary_of
    from ackclock.results.measure import Measure
    from ackclock.sweeps import sweep as run_sweep

    at_least_one("--seeds", seeds)
    at_least_one("--jobs", jobs)
    if until is not None and not of:
        raise UsageError(f"--until {until}: name the measure with --of, for example --of flows.goodput_bps")
    measures = [str(Measure.parse(one)) for one in of]
    overrides = overrides_of(settings)
    load_files(load)
    folder = Path("out", scenario.stem) if out is None else out
    store = run_sweep(
        scenario,
        vary_of(vary, points, lhs, lhs_seed),
        seeds=seeds,
        overrides=overrides,
        out=folder,
        tables=tables or None,
        until=until,
        of=measures,
        threads=jobs,
        cluster=cluster,
        memory=memory,
        name=name,
        progress=True,
    )
    with store:
        if json:
            print_json(_document(store, measures))
        else:
            from ackclock.report.experiment.measures import default_measures

            _print(store, measures or default_measures(store))
        complain(f"results in {folder}")
        return 1 if store.failed else 0


def _document(store: Store, measures: Sequence[str]) -> dict[str, Any]:
    sweep = store.sweeps[0]
    return {
        "store": str(store.path),
        "sweep": sweep.id,
        "name": sweep.name,
        "version": sweep.version,
        "runs": len(sweep.runs),
        "failed": store.failed,
        "points": [dict(point) for point in sweep.points],
        "failures": [
            {"point": row["point"], "seed": row["seed"], "error": row["error"]} for row in store.failures.rows()
        ],
        "measures": {name: [one.document() for one in store.estimates(name)] for name in measures},
    } | _weighted(store, measures)


def _weighted(store: Store, measures: Sequence[str]) -> dict[str, Any]:
    """The part of the document on a population, if the points have weights."""
    sweep = store.sweeps[0]
    if sweep.weights is None:
        return {}
    means = {name: [one.document() for one in store.population(name)] for name in measures}
    return {"weights": sweep.weights, "population": means}


def _print(store: Store, measures: Sequence[str]) -> None:
    from ackclock.report.tables import counted

    sweep = store.sweeps[0]
    failed = f", {store.failed} failed" if store.failed else ""
    runs, points = counted(len(sweep.runs), "run"), counted(len(sweep.points), "point")
    say(f"{sweep.name}: {runs} of {points}{failed}; ackclock {sweep.version}")
    names = sweep.varied
    found = [store.estimates(name) for name in measures]
    estimates = [[one.document() for one in points] for points in found]
    rows = []
    for number, point in enumerate(sweep.points[:SHOWN]):
        cells = [_estimate(estimate[number]) for estimate in estimates]
        rows.append([str(number), *(str(point.get(name, "-")) for name in names), *cells])
    if names or measures:
        print_table("points", ["point", *names, *measures], rows, keys=1 + len(names))
    if sweep.weights is not None and measures:
        _print_population(store, measures)
    if len(sweep.points) > SHOWN:
        say(f"{len(sweep.points) - SHOWN} more points are in --json and in the store")
    for name, estimate, points_of_it in zip(measures, estimates, found, strict=True):
        alike = sum(has_no_width(one) for one in estimate)
        if alike:
            complain(f"{name}: the same under all seeds at {alike} of {len(estimate)} points: {NOT_DRAWN}")
        tell_doubt([one.estimate for one in points_of_it], name)
    for row in list(store.failures.rows())[:SHOWN]:
        complain(f"{_setting(sweep.points[row['point']])}, seed {row['seed']}: {row['error']}")


def _print_population(store: Store, measures: Sequence[str]) -> None:
    """Prints the weighted means over the points, one row for each setting of what is no part of the population."""
    means = {name: store.population(name) for name in measures}
    first = next(iter(means.values()))
    names = list(dict.fromkeys(name for one in first for name in one.params))
    rows = [
        [
            *(str(one.params.get(name, "-")) for name in names),
            str(len(one.points)),
            *(_estimate(means[name][number].document()) for name in measures),
        ]
        for number, one in enumerate(first)
    ]
    head = [*names, "points", *measures]
    print_table("population: means weighted by the points' weights", head, rows, keys=1 + len(names))
    for name, found in means.items():
        missing = sorted({point for one in found for point in one.missing})
        if missing:
            told = "; ".join(_setting(store.sweeps[0].points[point]) for point in missing)
            complain(f"{name}: no mean over the population: no run has a value with {told}")


def _setting(point: Mapping[str, Any]) -> str:
    """A point by its values."""
    return ", ".join(f"{name}={value}" for name, value in point.items()) or "the scenario"


def _estimate(estimate: dict[str, Any]) -> str:
    from ackclock.report.tables import cell_text

    if estimate["mean"] is None:
        return "-"
    if estimate["ci"] is None:
        return cell_text(estimate["mean"])
    low, high = estimate["ci"]
    return f"{cell_text(estimate['mean'])} [{cell_text(low)}, {cell_text(high)}]"
