"""Inverse dynamics with all first derivatives at many instants, as one compiled loop.

Pinocchio's derivatives are as fast, but its Python calls hold the interpreter: two threads take
turns. This loop lets it go, writes each entry where it is used, and knows which entries are zero.

Every coordinate is a joint of its own that turns about or slides along an axis; a body hangs on
the last coordinate of its joint. Vectors are in world axes about the world's origin, linear
part first. With S a coordinate's motion, S' and S'' how it is carried along by the coordinates
before it, I the inertia, B the velocity-product matrix and f the force of all that hangs on i
(Singh, Russo and Wensing 2022), for j before or at i:

    dtau_i/dq_j = S_i (2B S'_j + I S''_j)    dtau_j/dq_i = S_j (2B S'_i + I S''_i + S_i x* f)
    dtau_i/dv_j = S_i (2B S_j + 2I S'_j)     dtau_j/dv_i = S_j (2B S_i + 2I S'_i)

In these axes 2B is [0, -2 [h]; 0, A] with the linear momentum h and a 3 x 3 matrix A.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from poise.compiled import compiled_alone

SLIDES, TURNS = 0, 1


class Tree(NamedTuple):
    """A model's coordinates (nv), each moving what hangs on it along or about one axis."""

    parent: np.ndarray  # coordinate before it, -1 at the world
    kind: np.ndarray  # SLIDES or TURNS
    R: np.ndarray  # (nv, 3, 3), orientation in the frame of the coordinate before it, at zero
    p: np.ndarray  # [m], (nv, 3)
    axis: np.ndarray  # (nv, 3)
    mass: np.ndarray  # [kg], (nv,), of the body that hangs on it, if any
    lever: np.ndarray  # [m], (nv, 3), its centre of mass
    inertia: np.ndarray  # [kg m^2], (nv, 3, 3), about that
    armature: np.ndarray  # [kg m^2], (nv,)
    gravity: np.ndarray  # [m/s^2], (3,)
    watched: np.ndarray  # coordinates whose frames are wanted


def tree_of(model: pin.Model, joints: tuple[int, ...]) -> Tree:
    """Of a model whose coordinates all add; the frames of some of its joints are wanted."""
    nv = model.nv
    parent, kind = np.full(nv, -1), np.zeros(nv, dtype=int)
    R, p, axis = np.tile(np.eye(3), (nv, 1, 1)), np.zeros((nv, 3)), np.zeros((nv, 3))
    mass, lever, inertia = np.zeros(nv), np.zeros((nv, 3)), np.zeros((nv, 3, 3))
    data = model.createData()
    pin.computeJointJacobians(model, data, np.zeros(nv))
    last = np.full(model.njoints, -1)
    for j in range(1, model.njoints):
        start, count = model.idx_vs[j], model.nvs[j]
        last[j] = start + count - 1
        T = model.jointPlacements[j]
        R[start], p[start] = T.rotation, T.translation
        parent[start : start + count] = [last[model.parents[j]], *range(start, last[j])]
        S = data.oMi[j].toActionMatrixInverse() @ data.J[:, start : start + count]
        turns = np.linalg.norm(S[3:], axis=0) > 0.5
        kind[start : start + count] = np.where(turns, TURNS, SLIDES)
        axis[start : start + count] = np.where(turns, S[3:], S[:3]).T
        body = model.inertias[j]
        mass[last[j]], lever[last[j]], inertia[last[j]] = body.mass, body.lever, body.inertia
    gravity = np.array(model.gravity.linear)
    armature = np.array(model.armature)
    watched = last[list(joints)]
    return Tree(parent, kind, R, p, axis, mass, lever, inertia, armature, gravity, watched)


