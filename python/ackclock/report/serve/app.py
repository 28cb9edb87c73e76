"""The requests that the page may make."""

from __future__ import annotations

import csv
import io
import math
from importlib import resources
from typing import TYPE_CHECKING

from arro3.core import Table as ArrowTable
from arro3.io import write_ipc_stream, write_parquet
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ackclock._errors import RefusedError
from ackclock.report import assets
from ackclock.report.experiment.measures import default_measures
from ackclock.report.experiment.traces import DRAWN, panels
from ackclock.report.figures import share_x
from ackclock.report.serve.again import Again
from ackclock.report.serve.guard import Guard
from ackclock.report.serve.listing import listed, opening, sweep_names, titles
from ackclock.report.serve.overlay import colours_of, overlaid
from ackclock.report.serve.question import one_sweep, question
from ackclock.report.serve.shelf import Shelf
from ackclock.results.measure import Measure
from ackclock.results.names import measure_label, measure_name, unit_of
from ackclock.results.usual import Group, competing_at_all, usual_measures
from ackclock.store.parts import described, stacked

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from ackclock.store import Store

__all__ = ["MOST_LISTED", "MOST_RUNS", "application"]

MOST_RUNS = 12
"""Runs that are overlaid, or downloaded, together."""

MOST_LISTED = 5000
"""Runs that the page lists."""

MOST_NAMED = 200
"""Flows that the page can choose from."""

POINTS = 1500
"""Points of a line that are sent at most."""

PACKETS = 8000
"""Points of a time-sequence graph that are sent at most. The page asks anew for the stretch that it zooms to."""


class AskedError(RefusedError):
    """A request for what there is not."""

    code = "ACK071"


def application(path: Path, token: str | None = None) -> ASGIApp:
    """The ASGI application of a store, for those who know the token, or without one for everybody."""
    shelf = Shelf(path)
    again = Again()

    def answer(make: Callable[[Request, Store], Response]) -> Callable[[Request], Awaitable[Response]]:
        def work(request: Request) -> Response:
            try:
                with shelf.store() as store:
                    return make(request, store)
            except AskedError as error:
                return JSONResponse({"error": str(error)}, 404)
            except RefusedError as error:
                return JSONResponse({"error": str(error)}, 409)

        async def endpoint(request: Request) -> Response:
            return await run_in_threadpool(work, request)

        return endpoint

    routes = [
        Route("/", _own("index.html", "text/html")),
        Route("/page.js", _script),
        Route("/page.css", _style),
        Route("/api/runs", answer(lambda request, store: _runs(request, store, shelf.version))),
        Route("/api/question", answer(_question)),
        Route("/api/again", answer(lambda request, store: _again(request, store, again))),
        Route("/api/lines", answer(lambda request, store: _lines(request, store, again))),
        Route("/api/bars", answer(_bars)),
        Route("/data/{name:str}", answer(_data)),
    ]
    return Guard(Starlette(routes=routes), token)


