"""Person and robot side by side: the figures of the paper, as panels.

Lengths of the person are scaled by the legs, times by how much slower the robot walks, so that
both lie on each other where the robot does what the person did.
"""

from __future__ import annotations

import numpy as np

from poise.engines.imitate.plan import Plan
from poise.motion.marker_names import SIDES
from poise.motion.panels import Line, Panel
from poise.robot.robot import BASE_Q

JOINTS = ("hip", "knee", "ankle")


def comparison(made: Plan) -> list[Panel]:
    """CoP and CoM, footprints, altitudes of heels and toes, joint angles, events."""
    person, draft = made.person, made.draft
    walk = draft.walk
    scale = draft.limbs.leg_length / person.leg_length
    time = made.stretch * (walk.slow * (person.time - walk.offset))
    panels = [_person_ground(made), _robot_ground(made)]
    for name, theirs, mine in (("heel", "heel", "heel"), ("toe", "tip", "toe")):
        for side in SIDES:
            altitude = 1e3 * scale * (getattr(person.soles[side], theirs)[:, 2] - person.floor)
            height = 1e3 * getattr(draft.feet[side], mine)
            lines = (
                Line(time, altitude, "person, scaled", "person"),
                Line(made.time, height, "robot", "robot"),
            )
            panels.append(Panel(f"{side} {name} altitude", "time [s]", "mm", lines))
    panels += _angles(made, time)
    panels.append(_balance(made))
    panels.append(_events(made))
    return panels


def _person_ground(made: Plan) -> Panel:
    """The person's feet, CoM and, where plates are, CoP, turned to walk along x as the robot."""
    person = made.person
    gone = person.com[-1, :2] - person.com[0, :2]
    c, s = gone / max(float(np.hypot(*gone)), 1e-9)
    turn = np.array([[c, s], [-s, c]])

    def seen(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x, y = turn @ (points[:, :2] - person.com[0, :2]).T
        return x, y

    lines = [Line(*seen(person.com), "CoM", "person")]
    for side in SIDES:
        sole = person.soles[side]
        for stance in person.stances:
            if stance.side == side:
                k = int(np.argmin(np.abs(person.time - 0.5 * (stance.start + stance.end))))
                lines.append(Line(*seen(np.array([sole.heel[k], sole.tip[k]])), "", "limit"))
    if person.cop is not None:
        lines.append(Line(*seen(person.cop), "CoP", "wish", dashed=True))
    return Panel("person: feet, CoM, CoP", "x [m]", "y [m]", tuple(lines), equal=True)


def _robot_ground(made: Plan) -> Panel:
    """The robot's footprints, where the marionette would put them, CoM and ZMP."""
    draft = made.draft
    walk = draft.walk
    lines = []
    for side, place in walk.places.items():
        lines.append(_print(made, side, place, "robot"))
    for step, full in zip(walk.steps, (*walk.full, walk.steps[-1].end), strict=True):
        lines.append(_print(made, step.side, full, "limit"))
        lines.append(_print(made, step.side, step.end, "robot"))
    com, zmp = made.com, made.zmp
    lines.append(Line(com[:, 0], com[:, 1], "CoM", "person"))
    lines.append(Line(zmp[:, 0], zmp[:, 1], "ZMP", "wish"))
    return Panel("robot: footprints, CoM, ZMP", "x [m]", "y [m]", tuple(lines), equal=True)


def _print(made: Plan, side: str, place: tuple[float, float, float], kind: str) -> Line:
    outline = made.draft.robot.soles[made.draft.limbs.feet[side].part].polygon
    c, s = np.cos(place[2]), np.sin(place[2])
    x = place[0] + c * outline[:, 0] - s * outline[:, 1]
    y = place[1] + s * outline[:, 0] + c * outline[:, 1]
    return Line(np.append(x, x[0]), np.append(y, y[0]), "", kind, filled=True)


def _angles(made: Plan, time: np.ndarray) -> list[Panel]:
    """Pitch joints of the legs: the marionette's, which are the person's, and the robot's."""
    draft = made.draft
    panels = []
    for side in SIDES:
        leg = draft.limbs.legs[side]
        for name, position in zip(JOINTS, (leg.top, leg.middle, leg.end), strict=True):
            column = draft.limbs.joints.column(leg.chain[position])
            label = draft.robot.joint_names[column]
            lines = (
                Line(time, np.rad2deg(made.puppet.angles[:, column]), "person", "person"),
                Line(made.time, np.rad2deg(made.postures.q[:, BASE_Q + column]), "robot", "robot"),
            )
            panels.append(Panel(f"{side} {name} ({label})", "time [s]", "deg", lines))
    return panels


def _balance(made: Plan) -> Panel:
    """How far the ZMP is inside the support."""
    reference = made.draft.support.margins(made.draft.time, made.draft.zmp)
    lines = (
        Line(made.time, 1e3 * reference, "reference", "wish", dashed=True),
        Line(made.time, 1e3 * made.margin, "whole body", "robot"),
        Line(made.time[[0, -1]], np.zeros(2), "", "limit"),
    )
    return Panel("ZMP inside the support polygon", "time [s]", "mm", lines)


def _events(made: Plan) -> Panel:
    """Stances of both, as bars."""
    walk, person, k = made.draft.walk, made.person, made.stretch
    lines: list[Line] = []
    for row, side in enumerate(SIDES):
        for stance in person.stances:
            if stance.side == side:
                span = np.array([stance.start, stance.end])
                t = k * walk.slow * (span - walk.offset)
                lines.append(Line(t, np.full(2, row + 0.15), "", "person"))
        for touch in made.draft.feet[side].touches:
            t = k * np.array([touch.start, touch.end])
            dashed = touch.is_edge or len(touch.points) < 3
            lines.append(Line(t, np.full(2, row - 0.15), "", "robot", dashed=dashed))
    return Panel("stances, left below right; dashed on an edge", "time [s]", "", tuple(lines))
