"""Inverse kinematics: the velocity, or the posture, that best serves weighted tasks in limits.

`InverseKinematics` answers one tick with a velocity; `reach` repeats it until a posture is
found. Joint and speed limits and couplings always hold; `required` tasks hold exactly or the
ones in conflict are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from poise.errors import Infeasible
from poise.robot import Robot, Snapshot
from poise.robot.robot import BASE_Q, BASE_V
from poise.solvers.workspace import QPWorkspace
from poise.tasks import JointResidual, Linear, Task


@dataclass(frozen=True)
class KinematicsOptions:
    """What holds at every tick, whatever the tasks."""

    dt: float = 0.005  # [s], control period
    damping: float = 1e-8  # on velocities [s^2]; keeps an unreachable target from running away
    margin: float = 1e-3  # [rad], how far inside its limits every joint stays
    speed_fraction: float = 1.0  # share of the speed limits that may be used


class InverseKinematics:
    """Turns tasks into velocities, tick after tick."""

    def __init__(self, robot: Robot, options: KinematicsOptions | None = None) -> None:
        self.robot = robot
        self.options = options or KinematicsOptions()
        self._workspaces: dict[int, QPWorkspace] = {}
        dt, margin = self.options.dt, self.options.margin
        self._most = robot.velocity_limit * self.options.speed_fraction
        self._stops = (robot.lower + margin) / dt, (robot.upper - margin) / dt
        self._settings: list[tuple[float, float]] = []  # weight and gain of each tall task
        self._allocate([])

    def solve(
        self, at: Snapshot, tasks: Sequence[Task], required: Sequence[Task] = ()
    ) -> np.ndarray:
        """The velocity (nv,) under which every error dies at its task's gain [1/s].

        Args:
            at: the robot now.
            tasks: what is wanted, weighted; a gain of 1 / dt is a full step.
            required: what must hold exactly.

        Raises:
            Infeasible: when the required tasks and the limits contradict each other.
        """
        robot, nv = self.robot, self.robot.nv
        hard = [task.residual.linearize(at) for task in required]
        rows = len(robot.couplings) + sum(len(p.error) for p in hard)
        ws = self._workspaces.get(rows)
        if ws is None:
            ws = self._workspaces[rows] = QPWorkspace(nv, rows, free=BASE_V)
        self._write_cost(at, tasks, ws)
        row = len(robot.couplings)
        ws.A[:row] = robot.coupling_rows
        ws.lower[:row] = ws.upper[:row] = 0.0
        for task, picture in zip(required, hard, strict=True):
            end = row + len(picture.error)
            ws.A[row:end] = picture.jacobian
            ws.lower[row:end] = -(task.gain * picture.error + picture.flow)
            ws.upper[row:end] = ws.lower[row:end]
            row = end
        low, high = self.speed_bounds(at.q)
        ws.x_lower[:], ws.x_upper[:] = low, high
        x = ws.solve()
        if x is None:
            names = [task.name for task in required] + _tight(robot, at.q, self.options.margin)
            raise Infeasible("The velocity of this instant", names)
        return x

    def _write_cost(self, at: Snapshot, tasks: Sequence[Task], ws: QPWorkspace) -> None:
        """Half the weighted squares of the errors' rates: one product for all tall tasks."""
        tall = [task for task in tasks if not isinstance(task.residual, JointResidual)]
        heights = [task.residual.rows for task in tall]
        if heights != self._heights:
            self._allocate(heights)
        settings = [(task.weight, task.gain) for task in tall]
        if settings != self._settings:
            self._settings = settings
            self._root[:] = np.repeat([weight**0.5 for weight, _ in settings], heights)
            self._gain[:] = np.repeat([gain for _, gain in settings], heights)
        self._flow_and_drift.fill(0.0)
        for task, view in zip(tall, self._views, strict=True):
            task.residual.fill(at, view)
        self._error *= self._gain
        self._error += self._flow_and_drift[0]
        self._error *= self._root
        self._J *= self._root[:, None]
        np.matmul(self._J.T, self._J, out=ws.P)
        np.matmul(self._error, self._J, out=ws.r)
        diagonal = ws.P.reshape(-1)[:: len(ws.P) + 1]
        diagonal += self.options.damping
        for task in tasks:
            if isinstance(task.residual, JointResidual):
                slopes = task.weight * task.residual.slopes**2
                diagonal[BASE_V:] += slopes
                asked = task.gain * task.residual.offsets(at) - task.residual.target_rates[0]
                ws.r[BASE_V:] += slopes * asked

    def _allocate(self, heights: list[int]) -> None:
        """Memory for tall tasks of these heights, one below the other."""
        m, ends = sum(heights), np.cumsum(heights)
        self._heights = heights
        self._J, self._error = np.zeros((m, self.robot.nv)), np.zeros(m)
        self._flow_and_drift = np.zeros((2, m))
        self._root, self._gain = np.zeros(m), np.zeros(m)
        slices = [slice(end - height, end) for end, height in zip(ends, heights, strict=True)]
        flow, drift = self._flow_and_drift
        self._views = [Linear(self._error[k], self._J[k], flow[k], drift[k]) for k in slices]
        self._settings = []

    def speed_bounds(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Joint speeds that keep speed and position limits over one period [rad/s], (na,)."""
        low, high = self._stops
        joints = q[BASE_Q:] * (1.0 / self.options.dt)
        low = np.maximum(np.minimum(low - joints, self._most), -self._most)
        high = np.minimum(np.maximum(high - joints, low), self._most)
        return low, high


def reach(
    robot: Robot,
    start: np.ndarray,
    tasks: Sequence[Task],
    required: Sequence[Task] = (),
    tolerance: float = 1e-8,
    iterations: int = 200,
) -> np.ndarray:
    """The posture that best serves the tasks, with the required ones exact, from a start.

    Args:
        robot: who.
        start: configuration to start from (nq,).
        tasks: what is wanted; only weights matter.
        required: what must hold to within the tolerance.
        tolerance: on the required errors [m, rad] and on the last step.
        iterations: at most.

    Raises:
        Infeasible: when a required task cannot be met within the joint limits; the error names
            the tasks and the joints that stand at their limits.
    """
    step = 1.0
    solver = InverseKinematics(robot, KinematicsOptions(dt=step, damping=1e-9))
    tasks = [Task(t.name, t.residual, t.weight, 1.0 / step) for t in tasks]
    soft = [Task(t.name, t.residual, 1e4, 1.0 / step) for t in required]
    at = robot.at(start)
    q = np.array(start, dtype=float)
    for k in range(iterations):
        # required tasks are pulled strongly first: far from the goal an exact step may not exist
        hard_now = k > 3
        try:
            delta = solver.solve(
                at, tasks if hard_now else [*tasks, *soft], soft if hard_now else ()
            )
        except Infeasible:
            delta = solver.solve(at, [*tasks, *soft])
        longest = float(np.abs(delta).max())
        if longest > 0.3:
            delta = delta * (0.3 / longest)
        q = robot.coupled(pin.integrate(robot.model, q, delta))
        at.refresh(q, np.zeros(robot.nv))
        if longest < tolerance and k > 3:
            break
    missed = {
        task.name: float(np.abs(task.residual.linearize(at).error).max()) for task in required
    }
    bad = [f"{name} (off by {gap:.2g})" for name, gap in missed.items() if gap > 10.0 * tolerance]
    if bad:
        raise Infeasible("The posture", [*bad, *_tight(robot, q, solver.options.margin)])
    return q


def _tight(robot: Robot, q: np.ndarray, margin: float) -> list[str]:
    """Joints that stand at a limit."""
    joints = q[BASE_Q:]
    tight = (joints < robot.lower + 2 * margin) | (joints > robot.upper - 2 * margin)
    return [f"{name} at its limit" for name, at in zip(robot.joint_names, tight, strict=True) if at]