@compiled_alone
def newton_euler(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    tau: np.ndarray,
    tau_by: np.ndarray,
    Jt: np.ndarray,
    frames: np.ndarray,
) -> None:
    """Fill in tau (n, nv), tau_by (n, 3, nv, nv), Jt (n, nv, 6) and frames (n, watched, 3, 4).

    Args:
        tree: the robot.
        q: coordinates (n, nv).
        v: rates.
        a: accelerations.
        tau: takes the generalised forces.
        tau_by: takes their derivatives by q, v and a.
        Jt: takes the motions of the coordinates.
        frames: takes orientations and places of the watched coordinates.
    """
    nv = q.shape[1]
    R, p = np.empty((nv, 3, 3)), np.empty((nv, 3))
    speed, pace = np.empty((nv, 6)), np.empty((nv, 6))  # velocities and accelerations
    once, twice = np.empty((nv, 6)), np.empty((nv, 6))  # S' and S''
    mass, first, second = np.empty(nv), np.empty((nv, 3)), np.empty((nv, 3, 3))
    h, A, force = np.empty((nv, 3)), np.empty((nv, 3, 3)), np.empty((nv, 6))
    turned, base = np.empty((3, 3)), np.empty(3)
    for n in range(len(q)):
        S = Jt[n]
        for k in range(nv):
            before = tree.parent[k]
            # -- where it is
            if before < 0:
                turned[:] = tree.R[k]
                base[:] = tree.p[k]
            else:
                for i in range(3):
                    base[i] = p[before, i]
                    for j in range(3):
                        base[i] += R[before, i, j] * tree.p[k, j]
                        turned[i, j] = (
                            R[before, i, 0] * tree.R[k, 0, j]
                            + R[before, i, 1] * tree.R[k, 1, j]
                            + R[before, i, 2] * tree.R[k, 2, j]
                        )
            x, y, z = tree.axis[k, 0], tree.axis[k, 1], tree.axis[k, 2]
            zx = turned[0, 0] * x + turned[0, 1] * y + turned[0, 2] * z
            zy = turned[1, 0] * x + turned[1, 1] * y + turned[1, 2] * z
            zz = turned[2, 0] * x + turned[2, 1] * y + turned[2, 2] * z
            if tree.kind[k] == SLIDES:
                S[k, 0], S[k, 1], S[k, 2], S[k, 3], S[k, 4], S[k, 5] = zx, zy, zz, 0.0, 0.0, 0.0
                p[k, 0] = base[0] + q[n, k] * zx
                p[k, 1] = base[1] + q[n, k] * zy
                p[k, 2] = base[2] + q[n, k] * zz
                for i in range(3):
                    for j in range(3):
                        R[k, i, j] = turned[i, j]
            else:
                S[k, 0] = base[1] * zz - base[2] * zy
                S[k, 1] = base[2] * zx - base[0] * zz
                S[k, 2] = base[0] * zy - base[1] * zx
                S[k, 3], S[k, 4], S[k, 5] = zx, zy, zz
                p[k, 0], p[k, 1], p[k, 2] = base[0], base[1], base[2]
                c, s = np.cos(q[n, k]), np.sin(q[n, k])
                for j in range(3):  # every column turned about the axis, world
                    u0, u1, u2 = turned[0, j], turned[1, j], turned[2, j]
                    along = (zx * u0 + zy * u1 + zz * u2) * (1.0 - c)
                    R[k, 0, j] = c * u0 + s * (zy * u2 - zz * u1) + along * zx
                    R[k, 1, j] = c * u1 + s * (zz * u0 - zx * u2) + along * zy
                    R[k, 2, j] = c * u2 + s * (zx * u1 - zy * u0) + along * zz
            # -- how it moves; first how what is before it moves
            v0, v1, v2, w0, w1, w2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            a0, a1, a2 = -tree.gravity[0], -tree.gravity[1], -tree.gravity[2]
            b0, b1, b2 = 0.0, 0.0, 0.0
            if before >= 0:
                v0, v1, v2 = speed[before, 0], speed[before, 1], speed[before, 2]
                w0, w1, w2 = speed[before, 3], speed[before, 4], speed[before, 5]
                a0, a1, a2 = pace[before, 0], pace[before, 1], pace[before, 2]
                b0, b1, b2 = pace[before, 3], pace[before, 4], pace[before, 5]
            s0, s1, s2, s3, s4, s5 = S[k, 0], S[k, 1], S[k, 2], S[k, 3], S[k, 4], S[k, 5]
            o0 = w1 * s2 - w2 * s1 + v1 * s5 - v2 * s4
            o1 = w2 * s0 - w0 * s2 + v2 * s3 - v0 * s5
            o2 = w0 * s1 - w1 * s0 + v0 * s4 - v1 * s3
            o3, o4, o5 = w1 * s5 - w2 * s4, w2 * s3 - w0 * s5, w0 * s4 - w1 * s3
            once[k, 0], once[k, 1], once[k, 2] = o0, o1, o2
            once[k, 3], once[k, 4], once[k, 5] = o3, o4, o5
            twice[k, 0] = (
                w1 * o2 - w2 * o1 + v1 * o5 - v2 * o4 + b1 * s2 - b2 * s1 + a1 * s5 - a2 * s4
            )
            twice[k, 1] = (
                w2 * o0 - w0 * o2 + v2 * o3 - v0 * o5 + b2 * s0 - b0 * s2 + a2 * s3 - a0 * s5
            )
            twice[k, 2] = (
                w0 * o1 - w1 * o0 + v0 * o4 - v1 * o3 + b0 * s1 - b1 * s0 + a0 * s4 - a1 * s3
            )
            twice[k, 3] = w1 * o5 - w2 * o4 + b1 * s5 - b2 * s4
            twice[k, 4] = w2 * o3 - w0 * o5 + b2 * s3 - b0 * s5
            twice[k, 5] = w0 * o4 - w1 * o3 + b0 * s4 - b1 * s3
            r, u = v[n, k], a[n, k]
            v0, v1, v2 = v0 + s0 * r, v1 + s1 * r, v2 + s2 * r
            w0, w1, w2 = w0 + s3 * r, w1 + s4 * r, w2 + s5 * r
            a0, a1, a2 = a0 + s0 * u + o0 * r, a1 + s1 * u + o1 * r, a2 + s2 * u + o2 * r
            b0, b1, b2 = b0 + s3 * u + o3 * r, b1 + s4 * u + o4 * r, b2 + s5 * u + o5 * r
            speed[k, 0], speed[k, 1], speed[k, 2] = v0, v1, v2
            speed[k, 3], speed[k, 4], speed[k, 5] = w0, w1, w2
            pace[k, 0], pace[k, 1], pace[k, 2] = a0, a1, a2
            pace[k, 3], pace[k, 4], pace[k, 5] = b0, b1, b2
            # -- what hangs on it: moments of its mass about the origin, momentum and force
            m = tree.mass[k]
            mass[k] = m
            if m == 0.0:
                for i in range(3):
                    first[k, i], h[k, i], force[k, i], force[k, 3 + i] = 0.0, 0.0, 0.0, 0.0
                    for j in range(3):
                        second[k, i, j], A[k, i, j] = 0.0, 0.0
                continue
            x, y, z = tree.lever[k, 0], tree.lever[k, 1], tree.lever[k, 2]
            cx = p[k, 0] + R[k, 0, 0] * x + R[k, 0, 1] * y + R[k, 0, 2] * z
            cy = p[k, 1] + R[k, 1, 0] * x + R[k, 1, 1] * y + R[k, 1, 2] * z
            cz = p[k, 2] + R[k, 2, 0] * x + R[k, 2, 1] * y + R[k, 2, 2] * z
            f0, f1, f2 = m * cx, m * cy, m * cz
            for i in range(3):
                for j in range(3):
                    turned[i, j] = (
                        R[k, i, 0] * tree.inertia[k, 0, j]
                        + R[k, i, 1] * tree.inertia[k, 1, j]
                        + R[k, i, 2] * tree.inertia[k, 2, j]
                    )
            xx = turned[0, 0] * R[k, 0, 0] + turned[0, 1] * R[k, 0, 1] + turned[0, 2] * R[k, 0, 2]
            yy = turned[1, 0] * R[k, 1, 0] + turned[1, 1] * R[k, 1, 1] + turned[1, 2] * R[k, 1, 2]
            zz = turned[2, 0] * R[k, 2, 0] + turned[2, 1] * R[k, 2, 1] + turned[2, 2] * R[k, 2, 2]
            xy = turned[0, 0] * R[k, 1, 0] + turned[0, 1] * R[k, 1, 1] + turned[0, 2] * R[k, 1, 2]
            xz = turned[0, 0] * R[k, 2, 0] + turned[0, 1] * R[k, 2, 1] + turned[0, 2] * R[k, 2, 2]
            yz = turned[1, 0] * R[k, 2, 0] + turned[1, 1] * R[k, 2, 1] + turned[1, 2] * R[k, 2, 2]
            xx, yy, zz = xx + f1 * cy + f2 * cz, yy + f0 * cx + f2 * cz, zz + f0 * cx + f1 * cy
            xy, xz, yz = xy - f0 * cy, xz - f0 * cz, yz - f1 * cz
            h0 = m * v0 - (f1 * w2 - f2 * w1)
            h1 = m * v1 - (f2 * w0 - f0 * w2)
            h2 = m * v2 - (f0 * w1 - f1 * w0)
            n0 = f1 * v2 - f2 * v1 + xx * w0 + xy * w1 + xz * w2
            n1 = f2 * v0 - f0 * v2 + xy * w0 + yy * w1 + yz * w2
            n2 = f0 * v1 - f1 * v0 + xz * w0 + yz * w1 + zz * w2
            force[k, 0] = m * a0 - (f1 * b2 - f2 * b1) + w1 * h2 - w2 * h1
            force[k, 1] = m * a1 - (f2 * b0 - f0 * b2) + w2 * h0 - w0 * h2
            force[k, 2] = m * a2 - (f0 * b1 - f1 * b0) + w0 * h1 - w1 * h0
            g0 = f1 * a2 - f2 * a1 + xx * b0 + xy * b1 + xz * b2
            g1 = f2 * a0 - f0 * a2 + xy * b0 + yy * b1 + yz * b2
            g2 = f0 * a1 - f1 * a0 + xz * b0 + yz * b1 + zz * b2
            force[k, 3] = g0 + w1 * n2 - w2 * n1 + v1 * h2 - v2 * h1
            force[k, 4] = g1 + w2 * n0 - w0 * n2 + v2 * h0 - v0 * h2
            force[k, 5] = g2 + w0 * n1 - w1 * n0 + v0 * h1 - v1 * h0
            # A = -m ([v][c] + [c][v]) + [w] I - I [w] - [n], with the angular momentum n; the
            # first and the middle two parts are symmetric, the last is not
            dot = 2.0 * (v0 * f0 + v1 * f1 + v2 * f2)
            A[k, 0, 0] = dot - 2.0 * v0 * f0 + 2.0 * (w1 * xz - w2 * xy)
            A[k, 1, 1] = dot - 2.0 * v1 * f1 + 2.0 * (w2 * xy - w0 * yz)
            A[k, 2, 2] = dot - 2.0 * v2 * f2 + 2.0 * (w0 * yz - w1 * xz)
            both = -v0 * f1 - v1 * f0 + w1 * yz - w2 * yy + w2 * xx - w0 * xz
            A[k, 0, 1], A[k, 1, 0] = both + n2, both - n2
            both = -v0 * f2 - v2 * f0 + w1 * zz - w2 * yz + w0 * xy - w1 * xx
            A[k, 0, 2], A[k, 2, 0] = both - n1, both + n1
            both = -v1 * f2 - v2 * f1 + w2 * xz - w0 * zz + w0 * yy - w1 * xy
            A[k, 1, 2], A[k, 2, 1] = both + n0, both - n0
            first[k, 0], first[k, 1], first[k, 2] = f0, f1, f2
            h[k, 0], h[k, 1], h[k, 2] = h0, h1, h2
            second[k, 0, 0], second[k, 1, 1], second[k, 2, 2] = xx, yy, zz
            second[k, 0, 1], second[k, 1, 0] = xy, xy
            second[k, 0, 2], second[k, 2, 0] = xz, xz
            second[k, 1, 2], second[k, 2, 1] = yz, yz
        for w in range(len(tree.watched)):
            k = tree.watched[w]
            for i in range(3):
                frames[n, w, i, 3] = p[k, i]
                for j in range(3):
                    frames[n, w, i, j] = R[k, i, j]
        tau_by[n] = 0.0
        _backwards(tree, n, S, once, twice, mass, first, second, h, A, force, a, tau, tau_by)


