"""ros2-mcap: a trajectory_msgs/JointTrajectory and a geometry_msgs/PoseStamped path of the base.

One JointTrajectory with every instant (names, positions, velocities, effort, time from start), and
one PoseStamped an instant, stamped the same way: metres, radians, quaternion **x y z w**, whole
nanoseconds. Topics are found by their message type. A file without base poses gets its base
rebuilt from the feet. Other messages in the file are passed over.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from mcap_ros2.writer import Writer

from poise.files import write_whole
from poise.io.dialects.mcap_file import TROUBLE, Bag, read_bag
from poise.io.dialects.ros2_messages import (
    DEFINITIONS,
    POSE,
    TRAJECTORY,
    decoder,
    kind_of,
    nanoseconds,
    stamp,
)
from poise.io.feet import base_from_feet
from poise.io.orders import columns, matched
from poise.io.outgoing import left_behind, ready
from poise.io.rows import UNIT_AT_ALL, check_times, file_recipe, unit_quaternions
from poise.io.source import Source, bad, read_source
from poise.motion import Motion, motion_of, velocities
from poise.robot import Robot

NAME = "ros2-mcap"
SUFFIX = ".mcap"
QUATERNION = "xyzw"
UNITS = "m, rad, s"
ORDER = "joint_names in the message"
RATE = "time stamps in the file, whole nanoseconds"
USUAL_RATE = None
JOINTS_TOPIC, BASE_TOPIC = "/joint_trajectory", "/base_pose"
WORLD = "world"
NOTE = "poise"  # name of the metadata record that says whose motion it is


def read(path: str | Path, robot: Robot, rate: float | None = None) -> Motion:
    """The motion of a bag.

    Args:
        path: the .mcap file.
        robot: whose motion it is.
        rate: not for this dialect, whose instants have their own time stamps.
    """
    source = read_source(path)
    if rate is not None:
        found = f"{rate:g} Hz, but the file has its own time stamps"
        raise bad(path, "rate", found, "no rate here (resample the motion afterwards)")
    bag = read_bag(source)
    time, fields, names = _trajectory(bag, source, robot)
    order = columns(robot, matched(names, robot, path))
    joints = fields["positions"][:, order]
    start = _start(bag, source)
    notes = [f"joints from {_topic(bag, TRAJECTORY, source)}"]
    base = _base(bag, time, source, notes)
    if base is None:
        base = base_from_feet(robot, joints)
        notes.append("no base poses: base rebuilt from the feet")
    q = np.hstack([base, joints])
    more: dict[str, Any] = {}
    v = velocities(robot, time, q)
    if "velocities" in fields:
        v[:, 6:] = fields["velocities"][:, order]
        notes.append("base velocities derived from positions")
    else:
        notes.append("velocities derived from positions")
    if "effort" in fields:
        more["tau"] = fields["effort"][:, order]
    recipe = file_recipe(source, NAME, notes)
    return motion_of(robot, start + time, q, v=v, recipe=recipe, **more)


def robot_of(source: Source) -> str | None:
    """The name of the robot that a written file tells."""
    return read_bag(source).metadata.get(NOTE, {}).get("robot")


def check_joints(source: Source, robot: Robot) -> None:
    """One sentence unless the trajectory names exactly the joints of a robot."""
    matched(_trajectory(read_bag(source), source, robot)[2], robot, source.path)


def _topic(bag: Bag, kind: str, source: Source, preferred: str = "") -> str | None:
    """The topic that carries a kind of message; of several, the one that says so."""
    found = [t for t in bag.messages if kind_of(bag.schemas.get(t, "")) == kind]
    if len(found) > 1:
        said = [topic for topic in found if preferred and preferred in topic.lower()]
        if len(said) != 1:
            listed = ", ".join(sorted(found)[:4])
            raise bad(source.path, f"topics of {kind}", listed, "one of them")
        return said[0]
    return found[0] if found else None


def _trajectory(
    bag: Bag, source: Source, robot: Robot
) -> tuple[np.ndarray, dict[str, np.ndarray], tuple[str, ...]]:
    """Times from the start [s], the fields of the points, (n, joints) each, and the names."""
    topic = _topic(bag, TRAJECTORY, source)
    if topic is None:
        held = ", ".join(sorted({s or "no schema" for s in bag.schemas.values()})[:4]) or "nothing"
        accepted = f"a {TRAJECTORY} for {robot.name}"
        raise bad(source.path, "the messages", f"only of {held}", accepted)
    if len(bag.messages[topic]) != 1:
        found = f"{len(bag.messages[topic])} messages"
        raise bad(source.path, topic, found, "one JointTrajectory with all instants")
    message = _decoded(bag.messages[topic][0][1], TRAJECTORY, source, topic)
    if not message.points:
        raise bad(source.path, topic, "without points", "at least one instant")
    width = len(message.joint_names)
    fields = {}
    for field in ("positions", "velocities", "effort"):
        lengths = {len(getattr(point, field)) for point in message.points}
        if lengths == {0} and field != "positions":
            continue
        if lengths != {width}:
            found = f"with {sorted(lengths)} {field} for {width} joint_names"
            raise bad(source.path, topic, found, f"{width} {field} at every point")
        array = np.array([getattr(point, field) for point in message.points], dtype=float)
        if not np.isfinite(array).all():
            row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
            where = f"{field} of point {row}"
            raise bad(source.path, where, "not finite (NaN or infinite)", "finite numbers")
        fields[field] = array
    time = 1e-9 * np.array([nanoseconds(point.time_from_start) for point in message.points])
    check_times(time, source.path)
    return time, fields, tuple(message.joint_names)


def _base(bag: Bag, time: np.ndarray, source: Source, notes: list[str]) -> np.ndarray | None:
    """Base poses at the instants of the joints, (n, 7), or None when the file has none."""
    topic = _topic(bag, POSE, source, preferred="base")
    if topic is None:
        return None
    notes.append(f"base from {topic}")
    decode = decoder(POSE)
    stamps, poses = [], []
    for _, data in bag.messages[topic]:
        message = _decoded(data, POSE, source, topic, decode)
        p, r = message.pose.position, message.pose.orientation
        stamps.append(nanoseconds(message.header.stamp))
        poses.append([p.x, p.y, p.z, r.x, r.y, r.z, r.w])
    base = np.array(poses, dtype=float)
    with np.errstate(over="ignore"):
        length = np.linalg.norm(base[:, 3:], axis=1)
    if not np.isfinite(base).all() or (np.abs(length - 1.0) > UNIT_AT_ALL).any():
        raise bad(source.path, topic, "not a pose everywhere", "positions and unit quaternions")
    base[:, 3:], renormalised = unit_quaternions(base[:, 3:])
    if renormalised:
        notes.append("quaternions made unit")
    seconds = 1e-9 * np.array([s - stamps[0] for s in stamps])
    check_times(seconds, source.path)
    if len(seconds) == len(time) and np.abs(seconds - time).max() < 1e-9:
        return base
    notes.append("base poses blended to the instants of the joints")
    return _blended(seconds, base, time)


def _blended(stamps: np.ndarray, base: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Poses between poses: straight lines and shortest arcs, held before and after."""
    if len(stamps) == 1:
        return np.tile(base, (len(time), 1))
    k = np.clip(np.searchsorted(stamps, time, side="right") - 1, 0, len(stamps) - 2)
    s = np.clip((time - stamps[k]) / (stamps[k + 1] - stamps[k]), 0.0, 1.0)
    rows = []
    for a, x in zip(k, s, strict=True):
        turn = pin.Quaternion(base[a, 3:]).slerp(float(x), pin.Quaternion(base[a + 1, 3:]))
        place = (1.0 - x) * base[a, :3] + x * base[a + 1, :3]
        rows.append(np.r_[place, turn.coeffs()])
    return np.array(rows)


