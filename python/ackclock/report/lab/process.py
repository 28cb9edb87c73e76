"""A run in the laboratory, from Python."""

from __future__ import annotations

import threading
import webbrowser
from functools import cache

from ackclock.report.lab.content import LabError
from ackclock.report.lab.link import fragment
from ackclock.report.lab.server import Server

__all__ = ["LONGEST", "show"]

LONGEST = 30_000
"""Characters of the longest address that is opened; browsers refuse much longer ones."""


@cache
def _server() -> Server:
    """The server of this process, which answers until the process ends."""
    server = Server(0)
    threading.Thread(target=server.serve_forever, name="ackclock-lab", daemon=True).start()
    return server


def show(text: str, seed: int, *, browser: bool) -> str:
    """Opens a scenario in the laboratory, and returns the address.

    Raises
    ------
    LabError
        If this installation lacks a file of the laboratory, or if the scenario is too long for an address.
    """
    address = _server().address + fragment(text, seed)
    if len(address) > LONGEST:
        raise LabError(
            f"the scenario gives an address of {len(address)} characters, and browsers accept {LONGEST}; "
            "run `ackclock lab` and paste the scenario there"
        )
    if browser:
        webbrowser.open(address)
    return address
