"""Can the motion be read at all: finite, ordered in time, of this robot, with its joints?"""

from __future__ import annotations

import numpy as np

from poise.checks.finding import Finding, at_most
from poise.errors import listed, nearest
from poise.motion import Motion
from poise.robot import Robot

FINITE, JOINTS, PLAN = "finite and ordered", "robot and joints", "contact plan"
ABSURD = 1e9  # no number of a motion is as large, in any unit
UNIT = 1e-3  # [1], how far a quaternion may be off unit length: files round


def readable(motion: Motion, robot: Robot) -> tuple[tuple[Finding, ...], Motion | None]:
    """Findings about the arrays and names, and the motion in the robot's order if it has one."""
    finite, usable = _finite(motion)
    joints, ordered = _joints(motion, robot)
    return (finite, joints, _plan(motion, robot)), ordered if usable else None


def _finite(motion: Motion) -> tuple[Finding, bool]:
    """Every number finite, time increasing, quaternions of unit length."""
    broken = _first_not_finite(motion)
    if broken is not None:
        count, name, when = broken
        detail = f"{count} numbers are NaN, infinite or absurd, the first in {name}"
        return Finding(FINITE, count, 0.0, "numbers", name, when, False, detail), False
    if len(motion) < 2:
        detail = "a motion has at least two instants"
        return Finding(FINITE, len(motion), 2, "instants", "time", None, False, detail), False
    step = np.diff(motion.time)
    if step.min() <= 0.0:
        k = int(step.argmin())
        detail = f"time goes from {motion.time[k]:g} to {motion.time[k + 1]:g} s"
        when = float(motion.time[k + 1])
        return Finding(FINITE, step[k], 0.0, "s", "time", when, False, detail), False
    length = np.linalg.norm(motion.q[:, 3:7], axis=1)
    k = int(np.abs(length - 1.0).argmax())
    off = float(abs(length[k] - 1.0))
    found = at_most(
        FINITE,
        off,
        UNIT,
        "1",
        "base quaternion",
        motion.time[k],
        detail="" if off <= UNIT else f"a quaternion has length {length[k]:.4g}, not 1",
    )
    return found, bool(length.min() > 1e-3)


def _first_not_finite(motion: Motion) -> tuple[int, str, float | None] | None:
    """How many numbers are not finite, and the place and time of the first."""
    time = np.asarray(motion.time, dtype=float)
    columns = ("base x", "base y", "base z", *(f"base quaternion {c}" for c in "xyzw"))
    rates = (*(f"base velocity {c}" for c in "xyz"), *(f"base turning {c}" for c in "xyz"))
    arrays = {
        "time": (time[:, None], ("time",)),
        "q": (motion.q, columns + motion.joint_names),
        "v": (motion.v, rates + motion.joint_names),
    }
    if motion.tau is not None:
        arrays["tau"] = (motion.tau, motion.joint_names)
    for part, force in motion.forces.items():
        arrays[f"forces/{part}"] = (force, ("fx", "fy", "fz", "mx", "my", "mz"))
    bad = {
        key: np.argwhere(~(np.abs(rows) < ABSURD))  # NaN compares false as well
        for key, (rows, _) in arrays.items()
    }
    total = sum(len(places) for places in bad.values())
    if not total:
        return None
    key = min((key for key in bad if len(bad[key])), key=lambda key: bad[key][0][0])
    row, column = bad[key][0]
    name = key if key == "time" else f"{key}, {arrays[key][1][column]}"
    when = float(time[row]) if abs(time[row]) < ABSURD else None
    return total, name, when


def _joints(motion: Motion, robot: Robot) -> tuple[Finding, Motion | None]:
    """The joints are the robot's, by name; another order is put right."""
    theirs, ours = motion.joint_names, robot.joint_names
    unknown = [name for name in theirs if name not in ours]
    missing = [name for name in ours if name not in theirs]
    twice = sorted({name for name in theirs if theirs.count(name) > 1})
    wrong = len(unknown) + len(missing) + len(twice)
    told = []
    if unknown:
        told.append(f"unknown: {listed(unknown, 4)}.{nearest(unknown[0], ours)}")
    if missing:
        told.append(f"missing: {listed(missing, 4)}.")
    if twice:
        told.append(f"named twice: {listed(twice, 4)}.")
    if wrong:
        where = (unknown + missing + twice)[0]
        detail = f"not the joints of {robot.name}; " + " ".join(told)
        return Finding(JOINTS, wrong, 0.0, "names", where, None, False, detail), None
    ordered = motion if theirs == ours else motion.ordered_as(ours)
    if motion.robot != robot.name:
        told.append(f"made for {motion.robot or 'an unnamed robot'}, judged as {robot.name}")
    elif motion.model_hash and motion.model_hash != robot.model_hash:
        told.append(
            f"made with another model of {robot.name} "
            f"(hash {motion.model_hash[:8]}, here {robot.model_hash[:8]})"
        )
    if theirs != ours:
        told.append("joints were in another order and are read by name")
    note = bool(told) and (motion.robot != robot.name or "another model" in " ".join(told))
    found = Finding(JOINTS, 0.0, 0.0, "names", "", None, True, "; ".join(told), note=note)
    return found, ordered


def _plan(motion: Motion, robot: Robot) -> Finding:
    """The contact plan names parts of the robot and spans of the motion's time."""
    touches = motion.contacts.touches
    if not touches:
        detail = "the motion says nothing of contacts: they are found from the feet"
        return Finding(PLAN, 0.0, 0.0, "touches", "", None, True, detail, note=True)
    wrong, first = 0, ("", 0.0, "")
    for touch in touches:
        why = ""
        pose = touch.T_world_surface.homogeneous
        if not robot.model.existFrame(touch.part):
            why = f"the robot has no part '{touch.part}'.{nearest(touch.part, list(robot.parts))}"
        elif not len(touch.points) or not np.isfinite(touch.points).all():
            why = f"a touch of {touch.part} has no contact points"
        elif not np.isfinite(pose).all():
            why = f"the surface under {touch.part} is nowhere"
        elif not touch.end > touch.start:
            why = f"a touch of {touch.part} ends before it starts"
        if why:
            first = first if wrong else (touch.part, touch.start, why)
            wrong += 1
    where, when, why = first
    if wrong:
        return Finding(PLAN, wrong, 0.0, "touches", where, when, False, why)
    return Finding(PLAN, 0.0, 0.0, "touches", "", None, True, f"{len(touches)} touches planned")
