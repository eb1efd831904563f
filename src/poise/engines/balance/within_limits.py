"""The same levels answered by QPs: joint, speed and pressure limits hold strictly.

Projections keep limits from outside: the whole motion is slowed, joints at a stop are taken out.
Here every limit is inside the optimisation, so a level gives up only what a limit takes. Where the
soles end is a limit of the commanded motion: the ZMP of a pendulum,

    p = c - (J q' - c'_before) / (dt w²),

stays on the soles; where even that is impossible joint limits go first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.solvers.damped import DAMPING, Damping
from poise.solvers.hierarchy import Level
from poise.solvers.hierarchy_qp import Goal, HierarchyQP


class LimitedRates:
    """Joint rates of levels within limits, period after period."""

    def __init__(
        self,
        lower: np.ndarray,
        upper: np.ndarray,
        speed: np.ndarray,
        dt: float,
        omega: float,
        damping: Damping = DAMPING,
    ) -> None:
        """Remember the limits.

        Args:
            lower: joint angles [rad], (na,).
            upper: [rad], (na,).
            speed: joint speeds [rad/s], (na,).
            dt: period [s].
            omega: rate of the pendulum [1/s].
            damping: how steps are bounded near singularities.
        """
        self._lower, self._upper, self._speed = lower, upper, speed
        self._dt, self._per_rate = dt, 1.0 / (dt * omega**2)
        self._solver, self._eye = HierarchyQP(damping), np.eye(len(lower))
        self._com_rate = np.zeros(2)

    def solve(
        self,
        levels: Sequence[Level],
        com_level: int,
        joints: np.ndarray,
        comfort: np.ndarray,
        com: np.ndarray,
        low: np.ndarray,
        high: np.ndarray,
    ) -> np.ndarray:
        """Joint rates (na,).

        Args:
            levels: the most important first.
            com_level: which of them is the centre of mass.
            joints: angles now [rad], (na,).
            comfort: joint rates that comfort asks for, (na,).
            com: commanded centre of mass, from where the ZMP should be [m], (2,).
            low: least ZMP from there [m], (2,).
            high: greatest [m], (2,).
        """
        J = levels[com_level].J[:2]
        ahead = com + self._per_rate * self._com_rate
        soles = Goal(-self._per_rate * J, low - ahead, high - ahead, "soles")
        goals = [soles, *(Goal(level.J, level.e, level.e) for level in levels)]
        goals.append(Goal(self._eye, comfort, comfort, "comfort"))
        most = self._speed
        least = np.clip((self._lower - joints) / self._dt, -most, most)
        greatest = np.clip((self._upper - joints) / self._dt, -most, most)
        rates = self._solver.solve(goals, (), least, np.maximum(greatest, least)).x
        self._com_rate = J @ rates
        return rates
