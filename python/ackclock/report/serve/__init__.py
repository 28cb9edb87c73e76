"""A store as a page on the loopback interface: pick runs, overlay them, download what a figure is drawn from.

It reads, and nothing else: no SQL comes from the browser, runs and tables are named by what the store calls them, and
a request of another site is refused.
"""

from __future__ import annotations

from ackclock.report.serve.app import application
from ackclock.report.serve.server import serve

__all__ = ["application", "serve"]
