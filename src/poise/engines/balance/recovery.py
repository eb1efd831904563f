"""A step against a fall: the foot that carries less is put where the robot falls to.

A robot on the rim of its soles falls slowly at first: there is time to put a foot down, ahead or
behind. From touchdown on it holds still and rocks on its longer feet, because a rigid body falls
slower than one that bends; the foot that stood is laid flat meanwhile. When the rocking has ended
the centre of mass rides to its place between the feet as a pendulum whose ZMP stays inside the
soles,

    c'' = w² (c - p),    p = x + SETTLE (x - goal) within the soles,    x = c + c' / w.

Falls to the side are left alone: the foot that would have to step is the one that carries.

Everything is told in the axes of the floor: those of the left foot where it stood at the start.
"""

from __future__ import annotations

from math import hypot

import numpy as np
import pinocchio as pin
from scipy.spatial import ConvexHull

from poise.engines.balance.reference import Stance
from poise.engines.balance.rooted import Rooted
from poise.engines.balance.stride import LONGEST, Stride
from poise.walking.pendulum import pendulum_rate
from poise.walking.swing_foot import ease

LATE = 1.7  # [1/s], lengths of the soles: a capture point that runs away faster asks for a step
SURE = 0.01  # [s], how long it has to
LASTING = 0.3  # of the pendulum's time, how long it has to be off the soles, whatever the push
STRAIGHT = 0.9  # of the fall, along the feet, where that counts
AHEAD = 0.4  # of the fall, along the feet: with less a step of the free foot helps nobody
SWING = 1.4  # of the pendulum's time, from lift-off to touchdown
TOUCHED = 0.1  # of the weight: a swinging foot that carries so much has landed
SOONEST = 0.5  # of a swing, before which nothing counts as a landing
OVERDUE = 0.5  # of the time of a swing, how long a foot that finds no floor is waited for
LIGHTER = 0.1  # of the weight, by which the left foot has to carry less than the right to step
FLAT = 1.6  # of the pendulum's time, in which the foot that stood is laid flat
CALM = 1.0  # of the pendulum's time, how long the rocking has to have ended
SLOW = 0.03  # of the fall of a pendulum from its height: what counts as rocking no more
RISE = 6.0  # of the pendulum's time, in which the robot comes up to its height again
SETTLE = 0.3  # how much faster than the pendulum the capture point goes to its goal
WITHIN = 0.86  # of the soles that the ZMP of the reference is kept in
CLEARLY = 3.0  # how much more a foot has to carry to be the one that tells where the robot is


