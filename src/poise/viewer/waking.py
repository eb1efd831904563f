"""Whoever draws wakes viser's sender without touching what only the sender's thread may touch.

Viser sets the sender's event from the thread that draws. Such an event is not made for that: set
between the moment in which the sender finds it unset and the one in which it begins to wait, it
stays set and wakes nobody, for ever: the page stands still although the robot walks on. Here an
event that is set from elsewhere is set by the sender's own loop.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

from viser.infra import _infra
from viser.infra._async_message_buffer import AsyncMessageBuffer


class Wake(asyncio.Event):
    """An event that may be set from any thread.

    Args:
        loop: whose tasks wait for it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._sender = loop

    def set(self) -> None:
        """Wake who waits; from another thread, as soon as the loop comes to it."""
        if asyncio._get_running_loop() is self._sender:
            super().set()
            return
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._sender.call_soon_threadsafe(super().set)


@dataclass
class WokenBuffer(AsyncMessageBuffer):
    """Viser's messages on their way to one browser."""

    def __post_init__(self) -> None:
        self.message_event = Wake(self.event_loop)
        self.flush_event = Wake(self.event_loop)


def wake_safely() -> None:
    """Let every server that is opened from now on wake its senders so."""
    _infra.AsyncMessageBuffer = WokenBuffer  # type: ignore[misc]
