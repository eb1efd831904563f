"""What a page's server answers to a request can be looked at, and changed, on its way out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import websockets.asyncio.server
from websockets.http11 import Request, Response

Answer = Callable[[Any, Request], Response | None]
_patching = threading.RLock()


@contextmanager
def answered_by(wrap: Callable[[Answer], Answer]) -> Iterator[None]:
    """While this is open, a viser server that is made answers by `wrap(its own answer)`.

    Viser takes no such function, so the call by which it begins to serve is borrowed meanwhile.
    These may be nested; the innermost one is asked last.
    """
    with _patching:
        serve = websockets.asyncio.server.serve

        def with_wrap(*args: Any, process_request: Answer, **more: Any) -> Any:
            return serve(*args, process_request=wrap(process_request), **more)

        websockets.asyncio.server.serve = with_wrap  # type: ignore[misc, assignment]
        try:
            yield
        finally:
            websockets.asyncio.server.serve = serve  # type: ignore[misc]
