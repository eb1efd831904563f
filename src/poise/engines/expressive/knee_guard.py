"""The knee guard: a standing leg that is about to stretch lowers the body a little.

A straight knee cannot carry on at the pace of the body: it would snap back. Looking a moment
ahead, the guard takes as much from the wanted height as keeps the knees of standing legs bent.
"""

from __future__ import annotations

import numpy as np

from poise.robot import Robot
from poise.walking.legs import knee_of
from poise.walking.stature import Stature

BEND = 0.45  # [rad], of a standing knee: straighter than this the body is lowered
AHEAD = 0.15  # [s], how far the guard looks ahead
DEPTH = 0.12  # lengths of the leg by which the body is lowered for each radian that is missing
QUICKNESS = 20.0  # [1/s], of the lowering
RELEASE = 2.0  # [1/s], how fast it is given up: slowly, or the body would bounce at every step


class KneeGuard:
    """How much lower than wanted the centre of mass should be now.

    Attributes:
        sink: by how much [m].
        rate: of the sink [m/s].
        rate2: of the rate [m/s^2].
    """

    def __init__(self, robot: Robot) -> None:
        self._knees = [knee_of(robot, group) for group in ("left_leg", "right_leg")]
        self._depth = DEPTH * Stature.of(robot).leg_length
        self._missing = 0.0
        self.sink = self.rate = self.rate2 = 0.0

    def advance(
        self, joints: np.ndarray, rates: np.ndarray, standing: tuple[bool, bool], dt: float
    ) -> None:
        """Let a period pass.

        Args:
            joints: angles [rad], (na,).
            rates: of the joints [rad/s], (na,).
            standing: whether the left and the right leg carry.
            dt: period [s].
        """
        missing = 0.0
        for knee, carries in zip(self._knees, standing, strict=True):
            if carries:
                soon = knee.bend(joints) + AHEAD * knee.sign * float(rates[knee.joint])
                missing = max(missing, BEND - soon)
        k = QUICKNESS
        gap = missing - self._missing
        self._missing += dt * (k if gap > 0.0 else RELEASE) * gap
        self.rate2 = k * k * (self._depth * self._missing - self.sink) - 2.0 * k * self.rate
        self.sink += dt * self.rate + 0.5 * dt * dt * self.rate2
        self.rate += dt * self.rate2
