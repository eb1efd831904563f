"""All plots of a motion, in tabs, with their cursors at the present."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import numpy as np
import viser

from poise.motion.panels import Panel
from poise.viewer.charts import Chart
from poise.viewer.figures import Figures
from poise.viewer.from_above import FromAbove
from poise.viewer.loads import Loads
from poise.viewer.motion_charts import (
    angle_curves,
    balance_chart,
    feet_chart,
    force_chart,
    torque_curves,
)
from poise.viewer.panel_plots import PanelPlots


class MotionPlots:
    """Balance, feet and contacts, and one joint of choice.

    Args:
        gui: where to put them; the current container of the panel.
        figures: of a motion of more than one instant.
        loads: of the motion, as far as anyone knows them.
        unknown: what to say where nobody knows a load.
        change: runs a change of what is shown, when nothing else is being shown, and shows it.
    """

    def __init__(
        self,
        gui: viser.GuiApi,
        figures: Figures,
        loads: Loads,
        unknown: str,
        change: Callable[[Callable[[], None]], Any],
    ) -> None:
        self._gui, self._figures, self._loads = gui, figures, loads
        self._forces: Chart | None = None
        self._torque: Chart | None = None
        self._change = change
        self.tabs = tabs = gui.add_tab_group()
        with tabs.add_tab("Balance"):
            self._charts: list[Chart | FromAbove | PanelPlots] = [FromAbove(gui, figures)]
            self._charts += [balance_chart(gui, figures, axis) for axis in (0, 1)]
        self._feet_tab = tabs.add_tab("Feet")
        with self._feet_tab:
            self._charts.append(feet_chart(gui, figures))
            self._no_forces = gui.add_html(_quiet(f"Contact forces: {unknown}"))
        self._joint_tab = tabs.add_tab("Joint")
        with self._joint_tab:
            names = figures.robot.joint_names
            self.joint = gui.add_dropdown("joint", names, initial_value=names[_busiest(figures)])
            title, curves = angle_curves(figures, self.joint.value)
            self._angle = Chart(gui, title, figures.motion.time, curves, fill=(0, 1))
            self._charts.append(self._angle)
            self._no_torques = gui.add_html(_quiet(f"Torques: {unknown}"))
        self.take(loads)
        self.joint.on_update(lambda _: change(self._choose))

    def move(self, time: float) -> None:
        """Put all cursors at a time [s]."""
        for chart in self._charts:
            chart.move(time)

    def take(self, loads: Loads) -> None:
        """Show loads that became known; those that the motion brought along stay."""
        gui, robot = self._gui, self._figures.robot
        if self._forces is None and loads.forces:
            self._no_forces.visible = False
            with self._feet_tab:
                self._forces = force_chart(gui, robot, loads)
            self._charts.append(self._forces)
        if self._torque is None and loads.torques is not None:
            self._loads = loads
            self._no_torques.visible = False
            title, curves = torque_curves(robot, loads, self.joint.value)
            with self._joint_tab:
                self._torque = Chart(gui, title, loads.time, curves, fill=(0, 1))
            self._charts.append(self._torque)

    def add_panels(self, panels: Sequence[Panel]) -> None:
        """Plot panels over the time of the motion; in the current container of the panel."""
        more = PanelPlots(self._gui, panels, self._change)
        more.move(float(self._figures.motion.time[0]))
        self._charts.append(more)

    def _choose(self) -> None:
        """Show the joint that was chosen."""
        figures, joint = self._figures, self.joint.value
        title, curves = angle_curves(figures, joint)
        self._angle.show(title, figures.motion.time, curves)
        if self._torque is not None:
            title, curves = torque_curves(figures.robot, self._loads, joint)
            self._torque.show(title, self._loads.time, curves)


def _busiest(figures: Figures) -> int:
    """The joint that moves farthest: the one to look at first."""
    return int(np.argmax(np.ptp(figures.motion.joints, axis=0)))


def _quiet(words: str) -> str:
    return f'<div style="padding:8px 12px;font-size:12px;opacity:.72">{escape(words)}</div>'
