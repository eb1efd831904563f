"""The steps of the inverse kinematics of a clip, as compiled loops over its instants.

What must hold at an instant are 14 rows: two foot poses and the ground projection of the centre of
mass. A step displaces the base and the free leg joints.
"""

from __future__ import annotations

from math import cos, exp, log1p, sin, sqrt

import numpy as np

from poise.compiled import compiled
from poise.tasks.rotations import rotation_vector

ROWS = 14
TILT, YAW, HEIGHT, SLIDE, POSTURE = 8.0, 3.0, 5000.0, 1e-2, 1e-3  # weights of the free part
WALL = 60.0  # weight of a joint limit
SOFT = 0.03  # [rad], over which a limit's wall rises
DAMPING = 1e-12  # of the mean of what is inverted
LONGEST = 0.4  # [rad], of a step
RADIAN = 0.2  # [m/rad], makes errors of both kinds comparable

# Compiled loops take plain tuples quickest. The legs of a robot, joints of the left one first:
#   straight, sine, versine  rotation of a joint = straight + sin q sine + (1 - cos q) versine
#   place                    of a joint on its parent [m], (joints, 3)
#   axis                     (joints, 3)
#   mass, lever              [kg], (joints,) and [m], (joints, 3)
#   foot_R, foot_p           of both feet on their last joints, (2, 3, 3) and [m], (2, 3)
#   free                     leg angles from free ones, (joints, free)
#   low, high                soft walls [rad], (joints,)
#   masses                   of all that is no leg, and of the whole robot [kg], (2,)
LegTables = tuple[
    np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray,
    np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray,
]  # fmt: skip

# What is wished, one row an instant:
#   feet_R, feet_p  of both feet, (n, 2, 3, 3) and [m], (n, 2, 3)
#   com             [m], (n, 2)
#   base_R, base_z  of the base, (n, 3, 3) and [m], (n,)
#   preferred       leg angles [rad], (n, joints)
#   upper           centre of all that is no leg, in the base's frame [m], (n, 3)
WishTables = tuple[
    np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray
]


