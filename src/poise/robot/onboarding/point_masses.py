"""Links that a URDF gives a mass but no inertia: what to do without dividing by zero later.

A joint that turns a point on its own axis has no inertia, and the mass matrix no inverse.
"""

from __future__ import annotations

import numpy as np

from poise.errors import listed
from poise.robot.onboarding.bearings import Bearings
from poise.robot.onboarding.guess import Guess
from poise.robot.onboarding.limbs import Limbs
from poise.robot.onboarding.tree import Tree

DENSITY = 1000.0  # [kg/m^3], of the ball that stands in for a point
NOTHING = 1e-3  # of that ball's inertia: less than this is a point


def point_inertias(
    tree: Tree, limbs: Limbs, bearings: Bearings
) -> tuple[dict[str, list[float]], list[Guess]]:
    """Inertias for bodies with a mass but none: that of their twin, or of a ball of their mass.

    Returns:
        xx, yy, zz, xy, xz, yz in link axes about the centre of mass [kg m^2], by link.
    """
    twins: dict[int, int] = {}
    for left, right in (limbs.legs, limbs.arms):
        twins |= dict(zip(left, right, strict=True)) | dict(zip(right, left, strict=True))
    points = [j for j in tree.joints() if _is_point(tree, j)]
    table, copied, balls = {}, [], []
    for joint in points:
        link, twin = tree.links[joint][0], twins.get(joint)
        if twin is not None and twin not in points:
            R, R_twin = tree.pose(joint).rotation, tree.pose(twin).rotation
            turn = R.T @ bearings.reflection @ R_twin
            inertia = turn @ tree.model.inertias[twin].inertia @ turn.T
            copied.append(link)
        else:
            inertia = _ball(tree, joint) * np.eye(3)
            balls.append(link)
        rows, columns = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)
        table[link] = [float(f"{x:.6g}") for x in inertia[rows, columns]]
    guesses = []
    if copied:
        how = "a mass but no inertia in the URDF: the mirror image of the twin's"
        guesses.append(Guess("inertias", f"{len(copied)}: {listed(copied, 4)}", how, 0.9))
    if balls:
        how = "a mass but no inertia in the URDF: that of a ball as dense as water"
        guesses.append(Guess("inertias", f"{len(balls)}: {listed(balls, 4)}", how, 0.4))
    return table, guesses


def _is_point(tree: Tree, joint: int) -> bool:
    body = tree.model.inertias[joint]
    least = np.linalg.eigvalsh(body.inertia)[0]
    return bool(body.mass > 0.0 and least < NOTHING * _ball(tree, joint))


def _ball(tree: Tree, joint: int) -> float:
    """Inertia of a ball with the mass of a body [kg m^2]."""
    mass = tree.model.inertias[joint].mass
    radius = (3.0 * mass / (4.0 * np.pi * DENSITY)) ** (1.0 / 3.0)
    return float(0.4 * mass * radius**2)
