"""Who may ask: this machine's own page, and nobody on behalf of another site."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard", "refusal"]

LOOPBACK = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", re.ASCII | re.IGNORECASE)

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every answer."""


def refusal(method: str, headers: Headers) -> tuple[int, str] | None:
    """Why a request is refused, with the status; None if it is not."""
    hosts = headers.getlist("host")
    if len(hosts) != 1 or LOOPBACK.fullmatch(hosts[0]) is None:
        # Another name that leads to this machine: a site that had itself resolved to it (DNS rebinding).
        return 421, "this page answers to 127.0.0.1, localhost and [::1] alone"
    own = f"http://{hosts[0].lower()}"
    for origin in headers.getlist("origin"):
        if origin.lower() != own:
            return 403, "a request of another origin"
    for referrer in headers.getlist("referer"):
        if not f"{referrer.lower()}/".startswith(f"{own}/"):
            return 403, "a request that comes from another site"
    for site in headers.getlist("sec-fetch-site"):
        if site.lower() not in ("same-origin", "none"):
            return 403, "a request that comes from another site: open the address itself"
    if method not in ("GET", "HEAD"):
        return 405, "this page only reads"
    return None


class Guard:
    """Refuses what is not asked by this machine's own page, and gives every answer its headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        refused = refusal(scope["method"], Headers(scope=scope))
        if refused is None:
            await self._app(scope, receive, guarded)
        else:
            status, why = refused
            await PlainTextResponse(f"{why}\n", status)(scope, receive, guarded)
