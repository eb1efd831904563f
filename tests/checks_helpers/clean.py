"""Clean, balanced motions for any robot, made by simple means and by none of the engines.

Feet, centre of mass and couplings are met exactly by Gauss-Newton steps with the legs alone;
timing is quintic.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pinocchio as pin

from poise.contacts import ContactPlan, Touch
from poise.motion import Motion, motion_of
from poise.robot import Robot, load_robot
from poise.robot.robot import BASE_V

RATE = 200.0  # [Hz]


def ease(s: np.ndarray) -> np.ndarray:
    """From 0 to 1, at rest at both ends (quintic)."""
    s = np.clip(s, 0.0, 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


def hump(s: np.ndarray) -> np.ndarray:
    """From 0 to 1 and back, at rest at both ends and on top."""
    s = np.clip(s, 0.0, 1.0)
    return np.where(s < 0.5, ease(2.0 * s), ease(2.0 - 2.0 * s))


def solve(robot: Robot, q: np.ndarray, feet: dict[str, pin.SE3], com: np.ndarray) -> np.ndarray:
    """The configuration next to q with feet and centre of mass [m] in place."""
    legs = [robot.index(j) for side in ("left", "right") for j in robot.groups[f"{side}_leg"]]
    moving = np.concatenate([np.arange(6), BASE_V + np.sort(legs)])
    for _ in range(30):
        J, error = _errors(robot, q, feet, com)
        if np.abs(error).max() < 1e-12:
            break
        step = np.zeros(robot.nv)
        step[moving] = -np.linalg.pinv(J[:, moving], rcond=1e-9) @ error
        q = pin.integrate(robot.model, q, step)
    assert np.abs(error).max() < 1e-10, "the test's own solver failed"
    return q


def _errors(
    robot: Robot, q: np.ndarray, feet: dict[str, pin.SE3], com: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    model, data = robot.model, _scratch(robot.name)
    pin.computeJointJacobians(model, data, q)
    pin.jacobianCenterOfMass(model, data, q)
    pin.updateFramePlacements(model, data)
    rows, errors = [], []
    for part, target in feet.items():
        frame = robot.frame_id(part)
        rows.append(pin.getFrameJacobian(model, data, frame, pin.LOCAL))
        errors.append(-pin.log6(data.oMf[frame].actInv(target)).vector)
    rows += [data.Jcom, robot.coupling_rows]
    errors += [data.com[0] - com, (q - robot.coupled(q))[_followers(robot)]]
    return np.vstack(rows), np.concatenate(errors)


def _followers(robot: Robot) -> list[int]:
    return [7 + robot.index(c.joint) for c in robot.couplings]


@lru_cache
def _scratch(name: str) -> pin.Data:
    return load_robot(name).model.createData()


def soles_down(robot: Robot) -> dict[str, pin.SE3]:
    """Where the feet stand when half-sitting."""
    at = robot.at(robot.half_sitting)
    return {part: at.pose(part) for part in robot.feet}


def whole_sole(robot: Robot, part: str, start: float, end: float, pose: pin.SE3) -> Touch:
    """A whole sole on the ground."""
    return Touch(part, start, end, pose, robot.soles[part].points)


def followed(
    robot: Robot,
    time: np.ndarray,
    com: np.ndarray,
    right: list[pin.SE3],
    plan: ContactPlan,
) -> Motion:
    """The motion with the centre of mass on a path [m], (n, 3), the right foot on another."""
    feet, q, rows = soles_down(robot), np.array(robot.half_sitting), []
    for target, pose in zip(com, right, strict=True):
        q = solve(robot, q, {**feet, "right_foot": pose}, target)
        rows.append(q)
    return motion_of(robot, time, np.array(rows), contacts=plan)


@lru_cache
def sway(
    name: str,
    duration: float = 2.0,
    aside: float = 0.3,
    dip: float = 0.04,
    slide: float = 0.0,
    sunk: float = 0.0,
    leaning: float = 0.0,
    rate: float = RATE,
) -> Motion:
    """A squat and a sway at once on both feet, from rest to rest.

    Args:
        name: of the robot.
        duration: [s].
        aside: sway, as a share of half the distance of the feet.
        dip: squat, as a share of the height of the centre of mass.
        slide: a fault: how far the right foot slides forward [m].
        sunk: a fault: how deep the right foot stands in the ground [m].
        leaning: a fault: how far the right foot rolls [rad].
        rate: [Hz].
    """
    robot = load_robot(name)
    feet, com = soles_down(robot), robot.at(robot.half_sitting).com
    half_stance = abs(feet["left_foot"].translation[1])
    time = np.arange(round(duration * rate) + 1) / rate
    path = com + np.outer(hump(time / duration), [0.0, aside * half_stance, -dip * com[2]])
    right = [
        feet["right_foot"]
        * pin.SE3(pin.rpy.rpyToMatrix(leaning * s, 0.0, 0.0), np.array([slide * s, 0.0, -sunk]))
        for s in ease(time / duration)
    ]
    plan = ContactPlan.of(whole_sole(robot, part, 0.0, duration, T) for part, T in feet.items())
    return followed(robot, time, path, right, plan)


@lru_cache
def lift(
    name: str,
    height: float = 0.02,
    forward: float = 0.0,
    short: float = 0.0,
    dip: float = 0.02,
    rate: float = 100.0,
) -> Motion:
    """The weight goes over the left foot, the right one is lifted and set down again.

    Args:
        name: of the robot.
        height: how high the right foot is lifted [m].
        forward: how far it goes forward, and back, meanwhile [m].
        short: how far the centre of mass stays short of the middle of the left foot [m].
        dip: squat, as a share of the height of the centre of mass.
        rate: [Hz].
    """
    robot = load_robot(name)
    feet, com = soles_down(robot), robot.at(robot.half_sitting).com
    over = feet["left_foot"].act(robot.soles["left_foot"].points.mean(axis=0))
    shift, pause, up = 1.5, 0.1, 0.8
    marks = np.cumsum([shift, pause, up, pause, shift])
    time = np.arange(round(marks[-1] * rate) + 1) / rate
    aside = ease(time / marks[0]) - ease((time - marks[3]) / shift)
    path = com + np.outer(aside, [0.0, over[1] - com[1] - short, -dip * com[2]])
    raised = hump((time - marks[1]) / up)
    right = [
        pin.SE3(T.rotation, T.translation + s * np.array([forward, 0.0, height]))
        for T in [feet["right_foot"]]
        for s in raised
    ]
    last = float(time[-1])
    plan = ContactPlan.of(
        [
            whole_sole(robot, "left_foot", 0.0, last, feet["left_foot"]),
            whole_sole(robot, "right_foot", 0.0, float(marks[1]), feet["right_foot"]),
            whole_sole(robot, "right_foot", float(marks[2]), last, feet["right_foot"]),
        ]
    )
    return followed(robot, time, path, right, plan)
