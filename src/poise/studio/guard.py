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
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import websockets.asyncio.server
from websockets import Headers
from websockets.http11 import Request, Response

COOKIE = "poise_token"
_patching = threading.Lock()
Answer = Callable[[Any, Request], Response | None]


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


@contextmanager
def guarded(host: str, token: str | None) -> Iterator[None]:
    """While this is open, a viser server that is made asks `refusal` about every request.

    Args:
        host: the address it listens on.
        token: needed to come in; None lets everyone in who is on this machine.
    """
    with _patching:
        serve = websockets.asyncio.server.serve

        def with_guard(*args: Any, process_request: Answer, **more: Any) -> Any:
            def ask(connection: Any, request: Request) -> Response | None:
                why = refusal(request.path, request.headers, is_local(host), token)
                if why is not None:
                    body = f"poise studio: {why}\n".encode()
                    headers = Headers({"Content-Type": "text/plain; charset=utf-8"})
                    headers["Content-Length"] = str(len(body))
                    return Response(http.HTTPStatus.FORBIDDEN, "Forbidden", headers, body)
                answer = process_request(connection, request)
                if answer is not None and token is not None:
                    answer.headers["Set-Cookie"] = f"{COOKIE}={token}; HttpOnly; SameSite=Strict"
                return answer

            return serve(*args, process_request=ask, **more)

        websockets.asyncio.server.serve = with_guard  # type: ignore[misc, assignment]
        try:
            yield
        finally:
            websockets.asyncio.server.serve = serve  # type: ignore[misc]


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
