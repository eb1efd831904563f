"""Who may come in: pages of this server's own address, and, from outside, who has the token.

A browser sends the address of the page it comes from (Origin) and the name it thinks it talks to
(Host). A page of someone else that opens a connection to this machine is told by its Origin; a
name that was bent to this machine (DNS rebinding) by its Host.
"""

from __future__ import annotations

import hmac
import http
import ipaddress
import secrets
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets import Headers
from websockets.http11 import Request, Response

from poise.viewer.answers import Answer, answered_by

COOKIE = "poise_token"


def is_local(host: str) -> bool:
    """Whether an address is this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(24)


def guarded(host: str, token: str | None) -> AbstractContextManager[None]:
    """While this is open, a viser server that is made asks `refusal` about every request.

    Args:
        host: the address it listens on.
        token: needed to come in; None lets everyone in who is on this machine.
    """

    def wrap(answer: Answer) -> Answer:
        def ask(connection: Any, request: Request) -> Response | None:
            why = refusal(request.path, request.headers, is_local(host), token)
            if why is not None:
                body = f"poise studio: {why}\n".encode()
                headers = Headers({"Content-Type": "text/plain; charset=utf-8"})
                headers["Content-Length"] = str(len(body))
                return Response(http.HTTPStatus.FORBIDDEN, "Forbidden", headers, body)
            given = answer(connection, request)
            if given is not None and token is not None:
                given.headers["Set-Cookie"] = f"{COOKIE}={token}; HttpOnly; SameSite=Strict"
            return given

        return ask

    return answered_by(wrap)


def refusal(path: str, headers: Any, local: bool, token: str | None) -> str | None:
    """Why a request is refused, or None.

    Args:
        path: of the request, with its query.
        headers: of the request.
        local: whether the server listens to this machine alone.
        token: needed to come in, if any.
    """
    host, origin = headers.get("Host", ""), headers.get("Origin")
    name = urlsplit(f"//{host}").hostname or ""
    if local and not is_local(name):
        return f"it listens to this machine alone, and was asked as '{name[:80]}'"
    if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
        return "a page from elsewhere may not connect"
    if token is None:
        return None
    given = parse_qs(urlsplit(path).query).get("token", [""])[0]
    cookies = dict(
        part.strip().partition("=")[::2] for part in headers.get("Cookie", "").split(";")
    )
    for candidate in (given, cookies.get(COOKIE, "")):
        if hmac.compare_digest(candidate.encode(), token.encode()):
            return None
    return "the address needs its token: open the one that was printed when it started"
