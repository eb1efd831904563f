"""naoqi-json: the arguments of ALMotion.angleInterpolation as JSON.

`{"names": [...], "angles": [[rad, ...], ...], "times": [[s, ...], ...], "isAbsolute": true}`:
each joint has its own keys at its own times, counted from the call, which finds the robot where it
is. There is no base: it is rebuilt from the feet. Joints by name, radians, seconds. Written files
also say how long the first posture takes (`leadIn`) and whose they are (`robot`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

from poise.files import write_whole
from poise.io.contact_text import parsed_json
from poise.io.feet import base_from_feet
from poise.io.orders import known_joint
from poise.io.outgoing import left_behind, ready
from poise.io.rows import file_recipe
from poise.io.source import Source, bad, read_source
from poise.motion import Motion, motion_of
from poise.robot import Robot
from poise.robot.robot import BASE_Q

NAME = "naoqi-json"
SUFFIX = ".json"
QUATERNION = "none: the base is rebuilt from the feet"
UNITS = "rad, s"
ORDER = "names in the file"
RATE = "key times in the file, read at 50 Hz"
USUAL_RATE = 50.0  # [Hz]
LEAD_IN = 1.0  # [s], for the robot to reach the first posture
NOT_JOINTS = ("LHand", "RHand")  # how far the fingers are open, from 0 to 1
MOST_INSTANTS = 2_000_000
ACCEPTED = "{names, angles, times, isAbsolute} of angleInterpolation"


def read(path: str | Path, robot: Robot, rate: float | None = None) -> Motion:
    """The motion of the keys, from half-sitting, smooth between the keys.

    Args:
        path: the file.
        robot: whose motion it is; joints the file leaves out stay half-sitting.
        rate: instants per second [Hz]; 50 when absent, the file's own where it holds frames.
    """
    source = read_source(path)
    keys = _keys(source, robot)
    notes = list(keys.notes)
    if keys.lead_in is not None and rate is None:
        time, joints = _frames(keys, robot)
    else:
        rate = USUAL_RATE if rate is None else rate
        if not (np.isfinite(rate) and rate > 0.0):
            raise bad(path, "rate", f"{rate} Hz", "a positive number")
        time, joints = _sampled(keys, robot, rate, source)
        notes.append(f"starts half-sitting, smooth between the keys, {rate:g} Hz")
    joints = _coupled(robot, joints, set(keys.times))
    base = base_from_feet(robot, joints)
    notes.append("base rebuilt from the feet: the standing foot is flat and does not move")
    q = np.hstack([base, joints])
    return motion_of(robot, time, q, recipe=file_recipe(source, NAME, notes))


def robot_of(source: Source) -> str | None:
    """The name of the robot that a written file tells."""
    table = parsed_json(source.text(), source.path, "the file")
    name = table.get("robot") if isinstance(table, Mapping) else None
    return name if isinstance(name, str) else None


def share_of_joints(source: Source, robot: Robot) -> float:
    """How many of a robot's joints have keys, from 0 to 1; an unknown joint is an error."""
    return len(_keys(source, robot).times) / robot.na


class _Keys:
    """Keys of each joint: times [s] and angles [rad], and what was noticed on the way."""

    def __init__(self) -> None:
        self.times: dict[str, np.ndarray] = {}
        self.angles: dict[str, np.ndarray] = {}
        self.absolute = True
        self.lead_in: float | None = None  # [s]
        self.notes: list[str] = []


def _keys(source: Source, robot: Robot) -> _Keys:
    table = parsed_json(source.text(), source.path, "the file")
    if not isinstance(table, Mapping):
        raise bad(source.path, "the file", f"a JSON {type(table).__name__}", ACCEPTED)
    names, times = table.get("names"), table.get("times")
    angles = table.get("angles", table.get("keys"))
    for key, value in (("names", names), ("angles", angles), ("times", times)):
        if not isinstance(value, list) or not value:
            found = "missing" if value is None else f"a {type(value).__name__}, or empty"
            raise bad(source.path, key, found, f"one list for each joint, as in {ACCEPTED}")
    assert isinstance(names, list) and isinstance(angles, list) and isinstance(times, list)
    if not len(names) == len(angles) == len(times):
        found = f"{len(names)}, {len(angles)} and {len(times)} entries long"
        raise bad(source.path, "names, angles and times", found, "one entry for each joint")
    found_keys = _Keys()
    absolute = table.get("isAbsolute", True)
    if not isinstance(absolute, bool):
        raise bad(source.path, "isAbsolute", repr(absolute), "true or false")
    found_keys.absolute = absolute
    for name, joint_angles, joint_times in zip(names, angles, times, strict=True):
        _add(found_keys, name, joint_angles, joint_times, robot, source)
    if not found_keys.times:
        raise bad(source.path, "names", "without a joint", f"joints of {robot.name}")
    lead_in = table.get("leadIn")
    if lead_in is not None:
        found_keys.lead_in = _lead_in(lead_in, found_keys, source)
    missing = [joint for joint in robot.joint_names if joint not in found_keys.times]
    if missing:
        found_keys.notes.append(f"not in the file, half-sitting: {', '.join(missing)}")
    return found_keys


