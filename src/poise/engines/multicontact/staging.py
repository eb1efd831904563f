"""From a scene file and a robot to a stage: names become joints, frames and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from poise.control import reach
from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.quantities import Stand, Swing
from poise.engines.multicontact.scene import (
    ContactWish,
    SceneFile,
    SolidWish,
    TaskWish,
    one_of,
)
from poise.engines.multicontact.stage import Hold, Phase, Stage, Task
from poise.engines.multicontact.terrain import hills_for
from poise.errors import BadInput
from poise.robot import Robot, Shape
from poise.robot.robot import BASE_Q, BASE_V
from poise.tasks import CenterOfMass, FramePose, FramePosition, Posture
from poise.tasks import Task as Wish

REACH = {"x": (-0.3, 0.3), "y": (-0.3, 0.3), "yaw": (-0.8, 0.8)}  # [m, m, rad], unless told
LYING = (0.8, 0.1)  # of half a link's length, from its middle towards its own joint
ROOM = 0.01  # [rad], from the ends of the joints, for the postures that are given
BENT = 0.2  # [rad], least bend of a knee


def set_stage(chart: Chart, scene: SceneFile) -> Stage:
    """Everything a scene asks of a robot, as numbers."""
    robot = chart.robot
    posture = _posture(robot, scene)
    standing = robot.at(posture)
    holds = tuple(_hold(chart, scene, contact, standing) for contact in scene.contacts)
    names = [hold.name for hold in holds]
    phases = tuple(
        Phase(
            wish.name,
            tuple(names.index(name) for name in wish.contacts),
            wish.shortest,
            wish.longest,
            wish.duration,
            wish.spans,
        )
        for wish in scene.phases
    )
    lower, upper = chart.lower.copy(), chart.upper.copy()
    for joint, limits in scene.joints.items():
        index = BASE_V + _joint(robot, scene, joint)
        low, high = _range(scene, joint, limits)
        lower[index], upper[index] = max(lower[index], low), min(upper[index], high)
    for joint, way in scene.stiff.items():
        index = BASE_V + _joint(robot, scene, joint)
        if not isinstance(way, (int, float)) or not way > 0.0:
            accepted = "a positive angle [rad], either way of the start"
            raise BadInput(scene.source, f"'stiff' of '{joint}'", f"{way}", accepted)
        angle = posture[BASE_Q + index - BASE_V]
        lower[index], upper[index] = max(lower[index], angle - way), min(upper[index], angle + way)
    for side in ("left", "right"):
        _keep_bent(robot, side, posture, lower, upper)
    effort = np.where(robot.effort_limit > 0.0, robot.effort_limit, np.inf)
    vertical = None
    if scene.vertical is not None:
        vertical = (scene.vertical[0] * robot.weight, scene.vertical[1] * robot.weight)
    return Stage(
        holds,
        phases,
        tuple(_task(chart, scene, wish) for wish in scene.tasks),
        chart.flat(posture),
        chart.flat(posture) if scene.end == "start" else None,
        scene.torque * effort,
        lower,
        upper,
        vertical,
        robot.weight,
        tuple(_around(solid) for solid in scene.solids),
    )


def _around(solid: SolidWish) -> tuple[np.ndarray, np.ndarray]:
    """The box along the world's axes that a solid lies in: lowest and highest corner [m]."""
    if solid.kind == "box":
        half = 0.5 * np.array(solid.size)
    elif solid.kind == "sphere":
        half = np.full(3, solid.size[0])
    else:
        half = np.array([solid.size[0], solid.size[0], 0.5 * solid.size[1]])
    reach_out = np.abs(pin.rpy.rpyToMatrix(*solid.rpy)) @ half
    return np.array(solid.position) - reach_out, np.array(solid.position) + reach_out