@compiled
def write_rows(
    legs: LegTables,
    wish: WishTables,
    row: int,
    p: np.ndarray,
    R: np.ndarray,
    q: np.ndarray,
    J: np.ndarray,
    e: np.ndarray,
) -> float:
    """Jacobian (14, 6 + joints) and error (14,) of a posture; the largest error [m, rad / 5].

    Args:
        legs: of the robot.
        wish: of the clip.
        row: which instant.
        p: of the base [m], (3,).
        R: of the base, (3, 3).
        q: leg angles [rad], (joints,).
        J: written.
        e: written.
    """
    straight, sine, versine, place, axis, mass, lever, foot_R, foot_p, _, _, _, masses = legs
    feet_R, feet_p, goal, _, _, _, upper = wish
    count = q.shape[0]
    k, total = count // 2, masses[1]
    rotation, turn = np.empty((k, 3, 3)), np.empty((3, 3))
    origin, axes = np.empty((k, 3)), np.empty((k, 3))
    at_R, at_p, vector = np.empty((3, 3)), np.empty(3), np.empty(3)
    com = np.empty(3)
    for i in range(3):
        com[i] = p[i]
        for j in range(3):
            com[i] += R[i, j] * upper[row, j]
        com[i] *= masses[0] / total
    J[:] = 0.0
    worst = 0.0
    for side in range(2):
        first, top = side * k, 6 * side
        for n in range(k):
            joint = first + n
            s, c = sin(q[joint]), 1.0 - cos(q[joint])
            for i in range(3):
                for j in range(3):
                    turn[i, j] = straight[joint, i, j] + s * sine[joint, i, j]
                    turn[i, j] += c * versine[joint, i, j]
            for i in range(3):
                if n == 0:
                    ux, uy, uz, o = R[i, 0], R[i, 1], R[i, 2], p[i]
                else:
                    ux, uy, uz = rotation[n - 1, i, 0], rotation[n - 1, i, 1], rotation[n - 1, i, 2]
                    o = origin[n - 1, i]
                origin[n, i] = (
                    o + ux * place[joint, 0] + uy * place[joint, 1] + uz * place[joint, 2]
                )
                for j in range(3):
                    rotation[n, i, j] = ux * turn[0, j] + uy * turn[1, j] + uz * turn[2, j]
                axes[n, i] = (
                    rotation[n, i, 0] * axis[joint, 0]
                    + rotation[n, i, 1] * axis[joint, 1]
                    + rotation[n, i, 2] * axis[joint, 2]
                )
        last = rotation[k - 1]
        for i in range(3):
            at_p[i] = origin[k - 1, i]
            for j in range(3):
                at_p[i] += last[i, j] * foot_p[side, j]
                at_R[i, j] = 0.0
                for m in range(3):
                    at_R[i, j] += last[i, m] * foot_R[side, m, j]
        for i in range(3):
            for j in range(3):
                turn[i, j] = 0.0
                for m in range(3):
                    turn[i, j] += feet_R[row, side, i, m] * at_R[j, m]
        rotation_vector(turn, vector)
        for i in range(3):
            e[top + i] = feet_p[row, side, i] - at_p[i]
            e[top + 3 + i] = vector[i]
            worst = max(worst, abs(e[top + i]), RADIAN * abs(vector[i]))
            J[top + i, i] = J[top + 3 + i, 3 + i] = 1.0
        dx, dy, dz = at_p[0] - p[0], at_p[1] - p[1], at_p[2] - p[2]
        J[top, 4], J[top, 5] = dz, -dy
        J[top + 1, 3], J[top + 1, 5] = -dz, dx
        J[top + 2, 3], J[top + 2, 4] = dy, -dx
        below, mx, my, mz = 0.0, 0.0, 0.0, 0.0
        for n in range(k - 1, -1, -1):
            joint, column = first + n, 6 + first + n
            m = mass[joint]
            x, y, z = origin[n, 0], origin[n, 1], origin[n, 2]
            lx, ly, lz = lever[joint, 0], lever[joint, 1], lever[joint, 2]
            T = rotation[n]
            below += m
            mx += m * (x + T[0, 0] * lx + T[0, 1] * ly + T[0, 2] * lz)
            my += m * (y + T[1, 0] * lx + T[1, 1] * ly + T[1, 2] * lz)
            mz += m * (z + T[2, 0] * lx + T[2, 1] * ly + T[2, 2] * lz)
            ax, ay, az = axes[n, 0], axes[n, 1], axes[n, 2]
            dx, dy, dz = at_p[0] - x, at_p[1] - y, at_p[2] - z
            J[top, column] = ay * dz - az * dy
            J[top + 1, column] = az * dx - ax * dz
            J[top + 2, column] = ax * dy - ay * dx
            J[top + 3, column], J[top + 4, column], J[top + 5, column] = ax, ay, az
            dx, dy, dz = mx - below * x, my - below * y, mz - below * z
            J[12, column] = (ay * dz - az * dy) / total
            J[13, column] = (az * dx - ax * dz) / total
        com[0] += mx / total
        com[1] += my / total
        com[2] += mz / total
    J[12, 0] = J[13, 1] = 1.0
    dx, dy, dz = com[0] - p[0], com[1] - p[1], com[2] - p[2]
    J[12, 4], J[12, 5] = dz, -dy
    J[13, 3], J[13, 5] = -dz, dx
    for i in range(2):
        e[12 + i] = goal[row, i] - com[i]
        worst = max(worst, abs(e[12 + i]))
    return worst


