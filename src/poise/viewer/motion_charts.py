"""What is plotted of a whole motion: balance, feet, forces, and a joint between its limits."""

from __future__ import annotations

import numpy as np
import viser

from poise.robot import Robot
from poise.viewer import colours
from poise.viewer.charts import Chart, Curve
from poise.viewer.figures import Figures
from poise.viewer.loads import Loads, motor_of, torque_limit


def balance_chart(gui: viser.GuiApi, figures: Figures, axis: int) -> Chart:
    """CoM and ZMP along x (0) or y (1), between the edges of the support."""
    time = figures.motion.time
    edges = np.array([_edges(figures.support(float(t)), axis) for t in time])
    return Chart(
        gui,
        ("Forward x [m]", "Sideways y [m]")[axis],
        time,
        [
            Curve("support", edges[:, 1], colours.SUPPORT, 1.0),
            Curve("", edges[:, 0], colours.SUPPORT, 1.0),
            Curve("CoM", figures.com[:, axis], colours.COM),
            Curve("ZMP", figures.zmp[:, axis], colours.ZMP),
        ],
        fill=(0, 1),
    )


def _edges(support: np.ndarray, axis: int) -> tuple[float, float]:
    if not len(support):
        return float("nan"), float("nan")
    return float(support[:, axis].min()), float(support[:, axis].max())


def feet_chart(gui: viser.GuiApi, figures: Figures) -> Chart:
    """Heights of the soles above the floor."""
    curves = [
        Curve(part.removesuffix("_foot"), 1e3 * heights, colours.side_of(part))
        for part, heights in figures.feet.items()
    ]
    return Chart(gui, "Sole height [mm]", figures.motion.time, curves, keep=(-1.0, 5.0))


def force_chart(gui: viser.GuiApi, robot: Robot, loads: Loads) -> Chart:
    """How hard each part presses on what it touches; what is not a foot is dashed."""
    curves = [
        Curve(
            part.replace("_", " "),
            np.linalg.norm(wrenches[:, :3], axis=1),
            colours.side_of(part),
            dashed=part not in robot.feet,
        )
        for part, wrenches in loads.forces.items()
    ]
    title = f"Contact forces [N], {loads.source}"
    return Chart(gui, title, loads.time, curves, keep=(0.0, robot.weight))


def angle_curves(figures: Figures, joint: str) -> tuple[str, list[Curve]]:
    """Title and curves of the angle of a joint between its limits."""
    robot, index = figures.robot, figures.robot.index(joint)
    low, high = np.degrees([robot.lower[index], robot.upper[index]])
    return "Angle [deg]", _within(
        low, high, Curve("angle", np.degrees(figures.motion.joints[:, index]), colours.COM)
    )


def torque_curves(robot: Robot, loads: Loads, joint: str) -> tuple[str, list[Curve]]:
    """Title and curves of the torque of the motor of a joint between its limits."""
    assert loads.torques is not None
    motor = motor_of(robot, joint)
    title = "Torque [N m]" if motor == joint else f"Torque at {motor} [N m]"
    limit = torque_limit(robot, motor)
    torque = loads.torques[:, robot.index(motor)]
    return title, _within(-limit, limit, Curve(loads.source, torque, colours.ZMP))


def _within(low: float, high: float, curve: Curve) -> list[Curve]:
    """A curve and the two limits around it, the upper one first."""
    n = len(curve.values)
    return [
        Curve("limits" if np.isfinite(high) else "", np.full(n, high), colours.SUPPORT, 1.0),
        Curve("", np.full(n, low), colours.SUPPORT, 1.0),
        curve,
    ]
