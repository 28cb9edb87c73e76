"""The laboratory: the engine in a browser, as static files, and a server for them on this machine."""

from __future__ import annotations

from ackclock.report.lab.content import LabError, files, write
from ackclock.report.lab.link import fragment
from ackclock.report.lab.process import show
from ackclock.report.lab.server import Server

__all__ = ["LabError", "Server", "files", "fragment", "show", "write"]
