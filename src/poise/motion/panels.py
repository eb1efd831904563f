"""Panels: plots as values, so that whoever knows what to show need not know how to draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Line:
    """One curve or closed outline."""

    x: np.ndarray
    y: np.ndarray
    label: str = ""  # empty: another line of the same kind
    kind: str = "robot"  # "person", "wish", "robot" or "limit": decides the colour
    dashed: bool = False
    filled: bool = False  # an outline with its inside tinted


@dataclass(frozen=True, eq=False)
class Panel:
    """One plot."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    equal: bool = False  # both axes to the same scale, as on a map
    note: str = ""
