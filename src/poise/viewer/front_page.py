"""The page as viser serves it, with a name of its own and pictures that the machine can afford.

What these scripts do is told in each of them, in assets/.
"""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from websockets.http11 import Request, Response

from poise.viewer.answers import Answer

# in this order: what the first one finds out, the others ask for
_STYLE = "layers.css"
_SCRIPTS = (
    "who_draws.js",
    "cheap_shaders.js",
    "pictures_with_news.js",
    "prompt_sliders.js",
    "sizes_as_seen.js",
    "brief_notice.js",
)


def front_page(title: str) -> Callable[[Answer], Answer]:
    """The same answers, pages with a title and with the script that looks who draws."""
    folder = files("poise.viewer") / "assets"
    style = f"<style>{(folder / _STYLE).read_text('utf-8')}</style>"
    scripts = (f"<script>{(folder / name).read_text('utf-8')}</script>" for name in _SCRIPTS)
    head = f"<head><title>{html.escape(title)}</title>{style}{''.join(scripts)}"

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
