"""Marks: engines say what is worth showing, viewers draw it, neither knows the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np


@dataclass(frozen=True, eq=False)
class Mark:
    """Something worth showing in the world.

    One point is a dot; two with `arrow` an arrow from the first to the second; several a line,
    closed or not.
    """

    name: str  # scene path, e.g. "walk/zmp"
    points: np.ndarray  # [m], (k, 3)
    colour: tuple[int, int, int] = (230, 120, 20)
    arrow: bool = False
    closed: bool = False


class Canvas(Protocol):
    """A browser, a video, a plot or a test: whatever can show marks."""

    def show(self, marks: Sequence[Mark], time: float) -> None:
        """Show these marks at an instant [s], instead of those before."""
        ...
