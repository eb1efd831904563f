"""Snapshot: the robot at one instant, everything computed once and reused.

One refresh makes three sweeps over the tree: the composite inertias (mass matrix, Jacobians,
centroidal momentum matrix, centre of mass), the nonlinear terms, and the accelerations at
dv/dt = 0, which give the drifts of all frames and of the whole momentum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pinocchio as pin

from poise.robot.frames import body_tables, frame_tables

if TYPE_CHECKING:
    from poise.robot.robot import Robot

_ALIGNED = pin.LOCAL_WORLD_ALIGNED


class _lazy:  # noqa: N801, it reads as a decorator
    """A property computed at first use and kept until the next refresh.

    functools has one, which takes a lock at every first use; a control tick has better to do.
    """

    def __init__(self, compute: Callable[[Any], np.ndarray]) -> None:
        self._compute, self._name, self.__doc__ = compute, compute.__name__, compute.__doc__

    def __get__(self, owner: Any, _: type) -> np.ndarray:
        found = owner.__dict__[self._name] = self._compute(owner)
        return found


class Snapshot:
    """The robot at (q, v), kinematics and dynamics already computed.

    Whoever holds a Snapshot need not wonder whether something was updated. Only its owner may
    `refresh` it; arrays handed out stay valid until then and are not to be written to.
    """

    def __init__(self, robot: Robot, q: np.ndarray, v: np.ndarray | None = None) -> None:
        self.robot = robot
        self.model = robot.model
        self.data = robot.model.createData()
        self._rest = np.zeros(robot.nv)
        self._jacobians: dict[str, np.ndarray] = {}
        self._drifts: dict[str, np.ndarray] = {}
        self._places = _Places(self)
        self.tables = frame_tables(robot.carriers, self.data)  # for compiled loops
        self.body = body_tables(self.data)
        self._mass_matrix, self._bias = self.data.M, self.data.nle  # views, too
        self.refresh(q, self._rest if v is None else v)

    def refresh(self, q: np.ndarray, v: np.ndarray) -> None:
        """Move to another instant, in place; for the owner alone."""
        model, data = self.model, self.data
        self.q = np.array(q, dtype=float)
        self.v = np.array(v, dtype=float)
        pin.crba(model, data, self.q, pin.Convention.WORLD)
        pin.nonLinearEffects(model, data, self.q, self.v)
        pin.computeCentroidalMomentumTimeVariation(model, data, self.q, self.v, self._rest)
        pin.updateFramePlacements(model, data)
        self._jacobians.clear()
        self._drifts.clear()
        for name in _LAZY:
            self.__dict__.pop(name, None)

    # -- frames ----------------------------------------------------------------------

    def pose(self, frame: str) -> pin.SE3:
        """Pose of a frame in the world, T_world_frame; a copy."""
        return self.data.oMf[self.robot.frame_id(frame)].copy()

    def position(self, frame: str) -> np.ndarray:
        """Origin of a frame in the world [m], (3,); a view that follows every refresh."""
        return self._places[frame][0]

    def rotation(self, frame: str) -> np.ndarray:
        """Orientation of a frame, R_world_frame, (3, 3); a view that follows every refresh."""
        return self._places[frame][1]

    def velocity(self, frame: str) -> np.ndarray:
        """Velocity of a frame, world axes, linear then angular [m/s, rad/s], (6,)."""
        index = self.robot.frame_id(frame)
        return pin.getFrameVelocity(self.model, self.data, index, _ALIGNED).vector

    def jacobian(self, frame: str) -> np.ndarray:
        """Jacobian of that velocity, world axes, linear rows first, (6, nv)."""
        found = self._jacobians.get(frame)
        if found is None:
            index = self.robot.frame_id(frame)
            found = pin.getFrameJacobian(self.model, self.data, index, _ALIGNED)
            self._jacobians[frame] = found
        return found

    def drift(self, frame: str) -> np.ndarray:
        """Acceleration of a frame when dv/dt = 0, i.e. J̇ v, world axes, (6,)."""
        found = self._drifts.get(frame)
        if found is None:
            index = self.robot.frame_id(frame)
            found = self._drifts[frame] = pin.getFrameClassicalAcceleration(
                self.model, self.data, index, _ALIGNED
            ).vector
        return found

    # -- the whole body --------------------------------------------------------------

    @property
    def mass_matrix(self) -> np.ndarray:
        """Joint-space inertia H, symmetric, (nv, nv)."""
        return self._mass_matrix

    @property
    def bias(self) -> np.ndarray:
        """Coriolis, centrifugal and gravity terms h, (nv,)."""
        return self._bias

    @property
    def com(self) -> np.ndarray:
        """Centre of mass in the world [m], (3,)."""
        return self.body[0].copy()

    @property
    def momentum_matrix(self) -> np.ndarray:
        """Centroidal momentum matrix: linear rows, then angular about the CoM, (6, nv)."""
        return self.body[3]

    @property
    def momentum(self) -> np.ndarray:
        """Linear momentum [kg m/s] and angular momentum about the CoM [N m s], (6,)."""
        return self.body[1]

    @property
    def momentum_drift(self) -> np.ndarray:
        """Rate of the momentum when dv/dt = 0, (6,) [N, N m]."""
        return self.body[2]

    @_lazy
    def com_jacobian(self) -> np.ndarray:
        """Jacobian of the centre of mass, (3, nv)."""
        return self.momentum_matrix[:3] / self.robot.mass

    @_lazy
    def com_velocity(self) -> np.ndarray:
        """Velocity of the centre of mass [m/s], (3,)."""
        return self.momentum[:3] / self.robot.mass

    @_lazy
    def com_drift(self) -> np.ndarray:
        """Acceleration of the centre of mass when dv/dt = 0 [m/s^2], (3,)."""
        return self.momentum_drift[:3] / self.robot.mass

    def moved(self, delta: np.ndarray) -> Snapshot:
        """The snapshot after a small displacement in the tangent space, same velocity."""
        return Snapshot(self.robot, pin.integrate(self.model, self.q, delta), self.v)


class _Places(dict[str, tuple[np.ndarray, np.ndarray]]):
    """Position and orientation of every frame asked for: views of Pinocchio's memory."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self._snapshot = snapshot

    def __missing__(self, frame: str) -> tuple[np.ndarray, np.ndarray]:
        T = self._snapshot.data.oMf[self._snapshot.robot.frame_id(frame)]
        found = self[frame] = (T.translation, T.rotation)
        return found


_LAZY = tuple(name for name, value in vars(Snapshot).items() if isinstance(value, _lazy))
