"""Where the parts of a robot are: base, feet, hands, chest and head, as frames of its links.

Every frame has x forward and z up in half-sitting. A right part is the mirror image of the left
one there, so that what is small and different between the sides of a model does not show.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pinocchio as pin

from poise.robot.dae_axis import mass_centres
from poise.robot.onboarding.bearings import Bearings
from poise.robot.onboarding.guess import Guess
from poise.robot.onboarding.limbs import Limbs
from poise.robot.onboarding.side_names import has_word, words_of
from poise.robot.onboarding.solids import Solids, in_frame
from poise.robot.onboarding.tree import ROOT, Tree

FORCE_WORDS = ("force", "fsensor", "loadcell")
IMU_WORDS = ("imu", "accelero", "gsensor", "gyro")


@dataclass(frozen=True, eq=False)
class Body:
    """A robot in half-sitting, its root link at the origin."""

    tree: Tree
    limbs: Limbs
    bearings: Bearings
    solids: Solids
    q: np.ndarray
    root: ET.Element

    @cached_property
    def data(self) -> pin.Data:
        """Kinematics of the posture."""
        data = self.tree.model.createData()
        pin.framesForwardKinematics(self.tree.model, data, self.q)
        return data

    def link_pose(self, link: str) -> pin.SE3:
        """T_root_link."""
        return self.data.oMf[self.tree.model.getFrameId(link, pin.FrameType.BODY)]

    def upright(self, place: np.ndarray) -> pin.SE3:
        """A frame with the robot's own axes at a point [m], root axes."""
        return pin.SE3(self.bearings.R_root_body, place)

    def in_middle(self, place: np.ndarray) -> np.ndarray:
        """The point moved into the plane of symmetry [m]."""
        left = self.bearings.R_root_body[:, 1]
        return place - left * (left @ place - self.bearings.middle)

    def entry(self, link: str, T_root_part: pin.SE3) -> dict[str, Any]:
        """A row of the [parts] table."""
        T = self.link_pose(link).inverse() * T_root_part
        return {
            "link": link,
            "xyz": clean(T.translation),
            "rpy": clean(pin.rpy.matrixToRpy(T.rotation)),
        }

    def points(self, joints: list[int]) -> np.ndarray:
        """Points of the solids behind some joints in this posture [m], root axes, (n, 3)."""
        found = [np.zeros((0, 3))]
        for j in joints:
            T = self.data.oMi[j]
            for solid in self.solids.best(self.tree.links[j]):
                found.append(in_frame(self.tree.model, solid) @ T.rotation.T + T.translation)
        return np.vstack(found)


def clean(values: np.ndarray) -> list[float]:
    """Numbers for a file: noise of rounding is not written."""
    return [0.0 if abs(v) < 1e-12 else float(v) for v in values]


def find_parts(body: Body, left_foot: pin.SE3) -> tuple[dict[str, Any], list[Guess]]:
    """The [parts] table, and how each part was found.

    Args:
        body: the robot in half-sitting.
        left_foot: the sole frame in its ankle joint, T_ankle_foot.
    """
    tree, limbs = body.tree, body.limbs
    guesses = []
    base = base_link(tree, body.root)
    parts = {
        "base": body.entry(base, body.upright(body.in_middle(body.link_pose(base).translation)))
    }
    guesses.append(
        Guess("base", base, f"the root of the tree; {body.bearings.how}", body.bearings.certainty)
    )
    ankles = [leg[-1] for leg in limbs.legs]
    foot = body.data.oMi[ankles[0]] * left_foot
    hands = [hand_joint(tree, arm) for arm in limbs.arms]
    palm = _palm(body, hands)
    for part, joints, place in (("foot", ankles, foot.translation), ("hand", hands, palm)):
        for side, joint, at in zip(
            ("left", "right"), joints, (place, body.bearings.reflected(place)), strict=True
        ):
            link = tree.links[joint][0]
            parts[f"{side}_{part}"] = body.entry(link, body.upright(at))
            guesses.append(
                Guess(
                    f"{side} {part}",
                    link,
                    f"the end of {'a leg' if part == 'foot' else 'an arm'}; {body.limbs.how}",
                    min(limbs.certainty, body.bearings.certainty),
                )
            )
    chest = tree.links[limbs.chest][0] if limbs.chest > ROOT else base
    middle = body.data.oMi[limbs.chest].act(tree.model.inertias[limbs.chest].lever)
    parts["chest"] = body.entry(chest, body.upright(body.in_middle(middle)))
    guesses.append(Guess("chest", chest, "the body that carries the arms", limbs.certainty))
    parts["head"], head = _head(body, chest)
    guesses.append(head)
    return parts, guesses


def base_link(tree: Tree, root: ET.Element) -> str:
    """The first link at the root that has a mass; dummies before it are passed over."""
    heavy = mass_centres(root)
    links = tree.links[ROOT]
    return next((link for link in links if link in heavy), links[0])