def _add(keys: _Keys, name: Any, angles: Any, times: Any, robot: Robot, source: Source) -> None:
    """The keys of one joint, checked."""
    if not isinstance(name, str):
        raise bad(source.path, "names", repr(name), "names of joints")
    if name in NOT_JOINTS:
        keys.notes.append(f"{name} left out: it opens fingers, which {robot.name} has no joint for")
        return
    joint = known_joint(name, robot, source.path)
    if joint in keys.times:
        raise bad(source.path, "names", f"listing '{name}' twice", "each joint once")
    angles = angles if isinstance(angles, list) else [angles]
    times = times if isinstance(times, list) else [times]
    if any(isinstance(key, list) and key for key in angles):  # [angle, handle, handle]
        angles = [key[0] if isinstance(key, list) and key else key for key in angles]
        if "Bezier handles left out" not in keys.notes:
            keys.notes.append("Bezier handles left out")
    numbers = []
    for field, values in (("angles", angles), ("times", times)):
        plain = all(isinstance(x, int | float) and not isinstance(x, bool) for x in values)
        array = np.array(values, dtype=float) if plain else np.array([np.nan])
        if not np.isfinite(array).all():
            raise bad(source.path, f"{field} of {name}", "not finite numbers", "finite numbers")
        numbers.append(array)
    if not len(numbers[0]) == len(numbers[1]) > 0:
        found = f"{len(numbers[0])} angles at {len(numbers[1])} times"
        raise bad(source.path, f"the keys of {name}", found, "as many angles as times")
    if numbers[1][0] < 0.0 or not (np.diff(numbers[1]) > 0.0).all():
        raise bad(source.path, f"times of {name}", "not increasing", "increasing seconds from 0")
    keys.angles[joint], keys.times[joint] = numbers


def _lead_in(value: Any, keys: _Keys, source: Source) -> float:
    """The lead-in of a file that holds frames: all joints have keys at the same times."""
    frames = list(keys.times.values())
    same = all(np.array_equal(frames[0], other) for other in frames[1:])
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not same or abs(frames[0][0] - value) > 1e-9 or not keys.absolute:
        accepted = "the time of the first key, when all joints share absolute keys"
        raise bad(source.path, "leadIn", repr(value), accepted)
    return float(value)


def _frames(keys: _Keys, robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """Keys that all joints share, as they are; the way to the first posture left out."""
    times = next(iter(keys.times.values()))
    joints = np.tile(robot.half_sitting[BASE_Q:], (len(times), 1))
    for joint, angles in keys.angles.items():
        joints[:, robot.index(joint)] = angles
    return times - times[0], joints


def _sampled(
    keys: _Keys, robot: Robot, rate: float, source: Source
) -> tuple[np.ndarray, np.ndarray]:
    """Every joint from half-sitting through its keys, at rest before and after."""
    end = max(times[-1] for times in keys.times.values())
    if end * rate > MOST_INSTANTS:
        found = f"{end:g} s long, {end * rate:.3g} instants"
        raise bad(source.path, "the motion", found, f"at most {MOST_INSTANTS} instants")
    time = np.arange(int(np.ceil(end * rate - 1e-9)) + 1) / rate
    joints = np.tile(robot.half_sitting[BASE_Q:], (len(time), 1))
    for joint, key_times in keys.times.items():
        column = robot.index(joint)
        start = robot.half_sitting[BASE_Q + column]
        angles = keys.angles[joint] + (0.0 if keys.absolute else start)
        if key_times[0] > 0.0:
            key_times, angles = np.r_[0.0, key_times], np.r_[start, angles]
        joints[:, column] = _smooth(key_times, angles, time)
    return time, joints


def _smooth(key_times: np.ndarray, angles: np.ndarray, time: np.ndarray) -> np.ndarray:
    """A curve through keys that never overshoots them and starts and ends at rest."""
    if len(key_times) == 1:
        return np.full(len(time), angles[0])
    slopes = PchipInterpolator(key_times, angles).derivative()(key_times)
    slopes[[0, -1]] = 0.0
    curve = CubicHermiteSpline(key_times, angles, slopes)
    return curve(np.clip(time, key_times[0], key_times[-1]))


def _coupled(robot: Robot, joints: np.ndarray, told: set[str]) -> np.ndarray:
    """Joints on one motor agree; the one the file tells leads where it tells only one."""
    q = np.hstack([np.zeros((len(joints), BASE_Q)), joints])
    for c in robot.couplings:
        if c.joint in told and c.of not in told and c.multiplier:
            q[:, BASE_Q + robot.index(c.of)] = (
                q[:, BASE_Q + robot.index(c.joint)] - c.offset
            ) / c.multiplier
    return robot.coupled(q)[:, BASE_Q:]


def write(
    motion: Motion, robot: Robot, path: str | Path, rate: float | None = None
) -> tuple[str, ...]:
    """Write a key for every instant of every joint; the first comes after a lead-in."""
    motion = ready(motion, robot, path, rate)
    times = (motion.time - motion.time[0] + LEAD_IN).tolist()
    content = {
        "names": list(robot.joint_names),
        "angles": motion.joints.T.tolist(),
        "times": [times] * robot.na,
        "isAbsolute": True,
        "leadIn": LEAD_IN,
        "robot": robot.name,
    }
    with write_whole(path) as file:
        file.write(json.dumps(content).encode())
    notes = [
        f"{NAME}: rad, s, joints by name; {LEAD_IN:g} s to reach the first posture",
        "not in the file: the base, which follows from the feet",
        left_behind(motion),
    ]
    return tuple(note for note in notes if note)
