"""How hard somebody pushes, told by how the robot moves and where its ZMP is.

Whatever servos and soles do, one axis of a robot obeys

    y'' = w² (l (x - p) + d),      y' = x' + H / (m z)

with x its centre of mass, H its angular momentum about it, p its ZMP, l the load on its soles over
its weight, and d = F z / (m g) what a push does to the ZMP. The IMU tells the rest: the integral of
its accelerometer is its own velocity but for an offset b that wanders; gyro and joint rates tell
how the centre of mass moves against it, u, and how fast everything turns. So

    y' + b = integral of the acceleration + u + H / (m z)

is measured, and x by encoders and orientation; flat on the soles as well as on their rim. What is
missing in the equation is the push. It is taken to change at a rate that wanders and fades.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm, solve_discrete_are

from poise.robot.robot import GRAVITY

PLACE = 3e-3  # [m], of the centre of mass by encoders and orientation, where soles lie askew
SPEED = 3.5e-3  # [m/s] for each metre of its height, of its velocity by IMU and joint rates
MODEL = 1e-4  # [m/s] a period, of its velocity: what the equation does not know
DRIFT = 1e-4  # [m/s] a period, of an integrated accelerometer
QUICK = 8.0  # [1/s], of the greatest push that is believed: no hand is faster, feet that land are
FADE = 0.1  # [s], in which a push stops changing when nobody sees how it goes on


class PushObserver:
    """One axis; plain numbers, because arrays of five cost more than they carry.

    Attributes:
        rate: y' [m/s].
        push: d [m].
        growth: of the push, d' [m/s].
    """

    def __init__(self, omega: float, dt: float, believe: float) -> None:
        """Take the pendulum's rate [1/s], the period [s] and how fast a push may change.

        Args:
            omega: w.
            dt: period [s].
            believe: variance of the push's rate a period [m²/s²].
        """
        M = np.zeros((7, 7))  # x, y', d, d', b; then l (x - p), and H / (m z)
        M[0, 1] = M[2, 3] = 1.0
        M[0, 6] = -1.0
        M[1, 2] = M[1, 5] = omega**2
        M[3, 3] = -1.0 / FADE
        step = expm(M * dt)
        A, rows = step[:5, :5], np.array([[1.0, 0, 0, 0, 0], [0, 1.0, 0, 0, 1.0]])
        W = np.diag([1e-14, MODEL**2, 1e-12, believe, DRIFT**2])
        R = np.diag([PLACE**2, (SPEED * GRAVITY / omega**2) ** 2])
        S = solve_discrete_are(A.T, rows.T, W, R)
        self._dt = dt
        self._A, self._b, self._turn = A.tolist(), step[:5, 5].tolist(), float(step[0, 6])
        self._correction = np.linalg.solve(rows @ S @ rows.T + R, rows @ S).T.tolist()
        self.rate = 0.0  # at rest, wherever it is
        self._flown = 0.0  # [m/s]
        self._offset: float | None = None  # [m/s]
        self.move()

    def move(self) -> None:
        """The robot stands on something else from now on: another place, and nobody pushes yet."""
        self._place: float | None = None
        self.push = self.growth = 0.0

    def step(
        self, place: float, moment: float, turning: float, against: float, flies: float, most: float
    ) -> None:
        """Take a period.

        Args:
            place: x [m].
            moment: l (x - p) [m].
            turning: H / (m z) [m/s].
            against: u, of the centre of mass against the IMU [m/s].
            flies: acceleration of the IMU [m/s²].
            most: greatest push that is believed [m]; feet that land hit harder than anybody.
        """
        K, A, b = self._correction, self._A, self._b
        self._flown += self._dt * flies
        told = self._flown + against + turning
        if self._place is None:
            self._place = place
        if self._offset is None:
            self._offset = told - self.rate
        off, quick = place - self._place, told - self.rate - self._offset
        x = self._place + K[0][0] * off + K[0][1] * quick
        v = self.rate + K[1][0] * off + K[1][1] * quick
        grows = QUICK * most
        d = self.push + min(
            max(K[2][0] * off + K[2][1] * quick, -grows * self._dt), grows * self._dt
        )
        d = min(max(d, -most), most)
        g = min(max(self.growth + K[3][0] * off + K[3][1] * quick, -grows), grows)
        self._offset += K[4][0] * off + K[4][1] * quick
        self._place = x + A[0][1] * v + A[0][2] * d + A[0][3] * g + b[0] * moment
        self._place += self._turn * turning
        self.rate = v + A[1][2] * d + A[1][3] * g + b[1] * moment
        self.push, self.growth = d + A[2][3] * g, A[3][3] * g
