"""Checks of requests: a request needs the token, comes from this machine's own page, and acts for no other site."""

from __future__ import annotations

import hmac
import re
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard", "refusal"]

TOKEN = "token"  # noqa: S105 -- a name
"""The name of the token in the address that opens the page."""
UNKNOWN = "the token is missing or wrong: open the address that `ackclock serve` printed"

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
    """Status and reason with which a request is refused; None if it is accepted."""
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


def cookie_name(host: str) -> str:
    """The name of the cookie with the token. Browsers send cookies to every port of a host."""
    return f"ackclock-{host.rpartition(':')[2] if ':' in host.rpartition(']')[2] else 80}"


def knows(token: str, request: Request) -> bool:
    """Whether a request has the token: in its cookie, as ``Authorization: Bearer TOKEN``, or in its address."""
    given = [request.query_params.get(TOKEN, "")]
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        given.append(value.strip())
    try:
        cookie = SimpleCookie(request.headers.get("cookie", "")).get(cookie_name(request.headers["host"]))
    except CookieError:
        cookie = None
    if cookie is not None:
        given.append(cookie.value)
    return any(hmac.compare_digest(one.encode(), token.encode()) for one in given)


class Guard:
    """Refuses what is not asked by who knows the token from the own page, and gives every answer its headers."""

    def __init__(self, app: ASGIApp, token: str | None = None) -> None:
        self._app = app
        self._token = token

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
        request = Request(scope)
        if refused is None and self._token is not None and not knows(self._token, request):
            refused = 403, UNKNOWN
        if refused is not None:
            status, why = refused
            await PlainTextResponse(f"{why}\n", status)(scope, receive, guarded)
        elif self._token is not None and scope["path"] == "/" and TOKEN in request.query_params:
            # The address with the token does not stay in the browser's bar and history.
            answer = RedirectResponse("/", 303)
            name = cookie_name(request.headers["host"])
            answer.set_cookie(name, self._token, httponly=True, samesite="strict")
            await answer(scope, receive, guarded)
        else:
            await self._app(scope, receive, guarded)
