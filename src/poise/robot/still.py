"""A robot at rest, for those who move it by kinematics alone: a third of a Snapshot's time."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.robot.snapshot import Snapshot


class StillSnapshot(Snapshot):
    """A robot at rest: kinematics and momentum matrix in one sweep, velocities and drifts zero.

    What only dynamics asks for, mass matrix and bias, is computed when it is asked for.
    """

    _zero = np.zeros(6)

    def refresh(self, q: np.ndarray, v: np.ndarray | None = None) -> None:
        """Move to another instant, in place; the velocity is zero whatever is given."""
        self.q, self.v = np.array(q, dtype=float), self._rest
        pin.ccrba(self.model, self.data, self.q, self._rest)  # Jacobians and the CoM come with it
        pin.updateFramePlacements(self.model, self.data)
        self._jacobians.clear()
        self.__dict__.pop("com_jacobian", None)

    def velocity(self, frame: str) -> np.ndarray:
        """Zero, (6,)."""
        return self._zero

    def drift(self, frame: str) -> np.ndarray:
        """Zero, (6,)."""
        return self._zero

    @property
    def mass_matrix(self) -> np.ndarray:
        """Joint-space inertia H, symmetric, (nv, nv)."""
        return pin.crba(self.model, self.model.createData(), self.q, pin.Convention.WORLD)

    @property
    def bias(self) -> np.ndarray:
        """Gravity terms, (nv,)."""
        return pin.nonLinearEffects(self.model, self.model.createData(), self.q, self.v)