def swings_of(chart: Chart, stage: Stage) -> tuple[tuple[Swing, ...], ...]:
    """In each phase, the soles that touch nothing."""
    robot = chart.robot
    found = []
    for number, phase in enumerate(stage.phases):
        down = {stage.holds[h].part for h in phase.holds}
        swings = []
        for part in robot.feet:
            if part not in down:
                joint, T = chart.carrier(part)
                points = np.array([T.act(point) for point in robot.soles[part].points])
                stands = [
                    hold.grip(np.zeros(len(hold.free))).points
                    for hold in stage.holds
                    if hold.part == part
                ]
                hills = hills_for(stage.humps, stage.start[2], stands)
                ends = (_stand(stage, part, points, number + step) for step in (-1, 1))
                swings.append(Swing(part, joint, points, chart.chain(joint), hills, *ends))
        found.append(tuple(swings))
    return tuple(found)


def _stand(stage: Stage, part: str, points: np.ndarray, phase: int) -> Stand | None:
    """Where a sole of such corners stands in a phase, if that is given."""
    if not 0 <= phase < len(stage.phases):
        return None
    for hold in (stage.holds[h] for h in stage.phases[phase].holds):
        if hold.part == part and not hold.free and not hold.turns:
            T = hold.T_world_surface * hold.T_joint_contact.inverse()
            return Stand(hold.T_world_surface.rotation, points @ T.rotation.T + T.translation)
    return None


def _posture(robot: Robot, scene: SceneFile) -> np.ndarray:
    for joint in scene.start_joints:
        _joint(robot, scene, joint)
    q = robot.posture(scene.start_joints)
    q[BASE_Q:] = np.clip(q[BASE_Q:], robot.lower + ROOM, robot.upper - ROOM)
    q[2] -= robot.at(q).pose(robot.feet[0]).translation[2]
    if not scene.start_points:
        return q
    at = robot.at(q)
    feet = [Wish(part, FramePose(part, at.pose(part)), 1.0, 1.0) for part in robot.feet]
    wishes = [
        Wish("com", CenterOfMass(at.com), 1.0, 1.0),
        Wish("posture", Posture(q[BASE_Q:]), 1e-3, 1.0),
    ]
    for name, place in scene.start_points.items():
        part = _part(robot, scene, name, "the start")
        wishes.append(Wish(name, FramePosition(part, np.array(place, dtype=float)), 10.0, 1.0))
    return reach(robot, q, wishes, feet, tolerance=1e-9)


def _hold(chart: Chart, scene: SceneFile, wish: ContactWish, standing: Any) -> Hold:
    robot = chart.robot
    part = _part(robot, scene, wish.part, f"contact '{wish.name}'")
    joint, T_joint_part = chart.carrier(part)
    R_part_contact = pin.rpy.rpyToMatrix(*wish.tilt).T
    points, anchor = _points(robot, part, wish.points, -R_part_contact[:, 2])
    T_part_contact = pin.SE3(R_part_contact, anchor)
    R = pin.rpy.rpyToMatrix(*wish.rpy)
    if wish.position is not None:
        place = np.array(wish.position)
    else:
        pose = standing.pose(part) * T_part_contact
        place = pose.translation + np.array(wish.shift or (0.0, 0.0, 0.0))
        if part in robot.soles and wish.shift is None:
            place[2] = 0.0
    reach = {name: tuple(wish.reach.get(name, REACH[name])) for name in wish.free}
    most = np.inf if wish.most_weight is None else wish.most_weight * robot.weight
    return Hold(
        wish.name,
        part,
        joint,
        T_joint_part * T_part_contact,
        T_part_contact,
        pin.SE3(R, place),
        (points - anchor) @ R_part_contact,
        wish.friction,
        chart.chain(joint),
        wish.free,
        reach,
        wish.turns,
        wish.least_force,
        most,
    )


