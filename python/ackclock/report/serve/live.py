"""A live graph: rates, queues and drops of links on a page of this machine, while an emulated network runs."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ackclock.plot.palette import COLOURS
from ackclock.report import assets
from ackclock.report.experiment.traces import thin
from ackclock.report.figures import Plot, Series, share_x
from ackclock.report.serve.guard import Guard
from ackclock.report.serve.server import bound, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray
    from starlette.requests import Request
    from starlette.types import ASGIApp

    Take = Callable[[], tuple[NDArray[np.float64], NDArray[np.int64]]]

__all__ = ["live_application", "live_figures", "shown_live"]

POINTS = 1200
"""Points of a line."""

MOST_LINKS = 6
"""Links that are drawn: those that carried most."""

BYTES, DROPS, WAITING = 0, 2, 3
"""Places of the counts of a look: bytes and drops since the start, and packets in the queue."""


def live_figures(links: Sequence[str], times: NDArray[np.float64], counts: NDArray[np.int64]) -> list[dict[str, Any]]:
    """The panels of the page, as its script takes them; none before the second look.

    Parameters
    ----------
    links
        The names of the links in each direction.
    times
        The times of looks in seconds.
    counts
        Looks, links, and at each bytes, packets and drops since the start, and packets and bytes in the queue.
    """
    if len(times) < 2:
        return []
    carried = counts[-1, :, BYTES]
    shown = sorted(sorted(range(len(links)), key=lambda at: -int(carried[at]))[:MOST_LINKS])
    width = np.diff(times)
    rates: list[Series] = []
    queues: list[Series] = []
    drops: list[Series] = []
    for at, colour in zip(shown, COLOURS.values(), strict=False):
        if not carried[at] and not counts[-1, at, DROPS]:
            continue
        # What passed between two looks is drawn from the first of them on.
        mbps = 8e-6 * np.diff(counts[:, at, BYTES]) / width
        lost = np.diff(counts[:, at, DROPS]) / width
        rates.append(_line(links[at], times, np.append(mbps, mbps[-1]), colour))
        queues.append(_line(links[at], times, counts[:, at, WAITING], colour))
        drops.append(_line(links[at], times, np.append(lost, lost[-1]), colour))
    plots = [
        Plot("Rate", "time (s)", "rate (Mbit/s)", rates),
        Plot("Queue", "time (s)", "queue (packets)", queues, tall=0.7),
        Plot("Drops", "time (s)", "drops (packets/s)", drops, tall=0.7),
    ]
    plots = [plot for plot in plots if plot.series]
    figures = [plot.data() | {"note": ""} for plot in plots]
    share_x(figures, plots)
    return figures


def _line(label: str, x: NDArray[np.float64], y: NDArray[Any], colour: str) -> Series:
    values = np.asarray(y, dtype=np.float64)
    kept = thin(x, values, POINTS)
    return Series(label, x[kept], values[kept], colour, "step")


def live_application(links: Sequence[str], take: Take, token: str | None) -> ASGIApp:
    """The ASGI application of the page, for those who know the token. `take` gives all looks so far."""

    def own(kind: str, text: Callable[[], str]) -> Callable[[Request], Any]:
        async def endpoint(_: Request) -> Response:
            return Response(text(), media_type=kind)

        return endpoint

    def figures() -> list[dict[str, Any]]:
        return live_figures(links, *take())

    async def looks(_: Request) -> Response:
        return JSONResponse({"figures": await run_in_threadpool(figures)})

    page = resources.files("ackclock.report.serve").joinpath("live.html")
    routes = [
        Route("/", own("text/html", lambda: page.read_text(encoding="utf-8"))),
        Route("/page.js", own("text/javascript", lambda: assets.bundle("live.js"))),
        Route("/page.css", own("text/css", lambda: assets.bundle("serve.css"))),
        Route("/api/live", looks),
    ]
    return Guard(Starlette(routes=routes), token)


@contextmanager
def shown_live(
    links: Sequence[str], take: Take, *, port: int, token: str, ready: Callable[[str], object]
) -> Iterator[None]:
    """Serves the page on the loopback interface while the context is open.

    Parameters
    ----------
    links
        The names of the links in each direction.
    take
        Gives all looks so far, from any thread.
    port
        TCP port; 0 for a free one.
    token
        The token that every request has to have.
    ready
        Is told the address, as soon as it answers.

    Raises
    ------
    ServeError
        If the port is taken or may not be used.
    """
    with bound(socket.AF_INET, "127.0.0.1", port) as one:
        server = uvicorn.Server(settings(live_application(links, take, token)))
        # In a thread of its own, the server leaves all signals to the main thread.
        thread = threading.Thread(target=server.run, kwargs={"sockets": [one]}, name="ackclock-live")
        thread.start()
        try:
            ready(f"http://127.0.0.1:{one.getsockname()[1]}/?token={token}")
            yield
        finally:
            server.should_exit = True
            thread.join()
