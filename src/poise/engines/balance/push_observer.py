"""How hard somebody pushes, told by where the centre of mass goes and where the ZMP is.

Whatever servos and soles do, one axis of a robot obeys

    y'' = w² (x - p + d),      y = x + (I a + integral of L) / (m z)

with x its centre of mass as it really is (encoders and IMU), a the angle by which it tilts as a
whole, L the angular momentum of its joints, p its ZMP and d = F z / (m g) what a push does to the
ZMP. x, a, L and p are measured, flat on the soles as well as on their rim; what is missing in the
equation is the push. It is taken to change at a rate that wanders and fades.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm, solve_discrete_are

NOISE = 1e-4  # [m], of the centre of mass by encoders and IMU, from period to period
MODEL = 1e-8  # [m²/s²] a period, of its rate, what the equation does not know
QUICK = 4.0  # [1/s], of the greatest push that is believed: no hand is faster, feet that land are
FADE = 0.1  # [s], in which a push stops changing when nobody sees how it goes on


class PushObserver:
    """One axis; plain numbers, because arrays of four cost more than they carry.

    Attributes:
        rate: of the centre of mass, tilting included, y' [m/s].
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
        M = np.zeros((5, 5))
        M[0, 1] = M[2, 3] = 1.0
        M[1, 2] = M[1, 4] = omega**2
        M[3, 3] = -1.0 / FADE
        step = expm(M * dt)
        A, b = step[:4, :4], step[:4, 4]
        row = np.array([1.0, 0.0, 0.0, 0.0])
        W = np.diag([1e-14, MODEL, 1e-12, believe])
        S = solve_discrete_are(A.T, row[:, None], W, np.array([[NOISE**2]]))
        self._dt = dt
        self._A, self._b = A.tolist(), b.tolist()
        self._correction = (S @ row / (row @ S @ row + NOISE**2)).tolist()
        self.restart()

    def restart(self) -> None:
        """Believe that the robot is at rest, wherever it is."""
        self._place: float | None = None
        self.rate = self.push = self.growth = 0.0

    def step(self, place: float, moment: float, most: float) -> None:
        """Take a period.

        Args:
            place: y [m].
            moment: x - p [m].
            most: greatest push that is believed [m]; feet that land hit harder than anybody.
        """
        k, A, b = self._correction, self._A, self._b
        expected = place if self._place is None else self._place
        missed = place - expected
        y, v = expected + k[0] * missed, self.rate + k[1] * missed
        grows = QUICK * most
        d = self.push + min(max(k[2] * missed, -grows * self._dt), grows * self._dt)
        d = min(max(d, -most), most)
        g = min(max(self.growth + k[3] * missed, -grows), grows)
        self._place = y + A[0][1] * v + A[0][2] * d + A[0][3] * g + b[0] * moment
        self.rate = v + A[1][2] * d + A[1][3] * g + b[1] * moment
        self.push, self.growth = d + A[2][3] * g, A[3][3] * g
