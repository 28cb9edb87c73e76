"""Sweeps: a scenario over many settings and seeds, into a store, on all cores or on a cluster.

A sweep that was stopped, however it was, goes on where it was when it is started again.
"""

from __future__ import annotations

import weakref
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from ackclock.base.log import logger
from ackclock.base.near import suggestion
from ackclock.base.progress import sweep_reporter
from ackclock.base.workplace import temporary
from ackclock.engine.run import check_seed, seeds_of
from ackclock.results.declared import TABLES
from ackclock.results.measure import MEASURES, Measure
from ackclock.scenario import check, load
from ackclock.store.layout import Layout, on_disk
from ackclock.store.provenance import Provenance
from ackclock.store.reader import open_store
from ackclock.store.writer import open_writer
from ackclock.sweeps.isolated import limit_of
from ackclock.sweeps.journal import Journal
from ackclock.sweeps.local import Threads
from ackclock.sweeps.plan import Keep, Plan, points_of
from ackclock.sweeps.request import request_of
from ackclock.sweeps.sources import keep_files
from ackclock.sweeps.until import Until
from ackclock.sweeps.vary import LatinHypercube, Points, Range, SweepError, settings

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from ackclock.base.progress import SweepReport
    from ackclock.results.result import Result
    from ackclock.scenario import Overrides, Source, Text
    from ackclock.stats import Precision
    from ackclock.store.reader import Store
    from ackclock.store.writer import Writer
    from ackclock.sweeps.plan import Done, Point, Run
    from ackclock.sweeps.vary import Vary, Weights

    Seeds: TypeAlias = int | Iterable[int] | None

__all__ = ["Backend", "LatinHypercube", "Points", "Range", "SweepError", "backend_of", "carry_out", "sweep"]

LOGGER = logger(__name__)

NAMELESS = "scenario"
"""The name that the engine gives a scenario without a name."""


LONGEST_NAME = 100
"""Characters of a name of a sweep."""


class Backend(Protocol):
    """Does runs somewhere."""

    where: str

    def run(
        self, plan: Plan, runs: Collection[Run], tick: Callable[[float], object], journal: Journal
    ) -> Iterator[Done]:
        """Each run with its packed bytes and whether it went well, in any order.

        `tick` is called several times a second with how many runs' worth of the others is done. `journal` knows which
        runs were under way when an earlier start of the sweep was killed.
        """
        ...