def hand_joint(tree: Tree, arm: tuple[int, ...]) -> int:
    """The last joint of an arm that moves the hand, not a finger of it."""
    last, before = arm[-1], arm[-2]
    index = tree.model.joints[last].idx_q
    low, high = tree.model.lowerPositionLimit[index], tree.model.upperPositionLimit[index]
    closes_one_way = min(abs(low), abs(high)) < 0.05 * (high - low)
    light = tree.carried[last] < min(4e-3 * tree.total, 0.25 * tree.mass[before])
    return before if closes_one_way and light else last


def _palm(body: Body, hands: list[int]) -> np.ndarray:
    """Middle of the left hand, both hands having their say [m], root axes."""
    places = []
    for hand in hands:
        points = body.points(body.tree.behind(hand))
        if len(points):
            places.append(0.5 * (points.min(axis=0) + points.max(axis=0)))
        else:
            inertia = body.tree.model.inertias[hand]
            places.append(body.data.oMi[hand].act(inertia.lever))
    return 0.5 * (places[0] + body.bearings.reflected(places[1]))


def _head(body: Body, chest: str) -> tuple[dict[str, Any], Guess]:
    tree, limbs = body.tree, body.limbs
    if limbs.head:
        joint = limbs.head[-1]
        link = tree.links[joint][0]
        place = body.data.oMi[joint].act(tree.model.inertias[joint].lever)
        how, certainty = "the end of the branch between the arms", 0.95
    else:
        named = [x for x in tree.links[limbs.chest] if has_word(x, ("head", "skull", "face"))]
        link = named[0] if named else chest
        solids = body.solids.best((link,))
        T = body.link_pose(link)
        points = [s.points @ T.rotation.T + T.translation for s in solids] or [T.translation[None]]
        cloud, up = np.vstack(points), body.bearings.R_root_body[:, 2]
        place = 0.5 * (cloud.min(axis=0) + cloud.max(axis=0))
        how, certainty = "a link of that name on the chest; no joint moves it", 0.9
        if not named:
            shoulders = [tree.position[arm[0]] for arm in limbs.arms]
            width = float(np.linalg.norm(shoulders[0] - shoulders[1]))
            place = np.mean(shoulders, axis=0) + 0.6 * width * up
            how, certainty = "no head in the model: a point above the shoulders", 0.3
    return (
        body.entry(link, body.upright(body.in_middle(place))),
        Guess("head", link, how, certainty),
    )


def find_sensors(body: Body, parts: dict[str, Any]) -> tuple[list[dict[str, Any]], Guess]:
    """A wrench at each ankle and wrist, and an IMU: named frames of the URDF, or virtual ones."""
    tree, limbs = body.tree, body.limbs
    rows, real = [], []
    for part, name, joints in (
        ("foot", "foot", [leg[-1] for leg in limbs.legs]),
        ("hand", "wrist", [hand_joint(tree, arm) for arm in limbs.arms]),
    ):
        for side, joint in zip(("left", "right"), joints, strict=True):
            found = _named(tree, [joint, tree.parent(joint)], FORCE_WORDS)
            link = found or parts[f"{side}_{part}"]["link"]
            at = body.link_pose(link).translation if found else body.data.oMi[joint].translation
            row = {"name": f"{side}_{name}", "kind": "wrench", "part": f"{side}_{part}"}
            rows.append(row | _at(body, link, at, found))
            real += [link] * bool(found)
    found = _named(tree, [ROOT, limbs.chest], IMU_WORDS)
    link = found or parts["base"]["link"]
    rows.append(
        {"name": "imu", "kind": "imu"} | _at(body, link, body.link_pose(link).translation, found)
    )
    real += [link] * bool(found)
    value = f"4 wrenches, 1 imu; in the URDF: {', '.join(real) or 'none'}"
    how = "links named after sensors; the others are virtual, at ankles, wrists and base"
    return rows, Guess("sensors", value, how, 0.8)


def _at(body: Body, link: str, place: np.ndarray, found: str) -> dict[str, Any]:
    """Where a sensor is: the frame of its link, or the robot's own axes at a place."""
    if found:
        return {"link": link, "xyz": [0.0] * 3, "rpy": [0.0] * 3, "status": "frame of the URDF"}
    return body.entry(link, body.upright(place)) | {"status": "virtual"}


def _named(tree: Tree, joints: list[int], words: tuple[str, ...]) -> str:
    """The link of some bodies whose name says it best, earlier words first, or nothing."""
    links = [link for joint in joints for link in tree.links[joint]]
    if words is FORCE_WORDS:
        links = [link for link in links if not has_word(link, IMU_WORDS)]
        exact = [link for link in links if "ft" in words_of(link)]
        if exact:
            return exact[0]
    for word in words:
        for link in links:
            if has_word(link, (word,)):
                return link
    return ""
