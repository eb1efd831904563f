"""Finding the worst: where in a table, and of which part at which instant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


def highest(table: np.ndarray) -> tuple[int, int]:
    """Row and column of the largest value."""
    row, column = np.unravel_index(int(np.argmax(table)), table.shape)
    return int(row), int(column)


def lowest(table: np.ndarray) -> tuple[int, int]:
    """Row and column of the smallest value."""
    return highest(-table)


@dataclass
class Worst:
    """The largest of the values seen so far, and the part and row it was met at."""

    value: float = 0.0
    where: str = ""
    row: int | None = None

    def see(self, values: np.ndarray, part: str, rows: np.ndarray) -> None:
        """Take note of the values at some rows, if any is worse."""
        k = int(np.argmax(values))
        if self.row is None or values[k] > self.value:
            self.value, self.where, self.row = float(values[k]), part, int(rows[k])
