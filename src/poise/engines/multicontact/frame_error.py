"""How far a frame of the robot is from where it should rest, and its derivatives."""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled_alone


@compiled_alone
def frame_error(R, p, Jt, chain, R_joint, p_joint, R_surface, R_goal, p_goal, value, by):
    """Fill in places in surface axes and, unless the rows are only three, turns, at instants (n).

    Args:
        R: orientation of the joint, (n, 3, 3).
        p: place of the joint [m], (n, 3).
        Jt: motions about the world's origin, (n, nv, 6).
        chain: coordinates that move the joint (c,).
        R_joint: orientation of the frame on the joint.
        p_joint: its place there [m].
        R_surface: axes along which places are told.
        R_goal: where the frame should rest.
        p_goal: the same [m].
        value: takes the errors, (n, rows); turns as the vector of R_goal' R's antisymmetric part.
        by: takes derivatives by the chain, (n, rows, c).

    Returns:
        Derivatives of the turns by a yaw of the goal, (n, 3).
    """
    turns = value.shape[1] > 3
    R_c, E, V, x = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    by_yaw = np.zeros((len(p), 3))
    for n in range(len(p)):
        for a in range(3):
            x[a] = p[n, a]
            for b in range(3):
                x[a] += R[n, a, b] * p_joint[b]
                R_c[a, b] = 0.0
                for c in range(3):
                    R_c[a, b] += R[n, a, c] * R_joint[c, b]
        for a in range(3):
            value[n, a] = 0.0
            for b in range(3):
                value[n, a] += R_surface[b, a] * (x[b] - p_goal[b])
        if turns:
            for a in range(3):
                for b in range(3):
                    E[a, b] = 0.0
                    for c in range(3):
                        E[a, b] += R_goal[c, a] * R_c[c, b]
            trace = E[0, 0] + E[1, 1] + E[2, 2]
            value[n, 3] = 0.5 * (E[2, 1] - E[1, 2])
            value[n, 4] = 0.5 * (E[0, 2] - E[2, 0])
            value[n, 5] = 0.5 * (E[1, 0] - E[0, 1])
            for a in range(3):
                by_yaw[n, a] = 0.5 * E[a, 2]
                for b in range(3):  # (trace - E') R_c'
                    V[a, b] = trace * R_c[b, a]
                    for c in range(3):
                        V[a, b] -= E[c, a] * R_c[b, c]
            by_yaw[n, 2] -= 0.5 * trace
        for c in range(len(chain)):
            k = chain[c]
            w0, w1, w2 = Jt[n, k, 3], Jt[n, k, 4], Jt[n, k, 5]
            v0 = Jt[n, k, 0] + w1 * x[2] - w2 * x[1]
            v1 = Jt[n, k, 1] + w2 * x[0] - w0 * x[2]
            v2 = Jt[n, k, 2] + w0 * x[1] - w1 * x[0]
            for a in range(3):
                by[n, a, c] = R_surface[0, a] * v0 + R_surface[1, a] * v1 + R_surface[2, a] * v2
                if turns:
                    by[n, 3 + a, c] = 0.5 * (V[a, 0] * w0 + V[a, 1] * w1 + V[a, 2] * w2)
    return by_yaw
