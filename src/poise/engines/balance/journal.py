"""What the controller knew and did, period after period."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.motion import Observation

if TYPE_CHECKING:
    from poise.engines.balance.controller import BalanceController

WIDTHS = {
    "loads": 2,  # of the left and the right foot [N]
    "pressure_left": 2,  # centre of pressure in the foot's frame [m]
    "pressure_right": 2,
    "share": 1,  # of the load on the left foot, smoothed
    "felt_zmp": 2,  # in the axes of the left foot [m]
    "zmp_error": 2,  # as the feedback took it [m]
    "com_wish": 3,  # in the axes of the left foot [m]
    "com_held": 3,  # by the encoders [m]
    "feet_error": 2,  # of the commanded posture: distance [m], angle [rad]
    "com_error": 1,  # of the commanded posture against its target of the period [m]
    "slowed": 1,  # factor by which all joints were slowed to keep their speeds
}


class Journal:
    """Rows of signals; memory grows by doubling, and only here."""

    def __init__(self) -> None:
        self._rows = {name: np.zeros((1024, width)) for name, width in WIDTHS.items()}
        self.count = 0

    def write(self, controller: BalanceController, seen: Observation, row: int) -> None:
        """Write one period down."""
        k, c = self.count, controller
        if k == len(self._rows["loads"]):
            self._rows = {n: np.vstack([a, np.zeros_like(a)]) for n, a in self._rows.items()}
        r = self._rows
        r["loads"][k] = c.soles.loads
        r["pressure_left"][k], r["pressure_right"][k] = c.soles.pressure
        r["share"][k] = c.soles.share
        r["felt_zmp"][k], r["zmp_error"][k] = c.zmp, c.zmp_error
        r["com_wish"][k] = c.com_wish(row)
        r["com_held"][k] = c.com_held
        error = c.feet_error
        r["feet_error"][k] = error[:3].dot(error[:3]) ** 0.5, error[3:].dot(error[3:]) ** 0.5
        r["com_error"][k] = np.linalg.norm(c.com_held - r["com_wish"][k])
        r["slowed"][k] = c.slowed
        self.count += 1

    def signals(self, rows: int) -> dict[str, np.ndarray]:
        """All signals for a recording of so many rows; the last period is told twice."""
        keep = np.minimum(np.arange(rows), self.count - 1)
        return {name: array[keep] for name, array in self._rows.items()}
