"""Rows of the program: what is known of them before they are evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np

from poise.engines.multicontact.stretch import Stretch

Name = tuple[str, str, int]  # family, what, phase


@dataclass(frozen=True, eq=False)
class Pattern:
    """Limits, names and places of nonzeros; rows are counted from zero."""

    lower: np.ndarray  # (m,)
    upper: np.ndarray  # (m,)
    names: list[Name]
    rows: np.ndarray  # of the nonzeros, in the order in which they are written
    columns: np.ndarray

    @classmethod
    def of(
        cls,
        lower: np.ndarray | list[float],
        upper: np.ndarray | list[float],
        names: list[Name],
        places: list[tuple[np.ndarray, np.ndarray]],
    ) -> Pattern:
        """From rows and columns that broadcast against each other, block by block."""
        rows, columns = [np.zeros(0, dtype=int)], [np.zeros(0, dtype=int)]
        for row, column in places:
            both = np.broadcast_arrays(row, column)
            rows.append(both[0].ravel())
            columns.append(both[1].ravel())
        return cls(
            np.asarray(lower, dtype=float),
            np.asarray(upper, dtype=float),
            names,
            np.concatenate(rows),
            np.concatenate(columns),
        )


class Rows(Protocol):
    """Some constraints of one phase."""

    pattern: Pattern

    def write(self, at: Stretch, g: np.ndarray, nonzeros: np.ndarray) -> None:
        """Write values (m,) and nonzeros at one point of the program."""


class Blocks:
    """Hands out pieces of an array, one after the other."""

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.at = array, 0

    def take(self, *shape: int) -> np.ndarray:
        """The next piece, in a shape."""
        start = self.at
        self.at += prod(shape)
        return self.array[start : self.at].reshape(shape)

    def put(self, values: np.ndarray) -> None:
        """Fill the next piece."""
        self.take(*values.shape)[...] = values
