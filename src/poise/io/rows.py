"""Rows of a file on their way to a Motion: what it says, and what was decided it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from poise.io.layout import Layout
from poise.io.orders import columns, joint_order, matched
from poise.io.source import Source, bad
from poise.motion import Motion, motion_of
from poise.robot import Robot

ABSURD = 1e9  # no length, angle or speed is as large, in any unit
UNIT_AT_ALL = 0.02  # quaternions whose length is off by more are something else
UNIT_TOLERANCE = 1e-9  # quaternions whose length is off by more are made unit, and it is said


@dataclass(frozen=True, eq=False)
class Speeds:
    """Velocities of a file, each in the axes its dialect uses."""

    linear: np.ndarray  # of the base, (n, 3)
    angular: np.ndarray  # of the base, (n, 3)
    joints: np.ndarray  # (n, na)
    angular_in: str = "base"  # axes of `angular`: "base" or "world"; `linear` is in the world


@dataclass(frozen=True, eq=False)
class Rows:
    """A floating-base motion as a file has it, before anyone decides what its numbers mean."""

    source: Source
    position: np.ndarray  # (n, 3)
    quaternion: np.ndarray  # (n, 4)
    joints: np.ndarray  # (n, na)
    names: tuple[str, ...] | None = None  # of the joints, where the file tells
    time: np.ndarray | None = None  # [s], (n,), where the file tells
    rate: float | None = None  # [Hz], where the file tells
    speeds: Speeds | None = None
    tau: np.ndarray | None = None
    first_line: int = 1  # of the file that holds row 0, for words about a row

    def __len__(self) -> int:
        return len(self.position)


def declared(robot: Robot, rows: Rows, quaternion: str, order: str = "tree") -> Layout:
    """The layout a dialect declares, in metres and radians; names in the file win over orders."""
    if rows.names is not None:
        joints = matched(rows.names, robot, rows.source.path)
        return Layout(quaternion, order="the file's own", joints=joints)
    return Layout(quaternion, order=order, joints=joint_order(robot, order))


def check_rows(rows: Rows, robot: Robot) -> None:
    """One sentence if the rows cannot be a motion of this robot, whatever the layout."""
    path = rows.source.path
    n = len(rows)
    if n == 0:
        raise bad(path, "the motion", "without rows", "at least one instant")
    if rows.joints.shape != (n, robot.na):
        found = f"{rows.joints.shape[1]} for {robot.name}"
        raise bad(path, "the number of joints", found, f"{robot.na} ({7 + robot.na} columns)")
    if rows.quaternion.shape != (n, 4) or rows.position.shape != (n, 3):
        found = f"of shapes {rows.position.shape} and {rows.quaternion.shape}"
        raise bad(path, "the base", found, f"({n}, 3) and ({n}, 4)")
    for field, array in _parts(rows):
        wrong = np.flatnonzero(~(np.abs(array.reshape(n, -1)) < ABSURD).all(axis=1))
        if len(wrong):
            where = f"{field} in row {int(wrong[0]) + rows.first_line}"
            found = f"not finite (NaN or infinite) or beyond {ABSURD:g}"
            raise bad(path, where, found, "finite numbers")
    length = np.linalg.norm(rows.quaternion, axis=1)
    wrong = np.flatnonzero(np.abs(length - 1.0) > UNIT_AT_ALL)
    if len(wrong):
        where = f"the quaternion in row {int(wrong[0]) + rows.first_line}"
        raise bad(path, where, f"of length {length[wrong[0]]:.3g}", "unit quaternions")
    if rows.time is not None:
        check_times(rows.time, path)


def check_times(time: np.ndarray, path: Any) -> None:
    """One sentence unless time stamps increase."""
    wrong = np.flatnonzero(~(np.diff(time) > 0.0))
    if len(wrong) or not np.isfinite(time).all():
        k = int(wrong[0]) if len(wrong) else 0
        found = f"{time[k]:g} s and then {time[min(k + 1, len(time) - 1)]:g} s"
        raise bad(path, "time", found, "increasing seconds")


def _parts(rows: Rows) -> list[tuple[str, np.ndarray]]:
    parts = [("the base", np.hstack([rows.position, rows.quaternion])), ("a joint", rows.joints)]
    if rows.speeds is not None:
        s = rows.speeds
        parts.append(("a velocity", np.hstack([s.linear, s.angular, s.joints])))
    if rows.tau is not None:
        parts.append(("a torque", rows.tau))
    return parts


def motion_of_rows(
    rows: Rows,
    robot: Robot,
    layout: Layout,
    dialect: str,
    rate: float | None = None,
    usual_rate: float | None = None,
) -> Motion:
    """The motion that rows mean under a layout.

    Args:
        rows: what the file says.
        robot: whose motion it is.
        layout: what the numbers mean.
        dialect: name of the file's dialect, for the recipe.
        rate: rows per second [Hz]; wins over the rate the file tells, not over time stamps.
        usual_rate: taken, and said, when neither tells [Hz].
    """
    check_rows(rows, robot)
    notes = [str(layout)]
    time = _times(rows, rate, usual_rate, notes)
    order = columns(robot, layout.joints)
    quat, renormalised = unit_quaternions(layout.quat_xyzw(rows.quaternion))
    if renormalised:
        notes.append("quaternions made unit")
    position = rows.position if layout.length == "m" else layout.metre * rows.position
    joints = rows.joints if layout.angle == "rad" else layout.radian * rows.joints
    q = np.hstack([position, quat, joints[:, order]])
    more: dict[str, Any] = {}
    if rows.speeds is not None:
        more["v"] = _velocity(rows.speeds, quat, layout, order)
    else:
        notes.append("velocities derived from positions")
    if rows.tau is not None:
        more["tau"] = rows.tau[:, order]
    return motion_of(robot, time, q, recipe=file_recipe(rows.source, dialect, notes), **more)


def unit_quaternions(quat_xyzw: np.ndarray) -> tuple[np.ndarray, bool]:
    """Quaternions of length one, and whether any had to be changed for it."""
    length = np.linalg.norm(quat_xyzw, axis=1, keepdims=True)
    off = np.abs(length - 1.0) > UNIT_TOLERANCE
    return np.where(off, quat_xyzw / length, quat_xyzw), bool(off.any())


def _times(
    rows: Rows, rate: float | None, usual_rate: float | None, notes: list[str]
) -> np.ndarray:
    path = rows.source.path
    if rate is not None and not (np.isfinite(rate) and rate > 0.0):
        raise bad(path, "rate", f"{rate} Hz", "a positive number")
    if rows.time is not None:
        if rate is not None:
            found = f"{rate:g} Hz, but the file has its own time stamps"
            raise bad(path, "rate", found, "no rate here (resample the motion afterwards)")
        return rows.time
    told = rows.rate if rate is None else rate
    if told is None:
        if usual_rate is None:
            raise bad(path, "the rate", "not in the file", "a rate in Hz, given with it (rate=)")
        told = usual_rate
        notes.append(f"{told:g} Hz assumed, the file does not tell")
    elif rate is not None:
        notes.append(f"{rate:g} Hz as given")
    if not (np.isfinite(told) and told > 0.0):
        raise bad(path, "the rate", f"{told} Hz", "a positive number")
    return np.arange(len(rows)) / told


def _velocity(
    speeds: Speeds, quat_xyzw: np.ndarray, layout: Layout, order: np.ndarray
) -> np.ndarray:
    """Velocities with the base's in base axes, (n, nv)."""
    R = rotations(quat_xyzw)
    linear = np.einsum("nji,nj->ni", R, layout.metre * speeds.linear)
    angular = speeds.angular
    if speeds.angular_in == "world":
        angular = np.einsum("nji,nj->ni", R, angular)
    return np.hstack([linear, angular, layout.radian * speeds.joints[:, order]])


def rotations(quat_xyzw: np.ndarray) -> np.ndarray:
    """Rotation matrices of unit quaternions, (n, 3, 3)."""
    return np.array([pin.Quaternion(q).matrix() for q in np.asarray(quat_xyzw, dtype=float)])


def file_recipe(source: Source, dialect: str, notes: Sequence[str]) -> dict[str, Any]:
    """How to make it again: read this very file, under these assumptions."""
    return {
        "engine": "file",
        "inputs": {source.path.name: source.sha256},
        "dialect": dialect,
        "assumptions": list(notes),
    }
