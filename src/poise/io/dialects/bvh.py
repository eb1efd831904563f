"""bvh: the motion as a skeleton for Blender and other animation tools; written only.

Y up, z forward, x to the left, **centimetres and degrees**. One bone a joint of the robot, with the
robot's own joint tree and names; the rest pose is the robot with all joints at zero, so every bone
has three rotation channels (Euler z, x, y) although the robot's joint turns about one axis. End
sites are the robot's parts (soles, hands, head). The rate is the motion's.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
from scipy.spatial.transform import Rotation

from poise.files import write_whole
from poise.io.outgoing import even_rate, left_behind, ready
from poise.motion import Motion
from poise.robot import Robot

NAME = "bvh"
SUFFIX = ".bvh"
QUATERNION = "none: Euler angles zxy"
UNITS = "cm, degrees, y up"
ORDER = "the joint tree, by name"
RATE = "frame time in the file"
USUAL_RATE = None
R_BVH_WORLD = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
CENTIMETRE = 100.0  # in a metre
CHANNELS = "Zrotation Xrotation Yrotation"


def write(
    motion: Motion, robot: Robot, path: str | Path, rate: float | None = None
) -> tuple[str, ...]:
    """Write the skeleton and its motion at the motion's own rate, or at another [Hz]."""
    motion = ready(motion, robot, path, rate)
    kept = even_rate(motion, path)
    with write_whole(path) as file:
        file.write("\n".join(_hierarchy(robot)).encode())
        head = f"\nMOTION\nFrames: {len(motion)}\nFrame Time: {1.0 / kept!r}\n"
        file.write(head.encode())
        for row in _channels(motion, robot):
            file.write((" ".join(f"{x:.9g}" for x in row) + "\n").encode())
    notes = [
        f"{NAME}: cm, degrees, y up, one bone a joint, {kept:g} Hz",
        left_behind(motion),
    ]
    return tuple(note for note in notes if note)


def _rest(robot: Robot) -> pin.Data:
    """The robot with the base at the origin and all joints at zero."""
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, pin.neutral(robot.model))
    return data


def _children(robot: Robot) -> dict[int, list[int]]:
    """Pinocchio's joints below each joint that has any."""
    children: dict[int, list[int]] = {}
    for joint in range(2, robot.model.njoints):
        children.setdefault(robot.model.parents[joint], []).append(joint)
    return children


def _depth_first(robot: Robot) -> list[int]:
    """Pinocchio's joints, each before its children, the base first."""
    children = _children(robot)
    order, stack = [], [1]
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(reversed(children.get(joint, [])))
    return order


def _hierarchy(robot: Robot) -> list[str]:
    """The HIERARCHY part, line by line."""
    model, rest, children = robot.model, _rest(robot), _children(robot)
    lines = ["HIERARCHY"]

    def offset(vector: np.ndarray) -> str:
        return "OFFSET " + " ".join(f"{x:.9g}" for x in CENTIMETRE * (R_BVH_WORLD @ vector))

    def bone(joint: int, depth: int) -> None:
        tab = "\t" * depth
        parent = model.parents[joint]
        if depth == 0:
            lines.append("ROOT base")
            here, channels = np.zeros(3), f"6 Xposition Yposition Zposition {CHANNELS}"
        else:
            lines.append(f"{tab}JOINT {'_'.join(model.names[joint].split())}")
            here = rest.oMi[joint].translation - rest.oMi[parent].translation
            channels = f"3 {CHANNELS}"
        lines.append(f"{tab}{{")
        lines.append(f"{tab}\t{offset(here)}")
        lines.append(f"{tab}\tCHANNELS {channels}")
        for child in children.get(joint, []):
            bone(child, depth + 1)
        for end in _ends(robot, joint, rest) if joint not in children else ():
            lines.extend(tab + text for text in ("\tEnd Site", "\t{", f"\t\t{offset(end)}", "\t}"))
        lines.append(f"{tab}}}")

    bone(1, 0)
    return lines


def _ends(robot: Robot, joint: int, rest: pin.Data) -> list[np.ndarray]:
    """Where a last bone ends, from its joint [m]: at the robot's part, else at its mass."""
    origin = rest.oMi[joint].translation
    for part in robot.parts:
        frame = robot.frame_id(part)
        if robot.model.frames[frame].parentJoint == joint:
            return [rest.oMf[frame].translation - origin]
    lever = rest.oMi[joint].rotation @ robot.model.inertias[joint].lever
    return [lever if np.linalg.norm(lever) > 1e-3 else np.array([0.0, 0.0, 0.02])]


def _channels(motion: Motion, robot: Robot) -> np.ndarray:
    """Base position [cm] and Euler angles [deg] of every bone, (n, 3 + 3 bones)."""
    model, data, rest = robot.model, robot.model.createData(), _rest(robot)
    order = _depth_first(robot)
    parents = [order.index(model.parents[joint]) if joint > 1 else -1 for joint in order]
    R_rest = np.array([rest.oMi[joint].rotation for joint in order])
    n = len(motion)
    R = np.empty((n, len(order), 3, 3))
    for k in range(n):
        pin.forwardKinematics(model, data, motion.q[k])
        R[k] = [data.oMi[joint].rotation for joint in order]
    turned = R @ R_rest.transpose(0, 2, 1)  # from the rest pose, world axes
    local = turned.copy()
    for b, parent in enumerate(parents):
        if parent >= 0:
            local[:, b] = turned[:, parent].transpose(0, 2, 1) @ turned[:, b]
    seen = R_BVH_WORLD @ local @ R_BVH_WORLD.T
    # channels in the order Z X Y: the bone turns about z first, then its own x, then its own y
    euler = Rotation.from_matrix(seen.reshape(-1, 3, 3)).as_euler("ZXY", degrees=True)
    place = CENTIMETRE * motion.q[:, :3] @ R_BVH_WORLD.T
    return np.hstack([place, euler.reshape(n, -1)])
