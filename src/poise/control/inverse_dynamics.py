"""Inverse dynamics: tasks, contacts and limits at one instant, as one small QP.

Unknowns are the accelerations a and the coefficients f >= 0 of the friction pyramids. Joint
torques are not among them: they follow from tau = S (H a + h - J' W f), so that a torque limit
is a row and not a variable, and the six base rows of the same equation, where no motor acts,
are the equalities. The tasks are weighted least squares.

    minimise    sum_i w_i | J_i a + drift_i + damping_i e_i' + gain_i e_i |² + small terms
    subject to  base rows of H a - J' W f = -h
                torque limits, viable joint accelerations, coupled joints
                contact points do not accelerate into their surface

When no acceleration satisfies all of this, the softest requirement gives way, and the answer
says which: first the surfaces (a sole may sink a little), then the joint limits, then the
torque limits. The equation of motion never gives way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from poise.contacts import Touch
from poise.control.footing import Footing, FootingMaps
from poise.control.viability import ViableAccelerations
from poise.robot import Robot, Snapshot
from poise.robot.robot import BASE_V
from poise.solvers.workspace import QPWorkspace
from poise.tasks import JointResidual, Linear, Task, TorqueEffort


@dataclass(frozen=True)
class DynamicsOptions:
    """What holds at every tick, whatever the tasks."""

    dt: float = 0.005  # [s], control period
    friction: float = 0.6  # of every footing, unless it says otherwise
    brake: float = 60.0  # [rad/s^2], deceleration every joint can be counted on for
    recovery: float = 0.03  # [s], time in which a sunken contact point comes back up
    regularise_motion: float = 1e-6  # on accelerations
    regularise_force: float = 1e-8  # on force coefficients, relative to the weight
    torque_fraction: float = 1.0  # of the effort limits that may be used


@dataclass(frozen=True, eq=False)
class Dynamics:
    """The answer of one tick; arrays are overwritten by the next."""

    a: np.ndarray  # accelerations (nv,)
    tau: np.ndarray  # joint torques [N m], (na,)
    coefficients: np.ndarray  # of the friction pyramids [N]
    forces: dict[str, np.ndarray]  # wrench on each touching part, at its frame, world axes
    gave_way: tuple[str, ...] = ()  # requirements that could not all be met, softest first


@dataclass
class _Layout:
    """Memory of the problems with one set of contacts."""

    maps: list[FootingMaps]
    columns: list[slice]
    penetration: list[slice]
    workspace: QPWorkspace
    force_map: np.ndarray  # J' W, (nv, coefficients)
    products: list[np.ndarray]  # columns' J of each footing
    touches: list[Touch] = field(default_factory=list)


class InverseDynamics:
    """Turns tasks into accelerations, torques and contact forces, tick after tick."""

    def __init__(self, robot: Robot, options: DynamicsOptions | None = None) -> None:
        self.robot = robot
        self.options = options or DynamicsOptions()
        self._limits = ViableAccelerations(robot, self.options.dt, self.options.brake)
        self._layouts: dict[tuple[tuple[str, int], ...], _Layout] = {}
        self._effort = robot.effort_limit * self.options.torque_fraction
        self._motors = robot.motor_map if robot.couplings else None
        self._stack = _TaskStack(robot.nv)
        self._tau = np.zeros(robot.na)
        self._net = np.zeros(robot.nv)

    def solve(
        self,
        at: Snapshot,
        tasks: Sequence[Task],
        footings: Sequence[Footing],
        effort: TorqueEffort | None = None,
    ) -> Dynamics:
        """The motion that best serves the tasks at one instant.

        Args:
            at: the robot now.
            tasks: what is wanted, with weights and gains.
            footings: where the robot may push.
            effort: torques that cost, if any.
        """
        layout = self._layout(footings)
        self._write_constraints(at, layout, footings)
        self._write_cost(at, layout, tasks, effort)
        x = layout.workspace.solve()
        gave_way: tuple[str, ...] = ()
        if x is None:
            x, gave_way = self._soften(layout)
        return self._answer(at, layout, x, gave_way)

    # -- memory ----------------------------------------------------------------------

    def _layout(self, footings: Sequence[Footing]) -> _Layout:
        key = tuple((f.part, f.size) for f in footings)
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = self._allocate(footings)
        if [f.touch for f in footings] != layout.touches:
            layout.maps = [FootingMaps(f) for f in footings]
            layout.touches = [f.touch for f in footings]
        return layout

    def _allocate(self, footings: Sequence[Footing]) -> _Layout:
        nv = self.robot.nv
        columns, penetration = [], []
        column, row = nv, nv + len(self.robot.couplings)
        for footing in footings:
            columns.append(slice(column, column + footing.size))
            penetration.append(slice(row, row + len(footing.touch.points)))
            column += footing.size
            row += len(footing.touch.points)
        workspace = QPWorkspace(column, row)
        workspace.x_lower[nv:] = 0.0
        np.fill_diagonal(workspace.P, self.options.regularise_motion)
        for k in range(nv, column):
            workspace.P[k, k] = self.options.regularise_force
        n_couplings = len(self.robot.couplings)
        workspace.A[nv : nv + n_couplings, :nv] = self.robot.coupling_rows
        products = [np.zeros((f.size + len(f.touch.points), nv)) for f in footings]
        force_map = np.zeros((nv, column - nv))
        return _Layout([], columns, penetration, workspace, force_map, products)

    # -- constraints -----------------------------------------------------------------

    def _write_constraints(
        self, at: Snapshot, layout: _Layout, footings: Sequence[Footing]
    ) -> None:
        nv, ws = self.robot.nv, layout.workspace
        H, h = at.mass_matrix, at.bias
        recovery = self.options.recovery
        for maps, footing, columns, rows, product in zip(
            layout.maps,
            footings,
            layout.columns,
            layout.penetration,
            layout.products,
            strict=True,
        ):
            heights = maps.refresh(at)
            J = at.jacobian(footing.part)
            np.matmul(maps.columns.T, J, out=product)
            layout.force_map[:, columns.start - nv : columns.stop - nv] = product[: maps.size].T
            normals = product[maps.size :]
            ws.A[rows, :nv] = normals
            # come back to the surface like a critically damped spring, never faster than it
            drift = maps.columns[:, maps.size :].T @ at.drift(footing.part)
            drift += (2.0 / recovery) * (normals @ at.v)
            drift += heights / recovery**2
            np.negative(drift, out=ws.lower[rows])
            ws.x_upper[columns] = footing.ceiling
        if self._motors is None:
            ws.A[:nv, :nv] = H
            np.negative(layout.force_map, out=ws.A[:nv, nv:])
            np.subtract(self._effort, h[BASE_V:], out=ws.upper[BASE_V:nv])
            np.subtract(-self._effort, h[BASE_V:], out=ws.lower[BASE_V:nv])
        else:  # a motor that drives two joints carries both of their torques
            M = self._motors
            ws.A[:BASE_V, :nv] = H[:BASE_V]
            np.negative(layout.force_map[:BASE_V], out=ws.A[:BASE_V, nv:])
            np.matmul(M, H[BASE_V:], out=ws.A[BASE_V:nv, :nv])
            np.matmul(-M, layout.force_map[BASE_V:], out=ws.A[BASE_V:nv, nv:])
            carried = M @ h[BASE_V:]
            np.subtract(self._effort, carried, out=ws.upper[BASE_V:nv])
            np.subtract(-self._effort, carried, out=ws.lower[BASE_V:nv])
        np.negative(h[:BASE_V], out=ws.lower[:BASE_V])
        ws.upper[:BASE_V] = ws.lower[:BASE_V]
        if self.robot.couplings:
            # what little the coupled joints have come apart is taken back within a few periods
            rows = slice(nv, nv + len(self.robot.couplings))
            ws.lower[rows] = self._coupling_pull(at)
            ws.upper[rows] = ws.lower[rows]
        self._limits.refresh(at.q, at.v)
        ws.x_lower[BASE_V:nv] = self._limits.lower
        ws.x_upper[BASE_V:nv] = self._limits.upper

    def _coupling_pull(self, at: Snapshot) -> np.ndarray:
        rate = 0.25 / self.options.dt
        apart = np.array(
            [
                at.q[7 + self.robot.index(c.joint)]
                - c.multiplier * at.q[7 + self.robot.index(c.of)]
                - c.offset
                for c in self.robot.couplings
            ]
        )
        return -(rate**2) * apart - 2.0 * rate * (self.robot.coupling_rows @ at.v)

    # -- cost ------------------------------------------------------------------------

    def _write_cost(
        self,
        at: Snapshot,
        layout: _Layout,
        tasks: Sequence[Task],
        effort: TorqueEffort | None,
    ) -> None:
        nv, ws, stack = self.robot.nv, layout.workspace, self._stack
        stack.fill(at, tasks)
        P, r = ws.P, ws.r
        np.matmul(stack.A.T, stack.A, out=stack.square)
        P[:nv, :nv] = stack.square
        np.matmul(stack.b, stack.A, out=r[:nv])
        r[BASE_V:nv] += stack.joint_pull
        diagonal = np.einsum("ii->i", P[:nv, :nv])
        diagonal += self.options.regularise_motion
        diagonal[BASE_V:] += stack.joint_weight
        r[nv:] = 0.0
        if effort is not None and effort.weight > 0.0:
            rows = BASE_V + effort.joints
            T = np.hstack([at.mass_matrix[rows], -layout.force_map[rows]])
            P[:nv] += effort.weight * (T.T[:nv] @ T)
            P[nv:, :nv] = P[:nv, nv:].T
            F = T[:, nv:]
            P[nv:, nv:] = effort.weight * (F.T @ F)
            np.einsum("ii->i", P[nv:, nv:])[:] += self.options.regularise_force
            r += effort.weight * (at.bias[rows] @ T)
        elif P[nv:, :nv].any():
            P[nv:, :nv] = 0.0
            P[:nv, nv:] = 0.0

    # -- answers ---------------------------------------------------------------------

    def _answer(
        self, at: Snapshot, layout: _Layout, x: np.ndarray, gave_way: tuple[str, ...]
    ) -> Dynamics:
        nv = self.robot.nv
        a, f = x[:nv], x[nv:]
        np.matmul(at.mass_matrix, a, out=self._net)
        self._net += at.bias
        self._net -= layout.force_map @ f
        self._tau[:] = self._net[BASE_V:]
        forces = {
            maps.footing.part: maps.wrench_map @ x[columns]
            for maps, columns in zip(layout.maps, layout.columns, strict=True)
        }
        return Dynamics(a, self._tau, f, forces, gave_way)

    def _soften(self, layout: _Layout) -> tuple[np.ndarray, tuple[str, ...]]:
        from poise.control.giving_way import solve_giving_way

        return solve_giving_way(layout.workspace, self.robot, layout.penetration, layout.touches)


class _TaskStack:
    """All tasks of a tick in one tall matrix, so that the cost is one product."""

    def __init__(self, nv: int) -> None:
        self._nv = nv
        self._layout: tuple[tuple[str, int], ...] = ()
        self.square = np.zeros((nv, nv))
        self.joint_weight = np.zeros(nv - BASE_V)
        self.joint_pull = np.zeros(nv - BASE_V)
        self._allocate([])

    def _allocate(self, tasks: Sequence[Task]) -> None:
        m = sum(t.residual.rows for t in tasks)
        self.A = np.zeros((m, self._nv))
        self.error, self.flow, self.drift = np.zeros(m), np.zeros(m), np.zeros(m)
        self.b = np.zeros(m)
        self._scale = np.zeros(m)
        self._gain, self._damping = np.zeros(m), np.zeros(m)
        self._rate = np.zeros(m)
        self._settings: list[tuple[float, float, float | None]] = []
        self._views: list[Linear] = []
        self._slices: list[slice] = []
        row = 0
        for task in tasks:
            rows = slice(row, row + task.residual.rows)
            self._views.append(
                Linear(self.error[rows], self.A[rows], self.flow[rows], self.drift[rows])
            )
            self._slices.append(rows)
            row = rows.stop

    def fill(self, at: Snapshot, tasks: Sequence[Task]) -> None:
        """Write every task; afterwards the cost is |A a + b|² and what the joints add."""
        self.joint_weight.fill(0.0)
        self.joint_pull.fill(0.0)
        tall = []
        for task in tasks:
            if isinstance(task.residual, JointResidual):
                self._add_joint_task(at, task)
            else:
                tall.append(task)
        layout = tuple((t.name, t.residual.rows) for t in tall)
        if layout != self._layout:
            self._allocate(tall)
            self._layout = layout
        self.flow.fill(0.0)
        self.drift.fill(0.0)
        for task, view in zip(tall, self._views, strict=True):
            task.residual.fill(at, view)
        settings = [(t.weight, t.gain, t.damping) for t in tall]
        if settings != self._settings:
            self._settings = settings
            for task, rows in zip(tall, self._slices, strict=True):
                self._scale[rows] = task.weight**0.5
                self._gain[rows] = task.gain
                # of order one it is a velocity already: e' = -gain e
                self._damping[rows] = task.damping_rate if task.residual.order == 2 else 0.0
        # b = scale * (drift + damping * (A v + flow) + gain * error)
        np.matmul(self.A, at.v, out=self._rate)
        self._rate += self.flow
        self._rate *= self._damping
        self._rate += self.drift
        np.multiply(self._gain, self.error, out=self.b)
        self.b += self._rate
        self.b *= self._scale
        self.A *= self._scale[:, None]

    def _add_joint_task(self, at: Snapshot, task: Task) -> None:
        residual = task.residual
        assert isinstance(residual, JointResidual)
        pull = residual.offsets(at)
        pull *= task.gain
        pull += task.damping_rate * at.v[BASE_V:]
        pull *= (weight := task.weight * residual.squared_slopes)
        self.joint_weight += weight
        self.joint_pull += pull
