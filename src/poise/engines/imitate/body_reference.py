"""Trunk, arms and pelvis over a whole walk: the person's while the clip plays, standing around it.

Around the clip the robot stands, or takes its lead-in and lead-out steps: there its posture is its
own, and the person's fades in and out within the clip.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.ndimage import gaussian_filter1d, minimum_filter1d

from poise.engines.imitate.aims import Aims
from poise.engines.imitate.angles import composed, decomposed
from poise.engines.imitate.footsteps import Walk
from poise.engines.imitate.limbs import Limbs, standing
from poise.engines.imitate.marionette import Marionette
from poise.engines.imitate.rolling_feet import FootPath, smooth
from poise.motion.marker_names import SIDES
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V

FADE = 0.35  # [s] of the recording, in which the person's posture comes and goes
EASE = 0.35  # of a swing, over which the pelvis' turns are smoothed
CREST = 0.5  # of a step: heights are lowered this long before and after a reach


@dataclass(frozen=True, eq=False)
class BodyReference:
    """What the body above the feet should do."""

    angles: np.ndarray  # [rad], (n, na)
    R_world_base: np.ndarray  # (n, 3, 3)
    blend: np.ndarray  # (n,), 0 the robot's own posture, 1 the person's


def body_reference(
    robot: Robot,
    aims: Aims,
    puppet: Marionette,
    walk: Walk,
    feet: dict[str, FootPath],
    time: np.ndarray,
    share: float = 1.0,
    lean: float = 1.0,
    arms: float = 1.0,
    aside: float = 0.0,
) -> BodyReference:
    """Angles and pelvis at the times of a walk.

    Args:
        robot: who.
        aims: of the person.
        puppet: with the person's angles.
        walk: of the robot.
        feet: of the robot.
        time: [s], (n,).
        share: of the person's posture; 0 keeps the robot's own.
        lean: of the tilts of the person's pelvis.
        arms: of the person's arms, beside that.
        aside: how far the arms are held away from the body while it walks [rad].
    """
    when = walk.human_time(time)
    clip = aims.time
    fade = min(FADE, 0.25 * float(clip[-1] - clip[0]))
    blend = smooth((when - clip[0]) / fade) * smooth((clip[-1] - when) / fade)
    rest = np.array(robot.half_sitting[BASE_Q:])
    person = np.column_stack([np.interp(when, clip, puppet.angles[:, k]) for k in range(robot.na)])
    shares = np.full(robot.na, share)
    shares[arm_columns(robot)] *= arms
    angles = rest + shares * blend[:, None] * (person - rest)
    if aside:
        angles += aside * walking(walk, time)[:, None] * outwards(robot)
        angles = np.clip(angles, robot.lower, robot.upper)
    pelvis = np.unwrap(decomposed(aims.pelvis, "zyx"), axis=0)
    now = np.column_stack([np.interp(when, clip, pelvis[:, k]) for k in range(3)])
    heading = 0.5 * (feet["left"].place[:, 2] + feet["right"].place[:, 2])
    person_heading = 0.5 * sum(
        np.interp(when, clip, _stance_heading(aims, walk, side)) for side in SIDES
    )
    yaw = _near(now[:, 0] - person_heading)
    yaw -= np.average(yaw, weights=blend + 1e-9)  # toes point outwards, and not evenly
    # a foot that still lags behind holds the pelvis back: it turns before and after, not at once
    step = float(np.median([s.land - s.lift for s in walk.steps]))
    width = EASE * step / float(time[1] - time[0])
    facing = gaussian_filter1d(heading + blend * yaw, width, mode="nearest")
    tilt = lean * blend
    turn = np.column_stack([facing, tilt * now[:, 1], tilt * now[:, 2]])
    upright = standing(robot).data.oMi[1].rotation
    return BodyReference(angles, composed(turn, "zyx") @ upright, blend)


def arm_columns(robot: Robot) -> list[int]:
    """Positions of the arms' joints in `joint_names`."""
    groups = [robot.groups.get(f"{side}_arm", ()) for side in SIDES]
    return [robot.index(name) for group in groups for name in group]


def walking(walk: Walk, time: np.ndarray) -> np.ndarray:
    """0 while the robot stands at its start and end, 1 while it walks, smoothly between, (n,)."""
    up = smooth((time - walk.steps[0].lift + walk.shift) / walk.shift)
    return up * smooth((walk.steps[-1].land + walk.shift - time) / walk.shift)


