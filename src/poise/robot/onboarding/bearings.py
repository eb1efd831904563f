"""Which way is up, forward and left for a robot, whatever the axes of its root link."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.robot.onboarding.folding import find_fold
from poise.robot.onboarding.limbs import Limbs
from poise.robot.onboarding.side_names import side_vote
from poise.robot.onboarding.solids import Solids, in_frame
from poise.robot.onboarding.tree import Tree

SNAP = np.cos(np.deg2rad(3.0))  # a direction this near to an axis of the root is that axis
NAMES, TOES, KNEES, ELBOWS = 3.0, 2.0, 1.5, 1.0  # what each cue counts


@dataclass(frozen=True, eq=False)
class Bearings:
    """The robot's own axes, in the axes of its root link."""

    R_root_body: np.ndarray  # (3, 3), columns forward, left, up
    middle: float  # [m], where the plane of symmetry cuts the left axis
    certainty: float
    how: str

    @property
    def reflection(self) -> np.ndarray:
        """The mirror of the plane of symmetry, in root axes, (3, 3)."""
        left = self.R_root_body[:, 1]
        return np.eye(3) - 2.0 * np.outer(left, left)

    def reflected(self, points: np.ndarray) -> np.ndarray:
        """Points seen in the plane of symmetry [m], root axes, (..., 3)."""
        left = self.R_root_body[:, 1]
        return points @ self.reflection.T + 2.0 * self.middle * left


def find_bearings(tree: Tree, limbs: Limbs, solids: Solids) -> tuple[Bearings, Limbs]:
    """The robot's axes, and its limbs with the left one first in each pair."""
    legs, arms = limbs.legs, limbs.arms
    across = _difference(tree, legs)
    if across @ _difference(tree, arms) < 0.0:
        arms = (arms[1], arms[0])
    across = _snapped(across + _difference(tree, arms))
    hips, feet = (np.mean([tree.position[leg[k]] for leg in legs], axis=0) for k in (0, -1))
    up = hips - feet - across * (across @ (hips - feet))
    aligned = _snapped(up, np.cos(np.deg2rad(25.0)))
    up = aligned - across * (across @ aligned)
    up /= np.linalg.norm(up)
    forward = np.cross(across, up)  # if the first limb of each pair is the left one

    cues = {
        "names": NAMES * np.sign(_name_votes(tree, legs) + _name_votes(tree, arms)),
        "toes": TOES * _toes(tree, legs, solids, forward),
        "knees": -KNEES * _folds(tree, legs, tree.position, forward),
        "elbows": ELBOWS * _folds(tree, arms, tree.centre, forward),
    }
    total = sum(cues.values())
    weight = sum(abs(cue) for cue in cues.values())
    if total < 0.0:
        legs, arms = (legs[1], legs[0]), (arms[1], arms[0])
        across, forward = -across, -forward
    said = [name for name, cue in cues.items() if cue * (total or 1.0) > 0.0]
    against = [name for name, cue in cues.items() if cue * (total or 1.0) < 0.0]
    how = f"forward from {', '.join(said) or 'nothing but the axes'}" + (
        f", against {', '.join(against)}" if against else ""
    )
    middles = [
        across @ (tree.position[a] + tree.position[b]) / 2.0
        for pair in (legs, arms)
        for a, b in zip(*pair, strict=True)
    ]
    middle = float(np.median(middles))
    bearings = Bearings(
        R_root_body=np.column_stack([forward, across, up]),
        middle=0.0 if abs(middle) < 1e-3 else middle,
        certainty=float(0.5 + 0.49 * abs(total) / weight) if weight else 0.5,
        how=how,
    )
    return bearings, replace(limbs, legs=legs, arms=arms)


def _difference(tree: Tree, pair: tuple[tuple[int, ...], tuple[int, ...]]) -> np.ndarray:
    """From the second limb to the first, unit."""
    apart = [tree.position[a] - tree.position[b] for a, b in zip(*pair, strict=True)]
    total = np.sum(apart, axis=0)
    return total / max(float(np.linalg.norm(total)), 1e-9)


def _snapped(direction: np.ndarray, cosine: float = float(SNAP)) -> np.ndarray:
    """The unit direction, or the axis it nearly is."""
    direction = direction / np.linalg.norm(direction)
    nearest = int(np.argmax(np.abs(direction)))
    if abs(direction[nearest]) >= cosine:
        return np.sign(direction[nearest]) * np.eye(3)[nearest]
    return direction


def _name_votes(tree: Tree, pair: tuple[tuple[int, ...], tuple[int, ...]]) -> int:
    """Names that say the first limb is the left one, less those that say the right one."""
    votes = 0
    for a, b in zip(*pair, strict=True):
        votes += side_vote(tree.name(a), tree.name(b))
        if tree.links[a] and tree.links[b]:
            votes += side_vote(tree.links[a][0], tree.links[b][0])
    return votes


def _toes(
    tree: Tree,
    legs: tuple[tuple[int, ...], tuple[int, ...]],
    solids: Solids,
    forward: np.ndarray,
) -> int:
    """+1 when the feet are clearly longer in front of the ankle than behind it, -1 the reverse."""
    reach = []
    for leg in legs:
        ankle = leg[-1]
        for solid in solids.best(tree.links[ankle]):
            points = in_frame(tree.model, solid) @ tree.pose(ankle).rotation.T
            reach += [[(points @ forward).max(), -(points @ forward).min()]]
    if not reach:
        return 0
    front, back = np.max(reach, axis=0)
    return 1 if front > 1.25 * back else -1 if back > 1.25 * front else 0


def _folds(
    tree: Tree,
    pair: tuple[tuple[int, ...], tuple[int, ...]],
    tips: np.ndarray,
    forward: np.ndarray,
) -> float:
    """Where the tips of two limbs go when they fold: +1 forward, -1 backward, 0 neither."""
    votes = []
    for limb in pair:
        fold = find_fold(tree, limb, tips[limb[-1]])
        along = float(fold.motion @ forward) / max(float(np.linalg.norm(fold.motion)), 1e-9)
        votes.append(0.0 if fold.sense == 0 or abs(along) < 0.3 else float(np.sign(along)))
    return float(np.mean(votes)) if votes[0] == votes[1] else 0.0