def _task(chart: Chart, scene: SceneFile, wish: TaskWish) -> Task:
    robot = chart.robot
    name = wish.name or f"{wish.part} in {wish.phase}"
    part = _part(robot, scene, wish.part, f"task '{name}'")
    joint, T = chart.carrier(part)
    point = named_point(robot, part, wish.point)
    low, high = np.full(3, -np.inf), np.full(3, np.inf)
    if wish.position is not None:
        low = np.array(wish.position) - np.array(wish.within)
        high = np.array(wish.position) + np.array(wish.within)
    if wish.above is not None:
        low[2] = max(low[2], wish.above)
    phase = next(k for k, one in enumerate(scene.phases) if one.name == wish.phase)
    direction = None
    if wish.direction is not None:
        direction = np.array(wish.direction, dtype=float)
        direction /= np.linalg.norm(direction)
    return Task(
        name,
        joint,
        T.act(point),
        chart.chain(joint),
        phase,
        wish.share,
        low,
        high,
        direction,
        wish.speed,
    )


def named_point(robot: Robot, part: str, point: Any) -> np.ndarray:
    """A point of a part [m], (3,), in the part's frame, by name or as it is."""
    if not isinstance(point, str):
        return np.array(point, dtype=float)
    sole = robot.soles.get(part)
    if sole is not None and point in ("sole", "tip", "heel", "toe"):
        centre = sole.points.mean(axis=0)
        if point in ("heel", "toe"):
            pick = sole.points[:, 0].min() if point == "heel" else sole.points[:, 0].max()
            centre = np.array([pick, centre[1], 0.0])
        return centre
    return tip(robot, part)


def tip(robot: Robot, part: str, along: np.ndarray | None = None) -> np.ndarray:
    """The point of a part's shapes that is furthest along a direction of its frame [m], (3,).

    Without a direction it is -z, which is where a hanging hand ends. What a hand carries, such as
    fingers, counts; below a thigh the shank does not.
    """
    along = np.array([0.0, 0.0, -1.0]) if along is None else along
    model = robot.model
    frame = model.frames[robot.frame_id(part)]
    at = robot.at(robot.half_sitting)
    T_part = at.pose(part)
    furthest, found = -np.inf, np.zeros(3)
    for shape in robot.shapes:
        carrier = model.frames[robot.frame_id(shape.link)]
        beyond = part in robot.parts and frame.parentJoint in model.supports[carrier.parentJoint]
        if not beyond and carrier.parentJoint != frame.parentJoint:
            continue
        T = T_part.actInv(at.pose(shape.link) * shape.T_link_shape)
        point = T.act(support_point(shape, T.rotation.T @ along))
        if point @ along > furthest:
            furthest, found = float(point @ along), point
    return found


def lying(robot: Robot, link: str, along: np.ndarray) -> np.ndarray:
    """Two points on which a link, such as a thigh, lies [m], (2, 3), in its frame.

    They are on the side of its largest shape in a direction, along the longer of the other two
    directions, both on the side of its own joint: a seat ends well before the knee, where the
    shank comes down.
    """
    mine = [shape for shape in robot.shapes if shape.link == link]
    if not mine:
        return tip(robot, link, along)[None]
    shape = max(mine, key=lambda one: float(np.prod(_extent(one))))
    T = shape.T_link_shape
    local, half = T.rotation.T @ along, _extent(shape)
    across = np.where(np.abs(local) > 0.7, 0.0, half)
    way = np.zeros(3)
    way[across.argmax()] = across.max()
    if (T.rotation @ way) @ T.translation > 0.0:  # away from the joint: turn it round
        way = -way
    side = np.where(np.abs(local) > 0.7, np.sign(local) * half, 0.0)
    return np.array([T.act(side + share * way) for share in LYING])


def _extent(shape: Shape) -> np.ndarray:
    """Half the size of a shape along its axes [m], (3,)."""
    if shape.kind == "box":
        return 0.5 * np.array(shape.size)
    radius = shape.size[0]
    length = 0.5 * shape.size[1] if shape.kind != "sphere" else 0.0
    return np.array([radius, radius, radius + length])


def support_point(shape: Shape, along: np.ndarray) -> np.ndarray:
    """The point of a shape that is furthest along a unit direction, in its own frame [m]."""
    if shape.kind == "box":
        half = 0.5 * np.array(shape.size)
        return np.where(np.abs(along) > 1e-3, np.sign(along) * half, 0.0)
    end = 0.0 if shape.kind == "sphere" else 0.5 * shape.size[1]
    cap = np.array([0.0, 0.0, np.sign(along[2]) * end if abs(along[2]) > 1e-3 else 0.0])
    return cap + shape.size[0] * along