def _decoded(data: bytes, kind: str, source: Source, topic: str, decode: Any = None) -> Any:
    try:
        return (decode or decoder(kind))(data)
    except TROUBLE as error:
        reason = str(error) or type(error).__name__
        raise bad(source.path, topic, f"broken ({reason})", f"a {kind} message") from None


def _start(bag: Bag, source: Source) -> float:
    """Time of the first instant [s], zero unless a written file tells."""
    text = bag.metadata.get(NOTE, {}).get("start", "0")
    try:
        start = float(text)
    except ValueError:
        start = np.nan
    if not np.isfinite(start):
        raise bad(source.path, "start", f"'{text}'", "seconds")
    return start


def write(
    motion: Motion, robot: Robot, path: str | Path, rate: float | None = None
) -> tuple[str, ...]:
    """Write one JointTrajectory and the poses of the base, chunked and indexed."""
    motion = ready(motion, robot, path, rate)
    times = [round(1e9 * float(t)) for t in motion.time - motion.time[0]]
    if len(set(times)) != len(times):
        raise bad(path, "time", "with instants less than a nanosecond apart", "distinct instants")
    tau = np.zeros((len(motion), 0)) if motion.tau is None else motion.tau
    points = [
        {
            "positions": q.tolist(),
            "velocities": v.tolist(),
            "effort": effort.tolist(),
            "time_from_start": stamp(t),
        }
        for t, q, v, effort in zip(times, motion.joints, motion.v[:, 6:], tau, strict=True)
    ]
    note = {
        "robot": motion.robot,
        "model_hash": motion.model_hash,
        "start": repr(float(motion.time[0])),
    }
    with write_whole(path) as file:
        writer = Writer(file)
        joints = writer.register_msgdef(TRAJECTORY, DEFINITIONS[TRAJECTORY])
        poses = writer.register_msgdef(POSE, DEFINITIONS[POSE])
        header = {"stamp": stamp(0), "frame_id": WORLD}
        message = {"header": header, "joint_names": list(motion.joint_names), "points": points}
        writer.write_message(JOINTS_TOPIC, joints, message, log_time=0)
        for k, (t, q) in enumerate(zip(times, motion.q.tolist(), strict=True)):
            pose = {
                "header": {"stamp": stamp(t), "frame_id": WORLD},
                "pose": {
                    "position": dict(zip("xyz", q[:3], strict=True)),
                    "orientation": dict(zip("xyzw", q[3:7], strict=True)),
                },
            }
            writer.write_message(BASE_TOPIC, poses, pose, log_time=t, sequence=k)
        writer.add_metadata(NOTE, note)
        writer.finish()
    notes = [
        f"{NAME}: xyzw, m, rad, joints by name on {JOINTS_TOPIC}, base on {BASE_TOPIC}",
        left_behind(motion, "velocities", "torques"),
    ]
    return tuple(note for note in notes if note)