class Recovery:
    """Decides on recovery steps and tells feet and centre of mass where to be.

    Attributes:
        stepping: whether a foot is in the air.
        holding: whether the robot rocks on its feet after a step, its joints held.
        asleep: whether nobody looked in the period before.
        stepped: how many steps were begun; without any, nothing here is to be followed.
        T_left_right: where the right foot should be, seen from the left one.
        twist: of that [m/s, rad/s], (6,), axes of the left foot.
        com: where the centre of mass should be, seen from the left foot [m], (3,).
        com_velocity: [m/s], (3,).
        com_level: the same place on the floor [m], (2,).
        zmp: where the ZMP should be, level axes at the left foot [m], (2,).
    """

    def __init__(
        self, rooted: Rooted, stance: Stance, dt: float, share: float, rigid: float
    ) -> None:
        """Take the robot and how it stands.

        Args:
            rooted: who steps.
            stance: how it stands.
            dt: period [s].
            share: of the longest step.
            rigid: how much slower than a pendulum of its height it falls when nothing bends.
        """
        self._rooted, self._dt = rooted, dt
        robot = self._robot = rooted.robot
        flat = stance.T_left_right
        self._places = [np.zeros(2), flat.translation[:2].copy()]
        self._turns = [np.eye(3), flat.rotation.copy()]
        self._soles = [robot.soles[part].polygon for part in robot.feet]
        self._outlines = [np.c_[p, np.zeros(len(p))] for p in self._soles]
        self._height = float(stance.com[2])
        self._omega = pendulum_rate(self._height)
        self._rigid = rigid
        self._bias = stance.com[:2] - 0.5 * (self._places[0] + self._places[1])
        self._time, self._longest = SWING / self._omega, share * LONGEST * self._height
        self._length = float(np.ptp(self._soles[0][:, 0]))
        self.T_left_right, self.twist = pin.SE3(flat), np.zeros(6)
        self.com, self.com_velocity = stance.com.copy(), np.zeros(3)
        self.com_level, self.zmp = stance.com[:2].copy(), stance.com[:2].copy()
        self._ride_rate = np.zeros(2)
        self.holding, self.stepped = False, 0
        self._stride: Stride | None = None
        self._since = self._still = self._urgent = self._lasting = self._drop = 0.0  # [s], and [m]
        self._seen, self._speed = stance.com[:2].copy(), np.zeros(2)
        self.asleep = True
        self._teller = 0  # the foot that tells where the robot is
        self._T_left_right, self._T_floor = pin.SE3(flat), pin.SE3.Identity()
        self._landed = [pin.SE3.Identity(), pin.SE3(flat)]
        self._stand_on()
        self._low, self._high = np.zeros(2), np.zeros(2)

    @property
    def stepping(self) -> bool:
        """Whether a foot is in the air."""
        return self._stride is not None

    def look(
        self, com_left: np.ndarray, up_left: np.ndarray, loads: np.ndarray, speed: np.ndarray
    ) -> np.ndarray:
        """Where the centre of mass is on the floor [m], (2,), by a foot that stands and the IMU.

        Args:
            com_left: by the encoders, seen from the left foot [m], (3,).
            up_left: the vertical, seen from the left foot, (3,).
            loads: of the feet [N], (2,).
            speed: of the centre of mass [m/s], (2,).
        """
        T = self._T_left_right = self._rooted.seen(self._robot.feet[1])
        k = self._teller
        if self._stride is not None:
            k = 1 - self._stride.foot
        elif loads[1 - k] > CLEARLY * loads[k]:
            k = 1 - k
        up = up_left if k == 0 else T.rotation.T @ up_left
        upright = pin.Quaternion.FromTwoVectors(up, np.array([0.0, 0.0, 1.0])).matrix()
        R = self._turns[k] @ upright
        lowest = float((self._outlines[k] @ R[2]).min())
        self._teller, self._T_floor = k, pin.SE3(R, np.r_[self._places[k], -lowest])
        found = self._T_floor.act(com_left if k == 0 else T.actInv(com_left))[:2]
        self.asleep = False
        self._speed[:] = speed
        self._seen[:] = found
        return found

    def presses(self, pressure: np.ndarray) -> np.ndarray:
        """Where the foot that stands presses on the floor [m], (2,), by pressures in the feet."""
        k = self._teller
        return self._places[k] + self._turns[k][:2, :2] @ pressure[k]

    def step(
        self, time: float, beyond: np.ndarray, loads: np.ndarray, com_left: np.ndarray
    ) -> bool:
        """Take this period; true when what the robot stands on has changed.

        Args:
            time: now [s].
            beyond: how far the capture point is off the soles [m], (2,), before the first step.
            loads: of the feet [N], (2,).
            com_left: by the encoders, seen from the left foot [m], (3,).
        """
        stride = self._stride
        if stride is not None:
            s = stride.progress(time)
            touched = s > SOONEST and loads[stride.foot] > TOUCHED * self._robot.weight
            if touched or s > 1.0 + OVERDUE:
                self._land(stride.foot, time, com_left)
                return True
            self._swing(stride, s)
            return False
        ahead = self._falls(time, beyond)
        if ahead:
            self._swing(self._lift(time, ahead, loads), 0.0)
        elif self.holding:
            self._hold(time)
            return not self.holding
        elif self.stepped:
            self._settle(time)
        return False

    # -- decisions ----------------------------------------------------------------------

    def _falls(self, time: float, beyond: np.ndarray) -> float:
        """Whether to step, for sure: 1 forward, -1 backward, 0 not at all.

        Args:
            time: now [s].
            beyond: how far the capture point is off the soles [m], (2,), before the first step.
        """
        away, across_x, across_y = (-1.0, 0.0, 0.0) if self.asleep else self._nearest()
        x, y = (max(away, 0.0) * a for a in (across_x, across_y))
        if not self.stepped:
            x, y = beyond.tolist()
        far = hypot(x, y)
        urgent = self._omega * far > LATE * self._length and abs(x) > AHEAD * far
        self._urgent = self._urgent + self._dt if urgent else 0.0
        # without much of a push it falls slowly at first: a step helps as long as it does
        lasts = away > 0.0 and abs(across_x) > STRAIGHT
        self._lasting = self._lasting + self._dt if lasts else 0.0
        slow = self._omega * self._lasting > LASTING
        if not (slow or self._urgent > SURE) or (self.stepped and time - self._since < self._time):
            return 0.0
        return 1.0 if (across_x if slow else x) > 0.0 else -1.0

    def _nearest(self) -> tuple[float, float, float]:
        """How far the capture point is beyond the rim next to it [m], and the way out of that.

        It is the capture point of a rigid body, as the robot is one while it tips.
        """
        x, y = (self._seen + self._rigid * self._speed / self._omega).tolist()
        return max((a * x + b * y + c, a, b) for a, b, c in self._hull)

    # -- phases -------------------------------------------------------------------------

    def _lift(self, time: float, ahead: float, loads: np.ndarray) -> Stride:
        """Lift the lighter foot of a robot that falls forward (1) or backward (-1)."""
        at, (left, right) = self._rooted.at, loads.tolist()
        foot = int(right <= left + LIGHTER * self._robot.weight)
        k = 1 - foot
        T_told = at.pose(self._robot.feet[1])
        T_stand_swing = T_told if k == 0 else T_told.inverse()
        T_floor_stand = self._T_floor
        if k != self._teller:
            T_seen = self._T_left_right
            T_floor_stand = T_floor_stand * (T_seen if k == 1 else T_seen.inverse())
        low, high = self._soles[k].min(axis=0), self._soles[k].max(axis=0)
        rim = [high[0] if ahead > 0.0 else low[0], low[1] if k == 0 else high[1]]
        stride = self._stride = Stride(
            foot, time, self._time, T_floor_stand * T_stand_swing, self._turns[foot],
            at.com.copy() if k == 0 else T_told.actInv(at.com), self._places[k] + rim,
            ahead, self._height, self._longest, self._omega,
        )  # fmt: skip
        if k != self._teller:
            self._teller, self._T_floor = k, T_floor_stand
        self.stepped, self.holding = self.stepped + 1, False
        self.com[:], self.T_left_right = at.com, pin.SE3(T_told)
        return stride

    def _swing(self, stride: Stride, s: float) -> None:
        """Feet and centre of mass at a progress of a stride."""
        stride.choose(s, self._seen + self._speed / self._omega)
        k, T_floor_stand = 1 - stride.foot, self._T_floor
        told, seen = self._rooted.at.pose("base"), self._rooted.seen("base")
        if k == 1:
            told = self._rooted.at.pose(self._robot.feet[1]).actInv(told)
            seen = self._T_left_right.actInv(seen)
        T = stride.making_up(told, seen, self._dt) * T_floor_stand.actInv(stride.pose(s))
        if k == 0:
            self._aim(T, stride.com_stand)
        else:
            T = T.inverse()
            self._aim(T, T.act(stride.com_stand))

    def _land(self, k: int, time: float, com_left: np.ndarray) -> None:
        """Take feet and joints as they are, with the foot that landed flat on the floor."""
        T = self._T_left_right
        self._places[k] = (self._T_floor * (T if k == 1 else T.inverse())).translation[:2].copy()
        flat = pin.SE3(self._turns[k], np.r_[self._places[k], 0.0])
        self._landed = [flat * T.inverse(), flat] if k == 1 else [flat, flat * T]
        corners = self._stand_on()
        low, high = corners.min(axis=0), corners.max(axis=0)
        spare = 0.5 * (1.0 - WITHIN) * (high - low)
        self._low, self._high = low + spare, high - spare
        com = self._landed[0].act(com_left)
        self.com_level[:], self._ride_rate[:] = com[:2], 0.0
        self._drop = float(com[2]) - self._height
        self.zmp[:] = self.com_level - self._places[0]
        self._since, self._still = time, 0.0
        self._stride, self.holding = None, True
        self.com[:], self.T_left_right = com_left, pin.SE3(T)
        self._aim(pin.SE3(T), com_left)

    def _stand_on(self) -> np.ndarray:
        """Take the hull of both soles from where they are now; their corners [m], (n, 2)."""
        feet = zip(self._places, self._soles, self._turns, strict=True)
        corners = np.vstack([place + sole @ turn[:2, :2].T for place, sole, turn in feet])
        self._hull: list[list[float]] = ConvexHull(corners).equations.tolist()
        return corners

    def _hold(self, time: float) -> None:
        """Rock, and lay flat the foot that stood."""
        rocks = float(np.abs(self._speed).max()) > SLOW * self._omega * self._height
        self._still = 0.0 if rocks else self._still + self._dt
        s = ease(min((time - self._since) * self._omega / FLAT, 1.0))[0]
        left, right = (self._flattened(k, s) for k in range(2))
        com = np.r_[self.com_level, self._height + self._drop]
        self._aim(left.actInv(right), left.actInv(com))
        if self._still > CALM / self._omega:
            self.holding, self._since = False, time

    def _flattened(self, k: int, s: float) -> pin.SE3:
        """A foot on its way from how it landed to flat, s from 0 to 1."""
        T, turn, place = self._landed[k], self._turns[k], np.r_[self._places[k], 0.0]
        R = pin.exp3((1.0 - s) * pin.log3(T.rotation @ turn.T)) @ turn
        return pin.SE3(R, place + (1.0 - s) * (T.translation - place))

    def _settle(self, time: float) -> None:
        """Ride to the place between the feet, and come up."""
        w, dt = self._omega, self._dt
        goal = 0.5 * (self._places[0] + self._places[1]) + self._bias
        x = self.com_level + self._ride_rate / w
        p = np.minimum(np.maximum(x + SETTLE * (x - goal), self._low), self._high)
        self._ride_rate += dt * w * w * (self.com_level - p)
        self.com_level += dt * self._ride_rate
        s = ease(min((time - self._since) * w / RISE, 1.0))[0]
        left, right = (self._flattened(k, 1.0) for k in range(2))
        com = np.r_[self.com_level, self._height + (1.0 - s) * self._drop]
        self._aim(left.actInv(right), left.actInv(com))
        self.zmp[:] = p - self._places[0]

    def _aim(self, T: pin.SE3, com: np.ndarray) -> None:
        """Write targets seen from the left foot, and how fast they move."""
        before, dt = self.T_left_right, self._dt
        self.twist[:3] = (T.translation - before.translation) / dt
        self.twist[3:] = pin.log3(T.rotation @ before.rotation.T) / dt
        self.com_velocity[:] = (com - self.com) / dt
        self.T_left_right = T
        self.com[:] = com
