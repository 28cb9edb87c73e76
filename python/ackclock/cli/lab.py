"""``ackclock lab``: the engine in a browser."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path  # noqa: TC003 -- cyclopts reads the annotations
from typing import Annotated

from cyclopts import Parameter

from ackclock.cli.output import check_port, say

__all__ = ["lab"]


def lab(
    *,
    port: int = 8091,
    browser: Annotated[bool, Parameter(negative="--no-browser")] = True,
    out: Path | None = None,
) -> int:
    """Open the laboratory: a page that runs scenarios in the browser. Ctrl-C ends its server.

    The engine runs in the page: nothing is sent to a server, and the page works without a network.

    Parameters
    ----------
    port
        TCP port on the loopback interface; 0 selects a free port.
    browser
        Open the page in the default browser.
    out
        Write the files of the page into this folder instead, for a server of static files.
    """
    check_port(port)
    from ackclock.report.lab import Server, write

    if out is not None:
        write(out)
        say(f"{out / 'index.html'}: the laboratory; serve this folder with any server of static files")
        return 0
    with Server(port) as server:
        say(f"the laboratory is at {server.address}; Ctrl-C ends it")
        sys.stdout.flush()
        if browser:
            webbrowser.open(server.address)
        server.serve_forever()
    return 0