def _points(robot: Robot, part: str, wish: Any, along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Contact points in the part's frame [m], (k, 3), and the contact frame's origin there."""
    if isinstance(wish, str):
        if part in robot.soles and wish in ("auto", "sole"):
            return robot.soles[part].points, np.zeros(3)
        if part not in robot.parts and wish == "auto":
            points = lying(robot, part, along)
            return points, points.mean(axis=0)
        end = tip(robot, part, along)
        return end[None], end
    points = np.array(wish, dtype=float)
    return points, points.mean(axis=0)


def _part(robot: Robot, scene: SceneFile, name: str, where: str) -> str:
    if name in robot.parts or robot.model.existFrame(name):
        return name
    side, _, what = name.partition("_")
    if what == "thigh" and (knee := _knee(robot, side)) is not None:
        frame = robot.model.parents[robot.model.getJointId(knee)]
        bodies = [
            f.name
            for f in robot.model.frames
            if f.type == pin.FrameType.BODY and f.parentJoint == frame
        ]
        if bodies:
            return bodies[0]
    raise BadInput(
        scene.source,
        f"the part of {where}",
        f"'{name}'",
        f"for {robot.name}: {one_of(name, [*robot.parts, 'left_thigh', 'right_thigh'])}, or a link",
    )


def _joint(robot: Robot, scene: SceneFile, name: str) -> int:
    if name in robot.joint_names:
        return robot.index(name)
    side, _, what = name.partition("_")
    if what == "knee" and (knee := _knee(robot, side)) is not None:
        return robot.index(knee)
    joints = ["left_knee", "right_knee", *robot.joint_names]
    accepted = f"for {robot.name}: {one_of(name, joints, 40)}"
    raise BadInput(scene.source, "a joint of the scene", f"'{name}'", accepted)


def _knee(robot: Robot, side: str) -> str | None:
    """The joint of a leg that bends most in half-sitting."""
    leg = robot.groups.get(f"{side}_leg", ())
    if not leg:
        return None
    return max(leg, key=lambda name: abs(robot.half_sitting[BASE_Q + robot.index(name)]))


def _keep_bent(
    robot: Robot, side: str, posture: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> None:
    """Keep a knee off straight, in the limits (nv,) of the coordinates.

    Near its full length a leg's angles are square roots of where it stands: no spline of them
    holds a foot still, and what the least torque wants is exactly there. A start that is
    straighter than that may stay so.
    """
    knee = _knee(robot, side)
    if knee is None:
        return
    at = robot.index(knee)
    low, high = np.clip([robot.lower[at], robot.upper[at]], -np.pi, np.pi)
    angles = np.linspace(low, high, 181)
    leg = robot.groups[f"{side}_leg"]
    place = leg.index(knee)
    hip, ankle = leg[max(place - 1, 0)], leg[min(place + 1, len(leg) - 1)]
    q, lengths = robot.half_sitting.copy(), []
    for angle in angles:
        q[BASE_Q + at] = angle
        pose = robot.at(q)
        lengths.append(np.linalg.norm(pose.pose(ankle).translation - pose.pose(hip).translation))
    straight, now = angles[int(np.argmax(lengths))], posture[BASE_Q + at]
    if now > straight:
        lower[BASE_V + at] = max(lower[BASE_V + at], min(straight + BENT, now - ROOM))
    else:
        upper[BASE_V + at] = min(upper[BASE_V + at], max(straight - BENT, now + ROOM))


def _range(scene: SceneFile, joint: str, limits: Any) -> tuple[float, float]:
    ok = isinstance(limits, Sequence) and len(limits) == 2 and limits[0] < limits[1]
    if not ok:
        accepted = "[low, high] with low < high [rad]"
        raise BadInput(scene.source, f"the limits of '{joint}'", f"{limits}", accepted)
    return float(limits[0]), float(limits[1])