@compiled
def write_step(
    legs: LegTables,
    wish: WishTables,
    row: int,
    p: np.ndarray,
    R: np.ndarray,
    q: np.ndarray,
    J: np.ndarray,
    e: np.ndarray,
    x: np.ndarray,
) -> None:
    """Displacement of base and free leg joints, (6 + free,); the arguments of `write_rows`."""
    free, low, high = legs[9], legs[10], legs[11]
    base_R, base_z, preferred = wish[3], wish[4], wish[5]
    count, unknowns = free.shape[0], 6 + free.shape[1]
    A, AW = np.zeros((ROWS, unknowns)), np.empty((ROWS, unknowns))
    weight, pull = np.zeros(unknowns), np.zeros(unknowns)
    turn, vector = np.empty((3, 3)), np.empty(3)
    for i in range(3):
        for j in range(3):
            turn[i, j] = 0.0
            for m in range(3):
                turn[i, j] += base_R[row, i, m] * R[j, m]
    rotation_vector(turn, vector)
    weight[0] = weight[1] = SLIDE
    weight[2], weight[3], weight[4], weight[5] = HEIGHT, TILT, TILT, YAW
    pull[2] = HEIGHT * (base_z[row] - p[2])
    for i in range(3):
        pull[3 + i] = weight[3 + i] * vector[i]
    for r in range(ROWS):
        for c in range(6):
            A[r, c] = J[r, c]
    for joint in range(count):
        stiff, push = wall(q[joint], low[joint], high[joint])
        push += POSTURE * (preferred[row, joint] - q[joint])
        stiff += POSTURE
        for f in range(free.shape[1]):
            share = free[joint, f]
            if share != 0.0:
                weight[6 + f] += stiff * share * share
                pull[6 + f] += push * share
                for r in range(ROWS):
                    A[r, 6 + f] += share * J[r, 6 + joint]
    for c in range(unknowns):
        x[c] = pull[c] / weight[c]
        for r in range(ROWS):
            AW[r, c] = A[r, c] / weight[c]
    M, force = np.empty((ROWS, ROWS)), np.empty(ROWS)
    trace = 0.0
    for r in range(ROWS):
        for s in range(r + 1):
            total = 0.0
            for c in range(unknowns):
                total += AW[r, c] * A[s, c]
            M[r, s] = total
        trace += M[r, r]
    factor(M, DAMPING * trace / ROWS)
    for _ in range(2):  # once more for what damping and rounding left
        for r in range(ROWS):
            missing = e[r]
            for c in range(unknowns):
                missing -= A[r, c] * x[c]
            force[r] = missing
        substitute(M, force)
        for r in range(ROWS):
            for c in range(unknowns):
                x[c] += AW[r, c] * force[r]


@compiled
def wall(q: float, low: float, high: float) -> tuple[float, float]:
    """Stiffness and push of soft walls at a joint's limits.

    They rise smoothly, so that what is solved is a smooth function of time.
    """
    stiff = push = 0.0
    for sign, depth in ((-1.0, (q - high) / SOFT), (1.0, (low - q) / SOFT)):
        if depth > 0.0:
            near = exp(-depth)
            stiff += 1.0 / (1.0 + near)
            push += sign * (depth + log1p(near))
        elif depth > -40.0:
            near = exp(depth)
            stiff += near / (1.0 + near)
            push += sign * log1p(near)
    return WALL * stiff, WALL * SOFT * push


@compiled
def factor(M: np.ndarray, damping: float) -> None:
    """Cholesky's factor of M + damping, lower half, in the place of M's lower half."""
    n = M.shape[0]
    for j in range(n):
        d = M[j, j] + damping
        for m in range(j):
            d -= M[j, m] * M[j, m]
        d = sqrt(max(d, damping))
        M[j, j] = d
        for i in range(j + 1, n):
            s = M[i, j]
            for m in range(j):
                s -= M[i, m] * M[j, m]
            M[i, j] = s / d


@compiled
def substitute(L: np.ndarray, b: np.ndarray) -> None:
    """Solve L L' x = b for a lower half L; x in the place of b."""
    n = b.shape[0]
    for i in range(n):
        s = b[i]
        for m in range(i):
            s -= L[i, m] * b[m]
        b[i] = s / L[i, i]
    for i in range(n - 1, -1, -1):
        s = b[i]
        for m in range(i + 1, n):
            s -= L[m, i] * b[m]
        b[i] = s / L[i, i]


