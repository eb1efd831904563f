"""What a tick wishes for: feet, centre of mass, chest, heading, rest pose, momentum, torque.

The tasks are made once; every tick writes into their targets. Weights and gains follow the brief:
support foot 100, swinging foot and centre of mass 10, chest 1, the rest by the style.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np
import pinocchio as pin

from poise.engines.expressive.gait import Gait
from poise.engines.expressive.machine import GaitMachine
from poise.engines.expressive.resting import posture_scale
from poise.robot import Robot, Snapshot
from poise.tasks import (
    AngularMomentum,
    AxisParallel,
    CenterOfMass,
    ComHeight,
    FramePose,
    Heading,
    Posture,
    Task,
    TorqueEffort,
)

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Weights:
    """Weights and gains that are no knobs."""

    support: float = 100.0
    swing: float = 10.0
    com: float = 10.0
    chest: float = 1.0
    heading: float = 1.0
    support_gain: float = 1000.0  # [1/s^2]
    swing_gain: float = 400.0
    com_gain: float = 100.0
    chest_gain: float = 100.0
    heading_gain: float = 50.0
    momentum_gain: float = 8.0  # [1/s]
    legs: float = 0.1  # of the rest pose: square root of the share that the legs get
    free_height: float = 1e-3  # weight of the height when it is free


class Wishes:
    """The tasks of a walking robot, kept in step with its gait machine."""

    def __init__(
        self,
        robot: Robot,
        standing: Snapshot,
        machine: GaitMachine,
        gait: Gait,
        rest: np.ndarray,
        weights: Weights | None = None,
    ) -> None:
        """Make the tasks for a robot that stands.

        Args:
            robot: who.
            standing: in its half-sitting posture, wherever.
            machine: of its gait.
            gait: to begin with.
            rest: rest pose [rad], (na,).
            weights: of the tasks.
        """
        self.weights = w = weights or Weights()
        self._feet = []
        for part in robot.feet:
            pose = FramePose(part, pin.SE3.Identity(), np.zeros(6), np.zeros(6))
            stands = Task(part, pose, w.support, w.support_gain)
            swings = Task(part, pose, w.swing, w.swing_gain)
            self._feet.append((pose, stands, swings))
        self._com = CenterOfMass(np.zeros(3), np.zeros(3), np.zeros(3), height=False)
        heading = machine.wanted.heading
        R_heading = pin.rpy.rpyToMatrix(0.0, 0.0, heading)
        self._chest_axis = standing.rotation("chest").T @ UP
        self._base_axis = tuple((standing.rotation("base").T @ R_heading[:, 0]).tolist())
        self._scale = posture_scale(robot, w.legs)
        relaxing = [g for g in ("left_arm", "right_arm", "head") if robot.groups.get(g)]
        self._relaxing = np.concatenate([robot.indices(g) for g in relaxing])
        self._lean: tuple[float, float] = (0.0, 0.0)
        self._task_com = Task("com", self._com, w.com, w.com_gain)
        self._momentum = AngularMomentum()
        self.restyle(gait, rest)
        self.follow(machine)

    def restyle(self, gait: Gait, rest: np.ndarray) -> None:
        """Take on the weights of a gait and a rest pose [rad], (na,)."""
        w, self._gait = self.weights, gait
        height = w.free_height * (w.com / w.free_height) ** gait.height_share
        self._task_height = Task("com height", ComHeight(gait.com_height), height, w.com_gain)
        self._task_posture = Task(
            "rest pose", Posture(rest.copy(), self._scale), gait.rest_weight, gait.rest_gain
        )
        self._task_momentum = Task(
            "momentum", self._momentum, gait.momentum_weight, w.momentum_gain
        )
        self.effort = TorqueEffort(self._relaxing, gait.torque_weight)
        self._chest: Task | None = None

    def follow(self, machine: GaitMachine) -> None:
        """Write where everything should be now."""
        wanted, w = machine.wanted, self.weights
        feet = []
        off = machine.off_ground
        for k, (pose, stands, swings) in enumerate(self._feet):
            T = pose.T_world_target
            assert pose.twist is not None and pose.acceleration is not None  # made in __init__
            machine.tracks[k].write(T.translation, T.rotation, pose.twist, pose.acceleration)
            feet.append(swings if k == off else stands)
        com = self._com
        com.p_world_target[:] = wanted.com
        com.velocity[:] = wanted.rate  # type: ignore[index]
        com.acceleration[:] = wanted.rate2  # type: ignore[index]
        lean = (self._gait.chest_pitch, wanted.heading)
        if self._chest is None or lean != self._lean:
            self._lean = lean
            pitch, heading = lean
            direction = np.array([sin(pitch) * cos(heading), sin(pitch) * sin(heading), cos(pitch)])
            chest = AxisParallel("chest", self._chest_axis, direction)
            self._chest = Task("chest", chest, w.chest, w.chest_gain)
        turn = Heading(
            "base", wanted.heading, wanted.heading_rate, wanted.heading_rate2, self._base_axis
        )
        self.tasks = [
            *feet,
            self._task_com,
            self._task_height,
            self._chest,
            Task("heading", turn, w.heading, w.heading_gain),
            self._task_momentum,
            self._task_posture,
        ]
