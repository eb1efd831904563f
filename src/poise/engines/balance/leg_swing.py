"""Swinging the free leg against a fall to the side.

A robot that tips over the outer rim of one foot has nothing on the other. That leg, swung out the
way the robot falls, together with trunk and arms, takes several times the momentum out of the fall
that trunk and arms take alone; and brings it back when the capture point has returned. How fast
every joint turns for the most momentum, the standing foot and the centre of mass left alone and
the free foot never going down, is a linear program solved once for each side. A swing goes out
along one way in the space of joints and comes back along it, so the foot lands where it was. It is
driven by the moment that the soles lack and no faster: more would only take the ZMP from their
rim.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from scipy.optimize import linprog

from poise.engines.balance.rooted import Rooted
from poise.engines.balance.swinging import MOST_LEAN
from poise.robot import Robot
from poise.walking.pendulum import pendulum_rate

TRAVELS = (0.2, 0.25, 0.3, 0.4)  # [s], how long a swing out may take
MOST_OUT = 0.7  # [rad], that the free foot is turned
NODES = 16  # of the way out
FREE = 0.05  # of the weight: a foot with more is not lifted
RISE = 0.03  # [s], in which a swing begins at the soonest
BACK = 0.7  # of the way to the rim: a capture point that is within has come back
GIVE = 0.9  # of the moment that brings the robot back, taken by a leg that comes home
SURE = 0.03  # [s], how long the capture point has to be back
REST = 0.5  # [s], before another swing begins
HOME = 1.0  # of the pendulum's time, in which a leg that was swung all the way out comes back


@dataclass(frozen=True, eq=False)
class Way:
    """A swing out."""

    offsets: np.ndarray  # of the joints from home to the end [rad], (NODES + 1, na)
    duration: float  # at full speed [s]
    momentum: float  # [N m s]


def way_out(
    rooted: Rooted,
    free: str,
    joints: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    share: float,
) -> Way:
    """The swing that takes most out of a fall towards the standing foot.

    A momentum L that is taken for a time T and given back takes L (1 - exp(-w T)) out of the fall:
    a long swing is slower, because joints have their ranges, and worth more for its speed.

    Args:
        rooted: the robot, seen from the foot it stands on; moved about.
        free: the other foot.
        joints: its joint angles [rad], (na,).
        lower: their limits [rad], (na,).
        upper: [rad], (na,).
        share: of their speed limits.
    """
    rooted.refresh(joints)
    omega = pendulum_rate(float(rooted.at.com[2]))
    best, rates, duration, most = 0.0, np.zeros(rooted.robot.na), TRAVELS[0], 1.0
    for travel in TRAVELS:
        found, momentum = _fastest(rooted, free, joints, lower, upper, share, travel)
        worth = momentum * (1.0 - np.exp(-omega * travel))
        if worth > best:
            best, rates, duration, most = worth, found, travel, momentum
    return Way(_path(rooted, joints, rates, duration, lower, upper), duration, most)


def _fastest(
    rooted: Rooted, free: str, joints: np.ndarray, lower: np.ndarray, upper: np.ndarray,
    share: float, travel: float,
) -> tuple[np.ndarray, float]:  # fmt: skip
    """Joint rates (na,) that can go on for a time [s], and their momentum [N m s]."""
    robot, at = rooted.robot, rooted.at
    A = rooted.reduced(np.ascontiguousarray(at.data.Ag), np.zeros((6, robot.na)))
    foot = rooted.reduced(at.jacobian(free).copy(), np.zeros((6, robot.na)))
    fall = -A[3] if at.position(free)[1] < 0.0 else A[3]
    speed, trunk = share * robot.velocity_limit, rooted.base_of_joints[3:]
    least = -np.minimum(speed, np.maximum(joints - lower, 0.0) / travel)
    most = np.minimum(speed, np.maximum(upper - joints, 0.0) / travel)
    still = np.vstack([A[:3], A[4:6], rooted.coupled])
    answer = linprog(
        -fall,
        A_ub=np.vstack([-foot[2:3], trunk, -trunk, foot[3:], -foot[3:]]),
        b_ub=np.r_[0.0, np.full(6, MOST_LEAN / travel), np.full(6, MOST_OUT / travel)],
        A_eq=still,
        b_eq=np.zeros(len(still)),
        bounds=list(zip(least, most, strict=True)),
    )
    # joints without a speed limit have no fastest swing: then there is none
    return (answer.x, float(-answer.fun)) if answer.success else (np.zeros(robot.na), 0.0)


def _path(
    rooted: Rooted, joints: np.ndarray, rates: np.ndarray, duration: float,
    lower: np.ndarray, upper: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Offsets along joint rates (na,), bent so that the centre of mass stays, (NODES + 1, na)."""
    home, q, offsets = rooted.at.com.copy(), joints.copy(), [np.zeros_like(joints)]
    free = (rates != 0.0).astype(float)  # joints without a part in it are left alone
    for _ in range(NODES):
        step = rates * duration / NODES
        J = rooted.reduced(rooted.at.com_jacobian, np.zeros((3, len(q)))) * free
        step += free * (np.linalg.pinv(J, rcond=1e-3) @ (home - rooted.at.com - J @ step))
        q = np.clip(q + step, lower, upper)
        rooted.refresh(q)
        offsets.append(q - joints)
    return np.array(offsets)


