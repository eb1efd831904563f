"""A step against a fall: the foot that carries less is put where the robot falls to.

A robot on the rim of its soles falls slowly at first: there is time to put a foot down. While one
foot swings the body tips as a whole over the rim of the other; the IMU tells how it leans, so
the swinging foot arrives level wherever the body is by then. From touchdown on the centre of mass
rides to its place between the feet as a pendulum whose ZMP stays inside the new, longer polygon,

    c'' = w² (c - p),    p = x + SETTLE (x - goal) within the soles,    x = c + c' / w.

Everything is told in the axes of the floor: those of the left foot where it stood at the start.
"""

from __future__ import annotations

from math import exp, hypot

import numpy as np
import pinocchio as pin
from scipy.spatial import ConvexHull

from poise.engines.balance.felt import Felt
from poise.engines.balance.reference import Stance
from poise.engines.balance.rooted import Rooted
from poise.walking.pendulum import pendulum_rate
from poise.walking.swing_foot import ease, hump

LATE = 0.28  # of the length of the soles: so far beyond them the capture point asks for a step
AHEAD = 0.5  # of the fall along the feet: with less a step of the free foot helps nobody
LONGEST = 0.6  # of the CoM's height, of a step
SHORTEST = 1.0  # of the longest: landing too far costs little, too near costs the balance
SWING = 1.4  # of the pendulum's time, from lift-off to touchdown
CLEARANCE = 0.12  # of the CoM's height, of the swinging foot
SETTLE = 0.3  # how much faster than the pendulum's time the capture point goes to its goal
WITHIN = 0.86  # of the soles that the ZMP of the reference is kept in
TOUCHED = 0.1  # of the weight: a swinging foot that carries so much has landed
OVERDUE = 0.5  # of the time of a swing, how long a foot that finds no floor is waited for
HOLD = 1.0
SAG = 0.0001
SIDE = 0.1
DECIDED = 0.6
LAG = 0.04
WIDEST = 0.5
CLEARLY = 3.0
SURE = 0.01
FLAT = 1.6
SLOW = 0.03
SMOOTH = 0.01  # [s], of the speed of the centre of mass


