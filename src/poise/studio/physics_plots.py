"""Plots of the last seconds of a robot in physics."""

from __future__ import annotations

from collections.abc import Sequence

import viser

from poise.contacts import Touch
from poise.studio.live_plots import Rolling
from poise.studio.plants import Felt
from poise.viewer import colours
from poise.viewer.figures import support_polygon
from poise.viewer.from_above import SPAN, seen_from_above

TRAIL = 60  # rows of the paths from above


class PhysicsPlots:
    """ZMP, loads of the feet, and the pull of the mouse.

    Args:
        gui: where to put them.
        height: of the robot [m].
        weight: of the robot [N].
    """

    def __init__(self, gui: viser.GuiApi, height: float, weight: float) -> None:
        self._span = SPAN * height
        self._above = gui.add_html("")
        half = 150.0 * height

        def axis(k: int, title: str) -> Rolling:
            lines = [
                ("CoM", colours.COM, lambda row: 1e3 * row.com[k]),
                ("ZMP", colours.ZMP, lambda row: 1e3 * row.zmp[k]),
            ]
            return Rolling(gui, title, lines, (-half, half))

        self._charts = [
            axis(0, "Forward [mm]"),
            axis(1, "Sideways [mm]"),
            Rolling(
                gui,
                "Loads [N]",
                [
                    ("left", colours.LEFT, lambda row: row.loads[0]),
                    ("right", colours.RIGHT, lambda row: row.loads[1]),
                ],
                (0.0, weight),
            ),
            Rolling(
                gui,
                "Pull of the mouse [N]",
                [("force", colours.FORCE, lambda row: row.force)],
                (0.0, 0.2 * weight),
            ),
        ]

    def show(self, rows: Sequence[Felt], touches: Sequence[Touch]) -> None:
        """Draw the last seconds, and the soles of now."""
        if not rows:
            return
        recent = rows[-TRAIL:]
        self._above.content = seen_from_above(
            support_polygon(tuple(touches)),
            [touch.anchors for touch in touches],
            [(float(row.com[0]), float(row.com[1])) for row in recent],
            [row.zmp for row in recent],
            self._span,
        )
        for chart in self._charts:
            chart.show(rows)
