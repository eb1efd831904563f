"""The best regulator of a pendulum on lagging servos and soles that give way.

One axis of the robot obeys (see `oracle`)

    J a'' = m g (c + z a) - m z c'' + m g d - m g p,      p = (K a + B a') / (m g)

with a the tilt on the soles, d = F z / (m g) what a push does to the ZMP (see `push_observer`), and
c what the servos make of the command s, c = s / (lag s + 1)². The command is accelerated by

    s'' = -gain . (s + d, s', c + d, c', a, a')

which leaves the least ZMP error for the least effort (linear-quadratic), and comes to rest at
s = -d with the ZMP where it should be.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm, solve_discrete_are

from poise.engines.balance.footing import Footing
from poise.robot.robot import GRAVITY

HOME = 0.05  # how much a centre of mass away from home costs against a ZMP that is


def regulator_gain(footing: Footing, dt: float, effort: float) -> np.ndarray:
    """The gain on (s + d, s', c + d, c', a, a'), (6,).

    Args:
        footing: what the axis stands on.
        dt: period [s].
        effort: what an acceleration of 1 m/s² costs against a ZMP error of 1 m.
    """
    m, z, J, tau = footing.mass, footing.height, footing.inertia, footing.servo_time
    A = np.zeros((6, 6))
    A[0, 1] = A[2, 3] = A[4, 5] = 1.0
    A[3, [0, 2, 3]] = 1.0 / tau**2, -1.0 / tau**2, -2.0 / tau
    A[5] = -m * z / J * A[3]
    A[5, 2] += m * GRAVITY / J
    A[5, 4] += (m * GRAVITY * z - footing.stiffness) / J
    A[5, 5] -= footing.damping / J
    both = np.zeros((7, 7))
    both[:6, :6], both[1, 6] = A, 1.0
    step = expm(both * dt)
    A, b = step[:6, :6], step[:6, 6:]
    zmp = np.zeros(6)
    zmp[4:] = footing.stiffness, footing.damping
    zmp /= m * GRAVITY
    cost = np.outer(zmp, zmp) + 1e-9 * np.eye(6)
    cost[0, 0] += HOME
    P = solve_discrete_are(A, b, cost, np.array([[effort]]))
    return (b.T @ P @ A / (effort + b.T @ P @ b))[0]
