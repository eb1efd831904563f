"""The limbs of a robot as a person has them: hip, knee, ankle; shoulder, elbow, hand; chest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pinocchio as pin

from poise.engines.imitate.many_postures import Joints, chain_to
from poise.errors import BadInput
from poise.motion.marker_names import SIDES
from poise.robot import Robot, Shape
from poise.robot.robot import BASE_Q
from poise.robot.snapshot import Snapshot

FAR = 0.75  # of the longest distance: a hip's or shoulder's centre is at least this far


@dataclass(frozen=True, eq=False)
class Limb:
    """A chain of two bones with an end: a leg or an arm."""

    chain: tuple[int, ...]  # joints from the base's side to the end, as Pinocchio counts them
    top: int  # position in the chain of the joint where the first bone begins
    middle: int  # of the knee or elbow
    end: int  # of the ankle or wrist: where the second bone ends
    length: float  # [m], of both bones
    end_place: np.ndarray  # [m], (3,), of the second bone's end in the frame of joint `end`
    straight: float  # [rad], of the middle joint when the limb is longest within its limits
    bends: float  # 1 or -1: the way the middle joint bends from there


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot as a rigid sole between a heel edge and a toe edge, in the frame of the part."""

    part: str
    R: np.ndarray  # (3, 3), R_joint_foot
    p: np.ndarray  # [m], (3,)
    heel: float  # [m], x of the heel edge
    toe: float  # [m], x of the toe edge
    heel_points: np.ndarray  # [m], (k, 3), of the outline on the heel edge
    toe_points: np.ndarray
    outline: np.ndarray  # [m], (k, 2), convex, counter-clockwise
    inner: float  # [m], y of the innermost point of the outline, as a distance
    outer: float

    @property
    def length(self) -> float:
        """From edge to edge [m]."""
        return self.toe - self.heel


@dataclass(frozen=True, eq=False)
class Limbs:
    """Everything of a robot that imitation asks for."""

    joints: Joints
    legs: dict[str, Limb]  # by side
    arms: dict[str, Limb]  # by side, where there are any
    feet: dict[str, Foot]  # by side
    torso: tuple[int, ...]  # joints from the base to the chest
    R_joint_chest: np.ndarray  # (3, 3), R_joint_chest, of the chest's frame in its joint

    ankle_range: tuple[float, float]  # [rad], of the ankle's pitch with the shank off the floor

    @cached_property
    def leg_length(self) -> float:
        """Hip to ankle along the bones [m], mean of both sides."""
        return float(np.mean([self.legs[side].length for side in SIDES]))

    @property
    def ankle_speed(self) -> float:
        """Highest speed of the joint that pitches the foot [rad/s]."""
        leg = self.legs["left"]
        return self._speed(leg.chain[leg.end])

    @property
    def knee_speed(self) -> float:
        """Highest speed of the knee [rad/s]."""
        leg = self.legs["left"]
        return self._speed(leg.chain[leg.middle])

    def _speed(self, joint: int) -> float:
        limit = float(self.joints.robot.velocity_limit[self.joints.column(joint)])
        return limit if limit > 0.0 else np.inf

    @property
    def leg_joints(self) -> list[int]:
        """All joints of both legs."""
        return [j for side in SIDES for j in self.legs[side].chain]


@lru_cache(maxsize=32)
def standing(robot: Robot) -> Snapshot:
    """The robot in half-sitting, looked at once; nobody may refresh it."""
    return robot.at(robot.half_sitting)


@lru_cache(maxsize=32)
def limbs_of(robot: Robot) -> Limbs:
    """Find the limbs of a robot by what its joints do."""
    if len(robot.feet) != 2:
        raise BadInput(robot.name, "the number of feet", f"{len(robot.feet)}", "two, with soles")
    joints = Joints(robot)
    legs, arms, feet = {}, {}, {}
    for side, part in zip(SIDES, robot.feet, strict=True):
        frame = robot.model.frames[robot.frame_id(part)]
        chain = chain_to(robot, joints, frame.parentJoint)
        ankle = chain[-2]
        legs[side] = _limb(robot, joints, chain, ankle, np.zeros(3))
        feet[side] = _foot(robot, part)
        hand = f"{side}_hand"
        if f"{side}_arm" in robot.groups and hand in robot.parts and robot.groups[f"{side}_arm"]:
            tip = robot.model.frames[robot.frame_id(hand)]
            whole = chain_to(robot, joints, tip.parentJoint)
            mine = {joints.number(name) for name in robot.groups[f"{side}_arm"]}
            arm = [j for j in whole if j in mine]
            if len(arm) >= 3:
                arms[side] = _limb(robot, joints, arm, arm[-1], tip.placement.translation)
    chest = robot.model.frames[robot.frame_id("chest" if "chest" in robot.parts else "base")]
    torso = chain_to(robot, joints, chest.parentJoint) if chest.parentJoint > 1 else []
    R_chest = chest.placement.rotation.copy()
    clear = _ankle_range(robot, joints, legs["left"], feet["left"])
    return Limbs(joints, legs, arms, feet, tuple(torso), R_chest, clear)


