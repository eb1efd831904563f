"""The marionette: a robot held by its stance foot that has the person's angles.

Every limb points where the person's points, as far as the robot's own joints allow; which joint
does what follows from the robot's axes, whatever their order. Held at the foot that stands, it
walks with the person's rhythm and with steps as long as its legs make them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.engines.imitate.aims import Aims
from poise.engines.imitate.contact_phases import Stance
from poise.engines.imitate.filters import lowpass
from poise.engines.imitate.limbs import Foot, Limb, Limbs
from poise.engines.imitate.many_postures import (
    Walked,
    configurations,
    cross,
    rotation_vectors,
    turned,
)
from poise.motion.marker_names import SIDES
from poise.robot import Robot
from poise.robot.robot import BASE_Q

ROUNDS = 12  # of the solver; it is done when nothing moves any more
STILL = 1e-4  # [rad]
FEET = 3.0  # weight of the feet: they decide where steps go and how they land
HOLD = 3e-3  # weight of the standing posture against an aim: joints nobody asks for stay there
ARM_HOLD = 0.03  # the same for arms: a straight elbow does not say how it is turned
SMOOTH = 4.0  # [Hz], of the arms
WALL = 10.0  # weight of a joint limit against an aim
KEPT = 0.02  # [rad], that joints keep from their limits


@dataclass(frozen=True, eq=False)
class Marionette:
    """The robot with the person's angles."""

    angles: np.ndarray  # [rad], (n, na)
    R_world_base: np.ndarray  # (n, 3, 3)
    base_p: np.ndarray  # [m], (n, 3), once it is held at a foot
    feet: dict[str, tuple[np.ndarray, np.ndarray]]  # by side: R (n, 3, 3) and p (n, 3) [m], world

    def configurations(self, robot: Robot) -> np.ndarray:
        """As rows of q, (n, nq)."""
        return configurations(robot, self.base_p, self.R_world_base, self.angles)


def marionette(robot: Robot, limbs: Limbs, aims: Aims, stances: tuple[Stance, ...]) -> Marionette:
    """Give a robot the person's angles, and hold it at the stance foot."""
    n = len(aims.time)
    rate = (n - 1) / float(aims.time[-1] - aims.time[0])
    rest = np.array(robot.half_sitting[BASE_Q:])
    angles = np.tile(rest, (n, 1))
    upright = robot.at(robot.half_sitting)
    base_R = aims.pelvis @ upright.data.oMi[1].rotation
    origin = np.zeros((n, 3))
    chest_R, chest_p = base_R, origin
    if limbs.torso:
        goal = None
        if aims.chest is not None:
            goal = aims.chest @ upright.data.oMf[robot.frame_id("chest")].rotation
        if goal is not None:
            wish = _Facing(len(limbs.torso) - 1, goal, limbs.R_joint_chest)
            _pose(robot, limbs, limbs.torso, base_R, origin, angles, [wish])
        columns = [limbs.joints.column(j) for j in limbs.torso]
        walked = limbs.joints.walk(list(limbs.torso), angles[:, columns], base_R, origin)
        chest_R, chest_p = walked.R[-1], walked.p[-1]
    for side, arm in limbs.arms.items():
        if side in aims.upper_arms:
            wishes = _pointing(arm, aims.upper_arms[side], aims.forearms[side])
            _pose(robot, limbs, arm.chain, chest_R, chest_p, angles, wishes, hold=ARM_HOLD)
            columns = [limbs.joints.column(j) for j in arm.chain]
            smooth = lowpass(angles[:, columns], rate, SMOOTH)
            angles[:, columns] = np.clip(smooth, robot.lower[columns], robot.upper[columns])
    shared = _shared_motors(robot)
    for held in ((), shared) if shared else ((),):
        if held:  # one motor for both legs: what both would like, then the others again
            _agree(robot, angles)
        for side, leg in limbs.legs.items():
            wishes = _pointing(leg, aims.thighs[side], aims.shanks[side])
            facing = foot_rotations(aims.foot_yaw[side], aims.foot_pitch[side])
            wishes.append(_Facing(len(leg.chain) - 1, facing, limbs.feet[side].R, FEET))
            _pose(robot, limbs, leg.chain, base_R, origin, angles, wishes, held)
    feet = {side: _foot_pose(limbs, side, angles, base_R, origin) for side in SIDES}
    base_p = _held(feet, limbs, aims, stances)
    feet = {side: (R, p + base_p) for side, (R, p) in feet.items()}
    return Marionette(angles, base_R, base_p, feet)


