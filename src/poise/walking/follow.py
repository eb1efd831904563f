"""Play a motion in closed loop: the stabiliser corrects what a bare replay would only hope for."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.motion import Command, Motion, Observation
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.walking.stabiliser import Correction, Reference, Stabiliser


class FollowMotion:
    """A motion, seen as a controller that keeps its balance.

    The motion needs its contacts; its signals `com_ref` and `zmp_ref` are used where it has them,
    otherwise centre of mass and ZMP are computed from its configurations.
    """

    def __init__(self, robot: Robot, motion: Motion, stabiliser: Stabiliser | None = None) -> None:
        """Prepare to play.

        Args:
            robot: whose motion it is.
            motion: what to play, its joints in any order.
            stabiliser: a default one when absent.
        """
        if motion.joint_names != robot.joint_names:
            motion = motion.ordered_as(robot.joint_names)
        self.robot, self.motion = robot, motion
        self.stabiliser = stabiliser or Stabiliser(robot)
        self.stabiliser.reset()
        self._com, self._com_velocity, self._zmp = centre_of_mass_and_zmp(robot, motion)
        self.last: Correction | None = None

    def reference(self, time: float) -> Reference:
        """What is meant at a time from the motion's start [s]."""
        m = self.motion
        t = float(np.clip(time + m.time[0], m.time[0], m.time[-1]))
        k = int(np.clip(np.searchsorted(m.time, t, side="right") - 1, 0, max(len(m) - 2, 0)))
        after = min(k + 1, len(m) - 1)
        gap = float(m.time[after] - m.time[k])
        s = (t - float(m.time[k])) / gap if gap > 0.0 else 0.0
        moving = 0.0 if time > m.duration else 1.0

        def blend(rows: np.ndarray) -> np.ndarray:
            return (1.0 - s) * rows[k] + s * rows[after]

        q = pin.interpolate(self.robot.model, m.q[k], m.q[after], s)
        return Reference(
            q,
            moving * blend(m.v),
            blend(self._com),
            moving * blend(self._com_velocity),
            blend(self._zmp),
            {
                touch.part: touch.T_world_surface
                for touch in m.contacts.active(t)
                if touch.part in self.robot.soles
            },
        )

    def command(self, seen: Observation) -> Command:
        """The corrected joints of the motion at this time."""
        self.last = self.stabiliser.correct(seen, self.reference(seen.time))
        return Command(self.last.q[BASE_Q:], self.last.rates)


def centre_of_mass_and_zmp(
    robot: Robot, motion: Motion
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre of mass (n, 3), its velocity (n, 3) and the ZMP (n, 2) that a motion means."""
    n, data = len(motion), robot.model.createData()
    com, velocity = np.zeros((n, 3)), np.zeros((n, 3))
    for k in range(n):
        pin.centerOfMass(robot.model, data, motion.q[k], motion.v[k], False)
        com[k], velocity[k] = data.com[0], data.vcom[0]
    for name in ("zmp", "zmp_ref"):
        if name in motion.signals:
            return com, velocity, motion.signals[name][:, :2]
    acceleration = np.zeros((n, 3))
    if n > 1:
        acceleration[:] = np.gradient(velocity, motion.time, axis=0)
    pull = acceleration[:, 2:] - robot.model.gravity.linear[2]
    return com, velocity, com[:, :2] - com[:, 2:] * acceleration[:, :2] / pull
