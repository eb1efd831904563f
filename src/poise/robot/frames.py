"""The frames of a robot as compiled loops see them: one table for each kind of number.

Pinocchio keeps poses and motions in arrays of its own; the tables here are views of them, so
they follow every refresh of a snapshot without a copy. That they do is checked when they are
made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from poise.compiled import compiled

POSE, MOTION = 12, 6  # numbers in a pose (rotation by columns, then translation), in a motion


# Compiled loops take plain tuples quickest. Where all frames are and how they move:
#   places      T_world_frame, (frames, 12)
#   joints      T_world_joint, (joints, 12)
#   velocities  of the joints, in their own axes, (joints, 6)
#   drifts      accelerations of the joints when dv/dt = 0, in their own axes, (joints, 6)
#   columns     velocity at the world's origin by each entry of v, (6, nv)
#   parents     joint that carries each frame, (frames,)
#   moves       whether an entry of v moves a joint, (joints, nv)
FrameTables = tuple[
    np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray
]

# The robot as a whole:
#   com              centre of mass [m], (3,)
#   momentum         linear, then angular about the centre of mass, (6,)
#   momentum_drift   its rate when dv/dt = 0, (6,)
#   momentum_matrix  momentum by v, (6, nv)
BodyTables = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Carriers(NamedTuple):
    """What moves what: a fact of the robot."""

    parents: np.ndarray  # joint that carries each frame, (frames,)
    moves: np.ndarray  # whether an entry of v moves a joint, (joints, nv)


def carriers(model: pin.Model) -> Carriers:
    """Read the tree of a robot."""
    parents = np.array([frame.parentJoint for frame in model.frames])
    moves = np.zeros((model.njoints, model.nv), dtype=bool)
    for joint in range(1, model.njoints):
        for above in model.supports[joint]:
            first = model.joints[above].idx_v
            moves[joint, first : first + model.joints[above].nv] = True
    return Carriers(parents, moves)


def frame_tables(carriers: Carriers, data: pin.Data) -> FrameTables:
    """Tables that follow `data` from now on."""
    places, joints = _table(data.oMf, POSE), _table(data.oMi, POSE)
    velocities, drifts = _table(data.v, MOTION), _table(data.a, MOTION)
    return places, joints, velocities, drifts, data.J, carriers.parents, carriers.moves


def body_tables(data: pin.Data) -> BodyTables:
    """Tables that follow `data` from now on."""
    tables, again = ((data.com[0], data.hg.vector, data.dhg.vector, data.Ag) for _ in range(2))
    if [_address(array) for array in tables] != [_address(array) for array in again]:
        raise RuntimeError("Pinocchio hands out copies where poise was built for views")
    return tables


def _table(values: pin.StdVec_SE3 | pin.StdVec_Motion, width: int) -> np.ndarray:
    """A view of Pinocchio's memory, one row for each pose or motion."""
    last = len(values) - 1
    head, tail = ("rotation", "translation") if width == POSE else ("linear", "angular")
    table = np.lib.stride_tricks.as_strided(
        getattr(values[0], head), (last + 1, width), (8 * width, 8)
    )
    for k in (0, last):
        found = [_address(getattr(values[k], name)) for name in (head, tail)]
        if found != [_address(table[k]), _address(table[k, width - 3 :])]:
            raise RuntimeError("Pinocchio keeps its poses otherwise than poise was built for")
    return table


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


@compiled
def write_jacobian(tables: FrameTables, frame: int, first: int, out: np.ndarray) -> None:
    """Rows of a frame's Jacobian, world axes: linear 0 to 2, angular 3 to 5.

    Args:
        tables: of the robot now.
        frame: which.
        first: row to begin with.
        out: (rows, nv).
    """
    places, _, _, _, J, parents, all_moves = tables
    moves = all_moves[parents[frame]]
    x, y, z = places[frame, 9], places[frame, 10], places[frame, 11]
    for c in range(out.shape[1]):
        if not moves[c]:
            for row in range(out.shape[0]):
                out[row, c] = 0.0
            continue
        wx, wy, wz = J[3, c], J[4, c], J[5, c]
        for row in range(out.shape[0]):
            k = first + row
            if k == 0:
                out[row, c] = J[0, c] + wy * z - wz * y
            elif k == 1:
                out[row, c] = J[1, c] + wz * x - wx * z
            elif k == 2:
                out[row, c] = J[2, c] + wx * y - wy * x
            else:
                out[row, c] = J[k, c]


@compiled
def write_rates(tables: FrameTables, frame: int, spin: np.ndarray, drift: np.ndarray) -> None:
    """How a frame moves: its angular velocity, and its acceleration when dv/dt = 0, world axes.

    Args:
        tables: of the robot now.
        frame: which.
        spin: [rad/s], (3,), written.
        drift: linear [m/s^2], then angular [rad/s^2], (6,), written.
    """
    places, joints, velocities, drifts, _, parents, _ = tables
    joint, p = parents[frame], places[frame]
    R, v, a = joints[joint], velocities[joint], drifts[joint]
    # from the joint to the frame, in the joint's axes
    dx, dy, dz = p[9] - R[9], p[10] - R[10], p[11] - R[11]
    x = R[0] * dx + R[1] * dy + R[2] * dz
    y = R[3] * dx + R[4] * dy + R[5] * dz
    z = R[6] * dx + R[7] * dy + R[8] * dz
    ux = v[0] + v[4] * z - v[5] * y
    uy = v[1] + v[5] * x - v[3] * z
    uz = v[2] + v[3] * y - v[4] * x
    bx = a[0] + a[4] * z - a[5] * y + v[4] * uz - v[5] * uy
    by = a[1] + a[5] * x - a[3] * z + v[5] * ux - v[3] * uz
    bz = a[2] + a[3] * y - a[4] * x + v[3] * uy - v[4] * ux
    for k in range(3):
        spin[k] = R[k] * v[3] + R[3 + k] * v[4] + R[6 + k] * v[5]
        drift[k] = R[k] * bx + R[3 + k] * by + R[6 + k] * bz
        drift[3 + k] = R[k] * a[3] + R[3 + k] * a[4] + R[6 + k] * a[5]
