"""Plots with a cursor that stands where the viewer is in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import viser
from viser import uplot

from poise.viewer import colours
from poise.viewer.legend import heading

POINTS = 180  # of a plotted curve; a panel is not wider
HEIGHT = 150  # [px]


@dataclass(frozen=True, eq=False)
class Curve:
    """One line of a plot."""

    label: str  # empty: another line of the same kind
    values: np.ndarray  # (n,)
    colour: colours.Rgb
    width: float = 2.0  # [px]
    dashed: bool = False


class Chart:
    """Curves over time in a viser panel, and a vertical line at the present.

    Args:
        gui: where to put it; the current container of the panel.
        title: with the unit.
        time: [s], (n,).
        curves: what to draw.
        keep: range to keep in sight, e.g. limits.
        fill: two curves with a light tint between them, the upper one first.
        height: [px].
    """

    def __init__(
        self,
        gui: viser.GuiApi,
        title: str,
        time: np.ndarray,
        curves: Sequence[Curve],
        keep: tuple[float, float] | None = None,
        fill: tuple[int, int] | None = None,
        height: int = HEIGHT,
    ) -> None:
        self._take(time, curves, keep)
        fills: tuple[uplot.Band, ...] | None = None
        if fill is not None:
            upper, lower = fill
            tint = colours.css(curves[upper].colour, 0.14)
            fills = ({"series": (upper + 1, lower + 1), "fill": tint},)
        series: list[uplot.Series] = [{"label": "t"}]
        for curve in curves:
            series.append(
                {
                    "label": curve.label,
                    "stroke": colours.css(curve.colour),
                    "width": curve.width,
                    "points": {"show": False},
                    "dash": (5, 4) if curve.dashed else (),
                }
            )
        series.append({"label": "now", "stroke": colours.css(colours.NOW), "width": 1.5})
        self._heading = gui.add_html(_heading(title, curves))
        self._plot = gui.add_uplot(
            self._data(self._time[0]),
            tuple(series),
            height=height,
            bands=fills,
            scales=self._scales(),
            axes=({"size": 30, "font": _FONT}, {"size": 46, "font": _FONT}),
            legend={"show": False},
            cursor={"y": False, "drag": {"x": True, "y": False}},
            padding=(8, 12, 0, 0),
        )

    def move(self, time: float) -> None:
        """Put the cursor at a time [s]."""
        self._plot.data = self._data(time)

    def show(
        self,
        title: str,
        time: np.ndarray,
        curves: Sequence[Curve],
        keep: tuple[float, float] | None = None,
    ) -> None:
        """Plot other values with the same number of curves; they are there with the next move."""
        self._take(time, curves, keep)
        self._heading.content = _heading(title, curves)
        self._plot.scales = self._scales()

    def _take(
        self, time: np.ndarray, curves: Sequence[Curve], keep: tuple[float, float] | None
    ) -> None:
        rows = np.unique(np.linspace(0, len(time) - 1, POINTS).astype(int))
        self._time = np.asarray(time, dtype=float)[rows]
        self._values = [np.asarray(curve.values, dtype=float)[rows] for curve in curves]
        self._low, self._high = _range(self._values, keep)

    def _scales(self) -> dict[str, uplot.Scale]:
        return {
            "x": {"time": False, "range": self._span()},
            "y": {"range": (self._low, self._high)},
        }

    def _span(self) -> tuple[float, float]:
        """The time axis, with room for the cursor at both ends."""
        space = 0.01 * float(self._time[-1] - self._time[0])
        return float(self._time[0]) - space, float(self._time[-1]) + space

    def _data(self, time: float) -> tuple[np.ndarray, ...]:
        """The curves with two more points, at the present, between which the cursor is drawn."""
        at = int(np.searchsorted(self._time, time, side="right"))
        x = np.insert(self._time, [at, at], time)
        lines = [np.insert(v, [at, at], np.interp(time, self._time, v)) for v in self._values]
        now = np.full(len(x), np.nan)
        now[at : at + 2] = self._low, self._high
        return (x, *lines, now)


_FONT = "11px system-ui, sans-serif"


def _heading(title: str, curves: Sequence[Curve]) -> str:
    """Title and legend in one line, in the colours of the curves."""
    chips = {curve.label: colours.css(curve.colour) for curve in curves if curve.label}
    return heading(title, chips)


def _range(values: Sequence[np.ndarray], keep: tuple[float, float] | None) -> tuple[float, float]:
    finite = np.concatenate([v[np.isfinite(v)] for v in values] + [np.array(keep or ())])
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    space = 0.08 * (high - low) or 0.01
    return low - space, high + space