def sweep(
    scenario: Source,
    vary: Vary | None = None,
    *,
    seeds: int | Iterable[int] | None = None,
    weights: Weights | None = None,
    overrides: Overrides | None = None,
    out: str | os.PathLike[str] | None = None,
    tables: Sequence[str] | None = None,
    measure: Callable[[Result], Mapping[str, float]] | None = None,
    until: str | Precision | None = None,
    of: str | Measure | Sequence[str | Measure] | None = None,
    threads: int | None = None,
    cluster: str | None = None,
    memory: str | int | None = None,
    name: str | None = None,
    progress: bool | Callable[[float], object] = False,
) -> Store:
    """Runs a scenario at many points under many seeds, and opens the store of their results.

    Every point runs under the same seeds, so that points can be compared pair by pair. A run that has finished before,
    in this sweep or another of the store, is not run again; one that fails is recorded with its error.

    Parameters
    ----------
    scenario
        The path of a TOML file, TOML text, or a dict of the same shape.
    vary
        What varies. A dict of paths, each with its values, is a grid; the values may be a dict of names, each of which
        stands for settings of several paths. A list of dicts is a list of points, whose key ``weight`` is the weight
        of the point. `Points` combines a list with a grid, and a `LatinHypercube` spreads points over ranges. The path
        ``seeds`` stands for the seeds.
    seeds
        A number of them (the scenario's seed and those after it) or the seeds themselves; the scenario's own alone
        when not given.
    weights
        The weights of values of a grid, such as ``{"network": {"edge": 0.2, "lte": 0.8}}``, for `Store.population`.
        Weights are no part of a run: a sweep with other weights runs nothing again.
    overrides
        Values by key path that hold at every point.
    out
        The folder of the store; made where there is none. Without it the store goes when it is closed.
    tables
        Keep these tables alone, as ``["flows", "links"]``; all when not given.
    measure
        A function of a `Result` that gives numbers by name, kept as the table ``measures``.
    until
        Add seeds to each point until the interval of the mean of `of` is so narrow: ``"ci=2%"``, ``"ci=50kbps"``, with
        ``level=99%``, ``least=20``, ``most=500`` after commas; see `ackclock.stats.Precision`.
    of
        The measures that the sweep is about, as ``flows.goodput_bps``: the store keeps them, and reports show them.
        `until` is about the first. A flow that no point has is refused before the first run; see `ackclock.Measure`.
    threads
        Runs at the same time; as many as there are cores when not given. It does not change the results.
    cluster
        The address of a Dask scheduler that does the runs, ``tcp://HOST:PORT``, or ``file:PATH`` of a scheduler file.
    memory
        Give every run a process of its own that may take so much memory: bytes, or a text as ``"4GiB"``. A run that
        needs more fails and is recorded. Without it, runs whose estimated memory is more than a gibibyte have processes
        of their own, without a limit.
    name
        The name of the sweep in the store, by which `ackclock.open` finds it; that of the scenario when not given.
    progress
        True for a bar on standard error, or a function called with the part done, from 0 to 1.

    Raises
    ------
    ScenarioError
        With everything that is wrong at any point, before anything runs.
    MeasureError
        If a measure cannot be read, or no point has its column or its flow, before anything runs.
    SweepError
        If what varies makes no sense, `memory` cannot be read, or the cluster does not answer.
    StoreError
        If `out` cannot be written, holds something else, or another sweep is writing to it.
    """
    asked = [of] if isinstance(of, str | Measure) else list(of or ())
    parsed = [one if isinstance(one, Measure) else Measure.parse(one) for one in asked]
    rule = None if until is None else Until.parse(until, parsed[0] if parsed else None)
    text = load(scenario)
    vary, seeds = _seeds_that_vary(vary, seeds)
    found = settings(vary, weights)
    points = points_of(text, found, overrides)
    canonical = check(text, points[0].overrides)
    own = int(canonical["seed"])
    least = 1 if rule is None else rule.precision.least
    chosen = seeds_of(least if seeds is None else seeds, own)
    for seed in chosen:
        check_seed(seed, text)
    _check_tables(tables)
    _check_measures(parsed, points)
    keep = Keep(None if tables is None else tuple(tables), measure)
    called = _name(text, str(canonical["name"])) if name is None else _given(name)
    told = [str(one) for one in parsed]
    terms = {} if rule is None else {"until": rule.terms()}
    plan = Plan(points, called, keep, told, terms, request_of(vary, weights, overrides, chosen))
    plan.add(chosen)
    with backend_of(threads, cluster, limit_of(memory)) as backend, _folder(out) as (root, removal):
        with sweep_reporter(progress, plan.name) as report:
            more = None if rule is None else partial(rule.extend, plan)
            carry_out(plan, root, backend, report, more)
        store = open_store(root, sweep=plan.id)
        if removal is not None:
            # At the end of the process too, if nobody closes the store.
            store.removal = weakref.finalize(store, removal.close)
        return store


def carry_out(
    plan: Plan,
    root: Path,
    backend: Backend,
    report: SweepReport,
    more: Callable[[Path], bool] | None = None,
) -> None:
    """Does the runs of a plan that the store at `root` lacks.

    `more` is asked when all have finished: it may add runs to the plan, and says whether it did.
    """
    with open_writer(root, plan.id) as writer:
        for warning in writer.warnings:
            LOGGER.warning("%s", warning)
        layout = Layout(root)
        with on_disk(layout):
            keep_files(plan.points, layout)
        account = Provenance(layout, plan.id, backend.where, sum(writer.has(run.key) for run in plan.runs))
        finished = failed = 0
        try:
            with Journal(layout.provenance / f"under-way-{plan.id}") as journal:
                while True:
                    writer.describe(plan.document())
                    for good in _round(plan, writer, backend, report, journal):
                        finished += 1
                        failed += not good
                    writer.advance([run.key for run in plan.runs], end=True)
                    if more is None or not more(root):
                        return
        finally:
            # On a full disk the account stays open, as it does after SIGKILL.
            with suppress(OSError):
                account.end(finished, failed)


