"""Marks of a motion at an instant: centre of mass, ZMP, support, footprints, forces, paths."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from poise.motion import Mark
from poise.viewer import colours
from poise.viewer.figures import Figures

KINDS = {
    "com": "Centre of mass",
    "zmp": "ZMP",
    "support": "Support polygon",
    "footprints": "Footprints",
    "forces": "Contact forces",
    "paths": "Paths on the floor",
}
LIFT = 0.0015  # of the robot's height: flat marks lie just above the floor
PATH_POINTS = 300


def marks_at(figures: Figures, k: int, s: float, kinds: Collection[str]) -> list[Mark]:
    """The marks at instant k, or a fraction s of the way to the next one."""
    time = _between(figures.motion.time, k, s)
    marks = []
    if "com" in kinds:
        com = _between(figures.com, k, s)
        floor = np.array([com[0], com[1], _floor(figures, float(time))])
        marks.append(Mark("com", com[None], colours.COM))
        marks.append(Mark("com drop", np.array([com, floor]), colours.COM))
        marks.append(Mark("com floor", floor[None], colours.COM))
    if "zmp" in kinds:
        marks.append(Mark("zmp", _between(figures.zmp, k, s)[None], colours.ZMP))
    if "support" in kinds:
        raised = figures.support(float(time)) + [0.0, 0.0, 2.0 * LIFT * figures.robot.height]
        marks.append(Mark("support", raised, colours.SUPPORT, closed=True))
    if "forces" in kinds:
        marks += _forces(figures, k, s)
    return [mark for mark in marks if len(mark.points) and np.isfinite(mark.points).all()]


def marks_of_all(figures: Figures, kinds: Collection[str]) -> list[Mark]:
    """The marks that belong to the whole motion and do not move."""
    marks = []
    lift = np.array([0.0, 0.0, LIFT * figures.robot.height])
    if "footprints" in kinds:
        for k, (part, outline) in enumerate(figures.footprints):
            colour = colours.side_of(part)
            marks.append(Mark(f"footprint {k}", outline + lift, colour, closed=True))
    if "paths" in kinds and len(figures.motion) > 1:
        rows = np.unique(np.linspace(0, len(figures.motion) - 1, PATH_POINTS).astype(int))
        flat = figures.com[rows] * [1.0, 1.0, 0.0] + 3.0 * lift
        marks.append(Mark("com path", flat, colours.COM))
        path = figures.zmp[rows] + 3.0 * lift
        marks.append(Mark("zmp path", path[np.isfinite(path).all(axis=1)], colours.ZMP))
    return [mark for mark in marks if len(mark.points) > 1]


def _forces(figures: Figures, k: int, s: float) -> list[Mark]:
    """Forces as arrows: the robot's weight is drawn as long as half its height."""
    robot, motion = figures.robot, figures.motion
    metre_per_newton = 0.5 * robot.height / robot.weight
    if not motion.forces:  # nobody recorded them: show what all of them must add up to
        force, point = _between(figures.force, k, s), _between(figures.zmp, k, s)
        arrow = np.array([point, point + metre_per_newton * force])
        return [Mark("force", arrow, colours.FORCE, arrow=True)]
    marks = []
    at = robot.at(motion.q[k])
    for part, wrenches in motion.forces.items():
        wrench = _between(wrenches, k, s)
        if wrench[2] ** 2 + wrench[0] ** 2 + wrench[1] ** 2 < (0.01 * robot.weight) ** 2:
            continue
        point = at.pose(part).translation + _pressure_offset(wrench)
        arrow = np.array([point, point + metre_per_newton * wrench[:3]])
        marks.append(Mark(f"force {part}", arrow, colours.FORCE, arrow=True))
    return marks


def _pressure_offset(wrench: np.ndarray) -> np.ndarray:
    """From the frame of a wrench to where its force presses on a level surface [m]."""
    fz = wrench[2]
    if abs(fz) < 1e-6 * max(1.0, float(np.abs(wrench).max())) or fz < 0.3 * np.linalg.norm(
        wrench[:3]
    ):
        return np.zeros(3)  # not a floor: draw it at the frame
    return np.array([-wrench[4] / fz, wrench[3] / fz, 0.0])


def _floor(figures: Figures, time: float) -> float:
    support = figures.support(time)
    return float(support[:, 2].mean()) if len(support) else 0.0


def _between(rows: np.ndarray, k: int, s: float) -> np.ndarray:
    following = min(k + 1, len(rows) - 1)
    return (1.0 - s) * rows[k] + s * rows[following] if s > 0.0 else rows[k]