def _limb(robot: Robot, joints: Joints, chain: list[int], last: int, tip: np.ndarray) -> Limb:
    """The knee or elbow is the joint that changes the distance from end to end the most."""
    data = robot.model.createData()

    def ends(q: np.ndarray) -> np.ndarray:
        pin.forwardKinematics(robot.model, data, q)
        return data.oMi[last].act(tip) - data.oMi[chain[0]].translation

    bent = np.array(robot.half_sitting)
    here = float(np.linalg.norm(ends(bent)))
    effects = []
    for joint in chain:
        k = joints.column(joint)
        reach = []
        for step in (-0.3, 0.3):
            q = bent.copy()
            q[BASE_Q + k] += step
            reach.append(abs(float(np.linalg.norm(ends(q))) - here))
        effects.append(max(reach))
    middle = int(np.argmax(effects))
    pin.forwardKinematics(robot.model, data, bent)
    origins = np.array([data.oMi[j].translation for j in chain])
    away = np.linalg.norm(origins[: middle + 1] - origins[middle], axis=1)
    # the bone begins at the last joint that is still far: offsets between hip axes are no bone
    top = int(np.flatnonzero(away >= FAR * away.max())[-1]) if middle else 0
    end = chain.index(last)
    length = float(away[top] + np.linalg.norm(data.oMi[last].act(tip) - origins[middle]))
    straight, bends = _straight(robot, joints.column(chain[middle]), ends)
    tip = np.asarray(tip, dtype=float)
    return Limb(tuple(chain), top, middle, end, length, tip, straight, bends)


def _straight(
    robot: Robot, column: int, ends: Callable[[np.ndarray], np.ndarray]
) -> tuple[float, float]:
    """Angle of a knee or elbow at which the limb is longest, and which way it bends."""
    q = np.array(robot.half_sitting)
    low, high = max(robot.lower[column], -np.pi), min(robot.upper[column], np.pi)
    angles = np.linspace(low, high, 200)
    lengths = []
    for angle in angles:
        q[BASE_Q + column] = angle
        lengths.append(float(np.linalg.norm(ends(q))))
    straight = float(angles[int(np.argmax(lengths))])
    return straight, 1.0 if robot.half_sitting[BASE_Q + column] >= straight else -1.0


EDGE = 2.5e-4  # [m], points of the outline this close to the foremost one are on the edge


def _foot(robot: Robot, part: str) -> Foot:
    frame = robot.model.frames[robot.frame_id(part)]
    outline = robot.soles[part].outline
    x, y = outline[:, 0], outline[:, 1]
    out = 1.0 if "left" in part else -1.0
    return Foot(
        part,
        frame.placement.rotation.copy(),
        frame.placement.translation.copy(),
        float(x.min()),
        float(x.max()),
        outline[x < x.min() + EDGE].copy(),
        outline[x > x.max() - EDGE].copy(),
        outline[:, :2].copy(),
        float((-out * y).max()),
        float((out * y).max()),
    )


SIDEWAYS = 0.06  # [rad], that a leg leans over its foot while it walks
OFF_FLOOR = 0.003  # [m], that a shank keeps from the floor while the foot is flat


def _ankle_range(robot: Robot, joints: Joints, leg: Limb, foot: Foot) -> tuple[float, float]:
    """How far an ankle may pitch before the shank touches the floor on which the foot stands."""
    column = joints.column(leg.chain[leg.end])
    shank = set(leg.chain[leg.middle : leg.end])
    shapes = [
        s for s in robot.shapes if robot.model.frames[robot.frame_id(s.link)].parentJoint in shank
    ]
    data = robot.model.createData()
    q = np.array(robot.half_sitting)
    here = float(q[BASE_Q + column])

    rolls = [joints.column(j) for j in leg.chain[leg.end + 1 :]]

    def clearance(angle: float) -> float:
        q[BASE_Q + column] = angle
        heights = []
        for roll in (0.0, SIDEWAYS, -SIDEWAYS):
            q[BASE_Q:][rolls] = np.clip(roll, robot.lower[rolls], robot.upper[rolls])
            pin.framesForwardKinematics(robot.model, data, q)
            T_foot = data.oMf[robot.frame_id(foot.part)]
            for shape in shapes:
                T = T_foot.actInv(data.oMf[robot.frame_id(shape.link)]).act(shape.T_link_shape)
                heights.append(float(T.translation[2]) - _reach_down(shape, T.rotation[2]))
        return min(heights, default=np.inf)

    enough = min(OFF_FLOOR, clearance(here))
    ends = []
    for limit in (float(robot.lower[column]), float(robot.upper[column])):
        angles = np.linspace(here, limit, 60)
        bad = [k for k, angle in enumerate(angles) if clearance(angle) < enough]
        ends.append(float(angles[max(bad[0] - 1, 0)]) if bad else limit)
    return ends[0], ends[1]


def _reach_down(shape: Shape, up: np.ndarray) -> float:
    """How far a shape reaches below its centre [m], the vertical in its axes given."""
    if shape.kind == "box":
        return float(0.5 * np.abs(up) @ np.array(shape.size))
    if shape.kind == "sphere":
        return float(shape.size[0])
    radius, length = shape.size
    return float(radius + 0.5 * length * abs(up[2]))
