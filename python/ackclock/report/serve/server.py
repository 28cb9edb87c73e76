"""The server: on the loopback interface, and nowhere else."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import uvicorn

from ackclock._errors import RefusedError
from ackclock.report.ports import refusal
from ackclock.report.serve.app import application

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.types import ASGIApp

__all__ = ["ServeError", "bound", "serve", "settings"]


class ServeError(RefusedError):
    """The page cannot be served; the message says why."""

    code = "ACK070"


def serve(
    path: Path,
    *,
    port: int = 8090,
    ipv6: bool = False,
    token: str | None = None,
    ready: Callable[[list[str]], object],
) -> None:
    """Serves a store until a signal ends the process.

    Parameters
    ----------
    path
        The folder of the store.
    port
        TCP port; 0 for a free one.
    ipv6
        Also on ::1.
    token
        The token that every request has to have; without one every user of this machine can read the store.
    ready
        Is told the addresses, as soon as they answer.

    Raises
    ------
    ServeError
        If the port is taken or may not be used.
    """
    sockets = [bound(socket.AF_INET, "127.0.0.1", port)]
    try:
        taken = sockets[0].getsockname()[1]
        if ipv6:
            sockets.append(bound(socket.AF_INET6, "::1", taken))
        config = settings(application(path, token))
        entrance = "" if token is None else f"?token={token}"
        ready([f"http://{host}:{taken}/{entrance}" for host in ("127.0.0.1", "[::1]")[: len(sockets)]])
        uvicorn.Server(config).run(sockets=sockets)
    finally:
        for one in sockets:
            one.close()


def settings(application: ASGIApp) -> uvicorn.Config:
    """The settings of a server on the loopback interface, whose sockets are bound already."""
    return uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )


def bound(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    """A socket that listens at a port of the loopback interface; 0 takes a free one."""
    one = socket.socket(family, socket.SOCK_STREAM)
    try:
        if family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind((host, port))
        one.listen(64)
    except OSError as error:
        one.close()
        raise ServeError(refusal(host, port, error)) from None
    return one
