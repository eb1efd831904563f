"""Panels on a page: small drawings with the present marked, one subject at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import viser

from poise.motion.panels import Line, Panel
from poise.viewer import colours
from poise.viewer.legend import heading
from poise.viewer.panels import COLOURS

WIDTH, HEIGHT = 300, 150  # [px], of a drawing; a map may be higher
HIGHEST = 300  # [px]
LEFT, BELOW, ABOVE, RIGHT = 38, 18, 6, 8  # [px], around the curves
POINTS = 150  # of a curve
TICKS = 5  # on an axis, about
SPACE = 0.06  # of what is seen, around it
MAPS = "from above"
SIDES = ("left ", "right ")


class PanelPlots:
    """Panels of several subjects, of which one is looked at.

    Args:
        gui: where to put them; the current container of the panel.
        panels: what there is; those that differ in their side are shown together.
        change: runs a change of what is shown, and shows it.
    """

    def __init__(
        self,
        gui: viser.GuiApi,
        panels: Sequence[Panel],
        change: Callable[[Callable[[], None]], Any],
    ) -> None:
        self._subjects: dict[str, list[Panel]] = {}
        for panel in panels:
            self._subjects.setdefault(subject_of(panel), []).append(panel)
        self.subject = gui.add_dropdown("figure", tuple(self._subjects))
        self._drawing = gui.add_html("")
        self.subject.on_update(lambda _: change(lambda: None))

    def move(self, time: float) -> None:
        """Mark a time [s]."""
        chosen = self._subjects[self.subject.value]
        self._drawing.content = "".join(panel_drawing(panel, time) for panel in chosen)


def subject_of(panel: Panel) -> str:
    """What a panel is about: its title without side and without name of a joint."""
    if panel.equal:
        return MAPS
    name = panel.title.split(" (")[0]
    for side in SIDES:
        name = name.removeprefix(side)
    return name


def panel_drawing(panel: Panel, now: float | None = None) -> str:
    """A panel as HTML with an SVG inside.

    Args:
        panel: what to draw.
        now: the present [s], marked in panels over time.
    """
    (x0, x1), (y0, y1) = _seen(panel, 0), _seen(panel, 1)
    across = WIDTH - LEFT - RIGHT
    height = HEIGHT
    if panel.equal:
        high = across * (y1 - y0) / (x1 - x0)
        height = int(np.clip(high + ABOVE + BELOW, HEIGHT / 2, HIGHEST))
        scale = min(across / (x1 - x0), (height - ABOVE - BELOW) / (y1 - y0))
        x0, x1 = _about(x0, x1, across / scale)
        y0, y1 = _about(y0, y1, (height - ABOVE - BELOW) / scale)

    def px(x: float) -> float:
        return LEFT + (x - x0) / (x1 - x0) * across

    def py(y: float) -> float:
        return height - BELOW - (y - y0) / (y1 - y0) * (height - ABOVE - BELOW)

    parts = []
    for tick in _ticks(x0, x1):
        x = px(tick)
        parts.append(_rule(x, ABOVE, x, height - BELOW))
        parts.append(_number(x, height - 5, tick, "middle"))
    for tick in _ticks(y0, y1):
        y = py(tick)
        parts.append(_rule(LEFT, y, WIDTH - RIGHT, y))
        parts.append(_number(LEFT - 4, y + 3, tick, "end"))
    parts += [_drawn(line, px, py) for line in panel.lines]
    if now is not None and not panel.equal and x0 <= now <= x1:
        parts.append(_rule(px(now), ABOVE, px(now), height - BELOW, colours.css(colours.NOW), 1.5))
    units = "" if panel.equal or not panel.y_label else f" [{panel.y_label}]"
    return (
        f'<div style="padding:6px 10px 0">{heading(panel.title + units, _labels(panel), "0 2px")}'
        f'<svg viewBox="0 0 {WIDTH} {height}" style="width:100%;display:block">{"".join(parts)}'
        "</svg></div>"
    )


def _seen(panel: Panel, axis: int) -> tuple[float, float]:
    """The range of an axis with some space around it."""
    values = [np.ravel((line.x, line.y)[axis]) for line in panel.lines]
    finite = np.concatenate([v[np.isfinite(v)] for v in values] or [np.zeros(0)])
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    space = SPACE * (high - low) or 0.5
    return low - space, high + space


def _about(low: float, high: float, width: float) -> tuple[float, float]:
    middle = 0.5 * (low + high)
    return middle - 0.5 * width, middle + 0.5 * width


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers in a range."""
    rough = (high - low) / TICKS
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(s * power for s in (1.0, 2.0, 5.0, 10.0) if s * power >= rough)
    first = np.ceil(low / step)
    return [float(k * step) + 0.0 for k in np.arange(first, np.floor(high / step) + 1.0)]


def _drawn(line: Line, px: Callable[[float], float], py: Callable[[float], float]) -> str:
    colour = COLOURS[line.kind]
    points = np.column_stack([line.x, line.y]).astype(float)
    if not line.filled and len(points):
        points = points[np.unique(np.linspace(0, len(points) - 1, POINTS).astype(int))]
    if line.filled:
        corners = _pairs(points[np.isfinite(points).all(axis=1)], px, py)
        return f'<polygon points="{corners}" fill="{colour}" fill-opacity=".14" stroke="{colour}"/>'
    dash = ' stroke-dasharray="4 3"' if line.dashed else ""
    return "".join(
        f'<polyline points="{_pairs(run, px, py)}" fill="none" stroke="{colour}" '
        f'stroke-width="1.5"{dash}/>'
        for run in _unbroken(points)
    )


def _unbroken(points: np.ndarray) -> list[np.ndarray]:
    """The pieces of a path (n, 2) between what is not known."""
    known = np.isfinite(points).all(axis=1)
    cuts = np.flatnonzero(np.diff(known.astype(int))) + 1
    pieces = zip(np.split(points, cuts), np.split(known, cuts), strict=True)
    return [piece for piece, good in pieces if len(piece) > 1 and good[0]]


def _pairs(points: np.ndarray, px: Callable[..., float], py: Callable[..., float]) -> str:
    return " ".join(f"{px(float(x)):.1f},{py(float(y)):.1f}" for x, y in points)


def _rule(
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    colour: str = "rgba(128,128,128,.2)",
    width: float = 1.0,
) -> str:
    return (
        f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"/>'
    )


def _number(x: float, y: float, value: float, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="9.5" '
        f'fill="currentColor" opacity=".7">{value:g}</text>'
    )


def _labels(panel: Panel) -> dict[str, str]:
    """The labels of the curves, and their colours."""
    return {line.label: COLOURS[line.kind] for line in panel.lines if line.label}