@compiled_alone
def _backwards(tree, n, S, once, twice, mass, first, second, h, A, force, a, tau, tau_by):
    by_q, by_v, by_a = tau_by[n, 0], tau_by[n, 1], tau_by[n, 2]
    for k in range(S.shape[0] - 1, -1, -1):
        m, e0, e1, e2 = mass[k], first[k, 0], first[k, 1], first[k, 2]
        xx, yy, zz = second[k, 0, 0], second[k, 1, 1], second[k, 2, 2]
        xy, xz, yz = second[k, 0, 1], second[k, 0, 2], second[k, 1, 2]
        h0, h1, h2 = 2.0 * h[k, 0], 2.0 * h[k, 1], 2.0 * h[k, 2]
        f0, f1, f2, f3, f4, f5 = (
            *(force[k, 0], force[k, 1], force[k, 2]),
            *(force[k, 3], force[k, 4], force[k, 5]),
        )
        s0, s1, s2, s3, s4, s5 = S[k, 0], S[k, 1], S[k, 2], S[k, 3], S[k, 4], S[k, 5]
        # I S
        c0 = m * s0 - (e1 * s5 - e2 * s4)
        c1 = m * s1 - (e2 * s3 - e0 * s5)
        c2 = m * s2 - (e0 * s4 - e1 * s3)
        c3 = e1 * s2 - e2 * s1 + xx * s3 + xy * s4 + xz * s5
        c4 = e2 * s0 - e0 * s2 + xy * s3 + yy * s4 + yz * s5
        c5 = e0 * s1 - e1 * s0 + xz * s3 + yz * s4 + zz * s5
        # S 2B, whose linear part is zero
        d3 = h1 * s2 - h2 * s1 + A[k, 0, 0] * s3 + A[k, 1, 0] * s4 + A[k, 2, 0] * s5
        d4 = h2 * s0 - h0 * s2 + A[k, 0, 1] * s3 + A[k, 1, 1] * s4 + A[k, 2, 1] * s5
        d5 = h0 * s1 - h1 * s0 + A[k, 0, 2] * s3 + A[k, 1, 2] * s4 + A[k, 2, 2] * s5
        # 2B S + 2I S'
        o0, o1, o2 = 2.0 * once[k, 0], 2.0 * once[k, 1], 2.0 * once[k, 2]
        o3, o4, o5 = 2.0 * once[k, 3], 2.0 * once[k, 4], 2.0 * once[k, 5]
        a0 = m * o0 - (e1 * o5 - e2 * o4) - (h1 * s5 - h2 * s4)
        a1 = m * o1 - (e2 * o3 - e0 * o5) - (h2 * s3 - h0 * s5)
        a2 = m * o2 - (e0 * o4 - e1 * o3) - (h0 * s4 - h1 * s3)
        a3 = e1 * o2 - e2 * o1 + xx * o3 + xy * o4 + xz * o5
        a4 = e2 * o0 - e0 * o2 + xy * o3 + yy * o4 + yz * o5
        a5 = e0 * o1 - e1 * o0 + xz * o3 + yz * o4 + zz * o5
        a3 += A[k, 0, 0] * s3 + A[k, 0, 1] * s4 + A[k, 0, 2] * s5
        a4 += A[k, 1, 0] * s3 + A[k, 1, 1] * s4 + A[k, 1, 2] * s5
        a5 += A[k, 2, 0] * s3 + A[k, 2, 1] * s4 + A[k, 2, 2] * s5
        # 2B S' + I S'' + S x* f
        o3, o4, o5 = once[k, 3], once[k, 4], once[k, 5]
        t0, t1, t2, t3, t4, t5 = (
            *(twice[k, 0], twice[k, 1], twice[k, 2]),
            *(twice[k, 3], twice[k, 4], twice[k, 5]),
        )
        b0 = m * t0 - (e1 * t5 - e2 * t4) - (h1 * o5 - h2 * o4) + s4 * f2 - s5 * f1
        b1 = m * t1 - (e2 * t3 - e0 * t5) - (h2 * o3 - h0 * o5) + s5 * f0 - s3 * f2
        b2 = m * t2 - (e0 * t4 - e1 * t3) - (h0 * o4 - h1 * o3) + s3 * f1 - s4 * f0
        b3 = e1 * t2 - e2 * t1 + xx * t3 + xy * t4 + xz * t5
        b4 = e2 * t0 - e0 * t2 + xy * t3 + yy * t4 + yz * t5
        b5 = e0 * t1 - e1 * t0 + xz * t3 + yz * t4 + zz * t5
        b3 += A[k, 0, 0] * o3 + A[k, 0, 1] * o4 + A[k, 0, 2] * o5
        b4 += A[k, 1, 0] * o3 + A[k, 1, 1] * o4 + A[k, 1, 2] * o5
        b5 += A[k, 2, 0] * o3 + A[k, 2, 1] * o4 + A[k, 2, 2] * o5
        b3 += s4 * f5 - s5 * f4 + s1 * f2 - s2 * f1
        b4 += s5 * f3 - s3 * f5 + s2 * f0 - s0 * f2
        b5 += s3 * f4 - s4 * f3 + s0 * f1 - s1 * f0
        tau[n, k] = tree.armature[k] * a[n, k]
        tau[n, k] += s0 * f0 + s1 * f1 + s2 * f2 + s3 * f3 + s4 * f4 + s5 * f5
        j = k
        while j >= 0:
            s0, s1, s2, s3, s4, s5 = S[j, 0], S[j, 1], S[j, 2], S[j, 3], S[j, 4], S[j, 5]
            o3, o4, o5 = once[j, 3], once[j, 4], once[j, 5]
            along = c0 * once[j, 0] + c1 * once[j, 1] + c2 * once[j, 2]
            along += c3 * o3 + c4 * o4 + c5 * o5
            far = c0 * twice[j, 0] + c1 * twice[j, 1] + c2 * twice[j, 2]
            far += c3 * twice[j, 3] + c4 * twice[j, 4] + c5 * twice[j, 5]
            both = c0 * s0 + c1 * s1 + c2 * s2 + c3 * s3 + c4 * s4 + c5 * s5
            by_a[k, j] = both
            by_a[j, k] = both
            by_v[j, k] = a0 * s0 + a1 * s1 + a2 * s2 + a3 * s3 + a4 * s4 + a5 * s5
            by_q[j, k] = b0 * s0 + b1 * s1 + b2 * s2 + b3 * s3 + b4 * s4 + b5 * s5
            by_v[k, j] = d3 * s3 + d4 * s4 + d5 * s5 + 2.0 * along
            by_q[k, j] = d3 * o3 + d4 * o4 + d5 * o5 + far
            j = tree.parent[j]
        by_a[k, k] += tree.armature[k]
        up = tree.parent[k]
        if up >= 0:  # what hangs on it hangs on the one before, too
            mass[up] += m
            for i in range(3):
                first[up, i] += first[k, i]
                h[up, i] += h[k, i]
                force[up, i] += force[k, i]
                force[up, 3 + i] += force[k, 3 + i]
                for j in range(3):
                    second[up, i, j] += second[k, i, j]
                    A[up, i, j] += A[k, i, j]