def _round(plan: Plan, writer: Writer, backend: Backend, report: SweepReport, journal: Journal) -> Iterator[bool]:
    """Does the runs that are missing, and says of each whether it went well."""
    order = [run.key for run in plan.runs]
    missing = {run.key: run for run in plan.runs if not writer.has(run.key)}
    report.start(len(order) - len(missing), len(order))

    def tick(part: float) -> None:
        writer.keep()
        report.under_way(part)

    try:
        for run, data, good in backend.run(plan, missing.values(), tick, journal):
            writer.add(run.key, data)
            writer.keep()
            writer.advance(order, end=False)
            report.ended(good)
            yield good
    finally:
        writer.keep(now=True)


@contextmanager
def backend_of(threads: int | None, cluster: str | None, limit: int | None = None) -> Iterator[Backend]:
    """Backend of runs: threads, processes that may take `limit` bytes each if that is given, or a cluster."""
    if cluster is None:
        yield Threads(threads, limit=limit)
        return
    if limit is not None:
        raise SweepError("memory limits processes of this machine: give memory or cluster, not both")
    from ackclock.sweeps.cluster import Cluster

    backend = Cluster(cluster)
    try:
        yield backend
    finally:
        backend.close()


def _name(text: Text, given: str) -> str:
    """The name of a sweep: that of its scenario, or of the scenario's file where the scenario has no name."""
    return given if given != NAMELESS or not text.name else Path(text.name).stem


def _given(name: str) -> str:
    """A name that was given, if a message and a table can show it."""
    if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise SweepError(f"name {name!r}: accepted: 1 to {LONGEST_NAME} characters that can be printed")
    return name.strip()


def _check_tables(tables: Sequence[str] | None) -> None:
    """Refuses names that no table of any scenario has."""
    unknown = [name for name in tables or () if name not in (*TABLES, MEASURES)]
    if unknown:
        near = suggestion(unknown[0], TABLES)
        raise SweepError(f"no table {', '.join(unknown)}; accepted: {', '.join(TABLES)}{near}")


def _check_measures(measures: Sequence[Measure], points: Sequence[Point]) -> None:
    """Refuses columns that no run has, and flows and links that no point has, before anything runs."""
    flows = {name for point in points for name in point.flows}
    links = {name for point in points for name in point.links}
    for measure in measures:
        measure.check()
        # After a dot come the number of a copy, the reverse direction of a link, or the place of a flow's access link.
        whole = (measure.component or "").partition(".")[0]
        if measure.key == "flow" and whole not in flows:
            measure.check_component(flows)
        if measure.key == "link" and whole not in flows | links:
            measure.check_component(links)


@contextmanager
def _folder(out: str | os.PathLike[str] | None) -> Iterator[tuple[Path, ExitStack | None]]:
    """The folder of a store, and what removes it if it is a temporary one."""
    if out is not None:
        yield Path(out), None
        return
    stack = ExitStack()
    try:
        yield stack.enter_context(temporary("sweep")) / "store", stack
    except BaseException:
        stack.close()
        raise


def _seeds_that_vary(
    vary: Vary | None, seeds: int | Iterable[int] | None
) -> tuple[Vary | None, int | Iterable[int] | None]:
    """Takes the path ``seeds`` out of a grid."""
    if isinstance(vary, Points):
        grid, seeds = _seeds_that_vary(dict(vary.vary), seeds)
        return Points(vary.listed, grid), seeds  # type: ignore[arg-type]
    if not isinstance(vary, dict) or "seeds" not in vary:
        return vary, seeds
    if seeds is not None:
        raise SweepError("seeds are given twice: as something that varies, and as seeds")
    return {name: values for name, values in vary.items() if name != "seeds"}, list(vary["seeds"])
