"""``ackclock serve``: a store as a web page on this machine."""

from __future__ import annotations

import re
import secrets
import sys
from pathlib import Path  # noqa: TC003 -- cyclopts reads the annotations
from typing import Annotated

from cyclopts import Parameter

from ackclock.base import extras
from ackclock.cli.output import UsageError, check_port, say

__all__ = ["serve"]


def serve(
    folder: Path,
    /,
    *,
    port: int = 8090,
    ipv6: bool = False,
    token: Annotated[str | None, Parameter(env_var="ACKCLOCK_TOKEN")] = None,
    no_token: bool = False,
) -> int:
    """Show a store as a web page on this machine, even while a sweep writes to it. Ctrl-C ends the server.

    Needs the extra `serve` (starlette and uvicorn). The server writes nothing, and answers only this machine and those
    who know its token, which is in the address that is printed.

    Parameters
    ----------
    folder
        The store of a sweep.
    port
        TCP port on the loopback interface; 0 selects a free port.
    ipv6
        Listen on ::1 as well as on 127.0.0.1.
    token
        The token: letters, digits, hyphens, dots and underscores, at least 16. By default, a new one each time. Other
        users of this machine can read arguments of commands; the variable ACKCLOCK_TOKEN is yours alone.
    no_token
        Answer every user of this machine.
    """
    if token is not None and no_token:
        raise UsageError("--token and --no-token: accepted: one of them")
    if token is not None and re.fullmatch(r"[A-Za-z0-9._-]{16,200}", token) is None:
        raise UsageError("--token: accepted: 16 to 200 letters, digits, hyphens, dots and underscores")
    check_port(port)
    for package in ("starlette", "uvicorn"):
        extras.require(package, "pages of a server")
    from ackclock.report.serve import serve as serve_store
    from ackclock.store import open_store

    # Errors of the store are reported before anybody opens a page.
    open_store(folder, mixed=True).close()

    def ready(addresses: list[str]) -> None:
        say(f"{folder} is at {' and '.join(addresses)}; Ctrl-C ends it")
        sys.stdout.flush()

    serve_store(folder, port=port, ipv6=ipv6, token=None if no_token else token or secrets.token_hex(16), ready=ready)
    return 0
