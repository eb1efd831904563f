"""The walk, live: one tick after the other, with sliders that may move at any time.

Each tick asks the gait machine where feet and centre of mass should be, lets one small QP turn
that and the style into accelerations, torques and contact forces, and integrates. The answer of
the QP is the motion: there is no other simulator here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import atan2, cos, inf, sin

import numpy as np
import pinocchio as pin

from poise.contacts import Touch
from poise.control import DynamicsOptions, Footing, InverseDynamics
from poise.engines.expressive.easing import EasedStyle
from poise.engines.expressive.gait import Gait, GaitMaker
from poise.engines.expressive.machine import GaitMachine
from poise.engines.expressive.options import Style
from poise.engines.expressive.resting import rest_joints
from poise.engines.expressive.wishes import Wishes
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.walking.stature import Stature
from poise.walking.swing_foot import Place

DT = 0.005  # [s]
FRICTION = 0.4


@dataclass(frozen=True)
class ControllerOptions:
    """What holds for a whole walk, whatever its style."""

    dt: float = DT  # [s]
    friction: float = FRICTION  # that the contact forces may use


@dataclass(frozen=True, eq=False)
class Tick:
    """The robot at one instant of a walk, and what keeps it there; arrays are its own."""

    time: float  # [s]
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray  # [N m], (na,)
    forces: Mapping[str, np.ndarray]  # part -> wrench at its frame, world axes [N, N m]
    contacts: tuple[Touch, ...]
    com: np.ndarray  # [m]
    com_ref: np.ndarray  # [m]
    zmp_ref: np.ndarray  # [m], (2,), of the pendulum that the references belong to
    momentum: np.ndarray  # [N m s], (3,), angular, about the centre of mass
    feet: Mapping[str, np.ndarray]  # part -> where its frame is [m], (3,)
    events: tuple[str, ...] = ()
    gave_way: tuple[str, ...] = ()


class ExpressiveController:
    """A walking robot that follows a style."""

    def __init__(
        self, robot: Robot, style: Style | None = None, options: ControllerOptions | None = None
    ) -> None:
        self.robot, self.options = robot, options or ControllerOptions()
        self.stature = Stature.of(robot)
        self._dynamics = InverseDynamics(robot, DynamicsOptions(dt=self.options.dt))
        self._maker = GaitMaker(robot)
        self._at = robot.at(robot.half_sitting)
        self.style = style or Style()
        self.reset()

    # -- orders ----------------------------------------------------------------------

    def reset(self, place: Place = (0.0, 0.0, 0.0)) -> None:
        """Stand in half-sitting at a place: x, y [m], heading [rad]."""
        robot, at = self.robot, self._at
        q = _placed(robot.half_sitting, place)
        at.refresh(q, np.zeros(robot.nv))
        left, right = (_place_of(at.pose(part)) for part in robot.feet)
        self._eased = EasedStyle(self.style, rest_joints(robot, self.style))
        gait = self._make_gait()
        self.machine = GaitMachine(self.stature, gait, left, right)
        centre = self.machine.wanted.com
        off = at.com[:2] - np.array(centre[:2])
        c, s = cos(place[2]), sin(place[2])
        lean = (float(c * off[0] + s * off[1]), float(c * off[1] - s * off[0]))
        self.machine = GaitMachine(self.stature, gait, left, right, lean)
        self._wishes = Wishes(robot, at, self.machine, gait, self._eased.rest)
        self.time, self.q, self.v = 0.0, q, np.zeros(robot.nv)
        self._touches: list[Touch | None] = [self._touch(k) for k in (0, 1)]
        self._gait = gait

    def _make_gait(self) -> Gait:
        eased = self._eased
        return self._maker.make(eased.numbers, eased.pendulum, eased.hold_height)

    def set_style(self, style: Style) -> None:
        """Move towards a style from now on."""
        self.style = style
        self._eased.aim(style, rest_joints(self.robot, style))

    def start(self, steps: int | None = None) -> None:
        """Begin to walk."""
        self.machine.start(steps)

    def stop(self) -> None:
        """Come to a stand within the next few steps."""
        self.machine.stop()

    @property
    def settled(self) -> bool:
        """Whether the style that was asked for is the style that is."""
        return bool(self._eased.settled)

    # -- time ------------------------------------------------------------------------

    def tick(self) -> Tick:
        """The robot now; afterwards it is one period later."""
        dt, robot, machine = self.options.dt, self.robot, self.machine
        at = self._at
        at.refresh(self.q, self.v)
        if self._eased.advance(dt):
            self._gait = self._make_gait()
            self._wishes.restyle(self._gait, self._eased.rest)
        self._wishes.follow(machine)
        footings = self._footings()
        answer = self._dynamics.solve(at, self._wishes.tasks, footings, self._wishes.effort)
        now = Tick(
            self.time,
            self.q,
            self.v,
            answer.a.copy(),
            answer.tau.copy(),
            answer.forces,
            tuple(f.touch for f in footings),
            at.com,
            com_ref := np.array(machine.wanted.com),
            com_ref[:2] - np.array(machine.wanted.rate2[:2]) / self._gait.omega**2,
            at.momentum[3:].copy(),
            {part: at.position(part).copy() for part in robot.feet},
            (),
            answer.gave_way,
        )
        a = now.a
        self.q = pin.integrate(robot.model, self.q, dt * self.v + (0.5 * dt * dt) * a)
        self.v = self.v + dt * a
        self.time += dt
        events = machine.advance(dt, self._gait)
        for event in events:
            self._contact(event)
        return replace(now, events=events) if events else now

    # -- contacts --------------------------------------------------------------------

    def _contact(self, event: str) -> None:
        kind, _, foot = event.partition(" ")
        if kind == "lift":
            self._touches[int(foot)] = None
        elif kind == "land":
            self._touches[int(foot)] = self._touch(int(foot))

    def _touch(self, foot: int) -> Touch:
        part = self.robot.feet[foot]
        x, y, heading = self.machine.places[foot]
        T = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, heading), np.array([x, y, 0.0]))
        return Touch(part, self.time, inf, T, self.robot.soles[part].points)

    def _footings(self) -> list[Footing]:
        friction, weight, machine = self.options.friction, self.stature.weight, self.machine
        shift, support = machine.shift, machine.support
        footings = []
        walking = machine.state == "walking"
        late = machine.clock > 1.57
        for foot, touch in enumerate(self._touches):
            if touch is None:
                continue
            load = 1.0
            if walking and self._touches[1 - foot] is not None:
                # the foot that takes over gets its load gradually, the other one gives it away
                takes = foot == (1 - support if late else support)
                load = shift if takes else 1.0 - shift
            footings.append(Footing(touch, friction, 0.5 * weight * min(1.0, 2.0 * load) + 1e-3))
        return footings


def _placed(q: np.ndarray, place: Place) -> np.ndarray:
    """A configuration moved over the ground and turned about the vertical."""
    x, y, heading = place
    T = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, heading), np.array([x, y, 0.0]))
    moved = T * pin.XYZQUATToSE3(q[:7])
    return np.r_[pin.SE3ToXYZQUAT(moved), q[BASE_Q:]]


def _place_of(T: pin.SE3) -> Place:
    R = T.rotation
    return float(T.translation[0]), float(T.translation[1]), atan2(R[1, 0], R[0, 0])
