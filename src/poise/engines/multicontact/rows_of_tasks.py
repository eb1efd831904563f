"""Points of the robot somewhere, or fast, at one instant."""

from __future__ import annotations

import numpy as np

from poise.engines.multicontact.curvature import Bends, Curved
from poise.engines.multicontact.rows import Blocks, Pattern
from poise.engines.multicontact.stage import Task, point_jacobian
from poise.engines.multicontact.stretch import Ground, Stretch

REACHING = "task"
LENGTH = 0.1  # [m], places count in these


class TaskRows:
    """One task."""

    def __init__(self, ground: Ground, task: Task) -> None:
        self.ground, self.task = ground, task
        self.node = round(task.share * ground.spans) * ground.order
        self.wanted = np.isfinite(task.low) | np.isfinite(task.high)
        count = int(self.wanted.sum())
        told = np.full((1, 6), -1)
        told[0, :3][self.wanted] = np.arange(count)
        self.touched = ground.touched[ground.span_of(self.node)]
        self.bends = Bends(ground, np.array([self.node]), told, task.chain)
        lower, upper = task.low[self.wanted] / LENGTH, task.high[self.wanted] / LENGTH
        if task.direction is not None:
            lower, upper = np.append(lower, task.speed), np.append(upper, np.inf)
            count += 1
        columns = ground.columns(self.touched, task.chain)
        rows = np.arange(count)[:, None]
        places = [(rows[..., None], columns[None]), (rows, ground.times[None])]
        names = [(REACHING, task.name, ground.phase)] * count
        self.pattern = Pattern.of(lower, upper, names, places)

    def write(self, at: Stretch, g: np.ndarray, nonzeros: np.ndarray) -> None:
        """Values and slopes."""
        task, node, chain = self.task, self.node, self.task.chain
        x, J = self._point(at)
        value = x[self.wanted] / LENGTH
        by = np.zeros((2, len(g), len(chain)))  # by q and v
        by[0, : len(value)] = J[self.wanted] / LENGTH
        if task.direction is not None:
            v, n = at.at.v[node, chain], task.direction
            value = np.append(value, n @ (J @ v))
            by[0, -1] = n @ _speed_change(at.at.Jt[node, chain].T, J, x, v)
            by[1, -1] = n @ J
        g[:] = value
        out = Blocks(nonzeros)
        basis = at.E[node][:2, self.touched]  # (2, t)
        out.put((by[:, :, None] * basis[:, None, :, None]).sum(axis=0))
        ticks = at.ticks[node, :2][:, chain]
        out.put((by @ ticks).sum(axis=0))

    def curved(self, at: Stretch) -> Curved:
        """How the point bends."""
        _, J = self._point(at)
        spin = at.at.Jt[self.node, self.task.chain][:, 3:].T
        return Curved(np.eye(3) / LENGTH, np.zeros((3, 3)), J[None], spin[None])

    def _point(self, at: Stretch) -> tuple[np.ndarray, np.ndarray]:
        here, task, node = at.at, self.task, self.node
        x = here.p[task.joint][node] + here.R[task.joint][node] @ task.point
        return x, point_jacobian(here.Jt[node : node + 1, task.chain], x[None])[0]


def _speed_change(columns: np.ndarray, J: np.ndarray, x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Derivative by q of the velocity of a point at constant rates, (3, c)."""
    V = columns @ v
    behind = V[:, None] - np.cumsum(columns * v, axis=1)  # of coordinates further out
    turned = np.cross(columns[3:], behind[:3], axis=0) + np.cross(columns[:3], behind[3:], axis=0)
    spun = np.cross(columns[3:], behind[3:], axis=0)
    return turned + np.cross(spun, x[:, None], axis=0) + np.cross(V[3:, None], J, axis=0)
