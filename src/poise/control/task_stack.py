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
        self.joint_weight = np.zeros(nv - BASE_V)
        self.joint_pull = np.zeros(nv - BASE_V)
        self._allocate([])
        self._sort([])

    def fill(self, at: Snapshot, tasks: Sequence[Task]) -> None:
        """Write every task at an instant."""
        if self._known != tasks:  # the same ones come again and again
            self._sort(tasks)
        self.joint_weight.fill(0.0)
        self.joint_pull.fill(0.0)
        for task, single in self._single:
            self._add_joint_task(at, task, single)
        self._flow_and_drift.fill(0.0)
        for residual, view in self._tall:
            residual.fill(at, view)
        picture = self.J, at.v, self._error, self._flow, self._drift
        write_pull(*picture, self._gain, self._damping, self.pull)

    def _sort(self, tasks: Sequence[Task]) -> None:
        """Take on other tasks."""
        self._known = list(tasks)
        residuals = [(task, task.residual) for task in tasks]
        self._single = [(t, r) for t, r in residuals if isinstance(r, JointResidual)]
        tall = [t for t, r in residuals if not isinstance(r, JointResidual)]
        if [task.residual.rows for task in tall] != self._heights:
            self._allocate(tall)
        self._tall = [(t.residual, s.view) for t, s in zip(tall, self._slots, strict=True)]
        for slot, task in zip(self._slots, tall, strict=True):
            slot.follow(task)

    def _allocate(self, tasks: Sequence[Task]) -> None:
        self._heights = [task.residual.rows for task in tasks]
        m = sum(self._heights)
        self.J, self.pull = np.zeros((m, self._nv)), np.zeros(m)
        self.weight, self._error = np.zeros(m), np.zeros(m)
        self._flow_and_drift = np.zeros((2, m))
        self._flow, self._drift = self._flow_and_drift
        self._gain, self._damping = np.zeros(m), np.zeros(m)
        self._slots: list[_Slot] = []
        row = 0
        for height in self._heights:
            rows = slice(row, row + height)
            view = Linear(self._error[rows], self.J[rows], self._flow[rows], self._drift[rows])
            memory = self.weight[rows], self._gain[rows], self._damping[rows]
            self._slots.append(_Slot(view, *memory))
            row = rows.stop

    def _add_joint_task(self, at: Snapshot, task: Task, residual: JointResidual) -> None:
        add_joint_task(
            at.q[BASE_Q:], at.v[BASE_V:], residual.target, residual.target_rate, residual.slopes,
            task.weight, task.gain, task.damping_rate, self.joint_weight, self.joint_pull,
        )  # fmt: skip


class _Slot:
    """Where one task is written."""

    def __init__(
        self, view: Linear, weight: np.ndarray, gain: np.ndarray, damping: np.ndarray
    ) -> None:
        self.view, self._weight, self._gain, self._damping = view, weight, gain, damping
        self._task: Task | None = None

    def follow(self, task: Task) -> None:
        """Take on weight, gain and damping of a task."""
        known = self._task
        self._task = task
        if task is known or (
            known is not None
            and task.weight == known.weight
            and task.gain == known.gain
            and task.damping == known.damping
            and task.residual.order == known.residual.order
        ):
            return
        self._weight[:], self._gain[:] = task.weight, task.gain
        # of order one it is a velocity already: e' = -gain e
        self._damping[:] = task.damping_rate if task.residual.order == 2 else 0.0
