"""The rotation vector between two orientations, with exact first and second derivatives."""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np

from poise.compiled import compiled

Vector = np.ndarray | tuple[float, float, float]

ALIGNED_SQUARED = 5e-3**2  # [rad^2], closer than this the rotation vector turns as the frame does
NEGLIGIBLE = 1e-5  # [rad/s^2], second-order terms below this are not worth their time
TURNED_OVER = -0.9  # cosine beyond which the axis is read off the symmetric part


@compiled
def rotation_vector(R: np.ndarray, out: np.ndarray) -> None:
    """Axis times angle [rad], (3,), of a rotation (3, 3)."""
    x = 0.5 * (R[2, 1] - R[1, 2])
    y = 0.5 * (R[0, 2] - R[2, 0])
    z = 0.5 * (R[1, 0] - R[0, 1])
    s, c = sqrt(x * x + y * y + z * z), 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    angle = atan2(s, c)
    if c < TURNED_OVER:  # nearly half a turn: the sine says little, 1 - cos says all
        k = 0
        for i in range(1, 3):
            if R[i, i] > R[k, k]:
                k = i
        length = sqrt((R[k, k] - c) * (1.0 - c))
        sign = 1.0 if (x, y, z)[k] >= 0.0 else -1.0
        for i in range(3):
            off = 0.5 * (R[i, k] + R[k, i]) - (c if i == k else 0.0)
            out[i] = sign * angle * off / length
        return
    factor = angle / s if s > 1e-4 else 1.0 + s * s / 6.0
    out[0], out[1], out[2] = factor * x, factor * y, factor * z


@compiled
def bend_rotation(
    R: np.ndarray,
    e: np.ndarray,
    spin: np.ndarray,
    spin_target: np.ndarray,
    spin_rate_target: np.ndarray,
    jacobian: np.ndarray,
    flow: np.ndarray,
    drift: np.ndarray,
) -> None:
    """Turn the picture of an angular velocity into that of the rotation vector, exactly.

    Very near the target the two agree to a quarter of a percent and nobody calls this; a tick
    that tracks well is always there.

    Args:
        R: R_world_frame R_target_world.
        e: its rotation vector [rad].
        spin: angular velocity of the frame, world axes [rad/s].
        spin_target: angular velocity of the target.
        spin_rate_target: angular acceleration of the target.
        jacobian: of the angular velocity in, of the rotation vector out, (3, nv).
        flow: the same, (3,).
        drift: the same, (3,), the target's own acceleration taken off already.
    """
    A, c, slope = np.empty((3, 3)), 0.0, 0.0
    square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
    c, slope = _coefficient(sqrt(square))
    # d e / dt = A w, for a rotation exp(e) turning with w in the outer frame; A = 1 - E/2 + c E²
    for i in range(3):
        for j in range(3):
            A[i, j] = c * e[i] * e[j] + (1.0 - c * square if i == j else 0.0)
    A[0, 1] += 0.5 * e[2]
    A[1, 0] -= 0.5 * e[2]
    A[0, 2] -= 0.5 * e[1]
    A[2, 0] += 0.5 * e[1]
    A[1, 2] += 0.5 * e[0]
    A[2, 1] -= 0.5 * e[0]
    for k in range(jacobian.shape[1]):
        x, y, z = jacobian[0, k], jacobian[1, k], jacobian[2, k]
        for i in range(3):
            jacobian[i, k] = A[i, 0] * x + A[i, 1] * y + A[i, 2] * z
    carried, relative, turning = np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        carried[i] = R[i, 0] * spin_target[0] + R[i, 1] * spin_target[1] + R[i, 2] * spin_target[2]
        relative[i] = spin[i] - carried[i]
        # the target's acceleration was taken off in its own axes; here it is carried along
        turning[i] = drift[i] + spin_rate_target[i]
        for j in range(3):
            turning[i] -= R[i, j] * spin_rate_target[j]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        turning[i] -= relative[j] * carried[k] - relative[k] * carried[j]
    rate = np.empty(3)
    for i in range(3):
        flow[i] = drift[i] = rate[i] = 0.0
        for j in range(3):
            flow[i] -= A[i, j] * carried[j]
            drift[i] += A[i, j] * turning[j]
            rate[i] += A[i, j] * relative[j]
    speed = relative[0] ** 2 + relative[1] ** 2 + relative[2] ** 2
    if speed * sqrt(square) > NEGLIGIBLE:
        # A' w with A' = -E'/2 + slope (e.e') E² + c (E' E + E E'), and E² = e e' - |e|² 1
        e_rate = e[0] * rate[0] + e[1] * rate[1] + e[2] * rate[2]
        e_rel = e[0] * relative[0] + e[1] * relative[1] + e[2] * relative[2]
        r_rel = rate[0] * relative[0] + rate[1] * relative[1] + rate[2] * relative[2]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            drift[i] -= 0.5 * (rate[j] * relative[k] - rate[k] * relative[j])
            drift[i] += slope * e_rate * (e[i] * e_rel - square * relative[i])
            drift[i] += c * (rate[i] * e_rel + e[i] * r_rel - 2.0 * e_rate * relative[i])


@compiled
def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross product of two vectors."""
    out = np.empty(3)
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    return out


@compiled
def crossed(a: Vector, b: Vector) -> tuple[float, float, float]:
    """The same as three numbers: loops that run at every tick make no arrays."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compiled
def _coefficient(angle: float) -> tuple[float, float]:
    """c(angle) = 1/angle² - (1 + cos)/(2 angle sin), and c'(angle)/angle."""
    if angle < 1e-2:  # the series, exact to double precision here
        a2 = angle * angle
        return 1.0 / 12.0 + a2 / 720.0 + a2 * a2 / 30240.0, 1.0 / 360.0 + a2 / 7560.0
    s, co = sin(angle), cos(angle)
    half = (1.0 + co) / s  # cot(angle / 2), whose derivative is -1 / (1 - cos)
    c = 1.0 / angle**2 - half / (2.0 * angle)
    slope = -2.0 / angle**3 + half / (2.0 * angle**2) + 1.0 / (2.0 * angle * (1.0 - co))
    return c, slope / angle
