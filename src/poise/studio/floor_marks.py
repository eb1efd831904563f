"""What is drawn on the floor about a live robot: support, ZMP, centre of mass, footprints."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from poise.contacts import Touch
from poise.motion import Mark
from poise.robot import Robot
from poise.viewer import colours
from poise.viewer.figures import support_polygon
from poise.walking.swing_foot import Place, Swing

LIFT = 0.004  # of the robot's height: how far marks lie above the floor
PRINTS = 8  # footprints that are kept in sight
STEPS = 2  # to come that are drawn
PALE = 0.45  # share of white in the colour of what has not happened yet
BOW = 12  # points of the way of a toe through the air
NEW = 0.02  # of the robot's height: a foot that stands so far from its last print left it


def balance_marks(
    robot: Robot, com: np.ndarray, zmp: np.ndarray, touches: tuple[Touch, ...]
) -> list[Mark]:
    """The centre of mass above the floor, the ZMP, and the support polygon around it.

    Args:
        robot: who stands there.
        com: its centre of mass [m], (3,).
        zmp: on the floor [m], (2,); NaN when nothing carries.
        touches: what carries.
    """
    lift = LIFT * robot.height
    floor = np.array([com[0], com[1], lift])
    marks = [
        Mark("com", com[None], colours.COM),
        Mark("com drop", np.array([com, floor]), colours.COM),
    ]
    if np.isfinite(zmp).all():
        marks.append(Mark("zmp", np.array([[zmp[0], zmp[1], lift]]), colours.ZMP))
    support = support_polygon(touches)
    if len(support) > 2:
        flat = np.column_stack([support[:, :2], np.full(len(support), lift)])
        marks.append(Mark("support", flat, colours.SUPPORT, closed=True))
    return marks


def footprint(robot: Robot, part: str, place: Place) -> np.ndarray:
    """The outline of a sole at a place on the floor [m], closed, (k, 3)."""
    T_world_sole = _standing_at(place, LIFT * robot.height)
    outline = np.array([T_world_sole.act(point) for point in robot.soles[part].outline])
    return np.vstack([outline, outline[:1]])


def _standing_at(place: Place, height: float) -> pin.SE3:
    x, y, heading = place
    return pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, heading), np.array([x, y, height]))


def coming_marks(robot: Robot, coming: Sequence[tuple[str, Swing]]) -> list[Mark]:
    """Where the next steps will land, and the way of the first one's toe through the air.

    Args:
        robot: who walks.
        coming: which foot, and its way.
    """
    marks = []
    for k, (part, way) in enumerate(coming):
        colour = colours.pale(colours.side_of(part), PALE)
        marks.append(Mark(f"coming {part}", footprint(robot, part, way.end), colour))
        if k == 0:
            polygon = robot.soles[part].polygon
            tip = np.array([polygon[:, 0].max(), polygon[:, 1].mean(), LIFT * robot.height])
            line = []
            for s in np.linspace(0.0, 1.0, BOW):
                x, y, z, heading = way.at(s)
                line.append(_standing_at((x, y, heading), z).act(tip))
            marks.append(Mark(f"way {part}", np.array(line), colour))
    return marks


class Footprints:
    """The last places where the feet stood.

    Args:
        robot: who walks.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._last: dict[str, np.ndarray] = {}
        self._prints: deque[Mark] = deque(maxlen=PRINTS)
        self._count = 0

    def take(self, contacts: Sequence[Touch]) -> bool:
        """Note where the feet stand; whether one of them stands elsewhere than before."""
        fresh = False
        for touch in contacts:
            T, before = touch.T_world_surface, self._last.get(touch.part)
            place = T.translation
            if before is not None and np.hypot(*(place - before)[:2]) < NEW * self.robot.height:
                continue
            self._last[touch.part] = place.copy()
            heading = float(np.arctan2(T.rotation[1, 0], T.rotation[0, 0]))
            outline = footprint(self.robot, touch.part, (place[0], place[1], heading))
            name = f"print {self._count % PRINTS}"  # the oldest is moved, not taken away
            self._prints.append(Mark(name, outline, colours.side_of(touch.part)))
            self._count += 1
            fresh = True
        return fresh

    @property
    def marks(self) -> list[Mark]:
        """As lines on the floor."""
        return list(self._prints)

    def forget(self) -> None:
        """The robot begins elsewhere."""
        self._last.clear()
        self._prints.clear()
