"""What was guessed, in words a person can judge."""

from __future__ import annotations

import numpy as np

from poise.errors import listed
from poise.robot.onboarding.bearings import Bearings
from poise.robot.onboarding.capsules import Primitive
from poise.robot.onboarding.guess import Guess
from poise.robot.onboarding.half_sitting import HalfSitting
from poise.robot.onboarding.limbs import Limbs
from poise.robot.onboarding.mirroring import Twins, mirror_error
from poise.robot.onboarding.soles import SoleFit
from poise.robot.onboarding.solids import Solids
from poise.robot.onboarding.tree import Tree
from poise.robot.onboarding.trimming import Trim


def sole(fit: SoleFit, apart: float) -> Guess:
    """The soles."""
    long, wide = np.ptp(fit.polygon, axis=0)
    front, back = fit.polygon[:, 0].max(), -fit.polygon[:, 0].min()
    value = (
        f"{1e3 * long:.0f} x {1e3 * wide:.0f} mm, "
        f"{1e3 * front:.0f} mm before and {1e3 * back:.0f} mm behind the ankle"
    )
    tilt = np.rad2deg(np.arccos(np.clip(fit.normal[2], -1.0, 1.0)))
    how = fit.how + (f"; inclined by {tilt:.1f} deg at the zero posture" if tilt > 0.05 else "")
    certainty = fit.certainty
    if apart > 0.01:
        how += f"; left and right differ by {1e3 * apart:.0f} mm, the left one counts"
        certainty = min(certainty, 0.5)
    return Guess("soles", value, how, certainty)


def posture(half: HalfSitting, abduction: float, knee: str, torso: list[str]) -> Guess:
    """Half-sitting."""
    value = (
        f"knees bent by {half.flexion:.2f} rad ({knee} at {half.angles[knee]:.2f}), "
        f"arms {abduction:.2f} rad from the body"
    )
    where = {1.0: "over the middle of the soles", 0.0: "over the ankles"}.get(
        half.towards_middle, f"{100 * half.towards_middle:.0f} % of the way from ankle to mid-sole"
    )
    leant = [
        f"{name} at {half.angles[name]:.2f}" for name in torso if abs(half.angles[name]) > 0.04
    ]
    trunk = f"trunk leant for its motors ({listed(leant)})" if leant else "trunk upright"
    how = f"soles flat, {trunk}, CoM {where}"
    return Guess("half-sitting", value, how, 0.95 if half.load < 0.5 else 0.6)


def sides(tree: Tree, limbs: Limbs, twins: Twins, bearings: Bearings) -> Guess:
    """Pairs of joints."""
    pairs = [(a, b) for pair in (limbs.legs, limbs.arms) for a, b in zip(*pair, strict=True)]
    worst = max(mirror_error(tree, a, b, bearings) for a, b in pairs)
    value = f"{len(twins.pairs)} pairs, {len(twins.middle)} joints in the middle"
    how = f"joint by joint along the limbs; axes mirror each other within {1e3 * worst:.2g} mm"
    return Guess("left and right", value, how, 0.97 if worst < 5e-3 else 0.6)


def locked(cut: Trim) -> list[Guess]:
    """Joints that were welded, by reason."""
    found = []
    for reason in dict.fromkeys(cut.reasons.values()):
        names = [name for name, why in cut.reasons.items() if why == reason]
        found.append(Guess("locked joints", f"{len(names)}: {listed(names, 4)}", reason, 0.9))
    return found


def shapes(found: list[Primitive], scales: list[float], solids: Solids) -> list[Guess]:
    """Collision primitives, and meshes that were not there."""
    kinds = [shape.kind for shape in found]
    counts = ", ".join(f"{kinds.count(k)} {k}" for k in dict.fromkeys(kinds))
    thin = [scale for scale in scales if scale < 1.0]
    how = "the least capsule or box around each shape" + (
        f"; {len(thin)} thinned, to {100 * min(thin):.0f} % at least, to be clear of each other"
        if thin
        else ""
    )
    guesses = [Guess("collision primitives", counts or "none", how, 0.8 if found else 0.2)]
    if solids.missing:
        value = f"{len(solids.missing)}: {listed(solids.missing, 3)}"
        guesses.append(Guess("missing meshes", value, "not found or unreadable; done without", 1.0))
    return guesses


def height(metres: float, known: bool, solids: Solids) -> Guess:
    """Standing height."""
    if known:
        return Guess("height", f"{metres:.3f} m", "published", 0.99)
    if solids.collision or solids.visual:
        how = "from the soles to the highest point at the zero posture"
        return Guess("height", f"{metres:.3f} m", how, 0.7)
    how = "from the soles to the highest joint, and a head above it: there are no shapes"
    return Guess("height", f"{metres:.3f} m", how, 0.3)


def servos(joints: int) -> Guess:
    """Servo gains."""
    how = "a rule from torque limits and carried inertia; no gain is in a URDF"
    return Guess("servo gains", f"{joints} joints", how, 0.5)
