"""The walk, live: one tick after the other, with sliders that may move at any time.

Each tick asks the gait machine where feet and centre of mass should be, lets one small QP turn
that and the style into accelerations, torques and contact forces, and integrates. The answer of
the QP is the motion: there is no other simulator here.

A tick never fails. When the QP has no solution the softest requirement gives way and is named;
when the robot falls, it stays down, and says what gave out first, until it is told to stand up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import acos, atan2, cos, inf, sin
from typing import Any

import numpy as np
import pinocchio as pin

from poise.contacts import Touch
from poise.control import DynamicsOptions, Footing, InverseDynamics
from poise.control.footing import EDGES
from poise.control.giving_way import LOADS
from poise.engines.expressive.arm_guard import ArmGuard
from poise.engines.expressive.easing import EasedStyle
from poise.engines.expressive.falling import FallWatch
from poise.engines.expressive.gait import Gait, GaitMaker
from poise.engines.expressive.machine import WALKING, GaitMachine
from poise.engines.expressive.options import Style
from poise.engines.expressive.resting import rest_joints
from poise.engines.expressive.tick import Tick
from poise.engines.expressive.wishes import Weights, Wishes
from poise.errors import PoiseError
from poise.motion.knobs import check_all, knob
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.walking.legs import trunk_lean
from poise.walking.stature import Stature
from poise.walking.swing_foot import Place, Swing

FALLEN = "fallen"
COMING = 2.0  # weights by which a sole may carry more in the whole of a double support, at first
DEAREST = 0.01  # share of a double support below which forces get no dearer
NO_LOAD = 1e-3  # [N], least ceiling of a force coefficient


@dataclass(frozen=True)
class WalkOptions:
    """What holds for a whole walk, whatever its style."""

    dt: float = knob(0.005, 0.001, 0.02, "s", "control period", "solver")
    friction: float = knob(0.4, 0.05, 2.0, "", "friction that the contact forces may use", "solver")
    sole_share: float = knob(
        0.92, 0.3, 1.0, "", "how much of a sole the contact forces may use", "solver"
    )
    brake: float = knob(
        30.0, 1.0, 500.0, "rad/s^2", "how hard joints stop before their limits", "solver"
    )
    settling: float = knob(
        40.0, 5.0, 50.0, "1/s", "how fast joints settle at their limits", "solver"
    )
    torque_fraction: float = knob(
        1.0, 0.1, 1.0, "", "how much of the torque limits may be used", "solver"
    )
    torque_step: float = knob(
        0.09, 0.01, 2.0, "", "how much of its limit a torque may change by in a tick", "solver"
    )

    def __post_init__(self) -> None:
        check_all("walk options", self)


class ExpressiveController:
    """A robot that stands and walks in a style.

    Attributes:
        style: what it is on its way to.
        time: of the next tick [s].
        q: configuration at that time.
        v: velocity at that time.
    """

    def __init__(
        self,
        robot: Robot,
        style: Style | None = None,
        options: WalkOptions | None = None,
        weights: Weights | None = None,
    ) -> None:
        """Stand in half-sitting at the origin.

        Args:
            robot: who walks.
            style: to begin with; normal when absent.
            options: of the whole walk.
            weights: of the tasks that are no knobs.
        """
        self.robot, self.options = robot, options or WalkOptions()
        self.stature = Stature.of(robot)
        o = self.options
        self._dynamics_options = DynamicsOptions(
            dt=o.dt,
            brake=o.brake,
            settling=o.settling,
            torque_fraction=o.torque_fraction,
            torque_step=o.torque_step,
        )
        self._weights = weights
        self._maker = GaitMaker(robot)
        self._soles = [shrunk(robot.soles[part].points, o.sole_share) for part in robot.feet]
        self._at = robot.at(robot.half_sitting)
        self.style = style or Style()
        self._aim: Gait | None = None  # of that style, once somebody asks
        self._ticks = 0
        self._stand((0.0, 0.0, 0.0))

    # -- orders ----------------------------------------------------------------------

    def set_style(self, style: Style) -> None:
        """Move towards a style from now on."""
        rest = rest_joints(self.robot, style)
        self.style, self._aim = style, None
        self._eased.aim(style, rest)
        self._guard.rest(self.robot, rest)

    def set(self, **values: Any) -> None:
        """Move some knobs, in the SI units that are shown for this robot."""
        self.set_style(self.style.set_on(self.robot, values))

    def start(self, steps: int | None = None) -> None:
        """Begin to walk, for a number of steps or until told to stop."""
        if not self.fallen:
            self.machine.start(steps)

    def stop(self) -> None:
        """Come to a stand within the next few steps."""
        self.machine.stop()

    def stand_up(self) -> None:
        """Stand in half-sitting again, where the robot was last."""
        wanted = self.machine.wanted
        x, y, h = wanted.com[0], wanted.com[1], wanted.heading
        if not np.isfinite([x, y, h]).all():
            x = y = h = 0.0
        forward = self.stature.sole_centre[0]
        self._stand((x - forward * cos(h), y - forward * sin(h), h))

    @property
    def fallen(self) -> bool:
        """Whether it lies on the ground."""
        return bool(self.reason)

    @property
    def settled(self) -> bool:
        """Whether the style that was asked for has been reached."""
        return self._eased.settled

    @property
    def nearly_settled(self) -> bool:
        """Whether the style is reached so far that a walk may begin."""
        return self._eased.near

    @property
    def gait(self) -> Gait:
        """The gait of this instant, in SI units."""
        return self._gait

    def coming(self, count: int) -> list[tuple[str, Swing]]:
        """The next steps in the style that was asked for: which foot, and its way.

        The body takes a style on by and by; where it will lead is known at once.
        """
        if self.fallen:
            return []
        if self._aim is None:
            self._aim = self._maker.of(self.style)
        return [(self.robot.feet[k], way) for k, way in self.machine.coming(self._aim, count)]

    def _stand(self, place: Place) -> None:
        """Stand in half-sitting at a place: x, y [m], heading [rad]."""
        robot, at = self.robot, self._at
        q = placed(robot.half_sitting, place)
        at.refresh(q, np.zeros(robot.nv))
        left, right = (_place_of(at.pose(part)) for part in robot.feet)
        standing = standing_style(robot)
        self._eased = EasedStyle(standing, rest_joints(robot, standing))
        self._guard = ArmGuard(robot)
        self._gait = gait = self._make_gait()
        machine = GaitMachine(self.stature, gait, left, right)
        off = at.com[:2] - np.array(machine.wanted.com[:2])
        c, s = cos(place[2]), sin(place[2])
        lean = (float(c * off[0] + s * off[1]), float(c * off[1] - s * off[0]))
        self.machine = GaitMachine(self.stature, gait, left, right, lean)
        self._wishes = Wishes(robot, at, self.machine, gait, self._eased.rest, self._weights)
        self._dynamics = InverseDynamics(robot, self._dynamics_options)
        self.q, self.v = q, np.zeros(robot.nv)
        self._touches: list[Touch | None] = [self._touch(k) for k in (0, 1)]
        self._watch = FallWatch(robot)
        self.reason = ""
        self._last: Tick | None = None
        self.set_style(self.style)

    def _make_gait(self) -> Gait:
        eased = self._eased
        return self._maker.make(eased.numbers, eased.pendulum, eased.hold_height)

    # -- time ------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Of the next tick [s]."""
        return self._ticks * self.options.dt

    def tick(self) -> Tick:
        """The robot now; afterwards it is one period later."""
        if self.fallen and self._last is not None:
            now = replace(self._last, time=self.time, events=(), gave_way=())
            self._ticks += 1
            return now
        dt, machine = self.options.dt, self.machine
        restyled = self._eased.advance(dt)
        if restyled:
            self._gait = self._make_gait()
        if self._guard.advance(self.q, dt) or restyled:
            rest, rate = self._eased.rest, self._eased.rest_rate
            self._wishes.restyle(self._gait, rest, rate, self._guard.level)
        self._at.refresh(self.q, self.v)
        self._wishes.follow(machine, self._at, dt)
        try:
            now = self._solve()
        except PoiseError:  # nothing that may give way is enough
            self._watch.conclude(self.time, "the contacts cannot carry the robot")
            return self._fall(self._last or self._resting())
        if self._watch.see(now, self._lean_error()):
            return self._fall(now)
        self.q = pin.integrate(self.robot.model, self.q, dt * self.v + (0.5 * dt * dt) * now.a)
        self.v = self.v + dt * now.a
        self._ticks += 1
        events = machine.advance(dt, self._gait, LOADS in now.gave_way)
        if events:
            now = replace(now, events=tuple(self._contact(event) for event in events))
        self._last = now
        return now

    def _solve(self) -> Tick:
        at, machine = self._at, self.machine
        footings = self._footings()
        answer = self._dynamics.solve(at, self._wishes.tasks, footings, self._wishes.effort)
        wanted, per_omega2 = machine.wanted, 1.0 / self._gait.omega**2
        (x, y, z), (ax, ay, _) = wanted.com, wanted.rate2
        return Tick(
            time=self.time,
            q=self.q,
            v=self.v,
            a=answer.a.copy(),
            tau=answer.tau.copy(),
            forces=answer.forces,
            contacts=tuple(footing.touch for footing in footings),
            feet={part: at.position(part).copy() for part in self.robot.feet},
            com=at.com,
            com_velocity=at.com_velocity,
            com_ref=np.array((x, y, z)),
            zmp_ref=np.array((x - ax * per_omega2, y - ay * per_omega2)),
            momentum=at.momentum[3:].copy(),
            state=machine.state,
            steps=machine.steps_done,
            gave_way=answer.gave_way,
        )

    def _fall(self, last: Tick) -> Tick:
        """Lie where it is, from now on."""
        self.reason = self._watch.reason
        nothing = np.zeros_like(self.v)
        down = replace(
            last,
            time=self.time,
            v=nothing,
            a=nothing,
            tau=np.zeros(self.robot.na),
            forces={},
            contacts=(),
            state=FALLEN,
            events=("fall",),
            reason=self.reason,
        )
        self._ticks += 1
        self._last = down
        self.v = nothing
        return down

    def _resting(self) -> Tick:
        """A tick without forces, for a robot that fell before its first one."""
        at = self._at
        zero = np.zeros(self.robot.nv)
        com = at.com
        return Tick(
            self.time, self.q, zero, zero, zero[6:], {}, (), {}, com, np.zeros(3), com, com[:2],
            np.zeros(3), FALLEN, 0,
        )  # fmt: skip

    def _lean_error(self) -> float:
        """Angle between the chest and its wanted lean [rad]."""
        return acos(min(max(self._wishes.chest_alignment(self._at), -1.0), 1.0))

    # -- contacts --------------------------------------------------------------------

    def _contact(self, event: str) -> str:
        """Take up or give up a contact; the event with the name of the part."""
        kind, _, foot = event.partition(" ")
        if not foot:
            return kind
        self._touches[int(foot)] = None if kind == "lift" else self._touch(int(foot))
        return f"{kind} {self.robot.feet[int(foot)]}"

    def _touch(self, foot: int) -> Touch:
        part = self.robot.feet[foot]
        x, y, heading = self.machine.places[foot]
        T = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, heading), np.array([x, y, 0.0]))
        return Touch(part, self.time, inf, T, self._soles[foot])

    def _footings(self) -> list[Footing]:
        """Where forces may act now; a foot takes its load over, and gives it away, gradually."""
        friction, full, machine = self.options.friction, 0.5 * self.stature.weight, self.machine
        footings = []
        both = all(touch is not None for touch in self._touches)
        for foot, touch in enumerate(self._touches):
            if touch is None:
                continue
            ceiling, price = full, 1.0
            if both and machine.state == WALKING:
                share = machine.shift if foot == machine.receiving else 1.0 - machine.shift
                ceiling = full * loading(share, EDGES * len(touch.points)) + NO_LOAD
                price = 0.5 / max(share, DEAREST)  # so the feet share the weight as it comes over
            footings.append(Footing(touch, friction, ceiling, price))
        return footings


