"""Looking at the URDF of a humanoid: every fact an engine needs, and how sure each is."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from poise.errors import BadInput, Infeasible
from poise.robot.loading import ZOO, add_inertias, apply_limits, make_robot, weld
from poise.robot.onboarding import told
from poise.robot.onboarding.bearings import Bearings, find_bearings
from poise.robot.onboarding.capsules import Primitive, foot_box, image, primitives
from poise.robot.onboarding.clearance import Clearance, thinned
from poise.robot.onboarding.guess import Guess
from poise.robot.onboarding.half_sitting import EASY, HalfSitting, Stance, hang_arms, stand
from poise.robot.onboarding.landmarks import Body, find_parts, find_sensors
from poise.robot.onboarding.limbs import Limbs, find_limbs, unclaimed
from poise.robot.onboarding.limits import Limits, make_room, reconcile, sane_limits
from poise.robot.onboarding.mirroring import find_twins
from poise.robot.onboarding.point_masses import point_inertias
from poise.robot.onboarding.self_test import Test, self_test
from poise.robot.onboarding.soles import SoleFit, common_sole, fit_sole, sole_misfit
from poise.robot.onboarding.solids import Solids, in_frame, read_solids
from poise.robot.onboarding.tables import (
    coupling_table,
    find_followers,
    group_table,
    mirror_table,
    servo_table,
    shape_row,
    sole_table,
)
from poise.robot.onboarding.tree import ROOT, Tree, frame_pose, read_tree
from poise.robot.onboarding.trimming import Trim, trim
from poise.robot.robot import BASE_V, Robot
from poise.robot.urdf import build_model, read_urdf

ARMS = ((0.15, 0.45), (0.2, 0.5), (0.2, 0.8), (0.25, 1.0), (0.35, 1.0), (0.5, 1.0), (0.6, 0.5))
# abduction and elbow angle [rad], tried until the arms are clear of the rest
CLEAR = 0.015  # [m], between the arms and the rest
HEAD = 1.12  # of the highest joint's height: where the top of a head without shape is
DULL = ("robot", "robots", "model", "models", "urdf", "xml", "assets", "")  # names that say nothing


@dataclass(frozen=True, eq=False)
class Onboarding:
    """A robot as it was found in its URDF."""

    facts: dict[str, Any]  # in the layout of a robot.toml
    robot: Robot
    guesses: tuple[Guess, ...]
    self_test: tuple[Test, ...]

    @property
    def ok(self) -> bool:
        """Whether the whole self-test passed."""
        return all(test.ok for test in self.self_test)

    def __str__(self) -> str:
        """What was guessed, how sure it is, and what the self-test says."""
        robot = self.robot
        lines = [f"{robot.name}: {robot.na} joints, {robot.mass:.1f} kg, {robot.height:.2f} m"]
        wide = max(len(guess.what) for guess in self.guesses)
        for guess in self.guesses:
            sure = f"{100.0 * guess.certainty:3.0f} %"
            lines.append(f"  {sure}  {guess.what:{wide}}  {guess.value}")
            lines.append(f"  {'':5}  {'':{wide}}  {guess.how}")
        lines.append(f"Self-test: {'passed' if self.ok else 'FAILED'}")
        lines += [f"  {'ok  ' if test.ok else 'FAIL'}  {test.sentence}" for test in self.self_test]
        return "\n".join(lines)


def look_at(
    urdf: Path,
    name: str | None = None,
    known: Mapping[str, Any] | None = None,
    packages: tuple[Path, ...] = (),
) -> Onboarding:
    """Find everything an engine needs in the URDF of a humanoid.

    Args:
        urdf: the file.
        name: what to call the robot; from the URDF when not given.
        known: facts in the layout of a robot.toml that are better known than found (title,
            height, licence, model, sources, ...); they win.
        packages: folders where package:// addresses are looked up, besides those around the file.

    Raises:
        BadInput: when the file is no URDF of a humanoid; the message says what was looked for.
    """
    urdf = Path(urdf).resolve()
    if name is not None and not re.fullmatch(r"\w[\w.-]*", name, re.ASCII):
        raise BadInput(urdf, "the name", f"'{name}'", "letters, digits, _, - and . only")
    root = read_urdf(urdf)
    whole = read_tree(build_model(root, urdf))
    if whole.total <= 0.0:
        raise BadInput(urdf, "the robot", "without any mass", "links with <inertial> elements")
    cut = trim(whole, root)
    tree = read_tree(weld(whole.model, cut.angles, urdf))
    limbs = find_limbs(tree, urdf)
    more = {tree.name(j): 0.0 for j in unclaimed(tree, limbs)}  # a tail, a wheel, a screen
    if more:
        cut = Trim({**cut.angles, **more}, {**cut.reasons, **dict.fromkeys(more, "in no limb")})
        tree = read_tree(weld(whole.model, cut.angles, urdf))
        limbs = find_limbs(tree, urdf)
    solids = read_solids(root, urdf, packages)
    bearings, limbs = find_bearings(tree, limbs, solids)
    inertias, inertia_guesses = point_inertias(tree, limbs, bearings)
    add_inertias(tree.model, inertias, urdf)
    twins = find_twins(tree, limbs, bearings)
    limits = sane_limits(tree, limbs)
    reconcile(limits, tree, limbs, twins, all_legs=False)
    apply_limits(tree.model, limits.table, urdf)

    feet = [leg[-1] for leg in limbs.legs]
    left, right = (_fit(tree, limbs, bearings, solids, side) for side in (0, 1))
    sole, apart = common_sole(left, right, bearings.middle)
    upright = bearings.R_root_body
    T_root_foot = pin.SE3(upright @ sole.R_body_foot, upright @ sole.below)
    T_ankle_foot = tree.pose(feet[0]).inverse() * T_root_foot
    followers = find_followers(tree, root)
    stance = Stance(tree, limbs, bearings, twins, T_ankle_foot, sole.polygon, followers)
    shapes = _shapes(tree, limbs, bearings, solids, T_ankle_foot, sole)
    half, abduction = _posture(stance, shapes, limits, urdf)
    zero = pin.neutral(tree.model)
    shapes, scales = thinned(tree.model, shapes, [(half.q, True), (zero, False)])
    body = Body(tree, limbs, bearings, solids, half.q, root)
    parts, part_guesses = find_parts(body, T_ankle_foot)
    sensors, sensor_guess = find_sensors(body, parts)
    facts: dict[str, Any] = {
        "name": name or _name(root, urdf),
        "title": root.get("name", urdf.stem),
        "height": round(_height(tree, limbs, bearings, solids, sole), 3),
        "model": {"urdf": str(urdf)},
        "parts": parts,
        "soles": sole_table(sole.polygon),
        "sensors": sensors,
        "postures": {"half_sitting": {k: round(v, 11) + 0.0 for k, v in half.angles.items()}},
        "couplings": coupling_table(followers),
        "mirror": mirror_table(twins),
        "groups": group_table(tree, limbs),
        "inertias": inertias,
        "limits": limits.table,
        "servos": servo_table(tree.model, half.q),
        "shapes": [shape_row(p) for p in shapes],
        "sources": {"model": f"{urdf.name}; what it leaves out was found by poise"},
    }
    facts |= {k: v for k, v in (known or {}).items() if k != "model"}
    facts["model"] = dict((known or {}).get("model", facts["model"]))
    if cut.angles:
        facts["model"]["locked"] = cut.angles
    robot = make_robot(facts, urdf.parent, urdf, packages)
    guesses = [
        *part_guesses,
        told.sole(sole, apart),
        told.posture(
            half, abduction, tree.name(stance.knee.joint), [tree.name(j) for j in limbs.torso]
        ),
        told.sides(tree, limbs, twins, bearings),
        *limits.guesses,
        *inertia_guesses,
        *told.locked(cut),
        *told.shapes(shapes, scales, solids),
        sensor_guess,
        told.height(facts["height"], "height" in (known or {}), solids),
        told.servos(robot.na),
    ]
    return Onboarding(
        facts, robot, tuple(guesses), self_test(robot, sole_misfit(robot, solids, sole))
    )


def _fit(tree: Tree, limbs: Limbs, bearings: Bearings, solids: Solids, side: int) -> SoleFit:
    """The sole of one foot."""
    leg = limbs.legs[side]
    links = tree.links[leg[-1]]
    length = float(np.linalg.norm(tree.position[leg[0]] - tree.position[leg[-1]]))
    collision, visual = solids.of(links, "collision"), solids.of(links, "visual")
    return fit_sole(tree, leg[-1], bearings.R_root_body, collision, visual, length)


def _shapes(
    tree: Tree, limbs: Limbs, bearings: Bearings, solids: Solids, T_foot: pin.SE3, sole: SoleFit
) -> list[Primitive]:
    """Collision primitives of every body; a foot is a box on its sole, right mirrors left.

    Args:
        tree: of the model.
        limbs: of the robot.
        bearings: its axes.
        solids: of its links.
        T_foot: frame of the left foot in its ankle joint.
        sole: of the left foot.
    """
    links = {
        link: (j, frame_pose(tree, link)) for j, body in enumerate(tree.links) for link in body
    }
    twins = {b: a for pair in (limbs.legs, limbs.arms) for a, b in zip(*pair, strict=True)}
    found: dict[int, list[Primitive]] = {}
    for joint in [ROOT, *tree.joints()]:
        solid = solids.best(tree.links[joint])
        if joint == limbs.legs[0][-1]:
            link = tree.links[joint][0]
            points = [np.zeros((0, 3)), *(in_frame(tree.model, s) for s in solid)]
            local = (np.vstack(points) - T_foot.translation) @ T_foot.rotation
            T_link_foot = links[link][1].inverse() * tree.pose(joint) * T_foot
            found[joint] = [foot_box(link, T_link_foot, local, sole.polygon)]
        elif joint not in twins:
            found[joint] = primitives(solid, tree.model)
    for right, left in twins.items():
        there = dict(zip(tree.links[left], tree.links[right], strict=False))
        for p in found[left]:
            link = there.get(p.link, tree.links[right][0])
            copy = image(p, link, links[p.link][1], bearings, links[link][1])
            found.setdefault(right, []).append(copy)
    return [p for joint in sorted(found) for p in found[joint]]


def _posture(
    stance: Stance, shapes: list[Primitive], limits: Limits, urdf: Path
) -> tuple[HalfSitting, float]:
    """Half-sitting, and how far the arms hang away from the body [rad].

    Ranges that let the robot not stand are widened, in the model and in `limits`.
    """
    tree, limbs = stance.tree, stance.limbs
    middle = {tree.name(j): _rest(tree, j) for j in (*limbs.torso, *limbs.head)}
    effort = tree.model.effortLimit[BASE_V:]
    arms = hang_arms(stance, *ARMS[0])
    half = stand(stance, arms, middle, effort)
    if not half.stands:
        reconcile(limits, tree, limbs, stance.twins, all_legs=True)
        apply_limits(tree.model, limits.table, urdf)
        half = stand(stance, arms, middle, effort)
    if not half.stands:
        half = stand(replace(stance, free_legs=True), arms, middle, effort)
        make_room(limits, tree, half.angles)
        apply_limits(tree.model, limits.table, urdf)
    if not half.stands:
        raise Infeasible(
            f"A standing posture for {urdf.name}",
            ["flat soles", "bent knees", "CoM over the soles"],
            "Its legs were taken to be "
            + f"{tree.name(limbs.legs[0][0])} .. {tree.name(limbs.legs[0][-1])} and their twins.",
        )
    half, middle = _balanced(stance, half, arms, middle, effort)
    clearance = Clearance(tree.model, shapes)
    fold = limbs.arms[0].index(stance.elbow.joint)
    moving = {j for arm in limbs.arms for j in arm[fold:]}  # a shoulder is near the chest anyway
    best, furthest = (half, ARMS[0][0]), -np.inf
    for abduction, elbow in ARMS:
        arms = hang_arms(stance, abduction, elbow, arms)
        half = stand(stance, arms, middle, effort)
        gap = clearance.least(half.q, moving)
        if half.stands and gap > furthest + 1e-3:
            best, furthest = (half, abduction), gap
        if furthest > CLEAR:
            break
    return best


def _balanced(
    stance: Stance,
    half: HalfSitting,
    arms: dict[str, float],
    middle: dict[str, float],
    effort: np.ndarray,
) -> tuple[HalfSitting, dict[str, float]]:
    """Half-sitting with a torso leant as little as its motors ask for.

    Only where an upright one is too much for them: the upper body is then put over its joint.
    """
    tree = stance.tree
    left = stance.bearings.R_root_body[:, 1]
    leaning = [j for j in stance.limbs.torso if abs(tree.axis[j] @ left) > 0.9]
    for joint in leaning:
        name, index = tree.name(joint), tree.model.joints[joint].idx_q
        low, high = tree.model.lowerPositionLimit[index], tree.model.upperPositionLimit[index]
        for lean in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3):
            if half.load < EASY:
                break
            for angle in (lean, -lean):
                if low < angle < high:
                    tried = stand(stance, arms, {**middle, name: angle}, effort)
                    if tried.stands and tried.load < half.load:
                        half, middle = tried, {**middle, name: angle}
                        break
    return half, middle


def _rest(tree: Tree, joint: int) -> float:
    """Zero, or the nearest angle well inside the range of a joint [rad]."""
    index = tree.model.joints[joint].idx_q
    low, high = tree.model.lowerPositionLimit[index], tree.model.upperPositionLimit[index]
    margin = min(0.03, 0.2 * (high - low))
    return float(np.clip(0.0, low + margin, high - margin))


def _height(tree: Tree, limbs: Limbs, bearings: Bearings, solids: Solids, sole: SoleFit) -> float:
    """From the soles to the top of the head at the zero posture, arms aside [m]."""
    arms = {j for arm in limbs.arms for j in arm}
    up = bearings.R_root_body[:, 2]
    tops = [float(up @ tree.position[j]) for j in (*limbs.torso, *limbs.head, limbs.chest)]
    for joint in [ROOT, *tree.joints()]:
        if joint not in arms:
            T = tree.pose(joint)
            for solid in solids.best(tree.links[joint]):
                points = in_frame(tree.model, solid) @ T.rotation.T + T.translation
                tops.append(float((points @ up).max()) + solid.radius)
    top = max(tops) - float(sole.below[2])
    return top if solids.collision or solids.visual else HEAD * top


def _name(root: ET.Element, urdf: Path) -> str:
    """A name from the URDF, its file or its folder that no shipped robot has."""
    shipped = {folder.name for folder in ZOO.iterdir()} if ZOO.is_dir() else set()
    for text in (urdf.stem, urdf.parent.name, root.get("name", "")):
        name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
        if name not in DULL and name not in shipped:
            return name
    return f"my_{re.sub(r'[^a-z0-9]+', '_', urdf.stem.lower()).strip('_') or 'robot'}"
