"""Undo and redo: states one after the other, a whole drag counted as one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
PAUSE = 1.0  # [s], without a change of the same thing: the next one is a new step
MOST = 500  # steps that are kept


class History(Generic[T]):
    """States that a person went through.

    Changes that name the same thing (`what`) shortly after each other are one step, unless a
    new press of the mouse came between them.

    Args:
        first: the state to begin with.
        clock: tells the time [s].
    """

    def __init__(self, first: T, clock: Callable[[], float] = time.monotonic) -> None:
        self._done: list[T] = [first]
        self._undone: list[T] = []
        self._clock = clock
        self._what = ""
        self._when = 0.0
        self._pressed = False
        self._held = False

    @property
    def now(self) -> T:
        """The present state."""
        return self._done[-1]

    @property
    def can_undo(self) -> bool:
        """Whether there is a state before."""
        return len(self._done) > 1

    @property
    def can_redo(self) -> bool:
        """Whether there is a state after."""
        return bool(self._undone)

    def press(self) -> None:
        """A hand took hold of something: what changes now is a new step."""
        self._pressed = True

    def change(self, state: T, what: str = "") -> None:
        """Go to a state; of the same `what` as before, within one drag, it is the same step."""
        now = self._clock()
        soon = self._held or now - self._when < PAUSE  # a hand may rest in the middle of a drag
        same = what and what == self._what and not self._pressed and soon
        if same and len(self._done) > 1:
            self._done[-1] = state
        else:
            self._done.append(state)
            self._held = self._pressed
            del self._done[: max(0, len(self._done) - MOST)]
        self._undone.clear()
        self._what, self._when, self._pressed = what, now, False

    def undo(self) -> T:
        """One step back, if there is one."""
        if self.can_undo:
            self._undone.append(self._done.pop())
        self._what, self._held = "", False
        return self.now

    def redo(self) -> T:
        """One step forward again, if there is one."""
        if self.can_redo:
            self._done.append(self._undone.pop())
        self._what, self._held = "", False
        return self.now
