"""nginx as the server of a clip, on a listening socket whose options its connections inherit."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock._errors import RefusedError
from ackclock.kernel.process import bound
from ackclock.kernel.testbed.programs import require

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Line", "ServerError", "log_lines", "serving"]

SO_MAX_PACING_RATE = 47
NO_LIMIT = (2**64 - 2).to_bytes(8, "little")
"""A rate that never limits, and not the one that turns pacing off: the kernel's own rate holds."""
BACKLOG = 64
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
KEPT = 10_000
"""Requests that a persistent connection may carry: more than a session has."""

CONFIGURATION = """\
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
worker_processes 1;
events {{ worker_connections 64; }}
http {{
    types {{ application/dash+xml mpd; video/mp4 m4s; }}
    log_format session '$msec $request_time $connection $remote_port $status $bytes_sent $body_bytes_sent $uri';
    access_log {folder}/access.log session;
    client_body_temp_path {folder}/temp;
    proxy_temp_path {folder}/temp;
    fastcgi_temp_path {folder}/temp;
    uwsgi_temp_path {folder}/temp;
    scgi_temp_path {folder}/temp;
    sendfile on;
    keepalive_timeout {keepalive};
    keepalive_requests {kept};
    server {{
        listen 0.0.0.0:{port};
        root {content};
    }}
}}
"""


class ServerError(RefusedError):
    """nginx did not start; the message has what it said."""

    code = "ACK055"


@dataclass(frozen=True)
class Line:
    """A line of nginx's log: one answer."""

    ended_s: float
    """Time at which the last byte was in the socket's buffer, in seconds since 1970; rounded to milliseconds."""
    took_s: float
    """Time from the request's first byte to `ended_s`, in seconds."""
    connection: int
    """The number of the connection, from the start of nginx."""
    port: int
    """The client's port; a later connection may have the same."""
    status: int
    sent: int
    """Bytes of the answer, with its header."""
    body: int
    """Bytes of the answer without it."""
    uri: str


@contextlib.contextmanager
def serving(content: Path, folder: Path, cc: str, *, paced: bool, persistent: bool) -> Iterator[int]:
    """Runs nginx in this network namespace for as long as the context lasts.

    Parameters
    ----------
    content
        The folder that is served.
    folder
        An existing folder for its configuration and logs.
    cc
        The kernel's name of the congestion control of all connections (TCP_CONGESTION).
    paced
        Whether connections are paced at the kernel's rate (SO_MAX_PACING_RATE).
    persistent
        Whether a connection carries more than one request.

    Yields
    ------
    int
        The port.

    Raises
    ------
    MissingError
        If nginx is not installed.
    ServerError
        If it does not start.
    """
    nginx = require(["nginx"])["nginx"]
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        try:
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, cc.encode())
        except OSError:
            offered = AVAILABLE.read_text(encoding="ascii").split()
            raise ServerError(
                f"{cc}: is no congestion control of this kernel; accepted: {', '.join(offered)}"
            ) from None
        if paced:
            listener.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, NO_LIMIT)
        listener.bind(("0.0.0.0", 0))  # noqa: S104 -- in a namespace of its own
        listener.listen(BACKLOG)
        port = int(listener.getsockname()[1])
        keepalive = "1h" if persistent else "0"
        text = CONFIGURATION.format(folder=folder, content=content, port=port, keepalive=keepalive, kept=KEPT)
        (folder / "nginx.conf").write_text(text, encoding="utf-8")
        command = [nginx, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]
        with (folder / "nginx.said").open("wb") as said:
            process = subprocess.Popen(  # noqa: S603 -- a fixed program
                command,
                env=os.environ | {"NGINX": f"{listener.fileno()};"},
                pass_fds=[listener.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                # Its workers end with it.
                preexec_fn=bound(),
            )
        # The socket listens already: a request waits until nginx accepts it, so nobody has to wait for nginx.
        try:
            yield port
        finally:
            ended = process.poll()
            process.terminate()
            process.wait()
        if ended is not None:
            logs = (folder / "nginx.said", folder / "error.log")
            told = " ".join(" ".join(path.read_text(errors="replace").split()) for path in logs if path.exists())
            raise ServerError(f"nginx ended with status {ended}: {told or 'it said nothing'}")


def log_lines(folder: Path) -> list[Line]:
    """The answers that nginx logged, in the order of their ends."""
    path = folder / "access.log"
    found = []
    for text in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        ended, took, connection, port, status, sent, body, uri = text.split(" ", 7)
        counts = (int(connection), int(port), int(status), int(sent), int(body))
        found.append(Line(float(ended), float(took), *counts, uri))
    return found