def foot_rotations(yaw: np.ndarray, pitch: np.ndarray) -> np.ndarray:
    """Orientations of a foot, (n, 3, 3); toes up is positive pitch."""
    R = turned(np.asarray(yaw, dtype=float))
    tip = np.zeros_like(R)
    tip[:, 0, 0] = tip[:, 2, 2] = np.cos(pitch)
    tip[:, 2, 0] = np.sin(pitch)
    tip[:, 0, 2] = -tip[:, 2, 0]
    tip[:, 1, 1] = 1.0
    return R @ tip


@dataclass(frozen=True, eq=False)
class _Direction:
    """The line between two points of a chain should point somewhere."""

    a: int  # position in the chain of the joint where it begins
    b: int  # of the joint that carries its end
    tip: np.ndarray  # [m], (3,), of the end in that joint's frame
    goal: np.ndarray  # (n, 3)
    weight: float = 1.0

    def rows(self, walked: Walked) -> tuple[np.ndarray, np.ndarray]:
        """Error (n, 3) and Jacobian (n, 3, k)."""
        end = walked.p[self.b] + walked.R[self.b] @ self.tip
        d = end - walked.p[self.a]
        length = np.linalg.norm(d, axis=1)
        u = d / length[:, None]
        k, n = len(walked.p), len(d)
        J = np.zeros((n, 3, k))
        for i in range(k):
            if i <= self.b:  # joints before the line turn it, those on it move its end
                arm = d if i < self.a else end - walked.p[i]
                way = cross(walked.axes[i], arm) / length[:, None]
                J[:, :, i] = way - (way * u).sum(axis=1, keepdims=True) * u
        error = self.goal - (self.goal * u).sum(axis=1, keepdims=True) * u
        # beyond a right angle the projection shrinks again: keep its length
        behind = (self.goal * u).sum(axis=1) < 0.0
        size = np.linalg.norm(error, axis=1, keepdims=True)
        error = np.where(behind[:, None], error / np.maximum(size, 1e-6), error)
        return self.weight * error, self.weight * J


@dataclass(frozen=True, eq=False)
class _Facing:
    """A frame fixed to a joint of the chain should have an orientation."""

    joint: int  # position in the chain
    goal: np.ndarray  # (n, 3, 3)
    fixed: np.ndarray  # (3, 3), R_joint_frame
    weight: float = 1.0

    def rows(self, walked: Walked) -> tuple[np.ndarray, np.ndarray]:
        """Error (n, 3) and Jacobian (n, 3, k)."""
        R = walked.R[self.joint] @ self.fixed
        error = rotation_vectors(self.goal @ R.transpose(0, 2, 1))
        J = np.zeros((len(R), 3, len(walked.p)))
        for i in range(self.joint + 1):
            J[:, :, i] = walked.axes[i]
        return self.weight * error, self.weight * J


def _pointing(limb: Limb, first: np.ndarray, second: np.ndarray) -> list[_Direction | _Facing]:
    nothing = np.zeros(3)
    return [
        _Direction(limb.top, limb.middle, nothing, first),
        _Direction(limb.middle, limb.end, limb.end_place, second),
    ]


