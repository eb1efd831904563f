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
from poise.engines.expressive.knee_guard import KneeGuard
from poise.engines.expressive.machine import GaitMachine
from poise.engines.expressive.resting import posture_scale
from poise.engines.expressive.soft_stop import SoftStop
from poise.robot import Robot, Snapshot
from poise.robot.robot import BASE_Q, BASE_V
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
from poise.walking.legs import chest_axis


@dataclass(frozen=True)
class Weights:
    """Weights and gains that are no knobs."""

    support: float = 100.0
    swing: float = 10.0
    com: float = 10.0
    for_momentum: float = 0.5  # added to swing and com for each unit of the momentum knob
    chest: float = 1.0
    heading: float = 0.1
    support_gain: float = 1000.0  # [1/s^2]
    swing_gain: float = 400.0
    com_gain: float = 100.0
    chest_gain: float = 100.0
    heading_gain: float = 50.0
    legs: float = 0.1  # of the rest pose: square root of the share that the legs get
    waist: float = 0.16  # of the rest pose: weight of the joints between hips and chest
    waist_for_momentum: float = 0.1  # how much more for each unit of the momentum knob
    guard: float = 1.0  # of the rest pose when arms are about to touch the body
    guard_gain: float = 40.0  # [1/s^2]
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
            self._feet.append((pose, Task(part, pose, w.support, w.support_gain)))
        self._com = CenterOfMass(np.zeros(3), np.zeros(3), np.zeros(3), height=False)
        heading = machine.wanted.heading
        R_heading = pin.rpy.rpyToMatrix(0.0, 0.0, heading)
        self._chest_axis = chest_axis(robot)
        self._base_axis = tuple((standing.rotation("base").T @ R_heading[:, 0]).tolist())
        self._scale = posture_scale(robot, w.legs)
        relaxing = [g for g in ("left_arm", "right_arm", "head") if robot.groups.get(g)]
        self._relaxing = np.concatenate([robot.indices(g) for g in relaxing])
        self._knees = KneeGuard(robot)
        self._waist = robot.indices("torso")
        self._stop = SoftStop(robot, self._scale)
        self._lean: tuple[float, float] | None = None
        self._direction = np.array([0.0, 0.0, 1.0])
        chest = AxisParallel("chest", self._chest_axis, self._direction)
        self._chest = Task("chest", chest, w.chest, w.chest_gain)
        self._height = ComHeight(0.0)
        self._heading = Heading("base", 0.0, axis=self._base_axis)
        self._turn = Task("heading", self._heading, w.heading, w.heading_gain)
        self._rest = rest.copy()
        self._posture = Posture(self._rest, self._stop.scale)
        self._momentum = AngularMomentum()
        self.restyle(gait, rest)
        self.follow(machine, standing)

    def restyle(self, gait: Gait, rest: np.ndarray, guard: float = 0.0) -> None:
        """Take on the weights of a gait and a rest pose.

        Args:
            gait: whose weights.
            rest: rest pose [rad], (na,).
            guard: how strongly the arms are drawn back to it, 0 to 1.
        """
        w, self._gait = self.weights, gait
        # a strong wish for still momentum must cost neither the balance nor the landing
        more = w.for_momentum * gait.momentum
        com = w.com + more
        self._swings = [
            Task(one.name, one.residual, w.swing + more, w.swing_gain) for _, one in self._feet
        ]
        height = w.free_height * (com / w.free_height) ** gait.height_share
        weight = gait.rest_weight * (w.guard / gait.rest_weight) ** guard
        gain = gait.rest_gain + guard * max(w.guard_gain - gait.rest_gain, 0.0)
        self._rest[:] = rest
        # the waist carries: it neither relaxes with the arms nor swings the hips about for them
        held = (1.0 + w.waist_for_momentum * gait.momentum) * w.waist / weight
        self._scale[self._waist] = held**0.5
        self._stop.aim(self._rest)
        self.effort = TorqueEffort(self._relaxing, gait.torque_weight)
        self.tasks = [
            *(stands for _, stands in self._feet),
            Task("com", self._com, com, w.com_gain),
            Task("com height", self._height, height, w.com_gain),
            self._chest,
            self._turn,
            Task("momentum", self._momentum, gait.momentum_weight, gait.momentum_gain),
            Task("rest pose", self._posture, weight, gain),
        ]

    def follow(self, machine: GaitMachine, at: Snapshot, dt: float = 0.0) -> None:
        """Write where everything should be now.

        Args:
            machine: of the gait.
            at: where the robot is.
            dt: time since the last call [s].
        """
        wanted, off = machine.wanted, machine.off_ground
        for k, (pose, stands) in enumerate(self._feet):
            track = machine.tracks[k]
            if track.moved:
                track.write(*pose.goal)
            self.tasks[k] = self._swings[k] if k == off else stands
        com = self._com
        com.p_world_target[:] = wanted.com
        com.velocity[:] = wanted.rate  # type: ignore[index]
        com.acceleration[:] = wanted.rate2  # type: ignore[index]
        lean = (self._gait.chest_pitch, wanted.heading)
        if lean != self._lean:
            self._lean = lean
            pitch, heading = lean
            across = sin(pitch)
            self._direction[:] = (across * cos(heading), across * sin(heading), cos(pitch))
        joints, low = at.q[BASE_Q:], self._knees
        if dt > 0.0:
            low.advance(joints, at.v[BASE_V:], (off != 0, off != 1), dt)
        z, z1, z2 = self._height.goal
        z[0] = wanted.com[2] - low.sink
        z1[0] = wanted.rate[2] - low.rate
        z2[0] = wanted.rate2[2] - low.rate2
        self._heading.goal[:] = (wanted.heading, wanted.heading_rate, wanted.heading_rate2)
        self._stop.look(joints)

    def chest_alignment(self, at: Snapshot) -> float:
        """Cosine of the angle between the chest and its wanted lean."""
        return float(self._direction.dot(at.rotation("chest").dot(self._chest_axis)))
