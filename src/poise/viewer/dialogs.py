"""Dialogs over a page: each once, with a button to leave it, and Escape does the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import viser


class Dialogs:
    """What one browser has open.

    Args:
        client: the browser.
    """

    def __init__(self, client: viser.ClientHandle) -> None:
        self._client = client
        self._open: dict[str, Any] = {}  # by title, the last opened at the end

    @contextmanager
    def open(self, title: str, leave: str = "Close") -> Iterator[Any]:
        """A dialog to be filled; one of the same title goes away for it.

        Args:
            title: what it is about.
            leave: the word on the button that only closes it.
        """
        self._close(title)
        with self._client.gui.add_modal(title) as dialog:
            self._open[title] = dialog
            yield dialog
            button = self._client.gui.add_button(leave, color="gray")
            button.on_click(lambda _: self._close(title))

    def close_last(self) -> None:
        """Close what was opened last and is still open."""
        still = [title for title, one in self._open.items() if not one.closed]
        if still:
            self._close(still[-1])

    def _close(self, title: str) -> None:
        dialog = self._open.pop(title, None)
        if dialog is not None and not dialog.closed:
            dialog.close()
