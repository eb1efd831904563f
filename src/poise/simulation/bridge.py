"""Between the two worlds: Pinocchio's coordinates and MuJoCo's.

| | Pinocchio (everywhere in poise) | MuJoCo (this package only) |
| --- | --- | --- |
| base orientation | quaternion xyzw | quaternion wxyz |
| base linear velocity | base axes | world axes |
| base angular velocity | base axes | base axes |
| joints | the same | the same |

Both put the base first, then the joints in the same order. Every function takes one state or
many, (..., nq) and (..., nv).
"""

from __future__ import annotations

import numpy as np

XYZW_OF_WXYZ = (4, 5, 6, 3)  # where x, y, z, w stand in qpos
_WXYZ_OF_XYZW = (6, 3, 4, 5)  # where w, x, y, z stand in q


def qpos_of(q: np.ndarray) -> np.ndarray:
    """MuJoCo's position of a configuration, (..., nq)."""
    qpos = np.array(q, dtype=float)
    qpos[..., 3:7] = qpos[..., list(_WXYZ_OF_XYZW)]
    return qpos


def q_of(qpos: np.ndarray) -> np.ndarray:
    """The configuration of a MuJoCo position, (..., nq)."""
    q = np.array(qpos, dtype=float)
    q[..., 3:7] = q[..., list(XYZW_OF_WXYZ)]
    return q


def qvel_of(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """MuJoCo's velocity of a state, (..., nv): the base's linear part in world axes [m/s]."""
    qvel = np.array(v, dtype=float)
    qvel[..., :3] = rotated(np.asarray(q)[..., 3:7], qvel[..., :3])
    return qvel


def v_of(q: np.ndarray, qvel: np.ndarray) -> np.ndarray:
    """The velocity of a state from MuJoCo's, (..., nv): the base's linear part in base axes."""
    v = np.array(qvel, dtype=float)
    inverse = np.asarray(q)[..., 3:7] * _CONJUGATE
    v[..., :3] = rotated(inverse, v[..., :3])
    return v


_CONJUGATE = np.array([-1.0, -1.0, -1.0, 1.0])


def rotated(quat_xyzw: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Vectors turned by unit quaternions, (..., 3)."""
    # R v = v + 2 w (u x v) + 2 u x (u x v)
    u, w = quat_xyzw[..., :3], quat_xyzw[..., 3:]
    once = crossed(u, vector)
    return vector + 2.0 * (w * once + crossed(u, once))


def tilt_between(quat_xyzw: np.ndarray, upright_xyzw: np.ndarray) -> np.ndarray:
    """Angles between the verticals of two orientations [rad], (...,); turning does not count."""
    up = np.array([0.0, 0.0, 1.0])
    a, b = rotated(quat_xyzw * _CONJUGATE, up), rotated(upright_xyzw * _CONJUGATE, up)
    return np.arctan2(np.linalg.norm(crossed(a, b), axis=-1), (a * b).sum(axis=-1))


def crossed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross products, (..., 3); np.cross costs several times as much on single vectors."""
    return np.einsum("ijk,...j,...k->...i", _EPSILON, a, b)


_EPSILON = np.zeros((3, 3, 3))  # the permutation symbol
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _EPSILON[_i, _j, _k], _EPSILON[_i, _k, _j] = 1.0, -1.0
