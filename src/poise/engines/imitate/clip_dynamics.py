"""Inverse dynamics of a whole clip, as one compiled loop over its instants.

Newton and Euler in world axes: bodies from the base outwards for what moves how, and back again
for what that asks of the joints and of the ground.
"""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled
from poise.engines.imitate.many_postures import ROOT, Joints
from poise.robot.robot import BASE_Q, BASE_V, GRAVITY

# Compiled loops take plain tuples quickest. The bodies of a robot, the base first:
#   parent                   number of the body that carries each, (bodies,)
#   straight, sine, versine  rotation of a joint = straight + sin q sine + (1 - cos q) versine
#   place                    of a joint on its parent [m], (bodies, 3)
#   axis                     (bodies, 3)
#   mass, lever              [kg], (bodies,) and [m], (bodies, 3)
#   inertia                  about the centre of mass, the body's axes [kg m^2], (bodies, 3, 3)
#   armature                 of the motors [kg m^2], (bodies,)
BodyTables = tuple[
    np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray,
    np.ndarray, np.ndarray, np.ndarray,
]  # fmt: skip


def body_tables(joints: Joints) -> BodyTables:
    """The bodies of a robot as compiled loops take them."""
    model = joints.robot.model
    bodies = slice(ROOT, None)
    straight, sine, versine = joints.turns
    armature = np.concatenate([[0.0], np.asarray(model.armature)[BASE_V:]])
    return (
        joints.parent[bodies] - ROOT,
        straight[bodies],
        sine[bodies],
        versine[bodies],
        joints.place_p[bodies],
        joints.axis[bodies],
        joints.mass[bodies],
        joints.lever[bodies],
        np.array([body.inertia for body in model.inertias])[bodies],
        armature,
    )


@compiled
def clip_dynamics(
    tables: BodyTables,
    q: np.ndarray,
    base_R: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    wrench: np.ndarray,
    torques: np.ndarray,
    com: np.ndarray,
) -> None:
    """What a path of postures asks for, gravity included.

    Args:
        tables: of the robot.
        q: postures, (n, nq).
        base_R: orientations of the base, (n, 3, 3).
        v: velocities, base axes, (n, nv).
        a: accelerations as Pinocchio has them, base axes, (n, nv).
        wrench: of the ground about the world's origin: force [N], moment [N m], (n, 6), written.
        torques: of the joints with the contacts left out [N m], (n, na), written.
        com: [m], (n, 3), written.
    """
    parent, straight, sine, versine, place, axis, mass, lever, inertia, armature = tables
    count = mass.shape[0]
    R, turn = np.empty((count, 3, 3)), np.empty((3, 3))
    p, spin, spin_rate, acc = (
        np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3)),
    )  # fmt: skip
    force, moment, axes = np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3))
    arm, w, dw, h, n, r = (
        np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3),
    )  # fmt: skip
    total = mass.sum()
    for row in range(q.shape[0]):
        com[row] = 0.0
        for b in range(count):
            if b == 0:
                R[0] = base_R[row]
                for i in range(3):
                    j, k = (i + 1) % 3, (i + 2) % 3
                    # the body's own axes turn: that is no acceleration of its origin
                    h[i] = a[row, i] + v[row, 3 + j] * v[row, k] - v[row, 3 + k] * v[row, j]
                for i in range(3):
                    p[0, i] = q[row, i]
                    spin[0, i] = spin_rate[0, i] = acc[0, i] = 0.0
                    for j in range(3):
                        spin[0, i] += R[0, i, j] * v[row, 3 + j]
                        spin_rate[0, i] += R[0, i, j] * a[row, 3 + j]
                        acc[0, i] += R[0, i, j] * h[j]
            else:
                up = parent[b]
                angle, rate, rate2 = q[row, BASE_Q - 1 + b], v[row, 5 + b], a[row, 5 + b]
                s, c = np.sin(angle), 1.0 - np.cos(angle)
                for i in range(3):
                    for j in range(3):
                        turn[i, j] = straight[b, i, j] + s * sine[b, i, j] + c * versine[b, i, j]
                for i in range(3):
                    x, y, z = R[up, i, 0], R[up, i, 1], R[up, i, 2]
                    r[i] = x * place[b, 0] + y * place[b, 1] + z * place[b, 2]
                    p[b, i] = p[up, i] + r[i]
                    for j in range(3):
                        R[b, i, j] = x * turn[0, j] + y * turn[1, j] + z * turn[2, j]
                    axes[b, i] = (
                        R[b, i, 0] * axis[b, 0] + R[b, i, 1] * axis[b, 1] + R[b, i, 2] * axis[b, 2]
                    )
                _carried(acc[up], spin[up], spin_rate[up], r, acc[b])
                for i in range(3):
                    j, k = (i + 1) % 3, (i + 2) % 3
                    spin[b, i] = spin[up, i] + axes[b, i] * rate
                    spin_rate[b, i] = spin_rate[up, i] + axes[b, i] * rate2
                    spin_rate[b, i] += rate * (spin[up, j] * axes[b, k] - spin[up, k] * axes[b, j])
            for i in range(3):
                arm[i] = w[i] = dw[i] = 0.0
                for j in range(3):
                    arm[i] += R[b, i, j] * lever[b, j]
                    w[i] += R[b, j, i] * spin[b, j]
                    dw[i] += R[b, j, i] * spin_rate[b, j]
            _carried(acc[b], spin[b], spin_rate[b], arm, force[b])
            force[b, 2] += GRAVITY
            for i in range(3):
                force[b, i] *= mass[b]
                com[row, i] += mass[b] * (p[b, i] + arm[i]) / total
                h[i] = n[i] = 0.0
                for j in range(3):
                    h[i] += inertia[b, i, j] * w[j]
                    n[i] += inertia[b, i, j] * dw[j]
            turn[0, 0] = n[0] + w[1] * h[2] - w[2] * h[1]
            turn[0, 1] = n[1] + w[2] * h[0] - w[0] * h[2]
            turn[0, 2] = n[2] + w[0] * h[1] - w[1] * h[0]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                moment[b, i] = (p[b, j] + arm[j]) * force[b, k] - (p[b, k] + arm[k]) * force[b, j]
                for m in range(3):
                    moment[b, i] += R[b, i, m] * turn[0, m]
        for b in range(count - 1, 0, -1):
            up, torque = parent[b], armature[b] * a[row, 5 + b]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                about = moment[b, i] - p[b, j] * force[b, k] + p[b, k] * force[b, j]
                torque += axes[b, i] * about
            torques[row, b - 1] = torque
            for i in range(3):
                force[up, i] += force[b, i]
                moment[up, i] += moment[b, i]
        for i in range(3):
            wrench[row, i], wrench[row, 3 + i] = force[0, i], moment[0, i]


@compiled
def _carried(
    acc: np.ndarray, spin: np.ndarray, spin_rate: np.ndarray, arm: np.ndarray, out: np.ndarray
) -> None:
    """Acceleration of a point at an arm from a moving origin, (3,)."""
    x = spin[1] * arm[2] - spin[2] * arm[1]
    y = spin[2] * arm[0] - spin[0] * arm[2]
    z = spin[0] * arm[1] - spin[1] * arm[0]
    out[0] = acc[0] + spin_rate[1] * arm[2] - spin_rate[2] * arm[1] + spin[1] * z - spin[2] * y
    out[1] = acc[1] + spin_rate[2] * arm[0] - spin_rate[0] * arm[2] + spin[2] * x - spin[0] * z
    out[2] = acc[2] + spin_rate[0] * arm[1] - spin_rate[1] * arm[0] + spin[0] * y - spin[1] * x