@lru_cache(maxsize=32)
def outwards(robot: Robot) -> np.ndarray:
    """The turn of each arm's own joint that takes its hand away from the body, (na,)."""
    way = np.zeros(robot.na)
    at = standing(robot)
    for side, out in zip(SIDES, (1.0, -1.0), strict=True):
        joints = [robot.index(name) for name in robot.groups.get(f"{side}_arm", ())]
        if joints and f"{side}_hand" in robot.parts:
            sideways = out * at.jacobian(f"{side}_hand")[1, BASE_V:][joints]
            best = int(np.argmax(np.abs(sideways)))
            way[joints[best]] = np.sign(sideways[best])
    return way


def _stance_heading(aims: Aims, walk: Walk, side: str) -> np.ndarray:
    """Heading of a foot in its stances, passing over smoothly in its swings [rad], (n,)."""
    values = aims.foot_yaw[side]
    t = aims.time
    steps = [s for s in walk.steps if s.side == side]
    lifts = [float(walk.human_time(np.array(s.lift))) for s in steps]
    lands = [float(walk.human_time(np.array(s.land))) for s in steps]
    inside = [(a, b) for a, b in zip(lifts, lands, strict=True) if b <= t[-1]]
    if not inside:
        return np.full(len(t), float(np.median(values)))
    now = float(np.interp(max(inside[0][0], t[0]), t, values))
    out = np.full(len(t), now)
    for a, b in inside:
        goal = float(np.interp(b, t, values))
        out += smooth((t - a) / (b - a)) * (goal - now)
        now = goal
    return out


def _near(angle: np.ndarray) -> np.ndarray:
    """The same angles with whole turns taken out of all at once."""
    return angle - 2.0 * np.pi * np.round(np.median(angle) / (2.0 * np.pi))


def pelvis_height(
    robot: Robot,
    limbs: Limbs,
    feet: dict[str, FootPath],
    base: np.ndarray,
    hips: dict[str, np.ndarray],
    walk: Walk,
    step_time: float,
    time: np.ndarray,
    bend: float,
) -> np.ndarray:
    """Height of the base [m], (n,): with knees nearly straight, lower where the legs must reach.

    It starts and ends in half-sitting. It is lowered early and raised late, so that it moves
    gently and is never above what they reach.

    Args:
        robot: who.
        limbs: its limbs.
        feet: where they are.
        base: ground projection of the base [m], (n, 2).
        hips: from the base to each hip, world axes [m], (n, 3).
        walk: of the robot.
        step_time: [s].
        time: [s], (n,), evenly spaced.
        bend: of the knees that is kept [rad].
    """
    at = standing(robot)
    most = float(robot.half_sitting[2]) + rise_of(robot, limbs, bend) * walking(walk, time)
    for side in SIDES:
        leg, foot = limbs.legs[side], feet[side]
        ankle_at = at.data.oMi[leg.chain[leg.end]].translation
        ankle_local = at.pose(limbs.feet[side].part).actInv(ankle_at)
        ankle = foot.p + np.einsum("nij,j->ni", foot.R, ankle_local)
        offset = hips[side]
        flat = base + offset[:, :2] - ankle[:, :2]
        reach = reach_of(robot, limbs, side, bend)
        above = np.sqrt(np.maximum(reach**2 - (flat**2).sum(axis=1), (0.3 * reach) ** 2))
        most = np.minimum(most, ankle[:, 2] + above - offset[:, 2])
    width = max(round(CREST * step_time / (time[1] - time[0])), 1)
    low = minimum_filter1d(most, 2 * width + 1, mode="nearest")
    return gaussian_filter1d(low, width / 3.0, mode="nearest", truncate=3.0)


def reach_of(robot: Robot, limbs: Limbs, side: str, bend: float) -> float:
    """From hip to ankle with a bend of the knee [rad] that is kept [m]."""
    leg = limbs.legs[side]
    at = standing(robot)
    hip, knee, ankle = (
        at.data.oMi[leg.chain[k]].translation for k in (leg.top, leg.middle, leg.end)
    )
    a, b = float(np.linalg.norm(knee - hip)), float(np.linalg.norm(ankle - knee))
    return float(np.sqrt(a * a + b * b + 2.0 * a * b * np.cos(bend)))


def rise_of(robot: Robot, limbs: Limbs, bend: float) -> float:
    """How much higher than in half-sitting the base may stand over both feet [m]."""
    at = standing(robot)
    leg = limbs.legs["left"]
    hip, ankle = (at.data.oMi[leg.chain[k]].translation for k in (leg.top, leg.end))
    flat = float(((hip - ankle)[:2] ** 2).sum())
    reach = reach_of(robot, limbs, "left", bend)
    return max(0.0, float(np.sqrt(max(reach**2 - flat, 0.0))) - float(hip[2] - ankle[2]))
