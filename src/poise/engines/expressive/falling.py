"""Has the robot fallen, and what gave out first?

While a walk follows its references nothing is looked at. Once the centre of mass is off by a
noticeable amount, everything that might be the reason is written down with its time; the walk
either recovers, and the notes are thrown away, or falls, and the first of them is the reason.

A robot whose motors would have to give more than they can, or to leap from one tick to the next,
has fallen too: what comes after is no motion that it could make.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import hypot

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from poise.control.giving_way import TORQUE_CHANGE, TORQUE_LIMIT
from poise.engines.expressive.tick import Tick
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.walking.stature import Stature

NOTICEABLE = 0.02  # of the height of the centre of mass: an error worth a look
FALLEN = 0.3  # of that height: an error from which nothing comes back
SUNKEN = 0.75  # of the wanted height
TOPPLED = 0.5  # [rad], of the chest against its wanted lean
STRETCHED = 0.98  # of a torque limit
AT_LIMIT = 2.5e-3  # [rad], from a joint limit
RECOVERED = 0.5  # [s] without trouble
BEYOND = (TORQUE_LIMIT, TORQUE_CHANGE)  # endings of what no motor should do


@dataclass
class FallWatch:
    """Follows a walk and tells when, and why, it has fallen."""

    robot: Robot
    notes: list[tuple[float, str]] = field(default_factory=list)
    reason: str = ""

    def __post_init__(self) -> None:
        self._stature = Stature.of(self.robot)
        self._last = -1.0

    def see(self, tick: Tick, lean_error: float) -> bool:
        """Look at a tick; whether the robot has fallen.

        Args:
            tick: the instant.
            lean_error: angle of the chest from where it should point [rad].
        """
        height = self._stature.com_height
        (x, y, _), (x_ref, y_ref, _) = tick.com.tolist(), tick.com_ref.tolist()
        off = hypot(x - x_ref, y - y_ref)
        if off < NOTICEABLE * height and not tick.gave_way and lean_error < 0.3 * TOPPLED:
            if self.notes and tick.time - self._last > RECOVERED:
                self.notes.clear()
            return False
        self._last = tick.time
        known = {text for _, text in self.notes}
        self.notes += [(tick.time, text) for text in self._troubles(tick) if text not in known]
        low = tick.com[2] < SUNKEN * tick.com_ref[2]
        far = off > FALLEN * height or not np.isfinite(tick.com).all()
        overloaded = any(name.endswith(BEYOND) for name in tick.gave_way)
        if low or far or overloaded or lean_error > TOPPLED:
            self.conclude(tick.time)
            return True
        return False

    def conclude(self, time: float, last: str = "the balance was lost") -> None:
        """Settle on the first thing that gave out."""
        first, text = self.notes[0] if self.notes else (time, last)
        self.reason = f"{text} at {first:.2f} s"

    def _troubles(self, tick: Tick) -> list[str]:
        robot = self.robot
        found = [f"{name} had to give way" for name in tick.gave_way]
        for k in np.flatnonzero(np.abs(tick.tau) > STRETCHED * robot.effort_limit):
            if robot.effort_limit[k] > 0.0:
                found.append(f"the torque of {robot.joint_names[k]} is at its limit")
        joints = tick.q[BASE_Q:]
        for k in np.flatnonzero(
            (joints < robot.lower + AT_LIMIT) | (joints > robot.upper - AT_LIMIT)
        ):
            found.append(f"{robot.joint_names[k]} is at its joint limit")
        edge = self._over_the_edge(tick)
        return [edge, *found] if edge else found

    def _over_the_edge(self, tick: Tick) -> str:
        """Where the capture point has left the support, if it has."""
        if not tick.contacts:
            return "no foot carries"
        capture = tick.com[:2] + tick.com_velocity[:2] / self._stature.omega
        points = np.vstack([touch.anchors[:, :2] for touch in tick.contacts])
        try:
            hull = ConvexHull(points)
        except QhullError:
            return ""
        beyond = hull.equations[:, :2] @ capture + hull.equations[:, 2]
        if beyond.max() <= 0.0:
            return ""
        parts = " and ".join(touch.part for touch in tick.contacts)
        return f"the weight is beyond the {self._side(tick, capture)} of {parts}"

    def _side(self, tick: Tick, capture: np.ndarray) -> str:
        """On which side of the feet a point is, as the robot sees it."""
        middle = np.mean([touch.anchors.mean(axis=0) for touch in tick.contacts], axis=0)[:2]
        R = tick.contacts[0].T_world_surface.rotation[:2, :2]
        ahead, left = (capture - middle) @ R
        if abs(ahead) > abs(left) * self._stature.sole_length / self._stature.sole_width:
            return "toes" if ahead > 0.0 else "heels"
        return "left edge" if left > 0.0 else "right edge"
