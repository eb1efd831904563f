"""Rows and tables of a robot.toml from what was found."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pinocchio as pin

from poise.robot.inscribed import convex_outline, inscribed_rectangle
from poise.robot.onboarding.capsules import Primitive
from poise.robot.onboarding.landmarks import clean
from poise.robot.onboarding.limbs import Limbs
from poise.robot.onboarding.mirroring import Twins
from poise.robot.onboarding.tree import Tree
from poise.robot.servo_rule import servo_gains

Followers = dict[str, tuple[str, float, float]]  # joint: (leader, multiplier, offset)


def find_followers(tree: Tree, root: ET.Element) -> Followers:
    """Joints of the model that the URDF couples to another joint of it."""
    found = {}
    for joint in root.iter("joint"):
        mimic = joint.find("mimic")
        name = joint.get("name", "")
        if mimic is not None and tree.model.existJointName(name):
            leader = mimic.get("joint", "")
            if tree.model.existJointName(leader):
                multiplier = float(mimic.get("multiplier", "1"))
                found[name] = (leader, multiplier, float(mimic.get("offset", "0")))
    return found


def coupling_table(followers: Followers) -> list[dict[str, Any]]:
    """[[couplings]]."""
    return [
        {"joint": joint, "of": leader, "multiplier": multiplier, "offset": offset}
        for joint, (leader, multiplier, offset) in followers.items()
    ]


def sole_table(left: np.ndarray) -> dict[str, Any]:
    """[soles] from the outline of the left sole [m], (n, 2)."""
    outlines = {"left_foot": left, "right_foot": convex_outline(left * [1.0, -1.0])}
    return {
        foot: {
            "polygon": np.round(outline, 5).tolist(),
            "corners": inscribed_rectangle(outline).tolist(),
        }
        for foot, outline in outlines.items()
    }


def mirror_table(twins: Twins) -> dict[str, Any]:
    """[mirror]."""
    return {
        "pairs": [list(pair) for pair in twins.pairs],
        "middle": [list(pair) for pair in twins.middle],
    }


def group_table(tree: Tree, limbs: Limbs) -> dict[str, list[str]]:
    """[groups]."""
    groups = {
        "left_leg": limbs.legs[0],
        "right_leg": limbs.legs[1],
        "left_arm": limbs.arms[0],
        "right_arm": limbs.arms[1],
        "torso": limbs.torso,
        "head": limbs.head,
    }
    return {name: [tree.name(j) for j in joints] for name, joints in groups.items()}


def servo_table(model: pin.Model, q_half_sitting: np.ndarray) -> dict[str, dict[str, float]]:
    """[servos], four digits each."""
    gains = servo_gains(model, q_half_sitting)
    keys = ("kp", "kd", "armature", "damping", "friction")
    return {
        str(name): {key: float(f"{getattr(gains, key)[k]:.4g}") for key in keys}
        for k, name in enumerate(list(model.names)[2:])
    }


def shape_row(shape: Primitive) -> dict[str, Any]:
    """A row of [[shapes]], to a tenth of a millimetre."""
    T = shape.T_link_shape
    return {
        "link": shape.link,
        "kind": shape.kind,
        "size": [round(float(s), 4) for s in shape.size],
        "xyz": clean(np.round(T.translation, 4)),
        "rpy": clean(np.round(pin.rpy.matrixToRpy(T.rotation), 4)),
    }
