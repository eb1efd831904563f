"""The limbs of a humanoid in the tree of its joints: two legs, two arms, what is between.

The tree speaks first: limbs are pairs of branches of the same shape, size and mass on one body.
Names only help to tell legs from arms and left from right.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.errors import BadInput, listed
from poise.robot.onboarding.side_names import ARM_WORDS, HEAD_WORDS, LEG_WORDS, has_word
from poise.robot.onboarding.tree import ROOT, Tree

LEG_JOINTS, ARM_JOINTS = 5, 3  # the least with which a sole is kept flat, a hand led somewhere
SAME_MASS, SAME_LENGTH = 0.3, 0.25  # how far, relatively, two limbs of a pair may differ


@dataclass(frozen=True)
class Limbs:
    """Joints (Pinocchio indices) of the limbs; sides are not told apart yet."""

    legs: tuple[tuple[int, ...], tuple[int, ...]]  # joint k of one mirrors joint k of the other
    arms: tuple[tuple[int, ...], tuple[int, ...]]
    torso: tuple[int, ...]  # from the body that carries the legs to the one that carries the arms
    head: tuple[int, ...]
    hips: int  # the joint before the legs
    chest: int  # the joint before the arms
    certainty: float  # that legs are legs and arms are arms
    how: str


def find_limbs(tree: Tree, where: Path) -> Limbs:
    """Legs, arms, torso and head of a model whose fingers are already welded.

    Raises:
        BadInput: when this is no humanoid; the message says what was looked for.
    """
    pairs = _pairs(tree, where)
    if len(pairs) < 2:
        found = [f"{_called(tree, pair[0])} and {_called(tree, pair[1])}" for pair in pairs]
        raise BadInput(
            where,
            "the robot",
            f"with {'no pair of limbs' if not pairs else 'one pair of limbs, ' + found[0]}",
            "a humanoid: two legs and two arms, each a pair of alike branches on one body",
        )
    scored = sorted(pairs, key=lambda pair: -_leg_score(tree, pair))
    legs, arms = scored[0], scored[1]
    lead = _leg_score(tree, legs) - _leg_score(tree, arms)
    for what, pair, least in (("leg", legs, LEG_JOINTS), ("arm", arms, ARM_JOINTS)):
        joints = len(tree.behind(pair[0]))
        if joints < least:
            raise BadInput(
                where,
                f"each {what} ({_called(tree, pair[0])})",
                f"of {joints} joints",
                f"a humanoid, whose {what}s have at least {least}",
            )
    hips, chest = tree.parent(legs[0]), tree.parent(arms[0])
    torso = _between(tree, hips, chest)
    taken = {j for pair in (legs, arms) for limb in pair for j in tree.behind(limb)} | set(torso)
    rest = [j for j in tree.joints() if j not in taken]
    return Limbs(
        legs=(tuple(tree.behind(legs[0])), tuple(tree.behind(legs[1]))),
        arms=(tuple(tree.behind(arms[0])), tuple(tree.behind(arms[1]))),
        torso=tuple(torso),
        head=tuple(_head(tree, rest, chest)),
        hips=hips,
        chest=chest,
        certainty=float(np.clip(0.5 + lead / 4.0, 0.5, 0.99)),
        how="two pairs of alike branches, legs the heavier and stronger one or named so",
    )


def unclaimed(tree: Tree, limbs: Limbs) -> list[int]:
    """Joints that belong to no limb, nor to torso or head."""
    taken = {*limbs.torso, *limbs.head}
    for pair in (limbs.legs, limbs.arms):
        taken |= {j for limb in pair for j in limb}
    return [j for j in tree.joints() if j not in taken]


def _pairs(tree: Tree, where: Path) -> list[tuple[int, int]]:
    """Pairs of alike branches that are not inside another pair, heaviest first."""
    found: list[tuple[int, int]] = []
    for joint in [ROOT, *tree.joints()]:
        branches = [c for c in tree.children(joint) if len(tree.behind(c)) >= 3]
        while branches:
            first = branches.pop(0)
            alike = [b for b in branches if _alike(tree, first, b)]
            branches = [b for b in branches if b not in alike]
            if len(alike) >= 2:
                raise BadInput(
                    where,
                    "the robot",
                    f"with {len(alike) + 1} alike limbs on one body "
                    f"({listed(tree.name(j) for j in [first, *alike])})",
                    "a humanoid: two legs and two arms",
                )
            found += [(first, other) for other in alike]
    inside = {j for pair in found for limb in pair for j in tree.behind(limb)[1:]}
    top = [pair for pair in found if pair[0] not in inside]
    return sorted(top, key=lambda pair: -tree.carried[pair[0]])


def _alike(tree: Tree, a: int, b: int) -> bool:
    """Whether two branches have the same shape, about the same mass and the same length."""
    masses = sorted([tree.carried[a], tree.carried[b]])
    lengths = sorted([_length(tree, a), _length(tree, b)])
    return bool(
        _shape(tree, a) == _shape(tree, b)
        and masses[0] >= (1.0 - SAME_MASS) * masses[1]
        and lengths[0] >= (1.0 - SAME_LENGTH) * lengths[1]
    )


def _shape(tree: Tree, joint: int) -> tuple:
    return tuple(sorted(_shape(tree, child) for child in tree.children(joint)))


def _length(tree: Tree, joint: int) -> float:
    """Sum of the distances from joint to joint [m]."""
    steps = [
        np.linalg.norm(tree.position[j] - tree.position[tree.parent(j)])
        for j in tree.behind(joint)[1:]
    ]
    return float(np.sum(steps))


def _leg_score(tree: Tree, pair: tuple[int, int]) -> float:
    """How much a pair of limbs looks like legs; for arms it is lower, or negative."""
    joints = [j for limb in pair for j in tree.behind(limb)]
    names = [tree.name(j) for j in joints] + [link for j in joints for link in tree.links[j]]
    words = sum(has_word(n, LEG_WORDS) for n in names) - sum(has_word(n, ARM_WORDS) for n in names)
    effort = np.mean([tree.model.effortLimit[tree.model.joints[j].idx_v] for j in joints])
    strongest = float(np.max(tree.model.effortLimit[6:]))
    weight = tree.carried[pair[0]] / tree.total
    return float(
        2.0 * words / len(names) + 5.0 * weight + (0.5 * effort / strongest if strongest else 0.0)
    )


def _between(tree: Tree, hips: int, chest: int) -> list[int]:
    """Joints on the way from one body to another."""
    a, b = tree.path(hips), tree.path(chest)
    while a and b and a[0] == b[0]:
        a, b = a[1:], b[1:]
    return a[::-1] + b


def _head(tree: Tree, rest: list[int], chest: int) -> list[int]:
    """The joints of the head: named so, or else the longest branch from the chest."""
    starts = [j for j in rest if tree.parent(j) not in rest]
    named = [j for j in starts if any(has_word(tree.name(b), HEAD_WORDS) for b in tree.behind(j))]
    on_chest = [j for j in named or starts if tree.parent(j) == chest]
    candidates = on_chest or named
    if not candidates:
        return []
    return tree.behind(max(candidates, key=lambda j: tree.carried[j]))


def _called(tree: Tree, joint: int) -> str:
    behind = tree.behind(joint)
    return f"{tree.name(joint)} .. {tree.name(behind[-1])}" if len(behind) > 1 else tree.name(joint)
