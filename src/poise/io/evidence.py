"""What forward kinematics says about a reading of a file: does a robot that does this make sense?

A robot that walks or stands is upright, has a foot near the ground and flat on it, does not slide
on it, keeps its mass above its feet and its joints within their range. A file read with the wrong
quaternion order, unit or joint order breaks several of these at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from poise.io.layout import Layout
from poise.io.orders import columns
from poise.io.rows import Rows, rotations, unit_quaternions
from poise.robot import Robot
from poise.robot.robot import BASE_Q

SAMPLES = 48  # instants that are looked at, each with the row after it


@dataclass(frozen=True)
class Clue:
    """One question: what was found, what would be small, what would be large, and how loud.

    Clean files and rough ones are both common, so what counts is the order of magnitude: a foot
    that slides at 1 mm/s speaks against one that slides at 20 mm/s, and 0.1 m/s against 2 m/s.
    """

    name: str
    value: float
    small: float  # nothing below this is told apart
    large: float  # from here on it cannot get worse
    weight: float  # at most, as a logarithm of odds
    unit: str

    @property
    def cost(self) -> float:
        """How much it speaks against the reading, from 0 to `weight`."""
        loud = np.log1p(self.value / self.small) / np.log1p(self.large / self.small)
        return self.weight * float(min(loud, 1.0))

    def __str__(self) -> str:
        value = self.value
        if self.unit == "deg":
            return f"{self.name} {np.degrees(value):.1f} deg"
        if self.unit == "mm":
            return f"{self.name} {1e3 * value:.0f} mm"
        if self.unit == "%":
            return f"{self.name} {100 * value:.0f} %"
        return f"{self.name} {value:.2f} {self.unit}"


@dataclass(frozen=True, eq=False)
class Body:
    """Feet and mass seen from the base at the sampled instants, for one reading of the joints."""

    feet: np.ndarray  # T_base_foot, (2, samples, feet, 4, 4); 0: the row, 1: the row after it
    com: np.ndarray  # [m], in the base, (samples, 3)
    out_of_range: float  # share of joint angles outside their limits
    too_fast: float  # share of joint steps faster than the motors


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows that are looked at, and how much time lies between a row and the next."""

    rows: np.ndarray  # (samples,)
    after: np.ndarray  # (samples,)
    step: float  # [s]

    @classmethod
    def of(cls, rows: Rows, rate: float) -> Sample:
        """Rows spread over the whole motion."""
        last = max(len(rows) - 2, 0)
        chosen = np.unique(np.linspace(0, last, min(SAMPLES, last + 1)).round().astype(int))
        return cls(chosen, np.minimum(chosen + 1, len(rows) - 1), 1.0 / rate)


def body_of(robot: Robot, rows: Rows, sample: Sample, layout: Layout) -> Body:
    """Forward kinematics with the base at the origin, for one order and unit of the joints."""
    model, data = robot.model, robot.model.createData()
    q = pin.neutral(model)
    ids = [robot.frame_id(foot) for foot in robot.feet]
    order = columns(robot, layout.joints)
    joints = np.stack(
        [layout.radian * rows.joints[k][:, order] for k in (sample.rows, sample.after)]
    )
    feet = np.empty((2, len(sample.rows), len(ids), 4, 4))
    com = np.empty((len(sample.rows), 3))
    for k in range(len(sample.rows)):
        for late in (1, 0):
            q[BASE_Q:] = joints[late, k]
            pin.forwardKinematics(model, data, q)
            for f, frame in enumerate(ids):
                feet[late, k, f] = pin.updateFramePlacement(model, data, frame).homogeneous
        com[k] = pin.centerOfMass(model, data, q)
    lower, upper = robot.lower - 0.03, robot.upper + 0.03
    outside = ((joints[0] < lower) | (joints[0] > upper)) & (robot.upper > robot.lower)
    limit = np.where(robot.velocity_limit > 0.0, 1.5 * robot.velocity_limit, np.inf)
    fast = np.abs(joints[1] - joints[0]) / sample.step > limit
    return Body(feet, com, float(outside.mean()), float(fast.mean()))