@compiled
def move(p: np.ndarray, R: np.ndarray, q: np.ndarray, free: np.ndarray, x: np.ndarray) -> float:
    """Displace a posture by a step, at most LONGEST; how large it was [rad]."""
    size = 0.0
    for c in range(3, x.shape[0]):
        size = max(size, abs(x[c]))
    shrink = min(1.0, LONGEST / max(size, 1e-12))
    angle = shrink * sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5])
    # sin(a)/a and (1 - cos(a))/a², of the rotation by the vector
    half = 0.5 * angle
    a = sin(angle) / angle if angle > 1e-6 else 1.0
    b = 2.0 * (sin(half) / angle) ** 2 if angle > 1e-6 else 0.5
    wx, wy, wz = shrink * x[3], shrink * x[4], shrink * x[5]
    for j in range(3):
        rx, ry, rz = R[0, j], R[1, j], R[2, j]
        cx, cy, cz = wy * rz - wz * ry, wz * rx - wx * rz, wx * ry - wy * rx
        R[0, j] = rx + a * cx + b * (wy * cz - wz * cy)
        R[1, j] = ry + a * cy + b * (wz * cx - wx * cz)
        R[2, j] = rz + a * cz + b * (wx * cy - wy * cx)
    for i in range(3):
        p[i] += shrink * x[i]
    for joint in range(q.shape[0]):
        for f in range(free.shape[1]):
            q[joint] += shrink * free[joint, f] * x[6 + f]
    return size


@compiled
def solve_instant(
    legs: LegTables,
    wish: WishTables,
    row: int,
    p: np.ndarray,
    R: np.ndarray,
    q: np.ndarray,
    stops: tuple[float, float, int],
) -> tuple[float, int]:
    """Move a posture until its wishes hold; the error that is left [m, rad / 5], and the rounds.

    Args:
        legs: of the robot.
        wish: of the clip.
        row: which instant.
        p: of the base [m], (3,), moved.
        R: of the base, (3, 3), moved.
        q: leg angles [rad], (joints,), moved.
        stops: where errors [m] and free steps [rad] are small enough; rounds at most.
    """
    exact, settled, rounds = stops
    free = legs[9]
    J, e, x = np.empty((ROWS, 6 + q.shape[0])), np.empty(ROWS), np.empty(6 + free.shape[1])
    done = 0
    worst = write_rows(legs, wish, row, p, R, q, J, e)
    while done < rounds:
        write_step(legs, wish, row, p, R, q, J, e, x)
        size = move(p, R, q, free, x)
        worst = write_rows(legs, wish, row, p, R, q, J, e)
        done += 1
        # after a step so small the next one would be its square
        if worst < exact and size < settled:
            break
    return worst, done


@compiled
def solve_clip(
    legs: LegTables,
    wish: WishTables,
    p: np.ndarray,
    R: np.ndarray,
    q: np.ndarray,
    stops: tuple[float, float, int],
    follow: bool,
    residual: np.ndarray,
) -> int:
    """Solve every instant of a clip; how many rounds that took in all.

    Args:
        legs: of the robot.
        wish: of the clip.
        p: of the base [m], (n, 3), moved.
        R: of the base, (n, 3, 3), moved.
        q: leg angles [rad], (n, joints), moved.
        stops: as in `solve_instant`.
        follow: begin each instant at the solution of the one before, its own place otherwise.
        residual: error that is left [m, rad / 5], (n,), written.
    """
    goal, total = wish[2], 0
    first_p, first_R, first_q = np.empty(3), np.empty((3, 3)), np.empty(q.shape[1])
    for row in range(p.shape[0]):
        near = follow and row > 0 and residual[row - 1] < stops[0]
        if near:
            first_p[:], first_R[:], first_q[:] = p[row], R[row], q[row]
            for i in range(2):
                p[row, i] = p[row - 1, i] + goal[row, i] - goal[row - 1, i]
            p[row, 2] = p[row - 1, 2]
            R[row], q[row] = R[row - 1], q[row - 1]
        residual[row], done = solve_instant(legs, wish, row, p[row], R[row], q[row], stops)
        total += done
        if near and residual[row] >= stops[0]:
            p[row], R[row], q[row] = first_p, first_R, first_q
            residual[row], done = solve_instant(legs, wish, row, p[row], R[row], q[row], stops)
            total += done
    return total
