"""Are frames, units and joint order what they should be?

A file read with the wrong quaternion order, in degrees, in centimetres or with its joints in
another order breaks every question at once and none of them says why. This one compares the
feet with where they are to stand, and if they are far off, reads the motion in the other ways
that files are written in: the one that puts the feet right is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from poise.checks.evidence import Evidence
from poise.checks.finding import Finding
from poise.robot import Robot
from poise.robot.robot import BASE_Q

PLAUSIBLE = "frames and units"
ROWS = 24  # instants that are compared
SUSPICIOUS = 2e-3  # [m], feet off by less are a matter of accuracy
BETTER = 0.1  # [1], another reading has to be this much better to be believed


@dataclass(frozen=True)
class Reading:
    """Another way to read the same numbers."""

    where: str
    told: str
    of: Callable[[np.ndarray], np.ndarray]  # q as it stands -> q as it would be


def frames_and_units(evidence: Evidence) -> tuple[Finding, ...]:
    """How far the feet are from where they are to stand, and why, if that can be told."""
    rows = _chosen_rows(evidence)
    measure = _against_ground if evidence.detected else _against_plan
    q = np.array(evidence.motion.q[rows], dtype=float)
    off = measure(evidence, rows, q)
    usual, most = float(np.median(off)), float(off.max())
    limit = evidence.options.gross_misplacement
    reference = "the ground" if evidence.detected else "the planned contacts"
    value, where, ok = usual, "feet", usual <= limit
    detail = f"usual distance of the feet from {reference}"
    if most > SUSPICIOUS:
        others = readings(evidence.robot)
        left = [float(measure(evidence, rows, other.of(q)).max()) for other in others]
        best = int(np.argmin(left))
        if left[best] < BETTER * most and left[best] < SUSPICIOUS:
            value, where, ok = most, others[best].where, False
            detail = f"{others[best].told}: read so, the feet are right to {_mm(left[best])}"
        elif not ok:
            detail = f"the feet are nowhere near {reference}"
    when = None if ok else evidence.when(int(rows[np.argmax(off)]))
    return (Finding(PLAUSIBLE, 1e3 * value, 1e3 * limit, "mm", where, when, bool(ok), detail),)


def _mm(length: float) -> str:
    return f"{1e3 * length:.1f} mm"


def _chosen_rows(evidence: Evidence) -> np.ndarray:
    """Some instants over the whole motion, in contact where there is a plan."""
    held = np.flatnonzero(evidence.active.any(axis=1)) if not evidence.detected else ()
    pool = held if len(held) else np.arange(evidence.n)
    pick = np.linspace(0, len(pool) - 1, min(ROWS, len(pool))).round().astype(int)
    return np.asarray(pool)[np.unique(pick)]


def _against_plan(evidence: Evidence, rows: np.ndarray, q: np.ndarray) -> np.ndarray:
    """How far the worst touching part is off its place at each instant [m]."""
    robot, worst = evidence.robot, []
    for row, poses in zip(rows, _poses(robot, q, evidence.tracks), strict=True):
        touches = [evidence.touches[i] for i in np.flatnonzero(evidence.active[row])]
        off = [
            np.linalg.norm(
                touch.points @ poses[touch.part].rotation.T
                + poses[touch.part].translation
                - touch.anchors,
                axis=1,
            ).mean()
            for touch in touches
        ]
        worst.append(max(off, default=0.0))
    return np.array(worst)


def _against_ground(evidence: Evidence, rows: np.ndarray, q: np.ndarray) -> np.ndarray:
    """How far the better of the soles is from lying flat on the ground at each instant [m]."""
    robot, off = evidence.robot, []
    upside_down = 10.0 * max(robot.height, 0.1)  # a bound, so that units still show
    for poses in _poses(robot, q, robot.feet):
        height = [
            np.abs(sole.points @ poses[part].rotation[2] + poses[part].translation[2]).max()
            if poses[part].rotation[2, 2] > 0.0
            else np.inf
            for part, sole in robot.soles.items()
        ]
        off.append(min(min(height, default=0.0), upside_down))
    return np.array(off)


def _poses(robot: Robot, q: np.ndarray, frames: Iterable[str]) -> Iterator[dict[str, pin.SE3]]:
    """Poses of some frames at every configuration; quaternions of any length are taken."""
    model, data = robot.model, robot.model.createData()
    names = list(frames)
    for row in q:
        length = np.linalg.norm(row[3:7])
        unit = row.copy()
        unit[3:7] = row[3:7] / length if length > 0.0 else (0.0, 0.0, 0.0, 1.0)
        pin.framesForwardKinematics(model, data, unit)
        yield {name: data.oMf[robot.frame_id(name)].copy() for name in names}


# -- other readings --------------------------------------------------------------------


def readings(robot: Robot) -> tuple[Reading, ...]:
    """The other ways files are known to be written in."""
    return (*_base_readings(), *_unit_readings(), *_side_readings(robot), *_order_readings(robot))


def _base_readings() -> Iterator[Reading]:
    def columns(order: list[int]) -> Callable[[np.ndarray], np.ndarray]:
        def turned(q: np.ndarray) -> np.ndarray:
            out = q.copy()
            out[:, 3:7] = q[:, order]
            return out

        return turned

    def inverse(q: np.ndarray) -> np.ndarray:
        out = q.copy()
        out[:, 3:6] = -q[:, 3:6]
        return out

    def upright(q: np.ndarray) -> np.ndarray:
        out = q.copy()
        turn = pin.SE3(pin.rpy.rpyToMatrix(np.pi / 2, 0.0, 0.0), np.zeros(3))
        for row in out:
            row[3:7] /= max(np.linalg.norm(row[3:7]), 1e-12)
            row[:BASE_Q] = pin.SE3ToXYZQUAT(turn * pin.XYZQUATToSE3(row[:BASE_Q]))
        return out

    yield Reading(
        "base quaternion", "the quaternion is stored as wxyz, not xyzw", columns([4, 5, 6, 3])
    )
    yield Reading("base quaternion", "the quaternion is that of the inverse rotation", inverse)
    yield Reading("world axes", "y points up, not z", upright)


def _unit_readings() -> Iterator[Reading]:
    def scaled(base: float, joints: float) -> Callable[[np.ndarray], np.ndarray]:
        def smaller(q: np.ndarray) -> np.ndarray:
            out = q.copy()
            out[:, :3] *= base
            out[:, BASE_Q:] *= joints
            return out

        return smaller

    degrees = np.pi / 180.0
    yield Reading("joint units", "the joint angles are in degrees", scaled(1.0, degrees))
    yield Reading("base units", "the base position is in centimetres", scaled(1e-2, 1.0))
    yield Reading("base units", "the base position is in millimetres", scaled(1e-3, 1.0))
    yield Reading(
        "units", "lengths are in centimetres and angles in degrees", scaled(1e-2, degrees)
    )


def _side_readings(robot: Robot) -> Iterator[Reading]:
    mirror, names = robot.mirror, robot.joint_names

    def taken(index: np.ndarray, sign: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        def exchanged(q: np.ndarray) -> np.ndarray:
            out = q.copy()
            out[:, BASE_Q:] = sign * q[:, BASE_Q:][:, index]
            return out

        return exchanged

    plain = np.ones(robot.na)
    told = "left and right are exchanged"
    yield Reading("left and right", told + " in the joints", taken(mirror.index, plain))
    yield Reading("left and right", told + " in the joints", taken(mirror.index, mirror.sign))
    yield Reading("left and right", told + ": this is the mirror image", robot.mirrored)
    for j, other in enumerate(mirror.index):
        if j < other:
            index = np.arange(robot.na)
            index[[j, other]] = other, j
            sign = plain.copy()
            sign[[j, other]] = mirror.sign[[j, other]]
            told = f"{names[j]} and {names[other]} are exchanged"
            yield Reading(f"{names[j]}, {names[other]}", told, taken(index, plain))
            if sign[j] < 0:
                yield Reading(f"{names[j]}, {names[other]}", told, taken(index, sign))


def _order_readings(robot: Robot) -> Iterator[Reading]:
    def from_order(order: Sequence[str]) -> Callable[[np.ndarray], np.ndarray]:
        index = np.array([order.index(name) for name in robot.joint_names])

        def sorted_back(q: np.ndarray) -> np.ndarray:
            out = q.copy()
            out[:, BASE_Q:] = q[:, BASE_Q:][:, index]
            return out

        return sorted_back

    told = "the joints are in another order than their names say"
    orders = {
        "alphabetical": sorted(robot.joint_names),
        "breadth first": _breadth_first(robot),
        "reversed": list(reversed(robot.joint_names)),
        "legs first": _by_groups(robot, ("left_leg", "right_leg", "torso", "left_arm")),
        "right side first": _by_groups(robot, ("right_leg", "left_leg", "torso", "right_arm")),
    }
    for name, order in orders.items():
        if tuple(order) != robot.joint_names:
            yield Reading("joint order", f"{told} ({name})", from_order(order))


def _breadth_first(robot: Robot) -> list[str]:
    """The joints level by level from the base, as some simulators list them."""
    model = robot.model
    depth = [0] * model.njoints
    for k in range(1, model.njoints):
        depth[k] = depth[model.parents[k]] + 1
    order = sorted(range(2, model.njoints), key=lambda k: (depth[k], k))
    return [model.names[k] for k in order]


def _by_groups(robot: Robot, first: Sequence[str]) -> list[str]:
    """The joints of some groups first, then all others as they come."""
    ahead = [name for group in first for name in robot.groups.get(group, ())]
    unique = list(dict.fromkeys(ahead))
    return unique + [name for name in robot.joint_names if name not in unique]
