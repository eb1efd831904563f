"""The page as viser serves it, with a name of its own and edges that the machine can afford.

Where the processor has to draw, every sample of a smoothed edge is a picture's worth of work:
without them a page is drawn three times as fast. It finds out who draws before its first picture,
and asks for smooth edges only from a graphics card. With one, nothing changes.
"""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Callable
from typing import Any

from websockets.http11 import Request, Response

from poise.viewer.answers import Answer

_SCRIPT = """<script>
(() => {
  const own = HTMLCanvasElement.prototype.getContext;
  let plain = null;
  const drawnByProcessor = () => {
    const gl = own.call(document.createElement('canvas'), 'webgl2');
    if (!gl) return false;
    const told = gl.getExtension('WEBGL_debug_renderer_info');
    const who = gl.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    gl.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(who);
  };
  HTMLCanvasElement.prototype.getContext = function (kind, wish) {
    if (!String(kind).startsWith('webgl')) return own.call(this, kind, wish);
    if (plain === null) plain = drawnByProcessor();
    return own.call(this, kind, plain ? {...wish, antialias: false} : wish);
  };
})();
</script>"""


def front_page(title: str) -> Callable[[Answer], Answer]:
    """The same answers, pages with a title and with the script that looks who draws."""
    head = f"<head><title>{html.escape(title)}</title>{_SCRIPT}"

    def wrap(answer: Answer) -> Answer:
        kept: dict[bytes, bytes] = {}  # the page is the same each time, and large

        def changed(connection: Any, request: Request) -> Response | None:
            given = answer(connection, request)
            if given is None or not given.headers.get("Content-Type", "").startswith("text/html"):
                return given
            body = bytes(given.body or b"")
            if body not in kept:
                zipped = given.headers.get("Content-Encoding") == "gzip"
                kept[body] = _with_head(body, head, zipped)
            given.body = kept[body]
            del given.headers["Content-Length"]
            given.headers["Content-Length"] = str(len(given.body))
            return given

        return changed

    return wrap


def _with_head(body: bytes, head: str, zipped: bool) -> bytes:
    page = (gzip.decompress(body) if zipped else body).decode()
    page = re.sub("<title>.*?</title>", "", page, count=1)
    page = page.replace("<head>", head, 1)
    return gzip.compress(page.encode()) if zipped else page.encode()