def loading(share: float, count: int) -> float:
    """How high the ceiling of each force coefficient of a sole is while both feet stand, 0 to 1.

    A sole has many coefficients, and together they would carry the robot at a small share of the
    ceiling already, from one tick to the next. So the ceiling rises slowly at first, a little
    faster than the weight comes over, and later by so much that the weight may be anywhere on
    the sole.

    Args:
        share: progress of the double support towards this foot, 0 to 1.
        count: of the coefficients.
    """
    s, first = min(share, 0.5), 2.0 * COMING / count
    return first * s + (1.0 - 0.5 * first) * (2.0 * s) ** 5


def standing_style(robot: Robot) -> Style:
    """How a robot stands in half-sitting, told as a style."""
    return Style(name="standing", chest_pitch=trunk_lean(robot), torque=0.01, rest_pull=5.0)


def shrunk(points: np.ndarray, share: float) -> np.ndarray:
    """Points (n, k) drawn to their middle, so that a share of their distances is left."""
    middle = points.mean(axis=0)
    return middle + share * (points - middle)


def placed(q: np.ndarray, place: Place) -> np.ndarray:
    """A configuration moved over the ground and turned about the vertical."""
    x, y, heading = place
    T = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, heading), np.array([x, y, 0.0]))
    moved = T * pin.XYZQUATToSE3(q[:BASE_Q])
    return np.r_[pin.SE3ToXYZQUAT(moved), q[BASE_Q:]]


def _place_of(T: pin.SE3) -> Place:
    R = T.rotation
    return float(T.translation[0]), float(T.translation[1]), atan2(R[1, 0], R[0, 0])