class LegSwing:
    """How far the free leg has swung out.

    Attributes:
        side: 0 while the robot stands on its left foot, 1 on its right.
        out: how long the leg has swung at full speed [s]; back home at 0.
        rate: of that, -1 to 1.
    """

    def __init__(
        self, robot: Robot, joints: np.ndarray, lower: np.ndarray, upper: np.ndarray,
        share: float, dt: float,
    ) -> None:  # fmt: skip
        """Take the robot as it stands, its joint limits, the share of speed limits, the period."""
        self._robot, self._dt = robot, dt
        (left, right), box = robot.feet, (joints, lower, upper, share)
        self.ways = (
            way_out(Rooted(robot, left), right, *box),
            way_out(Rooted(robot, right), left, *box),
        )
        self._lower, self._upper = lower, upper
        seen = Rooted(robot, left)
        seen.refresh(joints)
        self._omega = pendulum_rate(float(seen.at.com[2]))
        self.side, self.out, self.rate = 0, 0.0, 0.0
        self._sure, self._rest = 0.0, REST

    @property
    def busy(self) -> bool:
        """Whether the leg is away from home."""
        return self.out > 0.0

    @property
    def lately(self) -> bool:
        """Whether it is, or has come home just now: a foot that lands is no reason to step."""
        return self.busy or self._rest < REST

    def step(self, lacking: float, share: float, rim: float, loads: np.ndarray) -> None:
        """Take this period.

        Args:
            lacking: moment to the left that the soles cannot give, over the weight [m].
            share: how far the capture point, the push included, is on its way to the rim.
            rim: of the soles that the robot tips over [m], positive on its left.
            loads: of the feet [N], (2,).
        """
        if not self.busy:
            side = 0 if rim > 0.0 else 1
            self._rest += self._dt
            needed = lacking * rim > 0.0 and self.ways[side].offsets.any()
            if not needed or self._rest < REST or loads[1 - side] > FREE * self._robot.weight:
                return
            self.side, self.rate, self._sure = side, 0.0, 0.0
        way = self.ways[self.side]
        scale = self._robot.weight / way.momentum
        # as fast as can be stopped by half of the moment that the soles can give
        stop = min(0.5 * scale * abs(rim), 1.0 / RISE)
        self._sure = self._sure + self._dt if share < BACK else 0.0
        if self._sure > SURE or self.rate < 0.0:
            wish = -min((2.0 * stop * self.out) ** 0.5, way.duration * self._omega / HOME)
            most = self._dt * min(GIVE * scale * abs(rim) * max(1.0 - share, 0.0), 1.0 / RISE)
            self.rate = max(self.rate - most, wish)
        else:
            out = lacking if self.side == 0 else -lacking
            most = self._dt / RISE
            self.rate += min(max(self._dt * out * scale, -most), most)
            left = max(way.duration - self.out, 0.0)
            self.rate = min(max(self.rate, 0.0), (2.0 * stop * left) ** 0.5, 1.0)
        self.out += self._dt * self.rate
        if self.rate <= 0.0 and self.out < 0.01 * way.duration:
            self.out = self.rate = self._rest = 0.0

    def add(self, joints: np.ndarray) -> np.ndarray:
        """Joint angles (na,) with the swing on top."""
        way = self.ways[self.side]
        place = min(max(self.out / way.duration, 0.0), 1.0) * NODES
        k = min(int(place), NODES - 1)
        offset = way.offsets[k] + (place - k) * (way.offsets[k + 1] - way.offsets[k])
        return np.clip(joints + offset, self._lower, self._upper)

    def standing(
        self, com: np.ndarray, up: np.ndarray, told: pin.SE3, seen: pin.SE3
    ) -> tuple[np.ndarray, np.ndarray]:
        """Centre of mass and vertical seen from where the left foot would be had it not swung.

        Args:
            com: seen from the left foot [m], (3,).
            up: the same way, (3,).
            told: the right foot seen from the left one, as it stands.
            seen: as it is.
        """
        if not self.busy or self.side == 0:
            return com, up
        return told.act(seen.actInv(com)), told.rotation @ (seen.rotation.T @ up)
