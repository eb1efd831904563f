"""Left and right twins of joints, and the sign with which one mirrors the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.robot.onboarding.bearings import Bearings
from poise.robot.onboarding.limbs import Limbs
from poise.robot.onboarding.tree import Tree


@dataclass(frozen=True)
class Twins:
    """Mirror of the joints by name, as in the [mirror] table of a robot.toml."""

    pairs: tuple[tuple[str, str, int], ...]  # left, right, sign
    middle: tuple[tuple[str, int], ...]

    def image(self, left: dict[str, float]) -> dict[str, float]:
        """Angles of the right joints that mirror those of the left ones."""
        return {b: sign * left[a] for a, b, sign in self.pairs if a in left}


def find_twins(tree: Tree, limbs: Limbs, bearings: Bearings) -> Twins:
    """Pairs along the limbs; the axes say the signs.

    An axis of rotation is a pseudovector: its mirror image turns the other way.
    """

    def sign(a: int, b: int) -> int:
        image = -bearings.reflection @ tree.axis[a]
        return 1 if image @ tree.axis[b] >= 0.0 else -1

    pairs = [
        (tree.name(a), tree.name(b), sign(a, b))
        for left, right in (limbs.legs, limbs.arms)
        for a, b in zip(left, right, strict=True)
    ]
    middle = [(tree.name(j), sign(j, j)) for j in (*limbs.torso, *limbs.head)]
    return Twins(tuple(pairs), tuple(middle))


def common_range(
    tree: Tree, left: int, right: int, sign: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ranges of a left joint that its twin can mirror: what both allow, what either allows [rad].

    The first may be empty (lower above upper) when the URDF gives the twins contrary limits.
    """
    a, b = _range(tree, left), _range(tree, right)
    image = b if sign > 0 else (-b[1], -b[0])
    both = (max(a[0], image[0]), min(a[1], image[1]))
    either = (min(a[0], image[0]), max(a[1], image[1]))
    return both, either


def _range(tree: Tree, joint: int) -> tuple[float, float]:
    index = tree.model.joints[joint].idx_q
    return (
        float(tree.model.lowerPositionLimit[index]),
        float(tree.model.upperPositionLimit[index]),
    )


def mirror_error(tree: Tree, left: int, right: int, bearings: Bearings) -> float:
    """How far the axis of a right joint lies from the mirror image of the left one's [m]."""
    image = bearings.reflected(tree.position[left])
    axis = tree.axis[right]
    apart = tree.position[right] - image
    return float(np.linalg.norm(apart - (apart @ axis) * axis))
