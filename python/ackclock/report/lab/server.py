"""A server of the laboratory's files, on the loopback interface and nowhere else. It needs no package."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ackclock.report.lab.content import TYPES, LabError, files
from ackclock.report.ports import refusal

__all__ = ["Server"]

HOST = "127.0.0.1"


class Server(ThreadingHTTPServer):
    """A server that answers as soon as it exists; ``serve_forever`` lets it.

    Parameters
    ----------
    port
        TCP port; 0 for a free one.

    Raises
    ------
    LabError
        If the port is taken or may not be used, or if this installation lacks a file.
    """

    daemon_threads = True

    def __init__(self, port: int) -> None:
        self.content = files()
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            raise LabError(refusal(HOST, port, error)) from None

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_address[1]}/"


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        name = self.path.partition("?")[0].removeprefix("/") or "index.html"
        content = self.server.content.get(name)
        self.send_response(404 if content is None else 200)
        kind = "text/plain; charset=utf-8" if content is None else TYPES[name.rpartition(".")[2]]
        body = b"There is no such file.\n" if content is None else content
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the name of the base class
        """Says nothing of requests."""
