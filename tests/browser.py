"""A real browser without a display, for tests of pages.

    with launch() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900})

A machine without Chromium fails these tests, and is told what to install: a page that was never
opened was not tested.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, sync_playwright

OUTPUT = Path(__file__).parents[1] / "test-output"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
INSTALL = (
    "these tests open pages in Chromium, which is not on this machine: install it "
    "(Debian, Ubuntu: apt install chromium; elsewhere: .venv/bin/playwright install chromium) "
    "or name its program in the variable POISE_CHROMIUM"
)


def chromium() -> str | None:
    """The Chromium of this machine: POISE_CHROMIUM, or found on the path; None: playwright's."""
    named = os.environ.get("POISE_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


@contextmanager
def launch() -> Iterator[Browser]:
    """A headless Chromium with an empty profile of its own, closed at the end."""
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=chromium(), args=list(ARGUMENTS), headless=True
            )
        except Error as error:
            raise AssertionError(f"{INSTALL} ({str(error).splitlines()[0]})") from None
        try:
            yield browser
        finally:
            browser.close()


def watched(page: Page) -> list[str]:
    """A list that fills with the errors a page meets from now on."""
    errors: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: errors.append(str(error)))
    return errors


def picture(page: Page, name: str) -> np.ndarray:
    """A screenshot as an array (height, width, 3), kept in test-output/ for people."""
    OUTPUT.mkdir(exist_ok=True)
    path = OUTPUT / f"{name}.png"
    page.screenshot(path=path, timeout=120_000)  # without a graphics card, on a busy machine
    return np.asarray(Image.open(path).convert("RGB"))