class Recovery:
    """Decides on recovery steps and tells feet and centre of mass where to be.

    Attributes:
        stepping: whether a foot is in the air.
        stepped: how many steps were begun; none leaves every target of the scenario alone.
        T_left_right: where the right foot should be, seen from the left one.
        twist: of that [m/s, rad/s], (6,), axes of the left foot.
        com: where the centre of mass should be, seen from the left foot [m], (3,).
        com_velocity: [m/s], (3,).
        zmp: where the ZMP should be, level axes at the left foot [m], (2,).
    """

    def __init__(self, rooted: Rooted, stance: Stance, dt: float) -> None:
        """Take the robot, how it stands, and the period [s]."""
        self._rooted, self._dt = rooted, dt
        robot = self._robot = rooted.robot
        flat = stance.T_left_right
        self.places = [np.zeros(2), flat.translation[:2].copy()]
        self._turns = [np.eye(3), flat.rotation.copy()]
        self._soles = [robot.soles[part].polygon for part in robot.feet]
        self._outlines = [np.c_[p, np.zeros(len(p))] for p in self._soles]
        self._height = float(stance.com[2])
        self._omega = pendulum_rate(self._height)
        self._bias = stance.com[:2] - 0.5 * (self.places[0] + self.places[1])
        self._time = SWING / self._omega
        self._length = float(np.ptp(self._soles[0][:, 0]))
        self.T_left_right, self.twist = pin.SE3(flat), np.zeros(6)
        self.com, self.com_velocity = stance.com.copy(), np.zeros(3)
        self.zmp = stance.com[:2].copy()
        self.stepping, self.stepped = False, 0
        self._since = 0.0  # [s], lift-off or touchdown
        self._stand, self._swing = 0, 1
        self._leaning_foot, self._urgent = 0, 0
        self._ride, self._ride_rate = np.zeros(2), np.zeros(2)
        self._seen, self._speed = stance.com[:2].copy(), np.zeros(2)
        self._fade = exp(-dt / SMOOTH)
        self._tilted: list[pin.SE3] = []
        self._drop = 0.0
        self.holding = False

    # -- what is ------------------------------------------------------------------------

    def look(self, com_left: np.ndarray, up_left: np.ndarray, loads: np.ndarray) -> np.ndarray:
        """Where the centre of mass is on the floor [m], (3,), by the foot that stands.

        Args:
            com_left: by the encoders, seen from the left foot [m], (3,).
            up_left: the vertical, seen from the left foot, (3,).
            loads: of the feet [N], (2,).
        """
        self._T_seen = self._rooted.seen(self._robot.feet[1])
        k = before = self._leaning_foot
        if self.stepping:
            k = self._stand
        elif loads[1 - k] > CLEARLY * loads[k]:
            k = 1 - k
        self._T_floor = self._leaning(k, up_left, self._T_seen)
        com = com_left if k == 0 else self._T_seen.actInv(com_left)
        self._leaning_foot = k
        found = self._com_seen = self._T_floor.act(com)
        if k == before:  # another foot tells another place, which is no motion
            rate = (found[:2] - self._seen) / self._dt
            self._speed += (1.0 - self._fade) * (rate - self._speed)
        self._seen[:] = found[:2]
        return found

    def _leaning(self, k: int, up_left: np.ndarray, T_left_right: pin.SE3) -> pin.SE3:
        """The pose of a foot on the floor, as the IMU sees it: on its lowest corner."""
        up = up_left if k == 0 else T_left_right.rotation.T @ up_left
        R = self._turns[k] @ pin.Quaternion.FromTwoVectors(up, np.array([0.0, 0.0, 1.0])).matrix()
        lowest = float((self._outlines[k] @ R[2]).min())
        return pin.SE3(R, np.r_[self.places[k], -lowest])

    # -- decisions ----------------------------------------------------------------------

    def step(
        self, time: float, beyond: np.ndarray, loads: np.ndarray, com_left: np.ndarray, felt: Felt
    ) -> bool:
        """Take this period; whether a foot just landed.

        Args:
            time: now [s].
            beyond: how far the capture point is off the soles [m], (2,).
            loads: of the feet [N], (2,).
            com_left: by the encoders, seen from the left foot [m], (3,).
            felt: what else is felt.
        """
        if self.stepping:
            s = (time - self._since) / self._time
            touched = s > 0.5 and loads[self._swing] > TOUCHED * self._robot.weight
            if touched or s > 1.0 + OVERDUE:
                self._land(time, com_left)
                return True
            self._swing_on(min(s, 1.0))
            return False
        free = not self.stepped or time - self._since > self._time
        x, y = self._outside() if self.stepped else beyond.tolist()
        urgent = hypot(x, y) > LATE * self._length and abs(x) > AHEAD * hypot(x, y)
        self._urgent = self._urgent + 1 if urgent else 0
        if free and self._urgent * self._dt > SURE:
            self._lift(time, x, y, loads)
            self._swing_on(0.0)
        elif self.holding:
            self._hold(time)
            return not self.holding
        elif self.stepped:
            self._settle(time)
        return False

    def _outside(self) -> tuple[float, float]:
        """How far the capture point, as seen, is off the hull of both soles [m]."""
        x, y = (self._seen + self._speed / self._omega).tolist()
        far, found = 0.0, (0.0, 0.0)
        for a, b, c in self._hull:
            d = a * x + b * y + c
            if d > far:
                far, found = d, (d * a, d * b)
        return found

    def _lift(self, time: float, x: float, y: float, loads: np.ndarray) -> None:
        at, (left, right) = self._rooted.at, loads.tolist()
        self._swing = int(right <= left + 0.1 * self._robot.weight)
        self._stand = 1 - self._swing
        T_left_right = at.pose(self._robot.feet[1])
        k = self._stand
        if k == self._leaning_foot:
            T_floor_stand = self._T_floor
        else:
            T = self._T_seen if k == 1 else self._T_seen.inverse()
            T_floor_stand = self._T_floor * T
        self._T_stand_swing = T_left_right if k == 0 else T_left_right.inverse()
        self._com_stand = at.com.copy() if k == 0 else T_left_right.actInv(at.com)
        self._T_start = T_floor_stand * self._T_stand_swing
        self._T_stand = T_floor_stand
        self._ahead = 1.0 if x > 0.0 else -1.0
        rim = self._soles[k]
        self._pivot = self.places[k] + np.array(
            [rim[:, 0].max() if x > 0.0 else rim[:, 0].min(), rim[:, 1].min() if k == 0 else rim[:, 1].max()]
        )
        self._target = self.places[self._swing].copy()
        self._since, self.stepping = time, True
        self.stepped += 1
        self._sag = np.zeros(6)
        self._fresh = True

    def _choose(self, left: float) -> None:
        """Where the capture point will be at touchdown, in the time left [s], as far as legs reach."""
        x = self._seen + self._speed / self._omega
        x = self._pivot + (x - self._pivot) * exp(self._omega * left)
        longest = LONGEST * self._height
        place, side = self.places[self._swing], 1.0 if self._swing == 0 else -1.0
        far = min(max(self._ahead * (x[0] - place[0]), SHORTEST * longest), longest)
        wide = min(max(side * (x[1] - place[1]), 0.0), WIDEST * longest)
        self._target[:] = place[0] + self._ahead * far, place[1] + side * wide

    def _swing_on(self, s: float) -> None:
        """Feet and centre of mass at a progress of the swing, 0 to 1."""
        if s < DECIDED:
            self._choose((1.0 - s) * self._time + LAG)
        e, _, _ = ease(s)
        T0 = self._T_start
        xy = T0.translation[:2] + (self._target - T0.translation[:2]) * e
        level = ease(min(1.0, 2.0 * s))[0]
        turn = self._turns[self._swing]
        R = pin.exp3((1.0 - level) * pin.log3(T0.rotation @ turn.T)) @ turn
        z = (1.0 - e) * T0.translation[2] + CLEARANCE * self._height * hump(s)[0]
        T_floor_swing = pin.SE3(R, np.r_[xy, z])
        T_floor_stand = self._T_floor if self._leaning_foot == self._stand else self._T_stand
        # servos of the standing leg give way: the swinging leg is told where the base really is
        told, seen = self._rooted.at.pose("base"), self._rooted.seen("base")
        if self._stand == 1:
            told = self._rooted.at.pose(self._robot.feet[1]).actInv(told)
            seen = self._T_seen.actInv(seen)
        sag = pin.log6(told * seen.inverse()).vector
        fast, slow = (1.0 - exp(-self._dt / t) for t in (SAG, SIDE))
        self._sag += np.array([fast, slow, fast, slow, fast, slow]) * (sag - self._sag)
        T_floor_swing = T_floor_stand * (pin.exp6(self._sag) * T_floor_stand.actInv(T_floor_swing))
        self._aim(T_floor_stand, T_floor_swing, self._com_stand, self._stand)
        self._tilted = [T_floor_stand, T_floor_swing]

    def _land(self, time: float, com_left: np.ndarray) -> None:
        """Take the joints as they are: the robot holds still and rocks on its longer feet."""
        k, T_left_right = self._swing, self._T_seen
        T_swing = self._T_floor * (T_left_right if k == 1 else T_left_right.inverse())
        self.places[k] = T_swing.translation[:2].copy()
        flat = pin.SE3(self._turns[k], np.r_[self.places[k], 0.0])
        other = flat * (T_left_right.inverse() if k == 1 else T_left_right)
        self._tilted = [other, flat] if k == 1 else [flat, other]
        corners = np.vstack(
            [p + sole @ turn[:2, :2].T for p, sole, turn in zip(self.places, self._soles, self._turns, strict=True)]
        )
        self._hull = ConvexHull(corners).equations.tolist()
        start = self._tilted[0].act(com_left)
        self._ride[:], self._ride_rate[:] = start[:2], 0.0
        self._drop = float(start[2]) - self._height
        self.zmp[:] = self._ride - self.places[0]
        self._since, self.stepping, self.holding = time, False, True
        self._still = 0.0
        self._fresh = True
        self._aim(*self._tilted, com_left, 0)
        self.twist[:] = 0.0

    def _hold(self, time: float) -> None:
        moving = np.abs(self._speed).max() > SLOW * self._omega * self._height
        self._still = 0.0 if moving else self._still + self._dt
        s, _, _ = ease(min((time - self._since) / (FLAT / self._omega), 1.0))
        T = self._flattened(s)
        self._aim(*T, T[0].actInv(np.r_[self._ride, self._height + self._drop]), 0)
        if self._still > HOLD / self._omega:
            self.holding, self._since = False, time
            self.released = True

    def _flattened(self, s: float) -> list[pin.SE3]:
        T = []
        for k in range(2):
            T0, turn = self._tilted[k], self._turns[k]
            R = pin.exp3((1.0 - s) * pin.log3(T0.rotation @ turn.T)) @ turn
            place = np.r_[self.places[k], 0.0]
            T.append(pin.SE3(R, place + (1.0 - s) * (T0.translation - place)))
        return T

    def _settle(self, time: float) -> None:
        """Ride to the place between the feet, and lay both feet flat."""
        w, dt = self._omega, self._dt
        goal = 0.5 * (self.places[0] + self.places[1]) + self._bias
        x = self._ride + self._ride_rate / w
        corners = np.vstack(
            [p + sole @ turn[:2, :2].T for p, sole, turn in zip(self.places, self._soles, self._turns, strict=True)]
        )
        low, high = corners.min(axis=0), corners.max(axis=0)
        middle = 0.5 * (low + high)
        low, high = middle + WITHIN * (low - middle), middle + WITHIN * (high - middle)
        time_ = 6.0 / w
        s, _, _ = ease(min((time - self._since) / time_, 1.0))
        wish = self._ride0 + (goal - self._ride0) * s if False else goal
        p = np.clip(x + SETTLE * (x - wish), low, high)
        self._ride_rate += dt * w * w * (self._ride - p)
        self._ride += dt * self._ride_rate
        T = self._flattened(1.0)
        com = np.r_[self._ride, self._height + (1.0 - s) * self._drop]
        self._aim(T[0], T[1], T[0].actInv(com), 0)
        self.zmp[:] = p - self.places[0]

    @property
    def com_level(self) -> np.ndarray:
        """Where the centre of mass should be on the floor [m], (2,)."""
        return self._ride

    def _aim(self, T_a: pin.SE3, T_b: pin.SE3, com_a: np.ndarray, a: int) -> None:
        """Write the targets from the poses of both feet on the floor, foot `a` first."""
        T_a_b = T_a.actInv(T_b)
        T = T_a_b if a == 0 else T_a_b.inverse()
        com = com_a if a == 0 else T.act(com_a)
        before, dt = self.T_left_right, self._dt
        if self._fresh:
            self._fresh = False
            self.twist[:] = 0.0
            self.com_velocity[:] = 0.0
        else:
            self.twist[:3] = (T.translation - before.translation) / dt
            self.twist[3:] = pin.log3(T.rotation @ before.rotation.T) / dt
            self.com_velocity[:] = (com - self.com) / dt
        self.T_left_right.translation = T.translation
        self.T_left_right.rotation = T.rotation
        self.com[:] = com
