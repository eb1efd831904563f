"""Marks in a browser: dots, arrows, lines and areas, kept between instants and only changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from poise.motion import Mark
from poise.viewer.scene import UNSEEN, Page

AREA_OPACITY = 0.28


class ViserCanvas:
    """Shows marks in a viser scene.

    One point is a dot, two with `arrow` an arrow, several a line; a closed line is filled with
    a light tint. A mark that was shown before under the same name is moved, not made again.

    Args:
        page: a viser server or one client of it.
        root: scene path under which the marks hang.
        size: height of the robot [m]; dots and lines are drawn in proportion.
    """

    def __init__(self, page: Page, root: str = "/marks", size: float = 1.0) -> None:
        self._page = page
        self._root = root
        self._size = size
        self._shown: dict[str, _Drawn] = {}

    def show(self, marks: Sequence[Mark], time: float = 0.0) -> None:
        """Show these marks at an instant [s], instead of those before."""
        with self._page.atomic():
            names = {mark.name for mark in marks}
            for name, drawn in self._shown.items():
                if name not in names:
                    drawn.hide()
            for mark in marks:
                drawn_before = self._shown.get(mark.name)
                if drawn_before is None or not drawn_before.takes(mark):
                    self._shown[mark.name] = self._draw(mark)
                else:
                    drawn_before.move(mark, UNSEEN * self._size)

    def _draw(self, mark: Mark) -> _Drawn:
        scene, size = self._page.scene, self._size
        path = f"{self._root}/{mark.name}"
        points = np.asarray(mark.points, dtype=np.float32)
        kind = kind_of(mark)
        parts: list[Any] = []
        if kind == "dot":
            parts.append(
                scene.add_icosphere(
                    path, radius=0.014 * size, color=mark.colour, position=points[0], subdivisions=3
                )
            )
        elif kind == "arrow":
            parts.append(
                scene.add_arrows(
                    path,
                    points[None],
                    colors=mark.colour,
                    shaft_radius=0.006 * size,
                    head_radius=0.014 * size,
                    head_length=0.035 * size,
                )
            )
        elif kind in ("line", "area"):
            parts.append(
                scene.add_line_segments(
                    path, _segments(mark, points), mark.colour, thickness=0.004 * size
                )
            )
            if kind == "area":
                parts.append(
                    scene.add_mesh_simple(
                        f"{path}/fill",
                        points,
                        _fan(len(points)),
                        color=mark.colour,
                        opacity=AREA_OPACITY,
                        side="double",
                        cast_shadow=False,
                        receive_shadow=False,
                    )
                )
        return _Drawn(kind, mark, parts)


class _Drawn:
    """A mark as it stands in the scene."""

    def __init__(self, kind: str, mark: Mark, parts: list[Any]) -> None:
        self.kind, self.mark, self.parts = kind, mark, parts

    def takes(self, mark: Mark) -> bool:
        """Whether this drawing can become that mark by moving."""
        return kind_of(mark) == self.kind and mark.colour == self.mark.colour

    def hide(self) -> None:
        for part in self.parts:
            part.visible = False

    def move(self, mark: Mark, unseen: float) -> None:
        for part in self.parts:
            part.visible = True
        if mark.points is self.mark.points or _same(mark.points, self.mark.points, unseen):
            return
        points = np.asarray(mark.points, dtype=np.float32)
        if self.kind == "dot":
            self.parts[0].position = points[0]
        elif self.kind == "arrow":
            self.parts[0].points = points[None]
        elif self.kind in ("line", "area"):
            self.parts[0].points = _segments(mark, points)
            if self.kind == "area":
                self.parts[1].vertices = points
                self.parts[1].faces = _fan(len(points))
        self.mark = mark


def _same(points: np.ndarray, others: np.ndarray, unseen: float) -> bool:
    """Whether nobody would see the difference: no point is further away than that [m]."""
    return points.shape == others.shape and bool((np.abs(points - others) <= unseen).all())


def kind_of(mark: Mark) -> str:
    """How a mark is drawn: dot, arrow, line, area, or nothing when it has no finite points."""
    count = len(mark.points)
    if not count or not np.isfinite(mark.points).all():
        return "nothing"
    if count == 1:
        return "dot"
    if mark.arrow:
        return "arrow"
    return "area" if mark.closed and count > 2 else "line"


def _segments(mark: Mark, points: np.ndarray) -> np.ndarray:
    following = np.roll(points, -1, axis=0) if mark.closed else points[1:]
    return np.stack([points[: len(following)], following], axis=1)


def _fan(count: int) -> np.ndarray:
    k = np.arange(1, count - 1)
    return np.column_stack([np.zeros_like(k), k, k + 1]).astype(np.uint32)
