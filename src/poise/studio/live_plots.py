"""Plots of the last seconds of a live walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import viser
from viser import uplot

from poise.contacts import Touch
from poise.studio.live_walk import MEMORY, Row
from poise.viewer import colours
from poise.viewer.figures import support_polygon
from poise.viewer.from_above import SPAN, seen_from_above
from poise.viewer.legend import heading

HEIGHT = 124  # [px]
UNSEEN = 2e-3  # of the range of a plot, a quarter of a pixel: what changed less is not sent again
_FONT = "11px system-ui, sans-serif"


class Rolling:
    """One plot of the last seconds, newest at the right.

    Args:
        gui: where to put it; the current container of the panel.
        title: with the unit.
        lines: label, colour and value of each line.
        keep: range to keep in sight.
    """

    def __init__(
        self,
        gui: viser.GuiApi,
        title: str,
        lines: Sequence[tuple[str, colours.Rgb, Callable[[Any], float]]],
        keep: tuple[float, float],
    ) -> None:
        self._values = [value for _, _, value in lines]
        self._keep = keep
        chips = {label: colours.css(colour) for label, colour, _ in lines}
        gui.add_html(heading(title, chips, "4px 12px 0"))
        series: list[uplot.Series] = [{"label": "t"}]
        series += [
            {"label": label, "stroke": colours.css(colour), "width": 1.8, "points": {"show": False}}
            for label, colour, _ in lines
        ]
        x = np.array([-MEMORY, 0.0])
        self._plot = gui.add_uplot(
            (x, *[np.full(2, keep[0]) for _ in lines]),
            tuple(series),
            height=HEIGHT,
            scales={"x": {"time": False, "range": (-MEMORY, 0.0)}, "y": {"range": keep}},
            axes=({"size": 30, "font": _FONT}, {"size": 42, "font": _FONT}),
            legend={"show": False},
            cursor={"show": False},
            padding=(6, 10, 0, 0),
        )
        self._range = keep
        self._drawn = np.empty((0, 0))  # the lines as they are on the page

    def show(self, rows: Sequence[Any]) -> None:
        """Draw these rows, oldest first; each has a `time` [s]."""
        if len(rows) < 2:
            return
        x = np.array([row.time for row in rows]) - rows[-1].time
        lines = [np.array([value(row) for row in rows]) for value in self._values]
        self._stretch(lines)
        drawn = np.array(lines)
        unseen = UNSEEN * (self._range[1] - self._range[0])
        if drawn.shape != self._drawn.shape or not np.allclose(
            drawn, self._drawn, rtol=0.0, atol=unseen, equal_nan=True
        ):
            self._drawn = drawn
            self._plot.data = (x, *lines)

    def _stretch(self, lines: Sequence[np.ndarray]) -> None:
        """Make room for what leaves the range, in leaps, so that the axis does not tremble."""
        finite = np.concatenate([line[np.isfinite(line)] for line in lines])
        if not len(finite):
            return
        low, high = self._keep
        leap = 0.5 * (high - low)
        low -= leap * np.ceil(max(0.0, low - float(finite.min())) / leap)
        high += leap * np.ceil(max(0.0, float(finite.max()) - high) / leap)
        if (low, high) != self._range:
            self._range = (float(low), float(high))
            self._plot.scales = {
                "x": {"time": False, "range": (-MEMORY, 0.0)},
                "y": {"range": self._range},
            }


class LivePlots:
    """Everything that is plotted of a live walk.

    Args:
        gui: where to put it.
        height: of the robot [m].
    """

    def __init__(self, gui: viser.GuiApi, height: float) -> None:
        self._span = SPAN * height
        self._above = gui.add_html("")
        half = 150.0 * height
        self._charts = [
            Rolling(
                gui,
                "Sideways [mm]",
                [
                    ("CoM", colours.COM, lambda row: 1e3 * row.com[1]),
                    ("ZMP", colours.ZMP, lambda row: 1e3 * row.zmp[1]),
                ],
                (-half, half),
            ),
            Rolling(
                gui,
                "Foot height [mm]",
                [
                    ("left", colours.LEFT, lambda row: 1e3 * row.feet[0]),
                    ("right", colours.RIGHT, lambda row: 1e3 * row.feet[1]),
                ],
                (-2.0, 40.0),
            ),
            Rolling(
                gui,
                "Share of the limits [%]",
                [
                    ("torque", colours.COM, lambda row: 1e2 * row.costs.torque),
                    ("speed", colours.ZMP, lambda row: 1e2 * row.costs.speed),
                    ("friction", colours.FORCE, lambda row: 1e2 * row.costs.friction),
                ],
                (0.0, 100.0),
            ),
        ]

    def show(self, rows: Sequence[Row], contacts: Sequence[Touch]) -> None:
        """Draw the last seconds, and the contacts of now."""
        if not rows:
            return
        recent = rows[-60:]
        self._above.content = seen_from_above(
            support_polygon(tuple(contacts)),
            [touch.anchors for touch in contacts],
            [row.com for row in recent],
            [row.zmp for row in recent],
            self._span,
        )
        for chart in self._charts:
            chart.show(rows)
