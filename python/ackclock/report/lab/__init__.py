"""The laboratory: the engine in a browser, as static files, and a server for them on this machine."""

from __future__ import annotations

from ackclock.report.lab.content import LabError, files, write
from ackclock.report.lab.link import fragment
from ackclock.report.lab.server import Server
from ackclock.report.lab.show import show

__all__ = ["LabError", "Server", "files", "fragment", "show", "write"]
