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

LIFT = 0.004  # of the robot's height: how far marks lie above the floor
PRINTS = 8  # footprints that are kept in sight
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


def footprint(robot: Robot, part: str, place: tuple[float, float, float]) -> np.ndarray:
    """The outline of a sole at a place on the floor [m], closed, (k, 3)."""
    x, y, heading = place
    lift = LIFT * robot.height
    T = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, heading), np.array([x, y, lift]))
    outline = np.array([T.act(point) for point in robot.soles[part].outline])
    return np.vstack([outline, outline[:1]])


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
