"""Swinging the body against a fall: angular momentum where the soles give no more.

On the rim of its soles a robot is a pendulum with a flywheel,

    x' = w (x + d - p - L' / (m g)),

with x its capture point, p on the rim and L the angular momentum of trunk and arms about the centre
of mass. A body that turns the way the robot falls takes momentum out of the fall, and gives it
back when the capture point has returned. How fast every joint turns for the most momentum, with
feet and centre of mass where they are, is a linear program that is solved once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from poise.engines.balance.rooted import Rooted

TRAVEL = 0.3  # [s], how long a joint turns before its limit ends it
WIDTH = 0.2  # of the length of the soles: so far beyond them the capture point asks for all
MOST_LEAN = 0.5  # [rad], of the trunk
SOFT_LEAN = 0.15  # [rad] before, from which a swing slows down
RETURN = 3.0  # [s], after which a body that swung is back where comfort wants it
RISE = 0.05  # [s], in which a swing begins at the soonest
FADE = 0.1  # [s], in which a swing ends at the soonest


@dataclass(frozen=True, eq=False)
class Swings:
    """Swings forward, backward, to the left, to the right."""

    rates: np.ndarray  # of the joints [rad/s], (4, na)
    momenta: np.ndarray  # [N m s], (4,)


def swings(
    rooted: Rooted, joints: np.ndarray, lower: np.ndarray, upper: np.ndarray, share: float
) -> Swings:
    """The swings with the most angular momentum about one axis and none about the others.

    Args:
        rooted: the robot, where it stands.
        joints: its joint angles [rad], (na,).
        lower: their limits [rad], (na,).
        upper: [rad], (na,).
        share: of their speed limits.
    """
    robot, at = rooted.robot, rooted.at
    A = rooted.reduced(np.ascontiguousarray(at.data.Ag), np.zeros((6, robot.na)))
    feet = rooted.reduced(at.jacobian(robot.feet[1]).copy(), np.zeros((6, robot.na)))
    still = np.vstack([feet, A[:3], rooted.coupled])
    speed = share * robot.velocity_limit
    least = -np.minimum(speed, np.maximum(joints - lower, 0.0) / TRAVEL)
    most = np.minimum(speed, np.maximum(upper - joints, 0.0) / TRAVEL)
    box, found = list(zip(least, most, strict=True)), []
    forward, left = A[4], -A[3]  # turning about y, and about -x
    for row, other in ((forward, left), (-forward, left), (left, forward), (-left, forward)):
        E = np.vstack([still, other, A[5]])
        answer = linprog(-row, A_eq=E, b_eq=np.zeros(len(E)), bounds=box)
        # joints without a speed limit have no fastest swing: then there is none
        found.append(answer.x if answer.success else np.zeros(robot.na))
    rates = np.array(found)
    momenta = np.einsum("ij,ij->i", rates, [forward, -forward, left, -left])
    return Swings(rates, momenta)


class Swinging:
    """How hard the body swings: shares of the four swings, 0 to 1.

    Attributes:
        drive: shares, (4,).
    """

    def __init__(self, ways: Swings, dt: float) -> None:
        """Take the swings and the period [s]."""
        self.ways, self._dt = ways, dt
        self._rise, self._fade = dt / RISE, dt / FADE
        self.drive, self._busy = np.zeros(4), False
        self._rest = RETURN  # [s], since the last swing

    def step(self, beyond: np.ndarray, room: np.ndarray, lean: np.ndarray) -> None:
        """Take this period.

        Args:
            beyond: how far the capture point, the push included, is off the soles [m], (2,).
            room: length and width of the soles [m], (2,).
            lean: of the trunk forward and to the left [rad], (2,).
        """
        shares = []
        for x, length, angle in zip(beyond.tolist(), room.tolist(), lean.tolist(), strict=True):
            share = x / (WIDTH * length + 1e-6)
            shares.append(min(share, (MOST_LEAN - angle) / SOFT_LEAN))
            shares.append(min(-share, (MOST_LEAN + angle) / SOFT_LEAN))
        before = self.drive.tolist()
        shares = [
            min(max(share, old - self._fade, 0.0), old + self._rise, 1.0)
            for share, old in zip(shares, before, strict=True)
        ]
        self._busy = any(shares)
        self.drive[:] = shares

    def add(self, rates: np.ndarray) -> None:
        """Put the swing on top of comfort's joint rates (na,); the way back waits, then begins."""
        if self._rest < RETURN:
            rates *= self._rest / RETURN
        if self._busy:
            rates += self.drive @ self.ways.rates

    def rest(self) -> None:
        """A period is over."""
        self._rest = 0.0 if self._busy else self._rest + self._dt
