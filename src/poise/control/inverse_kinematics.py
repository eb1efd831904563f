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

from poise.control.assembling import add_joint_task, write_cost, write_speeds
from poise.errors import Infeasible
from poise.robot import Robot, Snapshot
from poise.robot.robot import BASE_Q, BASE_V
from poise.solvers.workspace import QPWorkspace
from poise.tasks import JointResidual, Task
from poise.tasks.rows import ResidualRows


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
        margin = self.options.margin
        self._most = robot.velocity_limit * self.options.speed_fraction
        self._stops = robot.lower + margin, robot.upper - margin
        self._rows, self._still = ResidualRows(robot.nv), np.zeros(robot.na)
        self._joint_weight, self._joint_pull = np.zeros(robot.na), np.zeros(robot.na)
        self._sort([])

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
        if row:
            ws.A[:row] = robot.coupling_rows
            ws.lower[:row] = ws.upper[:row] = 0.0
        for task, picture in zip(required, hard, strict=True):
            end = row + len(picture.error)
            ws.A[row:end] = picture.jacobian
            ws.lower[row:end] = -(task.gain * picture.error + picture.flow)
            ws.upper[row:end] = ws.lower[row:end]
            row = end
        write_speeds(at.q, *self._stops, self._most, self.options.dt, ws.x_lower, ws.x_upper)
        x = ws.solve()
        if x is None:
            names = [task.name for task in required] + _tight(robot, at.q, self.options.margin)
            raise Infeasible("The velocity of this instant", names)
        return x

    def _write_cost(self, at: Snapshot, tasks: Sequence[Task], ws: QPWorkspace) -> None:
        """Half the weighted squares of the errors' rates; those of single joints are a diagonal."""
        if self._known != list(tasks):  # the same ones come again and again
            self._sort(tasks)
        rows, joints = self._rows, at.q[BASE_Q:]
        rows.fill(at, self._tall)
        np.multiply(rows.error, self._gain, out=self._pull)
        self._pull += rows.flow
        self._joint_weight.fill(0.0)
        self._joint_pull.fill(0.0)
        for task, residual in self._single:
            add_joint_task(
                joints, self._still, residual.target, residual.target_rate, residual.slopes,
                task.weight, task.gain, 1.0, self._joint_weight, self._joint_pull,
            )  # fmt: skip
        write_cost(
            rows.jacobian, self._pull, self._weight, self._joint_weight, self._joint_pull,
            self.options.damping, ws.P, ws.r,
        )  # fmt: skip

    def _sort(self, tasks: Sequence[Task]) -> None:
        """Take on other tasks."""
        self._known = list(tasks)
        self._single = [(t, t.residual) for t in tasks if isinstance(t.residual, JointResidual)]
        tall = [task for task in tasks if not isinstance(task.residual, JointResidual)]
        self._tall = [task.residual for task in tall]
        heights = [residual.rows for residual in self._tall]
        self._weight = np.repeat(np.array([task.weight for task in tall], dtype=float), heights)
        self._gain = np.repeat(np.array([task.gain for task in tall], dtype=float), heights)
        self._pull = np.zeros(sum(heights))


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
