"""ZMP, centre of mass and support polygon from above, as a small drawing of the page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import viser

from poise.viewer import colours
from poise.viewer.figures import Figures
from poise.viewer.legend import heading

WIDTH, HEIGHT = 300, 170  # [px]
SPAN = 0.75  # of the height of the robot: width of the view
TRAIL = 1.0  # [s], the last moments of a motion
POINTS = 60  # of their path


class FromAbove:
    """A motion from above, at the present.

    Args:
        gui: where to put it; the current container of the panel.
        figures: of the motion.
    """

    def __init__(self, gui: viser.GuiApi, figures: Figures) -> None:
        self._figures = figures
        self._drawing = gui.add_html("")
        self.move(float(figures.motion.time[0]))

    def move(self, time: float) -> None:
        """Show a time [s], and what led there."""
        figures, times = self._figures, self._figures.motion.time
        last = max(int(np.searchsorted(times, time, side="right")) - 1, 0)
        first = int(np.searchsorted(times, times[last] - TRAIL))
        rows = np.unique(np.linspace(first, last, POINTS).astype(int))
        com, zmp = (
            [(float(x), float(y)) for x, y in path[rows, :2]] for path in (figures.com, figures.zmp)
        )
        self._drawing.content = seen_from_above(
            figures.support(time),
            [touch.anchors for touch in figures.contacts.active(time)],
            com,
            zmp,
            SPAN * figures.robot.height,
        )


def seen_from_above(
    support: np.ndarray,
    soles: Sequence[np.ndarray],
    com: Sequence[tuple[float, float]],
    zmp: Sequence[tuple[float, float]],
    span: float,
) -> str:
    """An SVG, forward to the right, with the paths of the last moments.

    Args:
        support: support polygon [m], (k, 3).
        soles: soles that stand [m], (k, 3) each.
        com: path of the centre of mass on the floor [m], oldest first.
        zmp: path of the ZMP [m], oldest first.
        span: width of the view [m].
    """
    if not com:
        return ""
    scale = WIDTH / span
    cx, cy = com[-1]

    def at(x: float, y: float) -> str:
        return f"{WIDTH / 2 + (x - cx) * scale:.1f},{HEIGHT / 2 - (y - cy) * scale:.1f}"

    def polygon(points: np.ndarray, fill: str, stroke: str) -> str:
        corners = " ".join(at(float(p[0]), float(p[1])) for p in points)
        return f'<polygon points="{corners}" fill="{fill}" stroke="{stroke}" stroke-width="1.2"/>'

    def path(points: Sequence[tuple[float, float]], stroke: str) -> str:
        finite = [p for p in points if np.isfinite(p).all()]
        line = " ".join(at(*p) for p in finite)
        if not finite:
            return ""
        x, y = at(*finite[-1]).split(",")
        return (
            f'<polyline points="{line}" fill="none" stroke="{stroke}" stroke-width="1.6" '
            f'stroke-opacity=".55"/><circle cx="{x}" cy="{y}" r="4.5" fill="{stroke}"/>'
        )

    green = colours.css(colours.SUPPORT)
    parts = [polygon(sole, "none", "rgba(120,125,135,.8)") for sole in soles]
    if len(support) > 2:
        parts.append(polygon(support, colours.css(colours.SUPPORT, 0.2), green))
    parts += [path(com, colours.css(colours.COM)), path(zmp, colours.css(colours.ZMP))]
    chips = {
        "CoM": colours.css(colours.COM),
        "ZMP": colours.css(colours.ZMP),
        "support": green,
    }
    return (
        f'<div style="padding:2px 10px 0">{heading("From above", chips, "0 2px")}'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" style="width:100%;display:block;border-radius:6px;'
        f'background:rgba(128,128,128,.07)">{"".join(parts)}</svg></div>'
    )
