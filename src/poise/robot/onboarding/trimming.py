"""Which joints a whole-body motion leaves alone: fingers, eyes, dummies, sliders.

They are welded into the model at one angle, so that the mass they have stays where it is.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass

import pinocchio as pin

from poise.robot.onboarding.side_names import has_word
from poise.robot.onboarding.tree import ROOT, Tree

FINGER = 0.015  # of the robot's mass: branches lighter than this are fingers, eyes, ears
WEIGHTLESS = 1e-4  # of the robot's mass: a joint that carries less moves nothing


@dataclass(frozen=True)
class Trim:
    """Joints to weld: the angle of each [rad], and why, in a few words."""

    angles: dict[str, float]
    reasons: dict[str, str]


def trim(tree: Tree, root: ET.Element) -> Trim:
    """Find the joints that whole-body motion leaves alone."""
    reasons: dict[int, str] = {}

    def lock(joint: int, reason: str) -> None:
        for behind in tree.behind(joint):
            reasons.setdefault(behind, reason)

    for joint in _floating_chain(tree):
        reasons[joint] = "part of a chain that stands for the floating base"
    for joint in tree.joints():
        if not tree.turns[joint]:
            reasons.setdefault(joint, "slides instead of turning")
        if tree.carried[joint] < WEIGHTLESS * tree.total:
            lock(joint, "carries next to no mass")
    for joint in tree.joints():
        light = [
            c
            for c in tree.children(joint)
            if tree.carried[c] < FINGER * tree.total
            and not has_word(tree.name(c), ("head", "neck"))
        ]
        if len(light) >= 2:
            for child in light:
                lock(child, "one of several light branches: fingers or eyes")
    for joint in _idle_ends(tree):
        reasons.setdefault(joint, "has no effort or no speed at the end of a limb")
    for follower, leader in mimics(root).items():
        index = tree.model.getJointId(follower) if tree.model.existJointName(follower) else 0
        known = tree.model.existJointName(leader)
        if index and (not known or tree.model.getJointId(leader) in reasons):
            reasons.setdefault(index, "follows a joint that does not move")
    return Trim(
        {tree.name(j): _rest_angle(tree.model, j) for j in sorted(reasons)},
        {tree.name(j): reasons[j] for j in sorted(reasons)},
    )


def mimics(root: ET.Element) -> dict[str, str]:
    """Joints that follow another one, and which one, as the URDF says."""
    found = {}
    for joint in root.iter("joint"):
        mimic = joint.find("mimic")
        if mimic is not None:
            found[joint.get("name", "")] = mimic.get("joint", "")
    return found


def _floating_chain(tree: Tree) -> list[int]:
    """Leading joints without any mass before them: a floating base spelt out joint by joint."""
    found: list[int] = []
    joint = ROOT
    while tree.mass[joint] < WEIGHTLESS * tree.total and len(tree.children(joint)) == 1:
        joint = tree.children(joint)[0]
        found.append(joint)
    return found


def _idle_ends(tree: Tree) -> list[int]:
    """Joints without effort or speed that have no working joint behind them."""
    model = tree.model
    idle = {
        j: min(model.effortLimit[model.joints[j].idx_v], model.velocityLimit[model.joints[j].idx_v])
        <= 0.0
        for j in tree.joints()
    }
    if sum(idle.values()) > len(idle) / 2:
        return []  # the file leaves these limits out altogether: that says nothing
    return [j for j in tree.joints() if all(idle[b] for b in tree.behind(j))]


def _rest_angle(model: pin.Model, joint: int) -> float:
    """The angle nearest to zero that the joint can take [rad]."""
    index = model.joints[joint].idx_q
    low, high = model.lowerPositionLimit[index], model.upperPositionLimit[index]
    return float(min(max(0.0, low), high)) if low < high else 0.0
