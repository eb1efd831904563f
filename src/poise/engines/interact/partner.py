"""The virtual partner: a spring and a damper from the robot's hand to a leader's hand."""

from __future__ import annotations

from math import atan2, cos, sin

import numpy as np

from poise.engines.interact.footprint import over_ground
from poise.engines.interact.leader import Leader, LeaderPath
from poise.walking.swing_foot import Place


class Partner:
    """Holds one hand of the robot and pulls it where the leader goes."""

    def __init__(
        self, leader: Leader, hand_at_rest: Place, height: float, R_rest: np.ndarray, origin: Place
    ) -> None:
        """Take a hand.

        Args:
            leader: who leads, in sizes of the robot.
            hand_at_rest: where the hand rests, seen from the centre between the feet.
            height: of the hand at rest [m].
            R_rest: how the hand is turned at rest.
            origin: where the centre between the feet is at first.
        """
        self.leader, self.height = leader, height
        self.path: LeaderPath = leader.path(hand_at_rest)
        self._R_rest, self._origin = R_rest, origin

    def goal(self, time: float) -> np.ndarray:
        """Where the leader's hand is [m], (3,)."""
        here, _, _, _ = self.path.at(time)
        x, y = self._world(here)
        return np.array([x, y, self.height])

    def wrench(
        self, time: float, p: np.ndarray, R: np.ndarray, twist: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Force and moment on the robot's hand, world axes [N, N m].

        Args:
            time: [s].
            p: where the hand is [m], (3,).
            R: how it is turned.
            twist: its velocity, world axes, linear first, (6,).
        """
        leader = self.leader
        here, rate, heading, turn = self.path.at(time)
        x, y = self._world(here)
        goal = np.array([x, y, self.height])
        c, s = cos(self._origin[2]), sin(self._origin[2])
        goal_rate = np.array([c * rate[0] - s * rate[1], s * rate[0] + c * rate[1], 0.0])
        force = leader.stiffness * (goal - p) + leader.damping * (goal_rate - twist[:3])
        size = float(np.linalg.norm(force))
        if size > leader.strength:
            force *= leader.strength / size if size > 0.0 else 0.0
        off = heading + self._origin[2] - over_ground(p, R, self._R_rest)[2]
        off = atan2(sin(off), cos(off))
        moment = leader.spin_stiffness * off + leader.spin_damping * (turn - twist[5])
        if leader.strength <= 0.0:
            moment = 0.0
        for tug in leader.tugs:
            if tug.time <= time < tug.time + tug.duration:
                force = force + np.array(tug.force)
        return force, np.array([0.0, 0.0, moment])

    def _world(self, here: np.ndarray) -> tuple[float, float]:
        x, y, heading = self._origin
        c, s = cos(heading), sin(heading)
        return x + c * here[0] - s * here[1], y + s * here[0] + c * here[1]
