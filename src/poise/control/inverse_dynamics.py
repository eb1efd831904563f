"""Inverse dynamics: tasks, contacts and limits at one instant, as one small QP.

Unknowns are the accelerations a and the coefficients f >= 0 of the friction pyramids. Joint
torques are not among them: they follow from tau = S (H a + h - J' W f), so that a torque limit
is a row and not a variable, and the six base rows of the same equation, where no motor acts,
are the equalities. The tasks are weighted least squares.

    minimise    sum_i w_i | J_i a + drift_i + damping_i e_i' + gain_i e_i |² + small terms
    subject to  base rows of H a - J' W f = -h
                contact points do not accelerate into their surface, coupled joints stay coupled
                torque limits, viable joint accelerations

The last line matters in few instants. So it is first left out; an answer that keeps it anyway
is the answer of the whole problem, and one that does not is computed again with it.

Where torques must not leap, their limits are also a band around those of the tick before.

When no acceleration satisfies all of this, the softest requirement gives way, and the answer
says which: where there is a band, first how the feet share the weight; then the surfaces (a sole
may sink a little), the band, the joint limits, and last the torque limits. The equation of
motion never gives way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.control.assembling import (
    add_effort,
    keeps_limits,
    write_contacts,
    write_cost,
    write_coupling_pull,
    write_torques,
)
from poise.control.footing import Footing, FootingMaps
from poise.control.giving_way import LOADS, solve_giving_way
from poise.control.task_stack import TaskStack
from poise.control.torque_band import ANY_STEP, TorqueBand
from poise.control.viability import ABRUPT, ViableAccelerations
from poise.robot import Robot, Snapshot
from poise.robot.robot import BASE_Q, BASE_V
from poise.solvers.split_workspace import SplitWorkspace
from poise.tasks import Task, TorqueEffort

STAY_STRICT = 20  # ticks for which limits stay in the problem after one of them was met


@dataclass(frozen=True)
class DynamicsOptions:
    """What holds at every tick, whatever the tasks."""

    dt: float = 0.005  # [s], control period
    brake: float = 60.0  # [rad/s^2], deceleration every joint can be counted on for
    settling: float = ABRUPT  # [1/s], how fast a joint may settle at its limit
    recovery: float = 0.03  # [s], time in which a sunken contact point comes back up
    regularise_motion: float = 1e-6  # weight of accelerations
    regularise_force: float = 1e-8  # weight of force coefficients
    torque_fraction: float = 1.0  # share of the effort limits that may be used
    torque_step: float = ANY_STEP  # share of the effort limits: most change of a torque in a tick


class Dynamics(NamedTuple):
    """The answer of one tick; arrays are overwritten by the next."""

    a: np.ndarray  # accelerations (nv,)
    tau: np.ndarray  # joint torques [N m], (na,)
    coefficients: np.ndarray  # of the friction pyramids [N]
    forces: dict[str, np.ndarray]  # wrench on each touching part, at its frame, world axes
    gave_way: tuple[str, ...] = ()  # requirements that could not all be met, softest first


@dataclass(eq=False)
class _Layout:
    """Memory of the problems with one number of contact points.

    Rows of `lean`: base, couplings, surfaces. Rows of `strict`: the same, then torques.
    """

    lean: SplitWorkspace
    strict: SplitWorkspace
    surfaces: slice  # rows of the contact points
    maps: FootingMaps
    tail: np.ndarray  # what each force coefficient costs


class InverseDynamics:
    """Turns tasks into accelerations, torques and contact forces, tick after tick."""

    def __init__(self, robot: Robot, options: DynamicsOptions | None = None) -> None:
        self.robot = robot
        self.options = options or DynamicsOptions()
        o = self.options
        self._limits = ViableAccelerations(robot, o.dt, o.brake, settling=o.settling)
        self._layouts: dict[tuple[tuple[str, int], ...], _Layout] = {}
        self._last: _Layout | None = None
        self._band = TorqueBand(robot, o.torque_fraction, o.torque_step)
        self._motors = robot.motor_map if robot.couplings else np.zeros((0, 0))
        home = robot.half_sitting
        self._offsets = robot.coupling_rows[:, BASE_V:] @ home[BASE_Q:] - robot.coupling_gap(home)
        self._stack = TaskStack(robot.nv)
        self._net = np.zeros(robot.nv)
        self._tau = self._net[BASE_V:]
        self._strict_for = 0  # ticks

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
        self._write_contacts(at, layout)
        self._write_cost(at, layout, tasks, effort)
        self._limits.refresh(at.q, at.v)
        gave_way: tuple[str, ...] = ()
        x = layout.lean.solve() if self._strict_for == 0 else None
        if x is None or not self._within(at, layout, x):
            self._write_limits(at, layout)
            x = layout.strict.solve()
            met = x is None or self._meets_limit(layout)
            self._strict_for = STAY_STRICT if met else max(self._strict_for - 1, 0)
            if x is None:
                x, gave_way = self._give_way(layout)
            self._net_torques(at, layout, x)
        self._band.centre(self._tau)
        return self._answer(layout, x, gave_way)

    # -- memory ----------------------------------------------------------------------

    def _layout(self, footings: Sequence[Footing]) -> _Layout:
        layout = self._last
        if layout is None or not layout.maps.are(footings):
            key = tuple((f.part, len(f.touch.points)) for f in footings)
            layout = self._layouts.get(key)
            if layout is None:
                layout = self._layouts[key] = self._allocate(footings)
            elif not layout.maps.are(footings):  # other touches with as many points
                layout.maps.move(footings)
            self._last = layout
        if layout.maps.set_ceilings(footings):
            layout.lean.x_upper[:] = layout.maps.ceilings
        if layout.maps.set_prices(footings):
            np.multiply(self.options.regularise_force, layout.maps.prices, out=layout.tail)
            layout.lean.set_tail(layout.tail)
            layout.strict.set_tail(layout.tail)
        return layout

    def _allocate(self, footings: Sequence[Footing]) -> _Layout:
        nv, na = self.robot.nv, self.robot.na
        maps = FootingMaps(footings, self.robot)
        first = BASE_V + len(self.robot.couplings)
        n, rows = nv + maps.size, first + maps.count
        tail = np.full(maps.size, self.options.regularise_force)
        lean = SplitWorkspace(n, rows, nv, tail)
        lean.x_lower[:] = 0.0
        lean.A[BASE_V:first, :nv] = self.robot.coupling_rows
        strict = SplitWorkspace(n, rows + na, nv, tail, free=0)
        return _Layout(lean, strict, slice(first, rows), maps, tail)

    # -- constraints -----------------------------------------------------------------

    def _write_contacts(self, at: Snapshot, layout: _Layout) -> None:
        """What always holds: the base rows, the couplings, the surfaces, the pyramids."""
        ws, maps = layout.lean, layout.maps
        maps.refresh(at, self.options.recovery)
        points = maps.forces, maps.normals, maps.sinking, layout.surfaces.start
        write_contacts(at.mass_matrix, at.bias, *points, ws.A, ws.lower, ws.upper)
        if self.robot.couplings:
            rows = slice(BASE_V, layout.surfaces.start)
            pulled = self.robot.coupling_rows, self._offsets, at.q, at.v, 0.25 / self.options.dt
            write_coupling_pull(*pulled, ws.lower[rows], ws.upper[rows])

    def _write_limits(self, at: Snapshot, layout: _Layout) -> None:
        """The whole problem: what the lean one has, and torque and joint limits."""
        nv, lean, ws = self.robot.nv, layout.lean, layout.strict
        m = lean.m
        ws.P[:], ws.r[:], ws.dense = lean.P, lean.r, lean.dense
        ws.A[:m], ws.lower[:m], ws.upper[:m] = lean.A, lean.lower, lean.upper
        ws.x_lower[nv:], ws.x_upper[nv:] = lean.x_lower, lean.x_upper
        ws.x_lower[BASE_V:nv], ws.x_upper[BASE_V:nv] = self._limits.lower, self._limits.upper
        H, F, h = at.mass_matrix[BASE_V:], layout.maps.forces.T[BASE_V:], at.bias[BASE_V:]
        if len(self._motors):  # a motor that drives two joints carries both their torques
            H, F, h = self._motors @ H, self._motors @ F, self._motors @ h
        ws.A[m:, :nv] = H
        np.negative(F, out=ws.A[m:, nv:])
        np.subtract(self._band.high, h, out=ws.upper[m:])
        np.subtract(self._band.low, h, out=ws.lower[m:])

    # -- cost ------------------------------------------------------------------------

    def _write_cost(
        self,
        at: Snapshot,
        layout: _Layout,
        tasks: Sequence[Task],
        effort: TorqueEffort | None,
    ) -> None:
        nv, ws, stack = self.robot.nv, layout.lean, self._stack
        stack.fill(at, tasks)
        rows = stack.J, stack.pull, stack.weight, stack.joint_weight, stack.joint_pull
        write_cost(*rows, self.options.regularise_motion, ws.P, ws.r)
        if effort is not None and effort.weight > 0.0:
            self._write_effort(at, layout, effort)
        elif ws.dense:
            ws.dense = False
            ws.P[:nv, nv:] = ws.P[nv:, :nv] = ws.P[nv:, nv:] = 0.0
            np.einsum("ii->i", ws.P[nv:, nv:])[:] = layout.tail

    def _write_effort(self, at: Snapshot, layout: _Layout, effort: TorqueEffort) -> None:
        """Add the cost of the torques of some joints."""
        nv, P, r = self.robot.nv, layout.lean.P, layout.lean.r
        add_effort(at.mass_matrix, at.bias, effort.joints, effort.weight, P, r)
        if layout.maps.reach(effort.joints):  # a hand that pushes: its torques depend on the forces
            rows = BASE_V + effort.joints
            H, F = at.mass_matrix[rows], layout.maps.forces.T[rows]
            layout.lean.dense = True
            P[:nv, nv:] = -effort.weight * (H.T @ F)
            P[nv:, :nv] = P[:nv, nv:].T
            P[nv:, nv:] = effort.weight * (F.T @ F)
            np.einsum("ii->i", P[nv:, nv:])[:] += layout.tail
            r[nv:] -= effort.weight * (at.bias[rows] @ F)

    # -- answers ---------------------------------------------------------------------

    def _within(self, at: Snapshot, layout: _Layout, x: np.ndarray) -> bool:
        """Whether an answer of the lean problem keeps torque and joint limits."""
        self._net_torques(at, layout, x)
        limits = self._limits.lower, self._limits.upper
        return keeps_limits(x, *limits, self._tau, self._motors, self._band.low, self._band.high)

    def _meets_limit(self, layout: _Layout) -> bool:
        """Whether the strict problem's answer leans on a torque or joint limit."""
        pushes = layout.strict.multipliers
        return bool(pushes[: self.robot.nv].any() or pushes[-self.robot.na :].any())

    def _net_torques(self, at: Snapshot, layout: _Layout, x: np.ndarray) -> None:
        write_torques(at.mass_matrix, at.bias, layout.maps.forces, x, self._net)

    def _give_way(self, layout: _Layout) -> tuple[np.ndarray, tuple[str, ...]]:
        ws, band, loads = layout.strict, self._band, self.robot.nv
        first: tuple[str, ...] = ()
        if band.follows:  # softest of all: the weight comes over as fast as the motors can
            ws.x_upper[loads:] = np.inf
            first = (LOADS,)
            x = ws.solve(same_matrices=True)
            if x is not None:
                return x, first
        owners = layout.maps.owners
        x, then = solve_giving_way(ws, self.robot, layout.surfaces, layout.lean.m, owners, band)
        return x, first + then

    def _answer(self, layout: _Layout, x: np.ndarray, gave_way: tuple[str, ...]) -> Dynamics:
        nv = self.robot.nv
        return Dynamics(x[:nv], self._tau, x[nv:], layout.maps.wrenches(x[nv:]), gave_way)
