"""All tasks of a tick in one tall matrix, so that their cost is one product."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.control.assembling import add_joint_task, write_pull
from poise.robot import Snapshot
from poise.robot.robot import BASE_Q, BASE_V
from poise.tasks import JointResidual, Linear, Task


class TaskStack:
    """Memory for the tasks of a tick.

    After `fill`, the cost of accelerations a is sum of weight (J a + pull)² plus, for tasks that
    concern single joints, joint_weight * a_joint² + 2 joint_pull * a_joint.
    """

    def __init__(self, nv: int) -> None:
        self._nv = nv
        self._layout: list[tuple[str, int]] = []
        self.joint_weight = np.zeros(nv - BASE_V)
        self.joint_pull = np.zeros(nv - BASE_V)
        self._allocate([])

    def fill(self, at: Snapshot, tasks: Sequence[Task]) -> None:
        """Write every task at an instant."""
        self.joint_weight.fill(0.0)
        self.joint_pull.fill(0.0)
        tall = []
        for task in tasks:
            if isinstance(task.residual, JointResidual):
                self._add_joint_task(at, task, task.residual)
            else:
                tall.append(task)
        layout = [(task.name, task.residual.rows) for task in tall]
        if layout != self._layout:
            self._allocate(tall)
            self._layout = layout
        self._flow_and_drift.fill(0.0)
        for task, view in zip(tall, self._views, strict=True):
            task.residual.fill(at, view)
        settings = [(task.weight, task.gain, task.damping) for task in tall]
        if settings != self._settings:
            self._write_settings(tall, settings)
        picture = self.J, at.v, self._error, self._flow, self._drift
        write_pull(*picture, self._gain, self._damping, self.pull)

    def _allocate(self, tasks: Sequence[Task]) -> None:
        m = sum(task.residual.rows for task in tasks)
        self.J, self.pull = np.zeros((m, self._nv)), np.zeros(m)
        self.weight, self._error = np.zeros(m), np.zeros(m)
        self._flow_and_drift = np.zeros((2, m))
        self._flow, self._drift = self._flow_and_drift
        self._gain, self._damping = np.zeros(m), np.zeros(m)
        self._settings: list[tuple[float, float, float | None]] = []
        self._views: list[Linear] = []
        self._slices: list[slice] = []
        row = 0
        for task in tasks:
            rows = slice(row, row + task.residual.rows)
            view = Linear(self._error[rows], self.J[rows], self._flow[rows], self._drift[rows])
            self._views.append(view)
            self._slices.append(rows)
            row = rows.stop

    def _write_settings(
        self, tasks: Sequence[Task], settings: list[tuple[float, float, float | None]]
    ) -> None:
        self._settings = settings
        for task, rows in zip(tasks, self._slices, strict=True):
            self.weight[rows] = task.weight
            self._gain[rows] = task.gain
            # of order one it is a velocity already: e' = -gain e
            self._damping[rows] = task.damping_rate if task.residual.order == 2 else 0.0

    def _add_joint_task(self, at: Snapshot, task: Task, residual: JointResidual) -> None:
        add_joint_task(
            at.q[BASE_Q:], at.v[BASE_V:], residual.target, residual.squared_slopes,
            task.weight, task.gain, task.damping_rate, self.joint_weight, self.joint_pull,
        )  # fmt: skip
