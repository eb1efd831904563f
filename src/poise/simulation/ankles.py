"""Ankles that give way, told by how far they sag: what a robot with rubber in its feet is like."""

from __future__ import annotations

from dataclasses import replace

from poise.errors import BadInput
from poise.robot import Robot
from poise.simulation.options import SimulationOptions

LOADED = 1.25  # weights of the robot on one foot, under which it sags


def sagging_ankles(
    robot: Robot, sag: float, options: SimulationOptions | None = None
) -> SimulationOptions:
    """A world in which the robot's ankles are springs.

    One foot sinks by the sag under 1.25 times the weight of the robot, and the edge of its sole
    sinks as far when that load stands there: the ankle pitches and rolls as well.

    Args:
        robot: whose ankles.
        sag: how far [m].
        options: of the world otherwise.
    """
    if not sag > 0.0:
        raise BadInput("simulation", "the sag of the ankles", f"{sag} m", "a positive number")
    spring = LOADED * robot.weight / sag
    corners = robot.soles[robot.feet[0]].points
    half = 0.5 * float(corners[:, 0].max() - corners[:, 0].min())
    return replace(
        options or SimulationOptions(), ankle_spring=spring, ankle_stiffness=spring * half**2
    )
