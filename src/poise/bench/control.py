"""Snapshot and one inverse-dynamics tick against the bare Pinocchio calls.

The tick is a whole one: references of a swaying robot, two feet, centre of mass, two hands,
chest, posture and angular momentum; torque, viability, friction and surface limits.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.bench.measure import Result, compare, side_by_side
from poise.contacts import Touch
from poise.control import Footing, InverseDynamics
from poise.robot import Robot, load_robot
from poise.tasks import (
    AngularMomentum,
    CenterOfMass,
    FrameOrientation,
    FramePose,
    Posture,
    Task,
)

TICK_LIMIT = 17.0  # times computeAllTerms: what TSID's C++ costs
SNAPSHOT_LIMIT = 1.5  # times the Pinocchio calls it contains


class SwayingTick:
    """One control tick after the other, of a robot that sways over both feet."""

    def __init__(self, robot: Robot, dt: float = 0.005) -> None:
        self.robot, self.dt = robot, dt
        self.controller = InverseDynamics(robot)
        self.at = robot.at(robot.half_sitting)
        start = robot.at(robot.half_sitting)
        self.com = start.com.copy()
        touches = [Touch(p, 0.0, np.inf, start.pose(p), robot.soles[p].points) for p in robot.feet]
        self.footings = [Footing(t, 0.6, robot.weight) for t in touches]
        hands = [p for p in ("left_hand", "right_hand") if p in robot.parts]
        self.resting = [
            *[Task(t.part, FramePose(t.part, t.T_world_surface), 100.0, 1000.0) for t in touches],
            *[Task(h, FramePose(h, start.pose(h)), 1.0, 100.0) for h in hands],
            Task("chest", FrameOrientation("chest", start.pose("chest").rotation), 1.0, 100.0),
            Task("posture", Posture(robot.half_sitting[7:]), 0.01, 25.0),
            Task("momentum", AngularMomentum(), 0.1 / robot.mass, 10.0),
        ]
        self.restart()

    def restart(self) -> None:
        """Back to standing."""
        self.time = 0.0
        self.q, self.v = self.robot.half_sitting.copy(), np.zeros(self.robot.nv)

    def reference(self) -> Task:
        """Where the centre of mass should be now, with its velocity and acceleration."""
        size, rate = 0.02 * min(1.0, self.time), np.pi
        sine, cosine = size * np.sin(rate * self.time), size * np.cos(rate * self.time)
        wish = CenterOfMass(
            self.com + np.array([0.0, sine, 0.0]),
            np.array([0.0, rate * cosine, 0.0]),
            np.array([0.0, -(rate**2) * sine, 0.0]),
        )
        return Task("com", wish, 10.0, 100.0)

    def __call__(self) -> None:
        """One tick: references, model, tasks, QP, integration."""
        self.at.refresh(self.q, self.v)
        answer = self.controller.solve(self.at, [self.reference(), *self.resting], self.footings)
        dt = self.dt
        self.q = pin.integrate(self.robot.model, self.q, dt * self.v + 0.5 * dt * dt * answer.a)
        self.v = self.v + dt * answer.a
        self.time += dt


def run(name: str = "talos") -> list[Result]:
    """Measure on one robot."""
    robot = load_robot(name)
    tick = SwayingTick(robot)
    model, data = robot.model, robot.model.createData()
    at, rest = robot.at(robot.half_sitting), np.zeros(robot.nv)
    q, v = robot.half_sitting.copy(), np.full(robot.nv, 0.1)

    def bare() -> None:
        pin.crba(model, data, q, pin.Convention.WORLD)
        pin.nonLinearEffects(model, data, q, v)
        pin.computeCentroidalMomentumTimeVariation(model, data, q, v, rest)
        pin.updateFramePlacements(model, data)

    times = side_by_side(
        {
            "bare": bare,
            "terms": lambda: pin.computeAllTerms(model, data, q, v),
            "snapshot": lambda: at.refresh(q, v),
            "tick": tick,
        }
    )
    return [
        compare(
            f"snapshot refresh, {name}",
            times["snapshot"],
            "the Pinocchio calls in it",
            times["bare"],
            SNAPSHOT_LIMIT,
        ),
        compare(
            f"inverse dynamics tick, {name}",
            times["tick"],
            "computeAllTerms",
            times["terms"],
            TICK_LIMIT,
        ),
    ]
