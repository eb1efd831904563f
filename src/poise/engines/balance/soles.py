"""What the soles feel: load and centre of pressure of each foot, and the ZMP of both."""

from __future__ import annotations

import numpy as np

from poise.engines.balance.filters import LowPass
from poise.motion import Observation
from poise.robot import Robot
from poise.robot.pressure import points_in_part

AIRBORNE = 0.1  # of the weight: with less on both feet the ZMP means nothing
FELT = 0.02  # of the weight: a foot with less has no centre of pressure worth knowing


NEARLY = 0.95  # of the way to the last pressure point: beyond, a sole that tips tells no more


def blind_rims(robot: Robot) -> list[tuple[list[float], list[float]]]:
    """The least and the greatest centre of pressure that each foot can tell, in its frame [m]."""
    found = []
    for part in robot.feet:
        points = [
            points_in_part(robot, s)[:, :2]
            for s in robot.sensors
            if s.kind == "pressure" and s.part == part
        ]
        rim = np.vstack(points) if points else robot.soles[part].polygon
        found.append(((NEARLY * rim.min(axis=0)).tolist(), (NEARLY * rim.max(axis=0)).tolist()))
    return found


class Soles:
    """Reads the feet, left first.

    A robot with pressure points is read by them; another by the wrench at its ankles, turned
    into the axes of the foot. Both tell the force along the foot's normal.

    Attributes:
        loads: [N], (2,).
        pressure: centre of pressure in the frame of each foot [m], (2, 2).
        share: of the load on the left foot, smoothed, 0 to 1.
        needs_axes: whether `read` has to be told how the feet are turned.
        grounded: whether the feet carry enough to believe them.
    """

    def __init__(self, robot: Robot, dt: float, share_time: float = 0.05) -> None:
        """Take the robot, the period and the time in which the share of load is smoothed [s]."""
        self.robot = robot
        self.left, self.right = robot.feet
        self._points = {
            s.part: points_in_part(robot, s)[:, :2].tolist()
            for s in robot.sensors
            if s.kind == "pressure" and s.part in robot.soles
        }
        self.needs_axes = not all(part in self._points for part in robot.feet)
        self._felt, self._least = FELT * robot.weight, AIRBORNE * robot.weight
        self.loads, self.pressure = np.full(2, 0.5 * robot.weight), np.zeros((2, 2))
        self._share = LowPass(share_time, dt, 0.5)
        self._first = True
        self.share, self.grounded = 0.5, True

    def read(self, seen: Observation, R_world_left: np.ndarray, R_world_right: np.ndarray) -> None:
        """Take an observation; the orientations of the feet serve ankles without points."""
        self._foot(0, self.left, seen, R_world_left)
        self._foot(1, self.right, seen, R_world_right)
        left, right = self.loads.tolist()
        total = left + right
        self.grounded = total > self._least
        if not self.grounded:
            return
        if self._first:
            self._share.value[...] = left / total
            self._first = False
        self.share = float(self._share.step(left / total))

    def _foot(self, k: int, part: str, seen: Observation, R: np.ndarray) -> None:
        """One foot, in plain numbers: four points are too few for arrays to pay."""
        points = self._points.get(part)
        if points is not None:
            load = x = y = 0.0
            for force, (px, py) in zip(seen.pressures[part].tolist(), points, strict=True):
                load += force
                x += force * px
                y += force * py
        else:
            wrench = seen.wrenches[part]
            load = float(wrench[:3] @ R[:, 2])
            x, y = -float(wrench[3:] @ R[:, 1]), float(wrench[3:] @ R[:, 0])
        if load > self._felt:
            self.pressure[k, 0], self.pressure[k, 1] = x / load, y / load
        self.loads[k] = max(load, 0.0)
