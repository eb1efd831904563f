"""Residuals one below the other in memory that is made once, as a control tick wants them.

Calling a compiled loop costs more than what it does for one frame. So all residuals that concern
the pose of a frame are filled by one call; their targets are gathered in a table before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.compiled import compiled
from poise.robot import Snapshot
from poise.robot.frames import FrameTables
from poise.tasks.frame import STILL, FrameResidual, fill_frame
from poise.tasks.residual import Linear, Residual

# columns of the table of targets, as `fill_frame` takes them: position, orientation, twist,
# acceleration
PLACE, TURN, TWIST, ACCELERATION, WIDTH = 0, 3, 12, 18, 24


class ResidualRows:
    """Memory for the pictures of residuals; only a change of their sizes costs new memory.

    After `fill`, `error`, `flow` and `drift` (m,) and `jacobian` (m, nv) hold all residuals in
    their order, as `residual.Linear` has them; their owner may go on computing in them.
    """

    def __init__(self, nv: int) -> None:
        self._nv = nv
        self.heights: list[int] = []
        self._allocate([])
        self._known: list[Residual] = []
        self._alone: list[tuple[Residual, Linear]] = []
        self._targets: list[tuple[np.ndarray, np.ndarray]] = []
        self._which = np.zeros((0, 4), dtype=np.intp)

    def fill(self, at: Snapshot, residuals: Sequence[Residual]) -> None:
        """Write residuals at an instant; the robot is always the same."""
        if self._known != residuals:  # the same ones come again and again
            self._sort(at, residuals)
        self._flow_and_drift.fill(0.0)
        if self._which.shape[0]:
            for column, target in self._targets:
                column[...] = target
            fill_frames(
                at.tables, self._which, self._table,
                self.error, self.jacobian, self.flow, self.drift,
            )  # fmt: skip
        for residual, view in self._alone:
            residual.fill(at, view)

    def _sort(self, at: Snapshot, residuals: Sequence[Residual]) -> None:
        """Take on other residuals."""
        heights = [residual.rows for residual in residuals]
        if heights != self.heights:
            self._allocate(heights)
        self.jacobian.fill(0.0)  # some write only what is not zero
        self._known = list(residuals)
        frames = [(k, one) for k, one in enumerate(residuals) if isinstance(one, FrameResidual)]
        if len(frames) < 2:
            frames = []  # one alone needs no table
        gathered = {k for k, _ in frames}
        self._alone = [(one, self.views[k]) for k, one in enumerate(residuals) if k not in gathered]
        self._follow(at, frames)

    def _follow(self, at: Snapshot, frames: list[tuple[int, FrameResidual]]) -> None:
        """Make the table of targets for residuals of frames and their numbers."""
        which, self._targets = [], []
        self._table = np.zeros((len(frames), WIDTH))
        for row, (k, one) in zip(self._table, frames, strict=True):
            rows = self.slices[k]
            which.append((at.robot.frame_id(one.frame), one.first, rows.start, rows.stop))
            place, turn, twist, acceleration = one.goal
            self._targets.append((row[PLACE:TURN], place))
            self._targets.append((row[TURN:TWIST].reshape(3, 3), turn))
            for first, rates in ((TWIST, twist), (ACCELERATION, acceleration)):
                if rates is not STILL:
                    self._targets.append((row[first : first + len(rates)], rates))
        self._which = np.array(which, dtype=np.intp).reshape(-1, 4)

    def _allocate(self, heights: list[int]) -> None:
        self.heights, m = heights, sum(heights)
        self.error, self.jacobian = np.zeros(m), np.zeros((m, self._nv))
        self._flow_and_drift = np.zeros((2, m))
        self.flow, self.drift = self._flow_and_drift
        ends = np.cumsum(heights).tolist()
        self.slices = [slice(end - height, end) for end, height in zip(ends, heights, strict=True)]
        picture = self.error, self.jacobian, self.flow, self.drift
        self.views = [Linear(*(part[rows] for part in picture)) for rows in self.slices]


@compiled
def fill_frames(
    tables: FrameTables,
    which: np.ndarray,
    targets: np.ndarray,
    error: np.ndarray,
    jacobian: np.ndarray,
    flow: np.ndarray,
    drift: np.ndarray,
) -> None:
    """Write rows of the pose errors of many frames.

    Args:
        tables: of the robot now.
        which: frame, first row of its pose, first row to write, row after the last, (frames, 4).
        targets: position, orientation, twist and acceleration wanted, (frames, 24).
        error: written, as the next three are; see `residual.Linear`.
        jacobian: (m, nv).
        flow: (m,).
        drift: (m,).
    """
    for k in range(which.shape[0]):
        frame, first, a, b = which[k]
        goal = targets[k]
        fill_frame(
            tables, frame, first,
            goal[PLACE:TURN], goal[TURN:TWIST].reshape(3, 3),
            goal[TWIST:ACCELERATION], goal[ACCELERATION:],
            error[a:b], jacobian[a:b], flow[a:b], drift[a:b],
        )  # fmt: skip