def clues(robot: Robot, rows: Rows, sample: Sample, layout: Layout, body: Body) -> tuple[Clue, ...]:
    """Everything that speaks for or against one reading."""
    quat = [
        unit_quaternions(layout.quat_xyzw(rows.quaternion[k]))[0]
        for k in (sample.rows, sample.after)
    ]
    R = np.stack([rotations(x) for x in quat])
    p = np.stack([layout.metre * rows.position[k] for k in (sample.rows, sample.after)])
    R_feet = np.einsum("lnij,lnfjk->lnfik", R, body.feet[..., :3, :3])
    p_feet = np.einsum("lnij,lnfj->lnfi", R, body.feet[..., :3, 3]) + p[:, :, None]
    # the soles' corners in the world: (late, samples, feet, corners, 3)
    soles = np.stack([robot.soles[foot].points for foot in robot.feet])
    corners = np.einsum("lnfij,fcj->lnfci", R_feet, soles) + p_feet[:, :, :, None]
    moved = np.linalg.norm(corners[1] - corners[0], axis=-1).max(axis=-1)  # (samples, feet)
    lowest = corners[0, ..., 2].min(axis=-1)  # (samples, feet)
    standing = lowest.argmin(axis=1)[:, None]
    vertical = np.take_along_axis(R_feet[0, :, :, 2, 2], standing, axis=1)[:, 0]
    upright = rotations(robot.half_sitting[None, 3:7])[0]
    tilt = _angle(np.einsum("nij,j->ni", R[0], upright.T[:, 2])[:, 2])
    heading = np.einsum("ij,j->i", R[0, 0] @ upright.T, [1.0, 0.0, 0.0])
    com = np.einsum("nij,nj->ni", R[0], body.com) + p[0]
    size = _size(robot)
    feet_flat = p_feet[0, ..., :2]
    lean = _off_segment(com[:, :2], feet_flat[:, 0], feet_flat[:, -1])
    yaw = float(abs(np.arctan2(heading[1], heading[0])))
    off = float(np.median(np.abs(lowest.min(axis=1))))
    slide = float(np.median(moved.min(axis=1))) / sample.step
    sole = float(np.median(_angle(vertical)))
    return (
        Clue("joints out of range", body.out_of_range, 0.03, 0.3, 10.0, "%"),
        Clue("joints too fast", body.too_fast, 0.05, 0.5, 3.0, "%"),
        Clue("base tilted by", float(np.median(tilt)), 0.3, 2.5, 8.0, "deg"),
        Clue("feet off the ground by", off, 0.001 * size, 0.3 * size, 9.0, "mm"),
        Clue("lower sole tilted by", sole, 0.005, 1.0, 6.0, "deg"),
        Clue("stillest foot slides at", slide, 0.002 * size, 0.5 * size, 8.0, "m/s"),
        Clue("mass off the feet by", float(np.median(lean)), 0.05 * size, 0.5 * size, 4.0, "mm"),
        Clue("faces away from x by", yaw, 1.0, 3.2, 3.0, "deg"),
    )


def _size(robot: Robot) -> float:
    """How tall the robot is, more or less [m]; the base half-sitting is at about half."""
    return robot.height or 2.0 * float(robot.half_sitting[2]) or 1.0


def _angle(cosine: np.ndarray) -> np.ndarray:
    return np.arccos(np.clip(cosine, -1.0, 1.0))


def _off_segment(point: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Distance of points from the lines between the feet, (n,)."""
    along = b - a
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    s = np.clip(((point - a) * along).sum(axis=1) / length, 0.0, 1.0)
    return np.linalg.norm(point - (a + s[:, None] * along), axis=1)