def _pose(
    robot: Robot,
    limbs: Limbs,
    chain: tuple[int, ...],
    root_R: np.ndarray,
    root_p: np.ndarray,
    angles: np.ndarray,
    wishes: Sequence[_Direction | _Facing],
    held: tuple[int, ...] = (),
    hold: float = HOLD,
) -> None:
    """Write the angles of a chain that serve its wishes best within the limits.

    Damped least squares; joints whose columns are in `held` stay where they are.
    """
    columns = [limbs.joints.column(j) for j in chain]
    stay = np.array([1e9 if column in held else 0.0 for column in columns])
    rest = np.array(robot.half_sitting[BASE_Q:])[columns]
    low, high = robot.lower[columns] + KEPT, robot.upper[columns] - KEPT
    q = angles[:, columns].copy()
    diagonal = np.arange(len(chain))
    for _ in range(ROUNDS):
        walked = limbs.joints.walk(list(chain), q, root_R, root_p)
        rows = [wish.rows(walked) for wish in wishes]
        e = np.concatenate([error for error, _ in rows], axis=1)
        J = np.concatenate([jacobian for _, jacobian in rows], axis=1)
        beyond = np.where(q > high, q - high, np.where(q < low, q - low, 0.0))
        wall = WALL * (beyond != 0.0)
        H = np.matmul(J.transpose(0, 2, 1), J)
        H[:, diagonal, diagonal] += hold + wall + stay
        g = np.einsum("nij,ni->nj", J, e) - wall * beyond - hold * (q - rest)
        step = np.linalg.solve(H, g[:, :, None])[:, :, 0]
        step *= np.minimum(1.0, 0.5 / np.maximum(np.abs(step).max(axis=1), 1e-9))[:, None]
        q += step
        if np.abs(step).max() < STILL:
            break
    angles[:, columns] = np.clip(q, robot.lower[columns], robot.upper[columns])


def _shared_motors(robot: Robot) -> tuple[int, ...]:
    """Columns of joints that one motor drives together."""
    return tuple(robot.index(name) for c in robot.couplings for name in (c.joint, c.of))


def _agree(robot: Robot, angles: np.ndarray) -> None:
    """Put coupled joints where both of a pair are best served."""
    for c in robot.couplings:
        follower, leader = robot.index(c.joint), robot.index(c.of)
        m = c.multiplier
        angles[:, leader] = (angles[:, leader] + m * (angles[:, follower] - c.offset)) / (1 + m * m)
        angles[:, follower] = m * angles[:, leader] + c.offset


def _foot_pose(
    limbs: Limbs, side: str, angles: np.ndarray, base_R: np.ndarray, base_p: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    leg, foot = limbs.legs[side], limbs.feet[side]
    columns = [limbs.joints.column(j) for j in leg.chain]
    walked = limbs.joints.walk(list(leg.chain), angles[:, columns], base_R, base_p)
    return walked.R[-1] @ foot.R, walked.p[-1] + walked.R[-1] @ foot.p


def _anchor(foot: Foot, pitch: np.ndarray) -> np.ndarray:
    """The point of a sole that stays: the heel edge while the toes are up, else the toe edge.

    A foot that is flat may be held anywhere; in between the point moves over gently.
    """
    share = np.clip(0.5 - pitch / np.deg2rad(10.0), 0.0, 1.0)
    x = foot.heel + share * foot.length
    return np.column_stack([x, np.zeros_like(x), np.zeros_like(x)])


def _held(
    feet: dict[str, tuple[np.ndarray, np.ndarray]],
    limbs: Limbs,
    aims: Aims,
    stances: tuple[Stance, ...],
) -> np.ndarray:
    """Where the base is [m], (n, 3), if the foot that stands rolls but does not slide.

    The anchor passes to a foot when it meets the ground. What moves the base is the velocity of the
    standing sole's lowest point, so that the base never jumps.
    """
    n = len(aims.time)
    standing = np.full(n, -1)
    for stance in sorted(stances, key=lambda s: (s.start, s.end)):
        standing[aims.time >= stance.start] = SIDES.index(stance.side)
    if (standing < 0).any():
        first = standing[standing >= 0]
        standing[standing < 0] = first[0] if len(first) else 0
    step = np.zeros((n, 3))
    for k, side in enumerate(SIDES):
        R, p = feet[side]
        local = _anchor(limbs.feet[side], aims.foot_pitch[side])
        # a way of the sole's point that touches, seen from the base: the base goes the other way
        now = p[:-1] + np.einsum("nij,nj->ni", R[:-1], local[:-1])
        then = p[1:] + np.einsum("nij,nj->ni", R[1:], local[:-1])
        mine = standing[1:] == k
        step[1:][mine] = (now - then)[mine]
    base = np.cumsum(step, axis=0)
    lowest = np.full(n, np.inf)
    for side in SIDES:
        R, p = feet[side]
        for x in (limbs.feet[side].heel, limbs.feet[side].toe):
            lowest = np.minimum(lowest, p[:, 2] + R[:, 2, 0] * x)
    base[:, 2] = -lowest
    return base