def _own(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(_: Request) -> Response:
        return Response(_text(name), media_type=kind)

    return endpoint


def _text(name: str) -> str:
    return resources.files("ackclock.report.serve").joinpath(name).read_text(encoding="utf-8")


async def _script(_: Request) -> Response:
    return Response(assets.bundle("serve.js"), media_type="text/javascript")


async def _style(_: Request) -> Response:
    return Response(assets.bundle("serve.css"), media_type="text/css")


def _runs(request: Request, store: Store, version: str) -> Response:
    """Every run that has finished well, what was varied, and how far the sweeps are; little if the page knows it."""
    if request.query_params.get("known") == version:
        return JSONResponse({"version": version})
    [count] = store.sql("SELECT count(DISTINCT run) AS done FROM runs WHERE status = 'done'").rows()
    first = store.sql(
        "SELECT run FROM runs WHERE status = 'done' GROUP BY run ORDER BY min(place) LIMIT ?", [MOST_LISTED]
    )
    names, runs = listed(store, [str(row["run"]) for row in first.rows()])
    return JSONResponse(
        {
            "version": version,
            "store": store.path.name,
            "asked": store.finished + store.missing,
            "finished": store.finished,
            "failed": store.failed,
            "done": count["done"],
            "names": names,
            "titles": titles(store, names),
            "sweeps": sweep_names(store.sweeps),
            "runs": runs,
            "opening": opening(store.sweeps, {run["run"] for run in runs}),
            "tables": store.tables,
            "most": MOST_RUNS,
            "measures": [{"measure": one, "label": measure_label(one)} for one in _choices(store)],
        }
    )


def _choices(store: Store) -> list[str]:
    """The measures to choose from: those of the sweeps, those that reports show, and the usual ones of applications."""
    own = [text for sweep in store.sweeps for text in sweep.measures]
    usual = usual_measures([Group(kind, kind) for kind in ("dash", "transfer", "voip", "cbr")])
    with one_sweep(store, len(store.sweeps) - 1) as one:
        every = dict.fromkeys([*own, *default_measures(one), *usual])
    return [text for text in every if Measure.parse(text).table in store.tables]


def _asked(request: Request, store: Store) -> list[str]:
    """The runs of a request: keys of the store, and nothing else."""
    keys = list(dict.fromkeys(key for key in request.query_params.get("runs", "").split(",") if key))
    if not keys:
        raise AskedError("no run is asked for")
    if len(keys) > MOST_RUNS:
        raise AskedError(f"{len(keys)} runs at once; at most {MOST_RUNS}")
    found = store.sql("SELECT run FROM runs WHERE status = 'done' AND run IN (SELECT unnest(?))", [keys])
    known = {row["run"] for row in found.rows()}
    for key in keys:
        if key not in known:
            raise AskedError(f"no finished run {key[:40]!r}")
    return keys


def _question(request: Request, store: Store) -> Response:
    """The question's view of a sweep: of the number that is asked for, or of the last one."""
    number = request.query_params.get("sweep", str(len(store.sweeps) - 1))
    if not number.isdigit() or int(number) >= len(store.sweeps):
        raise AskedError(f"no sweep {number[:40]!r}; there are {len(store.sweeps)}")
    with one_sweep(store, int(number)) as one:
        return JSONResponse(question(one))


def _again(request: Request, store: Store, again: Again) -> Response:
    """Runs the runs asked for again, with probes; lines over time are then those of the new runs."""
    keys = _asked(request, store)
    for key in keys:
        again.run(store, key)
    return JSONResponse({"runs": keys})


def _lines(request: Request, store: Store, again: Again) -> Response:
    """Lines over time: the panels of a report, each with the lines of all runs asked for, over a stretch of time.

    With `flow`, those of one flow alone.
    """
    keys = _asked(request, store)
    span = _span(request)
    results = [again.get(key) or store.result(key, DRAWN) for key in keys]
    flows = list(dict.fromkeys(str(name) for result in results for name in result.flows["flow"]))
    flow = request.query_params.get("flow")
    if flow is not None and flow not in flows:
        raise AskedError(f"no flow {flow[:40]!r} in these runs")
    competing = competing_at_all([one.competing for one in store.sweeps])
    most, packets = POINTS // len(keys) + 100, PACKETS // len(keys)
    drawn = [panels(result, most, packets, span, competing, flow=flow) for result in results]
    plots = overlaid(drawn, colours_of(results))
    figures = [plot.data() | {"note": plot.caption} for plot in plots]
    if span is None:
        share_x(figures, plots)
    return JSONResponse({"figures": figures, "flows": flows[:MOST_NAMED]})


def _span(request: Request) -> tuple[float, float] | None:
    """The stretch of time that is asked for; None for all."""
    given = [request.query_params.get(name) for name in ("from", "to")]
    if given == [None, None]:
        return None
    try:
        start, end = (float(text or "") for text in given)
    except ValueError:
        start = end = math.nan
    if not -math.inf < start < end < math.inf:
        raise AskedError("from and to are seconds, and from is the smaller one")
    return start, end


def _bars(request: Request, store: Store) -> Response:
    """A measure of each run asked for; null where it has none."""
    keys = _asked(request, store)
    measure = Measure.parse(request.query_params.get("of", "") or _choices(store)[0])
    if measure.table not in store.tables:
        raise AskedError(f"no table {measure.table}; there are {', '.join(store.tables)}")
    values = []
    for key in keys:
        result = store.result(key, [measure.table])
        values.append(measure.of(result) if measure.table in result.tables else math.nan)
    unit, factor = unit_of(measure, values)
    shown = [None if math.isnan(value) else value * factor for value in values]
    return JSONResponse(
        {"of": str(measure), "name": measure_name(measure), "unit": unit, "runs": keys, "values": shown}
    )


def _data(request: Request, store: Store) -> Response:
    """A table of the runs asked for, as CSV, Parquet or Arrow."""
    table, _, form = request.path_params["name"].partition(".")
    if table not in store.tables or table == "runs":
        raise AskedError(f"no table of runs {table[:40]!r}")
    if form not in ("csv", "parquet", "arrow"):
        raise AskedError("tables come as csv, parquet and arrow")
    keys = _asked(request, store)
    found = [(key, store.result(key, [table]).tables.get(table)) for key in keys]
    whole = described(table, stacked([(key, ArrowTable.from_arrow(one)) for key, one in found if one is not None]))
    out = io.BytesIO()
    if form == "parquet":
        write_parquet(whole, out)
    elif form == "arrow":
        write_ipc_stream(whole, out, compression=None)
    else:
        text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(whole.column_names)
        writer.writerows(zip(*(whole.column(name).to_pylist() for name in whole.column_names), strict=True))
        text.detach()
    kinds = {
        "csv": "text/csv",
        "parquet": "application/vnd.apache.parquet",
        "arrow": "application/vnd.apache.arrow.stream",
    }
    headers = {"Content-Disposition": f'attachment; filename="{table}.{form}"'}
    return Response(out.getvalue(), media_type=kinds[form], headers=headers)
