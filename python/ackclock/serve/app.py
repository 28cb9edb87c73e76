"""The requests that the page may make."""

from __future__ import annotations

import csv
import io
import math
from importlib import resources
from typing import TYPE_CHECKING, Any

from arro3.core import Table as ArrowTable
from arro3.io import write_ipc_stream, write_parquet
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ackclock._errors import RefusedError
from ackclock.measure import Measure
from ackclock.palette import COLOURS
from ackclock.report import assets
from ackclock.report.experiment.measures import MEASURES
from ackclock.report.experiment.traces import DRAWN, panels
from ackclock.report.figures import share_x
from ackclock.report.tables import cell_text
from ackclock.serve.guard import Guard
from ackclock.serve.shelf import Shelf
from ackclock.store.parts import stacked

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from ackclock.report.figures import Plot
    from ackclock.store import Store

__all__ = ["MOST_LISTED", "MOST_RUNS", "application"]

MOST_RUNS = 12
"""Runs that are overlaid, or downloaded, together."""

MOST_LISTED = 5000
"""Runs that the page lists."""

RUN_COLOURS = list(COLOURS.values())
"""The colours of runs: as many as are overlaid."""

POINTS = 1500
"""Points of a line that are sent at most."""


class AskedError(RefusedError):
    """A request for what there is not."""


def application(path: Path, token: str | None = None) -> ASGIApp:
    """The ASGI application of a store, for those who know the token, or without one for everybody."""
    shelf = Shelf(path)

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
        Route("/api/runs", answer(_runs)),
        Route("/api/lines", answer(_lines)),
        Route("/api/bars", answer(_bars)),
        Route("/data/{name:str}", answer(_data)),
    ]
    return Guard(Starlette(routes=routes), token)


def _own(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(_: Request) -> Response:
        return Response(_text(name), media_type=kind)

    return endpoint


def _text(name: str) -> str:
    return resources.files("ackclock.serve").joinpath(name).read_text(encoding="utf-8")


async def _script(_: Request) -> Response:
    return Response(assets.bundle("serve.js"), media_type="text/javascript")


async def _style(_: Request) -> Response:
    return Response(assets.bundle("serve.css"), media_type="text/css")


def _runs(_: Request, store: Store) -> Response:
    """Every run that has finished well, what was varied, and how far the sweeps are."""
    names = list(dict.fromkeys(name for sweep in store.sweeps for name in sweep.varied))
    sweep_names = _sweep_names(store)
    several = len(sweep_names) > 1
    rows = [row for row in store.runs.rows() if row["status"] == "done"]
    listed = [
        {
            "run": row["run"],
            "seed": row["seed"],
            "values": [cell_text(row[name]) for name in names] + [sweep_names[row["sweep"]]] * several,
        }
        for row in rows[:MOST_LISTED]
    ]
    return JSONResponse(
        {
            "store": store.path.name,
            "asked": len(store.runs),
            "finished": store.finished,
            "failed": store.failed,
            "done": len(rows),
            "names": names + ["sweep"] * several,
            "runs": listed,
            "tables": store.tables,
            "most": MOST_RUNS,
            "measures": [text for text in MEASURES if Measure.parse(text).table in store.tables],
        }
    )


def _sweep_names(store: Store) -> dict[str, str]:
    """The sweeps by their names; those of one name by their ids as well."""
    names = [sweep.name for sweep in store.sweeps]
    return {
        sweep.id: sweep.name if names.count(sweep.name) == 1 else f"{sweep.name} ({sweep.id})" for sweep in store.sweeps
    }


def _asked(request: Request, store: Store) -> list[str]:
    """The runs of a request: keys of the store, and nothing else."""
    keys = list(dict.fromkeys(key for key in request.query_params.get("runs", "").split(",") if key))
    if not keys:
        raise AskedError("no run is asked for")
    if len(keys) > MOST_RUNS:
        raise AskedError(f"{len(keys)} runs at once; at most {MOST_RUNS}")
    known = {row["run"] for row in store.runs.rows() if row["status"] == "done"}
    for key in keys:
        if key not in known:
            raise AskedError(f"no finished run {key[:40]!r}")
    return keys


def _lines(request: Request, store: Store) -> Response:
    """Lines over time: the panels of a report, each with the lines of all runs asked for."""
    keys = _asked(request, store)
    figures: dict[str, dict[str, Any]] = {}
    for number, key in enumerate(keys):
        for plot in panels(store.result(key, DRAWN), POINTS // len(keys) + 100):
            _overlay(figures, plot, number, alone=len(keys) == 1)
    share_x(list(figures.values()))
    return JSONResponse({"figures": list(figures.values())})


def _overlay(figures: dict[str, dict[str, Any]], plot: Plot, number: int, *, alone: bool) -> None:
    data = plot.data() | {"note": plot.caption}
    colours: dict[str, int] = {}
    for series in [] if alone else data["series"]:
        series["label"] = f"{number + 1}: {series['label']}"
        # Each run has a colour of its own; the flows of a run differ in their dashes.
        place = colours.setdefault(series["colour"], len(colours))
        series["colour"] = RUN_COLOURS[number]
        if place and "dash" not in series:
            series["dash"] = [8, 2 + 2 * place]
    known = figures.setdefault(plot.title, data)
    if known is not data:
        known["series"] += data["series"]


def _bars(request: Request, store: Store) -> Response:
    """A measure of each run asked for; null where it has none."""
    keys = _asked(request, store)
    measure = Measure.parse(request.query_params.get("of", "flows.goodput_bps"))
    if measure.table not in store.tables:
        raise AskedError(f"no table {measure.table}; there are {', '.join(store.tables)}")
    values = []
    for key in keys:
        result = store.result(key, [measure.table])
        value = measure.of(result) if measure.table in result.tables else math.nan
        values.append(None if math.isnan(value) else value)
    return JSONResponse({"of": str(measure), "unit": measure.unit, "runs": keys, "values": values})


def _data(request: Request, store: Store) -> Response:
    """A table of the runs asked for, as CSV, Parquet or Arrow."""
    table, _, form = request.path_params["name"].partition(".")
    if table not in store.tables or table == "runs":
        raise AskedError(f"no table of runs {table[:40]!r}")
    if form not in ("csv", "parquet", "arrow"):
        raise AskedError("tables come as csv, parquet and arrow")
    keys = _asked(request, store)
    found = [(key, store.result(key, [table]).tables.get(table)) for key in keys]
    whole = stacked([(key, ArrowTable.from_arrow(one)) for key, one in found if one is not None])
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
