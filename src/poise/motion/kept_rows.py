"""Rows of numbers that come one by one, kept in blocks: hours take no more than they hold."""

from __future__ import annotations

import numpy as np

BLOCK = 1024  # rows


class KeptRows:
    """Rows of one width, in the order they came."""

    def __init__(self, width: int, before: int = 0) -> None:
        """Take their width, and how many rows of zeros come before the first."""
        self._width, self._count = width, 0
        self._full = [np.zeros((before, width))]
        self._block = np.empty((BLOCK, width))

    def add(self, row: np.ndarray | float) -> None:
        """Keep one more, (width,)."""
        if self._count == BLOCK:
            self._full.append(self._block)
            self._block, self._count = np.empty((BLOCK, self._width)), 0
        self._block[self._count] = row
        self._count += 1

    def take(self) -> np.ndarray:
        """All of them, (n, width), and none is left here."""
        rows = np.concatenate([*self._full, self._block[: self._count]])
        self._full, self._count = [rows[:0]], 0
        return rows
