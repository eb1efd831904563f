"""What a tick wishes for: feet, centre of mass, chest, heading, rest pose, momentum, torque.

The tasks are made once; every tick writes into their targets. Weights and gains follow the brief:
support foot 100, swinging foot and centre of mass 10, chest 1, the rest by the style.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np
import pinocchio as pin

from poise.compiled import compiled
from poise.engines.expressive.gait import Gait
from poise.engines.expressive.knee_guard import KneeGuard
from poise.engines.expressive.machine import GaitMachine
from poise.engines.expressive.resting import posture_scale
from poise.engines.expressive.slide import Slide
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

BOW = 5.0  # [rad/s^2], foreseen at most of a chest that starts or stops to lean


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
        self._lean = Slide(gait.chest_pitch, BOW)
        self._direction, self._turning = np.array([0.0, 0.0, 1.0]), np.zeros((2, 3))
        chest = AxisParallel("chest", self._chest_axis, self._direction, self._turning)
        self._chest = Task("chest", chest, w.chest, w.chest_gain)
        self._height = ComHeight(0.0)
        self._heading = Heading("base", 0.0, axis=self._base_axis)
        self._turn = Task("heading", self._heading, w.heading, w.heading_gain)
        self._rest, self._rest_rate = rest.copy(), np.zeros(robot.na)
        self._posture = Posture(self._rest, self._stop.scale, self._rest_rate)
        self._momentum = AngularMomentum()
        self.restyle(gait, rest, self._rest_rate)
        self.follow(machine, standing)

    def restyle(self, gait: Gait, rest: np.ndarray, rate: np.ndarray, guard: float = 0.0) -> None:
        """Take on the weights of a gait and a rest pose.

        Args:
            gait: whose weights.
            rest: rest pose [rad], (na,).
            rate: how fast it moves [rad/s], (na,).
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
        self._rest[:], self._rest_rate[:] = rest, rate
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
        joints, low = at.q[BASE_Q:], self._knees
        if dt > 0.0:
            self._lean.move(self._gait.chest_pitch, dt)
            low.advance(joints, at.v[BASE_V:], (off != 0, off != 1), dt)
        heading = wanted.heading, wanted.heading_rate, wanted.heading_rate2
        write_lean(*self._lean.motion, *heading, self._direction, self._turning)
        z, z1, z2 = self._height.goal
        z[0] = wanted.com[2] - low.sink
        z1[0] = wanted.rate[2] - low.rate
        z2[0] = wanted.rate2[2] - low.rate2
        self._heading.goal[:] = heading
        self._stop.look(joints)

    def chest_alignment(self, at: Snapshot) -> float:
        """Cosine of the angle between the chest and its wanted lean."""
        return float(self._direction.dot(at.rotation("chest").dot(self._chest_axis)))


@compiled
def write_lean(
    p: float,
    p1: float,
    p2: float,
    h: float,
    h1: float,
    h2: float,
    direction: np.ndarray,
    rates: np.ndarray,
) -> None:
    """Where a leaning chest points, and how fast that changes.

    Args:
        p: lean [rad], forward when positive.
        p1: its rate [rad/s].
        p2: how fast that changes [rad/s^2].
        h: heading [rad].
        h1: its rate [rad/s].
        h2: how fast that changes [rad/s^2].
        direction: unit vector, written, (3,).
        rates: its first and second derivative, written, (2, 3).
    """
    across, across1 = sin(p), cos(p) * p1
    across2 = cos(p) * p2 - sin(p) * p1 * p1
    c, s = cos(h), sin(h)
    c1, s1 = -s * h1, c * h1
    c2, s2 = -s * h2 - c * h1 * h1, c * h2 - s * h1 * h1
    direction[0], direction[1], direction[2] = across * c, across * s, cos(p)
    rates[0, 0], rates[0, 1] = across1 * c + across * c1, across1 * s + across * s1
    rates[0, 2] = -sin(p) * p1
    rates[1, 0] = across2 * c + 2.0 * across1 * c1 + across * c2
    rates[1, 1] = across2 * s + 2.0 * across1 * s1 + across * s2
    rates[1, 2] = -sin(p) * p2 - cos(p) * p1 * p1
