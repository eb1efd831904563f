"""The joint that folds a limb: the knee of a leg, the elbow of an arm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from poise.robot.onboarding.tree import Tree


@dataclass(frozen=True, eq=False)
class Fold:
    """How a limb folds."""

    joint: int  # Pinocchio index
    straight: float  # [rad], where the limb is longest
    sense: int  # +1 or -1: towards which angles it folds, 0 when its limits do not tell
    motion: np.ndarray  # (3,), where the tip goes when a straight limb folds in that sense [m]


def find_fold(tree: Tree, limb: tuple[int, ...], tip: np.ndarray) -> Fold:
    """The joint of a limb with a long piece before and behind it, across both.

    Args:
        tree: of the model.
        limb: its joints from the root outwards.
        tip: a point at its end [m], root axes, at the zero posture.
    """
    start = tree.position[limb[0]]
    joint = max(limb, key=lambda j: _leverage(tree, j, start, tip))
    split = limb.index(joint)
    if split:  # a hip or shoulder is where its axes meet
        start = tree.meeting(limb[max(split - 3, 0) : split])
    angles = np.linspace(-np.pi, np.pi, 721)
    low, high = _range(tree, joint)
    allowed = angles[(angles >= low - 0.2) & (angles <= high + 0.2)]
    lengths = [np.linalg.norm(_turned(tree, joint, tip, a) - start) for a in allowed]
    straight = float(allowed[int(np.argmax(lengths))])
    above, below = high - straight, straight - low
    sense = 1 if above > 1.5 * below else -1 if below > 1.5 * above else 0
    bent = _turned(tree, joint, tip, straight + 0.6 * (sense or 1))
    return Fold(joint, straight, sense, bent - _turned(tree, joint, tip, straight))


def _leverage(tree: Tree, joint: int, start: np.ndarray, tip: np.ndarray) -> float:
    """The shorter of the two pieces that this joint folds onto each other [m]."""
    axis, here = tree.axis[joint], tree.position[joint]
    across = [np.linalg.norm(np.cross(axis, end - here)) for end in (start, tip)]
    return float(min(across))


def _turned(tree: Tree, joint: int, point: np.ndarray, angle: float) -> np.ndarray:
    """Where a point behind a joint goes when only this joint turns."""
    here = tree.position[joint]
    return here + pin.exp3(angle * tree.axis[joint]) @ (point - here)


def _range(tree: Tree, joint: int) -> tuple[float, float]:
    index = tree.model.joints[joint].idx_q
    low = float(tree.model.lowerPositionLimit[index])
    high = float(tree.model.upperPositionLimit[index])
    return (low, high) if low < high else (-np.pi, np.pi)
