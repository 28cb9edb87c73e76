"""``ackclock serve``: a store as a web page on this machine."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 -- cyclopts reads the annotations
from typing import Annotated

from cyclopts import Parameter

from ackclock.cli.output import UsageError, say

__all__ = ["serve"]

LARGEST_PORT = 65_535


def serve(folder: Path, /, *, port: int = 8090, ipv6: Annotated[bool, Parameter(negative="")] = False) -> int:
    """Show a store as a web page on this machine, even while a sweep writes to it. Ctrl-C ends the server.

    Needs the extra `serve` (starlette and uvicorn). The server writes nothing and answers only this machine.

    Parameters
    ----------
    folder
        The store of a sweep.
    port
        TCP port on the loopback interface; 0 selects a free port.
    ipv6
        Listen on ::1 as well as on 127.0.0.1.
    """
    if not 0 <= port <= LARGEST_PORT:
        raise UsageError(f"--port {port}: expected 0 to {LARGEST_PORT}")
    try:
        from ackclock.serve import serve as serve_store
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio"):
            raise
        raise UsageError(
            f"serve needs {error.name}: install ackclock[serve], which has starlette and uvicorn"
        ) from None
    import ackclock

    # Errors of the store are reported before anybody opens a page.
    ackclock.open(folder, mixed=True).close()

    def ready(addresses: list[str]) -> None:
        say(f"{folder} is at {' and '.join(addresses)}; Ctrl-C ends it")
        sys.stdout.flush()

    serve_store(folder, port=port, ipv6=ipv6, ready=ready)
    return 0
