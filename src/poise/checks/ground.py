"""Does the rest of the body stay above the ground?"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.checks.evidence import Evidence
from poise.checks.finding import Finding, at_least, nothing_to_ask
from poise.checks.swing import ground_height
from poise.checks.worst import lowest
from poise.robot import Robot, Shape

BODY = "body above ground"
PERIOD = 0.04  # [s], how often it is looked at
LOW = 0.01  # [m], shapes this low when standing belong to the feet
COARSENESS = 0.01  # [m], primitives stand out of the links they stand for


def body_above_ground(evidence: Evidence) -> tuple[Finding, ...]:
    """The lowest point of all links but the feet and what is planned to touch."""
    robot = evidence.robot
    touching = {evidence.robot.parts.get(t.part, t.part) for t in evidence.touches}
    standing = _lowest(robot, robot.shapes, robot.half_sitting[None])[0]
    shapes = [
        s for s, z in zip(robot.shapes, standing, strict=True) if z > LOW and s.link not in touching
    ]
    if not shapes:
        return (nothing_to_ask(BODY, "mm", "the robot has no shapes but its feet"),)
    count = max(int((evidence.time[-1] - evidence.time[0]) / PERIOD), 1) + 1
    rows = np.unique(np.linspace(0, evidence.n - 1, min(count, evidence.n)).round().astype(int))
    height = _lowest(robot, shapes, evidence.q[rows]) - ground_height(evidence)
    i, j = lowest(height)
    when = evidence.when(int(rows[i]))
    return (at_least(BODY, 1e3 * height[i, j], -1e3 * COARSENESS, "mm", shapes[j].link, when),)


def _lowest(robot: Robot, shapes: tuple[Shape, ...] | list[Shape], q: np.ndarray) -> np.ndarray:
    """Z of the lowest point of each shape [m], (n, shapes)."""
    model, data = robot.model, robot.model.createData()
    frames = [robot.frame_id(shape.link) for shape in shapes]
    lowest = np.empty((len(q), len(shapes)))
    for k, row in enumerate(q):
        pin.framesForwardKinematics(model, data, row)
        for i, (shape, frame) in enumerate(zip(shapes, frames, strict=True)):
            T = data.oMf[frame].act(shape.T_link_shape)
            lowest[k, i] = T.translation[2] - _reach(shape, T.rotation[2])
    return lowest


def _reach(shape: Shape, up: np.ndarray) -> float:
    """How far a shape reaches along a direction of its own axes [m]."""
    if shape.kind == "box":
        return float(0.5 * np.abs(up) @ np.array(shape.size))
    if shape.kind == "sphere":
        return shape.size[0]
    radius, length = shape.size
    return float(radius + 0.5 * length * abs(up[2]))
