"""Limits a robot can be moved with, where its URDF leaves them out or fills in placeholders."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.errors import listed
from poise.robot.onboarding.guess import Guess
from poise.robot.onboarding.limbs import Limbs
from poise.robot.onboarding.mirroring import Twins, common_range
from poise.robot.onboarding.tree import Tree
from poise.robot.robot import GRAVITY

FASTEST = 200.0  # [rad/s], above this a speed limit is a placeholder
DOUBTFUL = 50.0  # [rad/s], above this it looks like one, and is kept
USUAL_SPEED = 6.0  # [rad/s], where nothing is known
USUAL_RANGE = 2.6  # [rad], either way, where nothing is known
LEAST_SHARED = 0.2  # [rad], twins that share less contradict each other
ROOM = 0.3  # [rad], given beyond a posture that its range excludes
WIDEST = 2.0 * np.pi  # [rad], further than this no limb turns


@dataclass
class Limits:
    """Limits by joint: what was replaced, ready for the [limits] table of a robot.toml."""

    table: dict[str, dict[str, float]] = field(default_factory=dict)
    guesses: list[Guess] = field(default_factory=list)

    def set(self, joint: str, **values: float) -> None:
        """Replace some limits of a joint."""
        self.table.setdefault(joint, {}).update({k: round(v, 4) for k, v in values.items()})


def sane_limits(tree: Tree, limbs: Limbs) -> Limits:
    """Replace what cannot be meant in the limits of a model."""
    limits = Limits()
    model = tree.model
    weak, slow, doubtful, loose = [], [], [], []
    strongest = 2.0 * tree.total * GRAVITY * _leg_length(tree, limbs)
    for joint in tree.joints():
        name = tree.name(joint)
        v, q = model.joints[joint].idx_v, model.joints[joint].idx_q
        effort, speed = float(model.effortLimit[v]), float(model.velocityLimit[v])
        low, high = float(model.lowerPositionLimit[q]), float(model.upperPositionLimit[q])
        if not 0.0 < effort < strongest:
            limits.set(name, effort=estimated_effort(tree, limbs, joint))
            weak.append(name)
        if not 0.0 < speed < FASTEST:
            limits.set(name, velocity=USUAL_SPEED)
            slow.append(name)
        elif speed > DOUBTFUL:
            doubtful.append(name)
        if not (low < high and np.isfinite([low, high]).all()):
            limits.set(name, lower=-USUAL_RANGE, upper=USUAL_RANGE)
            loose.append(name)
        elif low < -WIDEST or high > WIDEST:
            limits.set(name, lower=max(low, -np.pi), upper=min(high, np.pi))
            loose.append(name)
    for names, what, how, certainty in (
        (weak, "effort limits", "missing or placeholders: from the weight the joint carries", 0.4),
        (slow, "speed limits", f"missing or placeholders: {USUAL_SPEED:g} rad/s", 0.3),
        (doubtful, "speed limits", f"above {DOUBTFUL:g} rad/s: probably placeholders, kept", 0.5),
        (loose, "joint ranges", "missing, or wider than a turn: a usual range", 0.3),
    ):
        if names:
            limits.guesses.append(Guess(what, f"{len(names)}: {listed(names, 4)}", how, certainty))
    return limits


def reconcile(limits: Limits, tree: Tree, limbs: Limbs, twins: Twins, all_legs: bool) -> None:
    """Widen the ranges of twins that leave them next to nothing in common.

    With `all_legs`, every pair of leg joints whose ranges are no mirror images is widened: the
    URDF's ranges let the robot not stand, so they are not to be trusted.
    """
    signs = {left: sign for left, _, sign in twins.pairs}
    widened = []
    for pair in (limbs.legs, limbs.arms):
        for a, b in zip(*pair, strict=True):
            left, right, sign = tree.name(a), tree.name(b), signs[tree.name(a)]
            both, either = common_range(tree, a, b, sign)
            shared, whole = both[1] - both[0], either[1] - either[0]
            if shared < LEAST_SHARED < whole or (
                all_legs and pair is limbs.legs and whole - shared > 0.1
            ):
                low, high = either
                limits.set(left, lower=low, upper=high)
                limits.set(
                    right, lower=low if sign > 0 else -high, upper=high if sign > 0 else -low
                )
                widened += [left, right]
    if widened:
        limits.guesses.append(
            Guess(
                "joint ranges",
                f"{len(widened)} widened: {listed(widened, 4)}",
                "left and right ranges contradict each other: both got what either has",
                0.3,
            )
        )


def make_room(limits: Limits, tree: Tree, angles: dict[str, float]) -> None:
    """Widen the ranges that exclude a posture the robot needs."""
    moved = []
    for name, angle in angles.items():
        q = tree.model.joints[tree.model.getJointId(name)].idx_q
        low, high = tree.model.lowerPositionLimit[q], tree.model.upperPositionLimit[q]
        if not low < angle < high:
            limits.set(
                name, lower=min(float(low), angle - ROOM), upper=max(float(high), angle + ROOM)
            )
            moved.append(name)
    if moved:
        limits.guesses.append(
            Guess(
                "joint ranges",
                f"{len(moved)} widened: {listed(moved, 4)}",
                "within the URDF's ranges no posture has flat soles and bent knees",
                0.2,
            )
        )


def estimated_effort(tree: Tree, limbs: Limbs, joint: int) -> float:
    """A torque that suits the place of a joint [N m], two digits.

    A leg joint holds a quarter of the leg's length times the weight of the robot; any other
    joint three times what it carries, held out sideways.
    """
    if any(joint in leg for leg in limbs.legs):
        torque = 0.25 * tree.total * GRAVITY * _leg_length(tree, limbs)
    else:
        arm = tree.centre[joint] - tree.position[joint]
        lever = max(float(np.linalg.norm(arm)), 0.02)
        torque = 3.0 * tree.carried[joint] * GRAVITY * lever
    return float(f"{max(torque, 0.1):.2g}")


def _leg_length(tree: Tree, limbs: Limbs) -> float:
    hip, ankle = limbs.legs[0][0], limbs.legs[0][-1]
    return float(np.linalg.norm(tree.position[hip] - tree.position[ankle]))
