"""Limits of speeds, and of positions that are not unknowns, on control points: they are linear."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from poise.engines.multicontact.active import Active
from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.layout import DEGREE
from poise.engines.multicontact.rows import Blocks, Pattern
from poise.engines.multicontact.stretch import Ground, Stretch
from poise.trajectories.spline_maps import rate_matrix

SPEED, POSITION = "joint speed", "joint position"


@dataclass(frozen=True, eq=False)
class _Table:
    """One family: control points of the splines, or of their rates."""

    degree: int  # of the derivative
    point: np.ndarray  # (m,), control point of each row
    dof: np.ndarray  # (m,)
    scale: np.ndarray  # (m,)
    row: np.ndarray  # of the nonzeros by control points
    at: np.ndarray  # position in the free points, of the same


class SplineRows:
    """Of one phase."""

    def __init__(self, ground: Ground, chart: Chart, active: Active, margin: float) -> None:
        self.ground = ground
        phase, stage = ground.phase, ground.stage
        M, dM = ground.layout.mixing(phase, 0.7345)  # no ratio at which something cancels
        limit = np.concatenate([np.full(6, np.inf), chart.robot.velocity_limit])
        top = 1.0 - margin
        lower, upper, names, places = [], [], [], []
        self.tables, count = [], 0
        for family, degree, wanted in (
            (SPEED, 1, active.speeds[phase]),
            (POSITION, 0, active.places[phase]),
        ):
            point, dof = np.nonzero(wanted)
            D = _rates(ground.spans, degree)
            used = np.abs(D @ M) + np.abs(D @ dM) > 0.0
            row, at = np.nonzero(used[point])
            speed = family == SPEED
            scale = limit[dof] if speed else np.ones(len(dof))
            self.tables.append(_Table(degree, point, dof, scale, row, at))
            lower.append(np.full(len(dof), -top) if speed else stage.lower[dof])
            upper.append(np.full(len(dof), top) if speed else stage.upper[dof])
            names += [(family, chart.names[d], phase) for d in dof]
            places.append((count + row, ground.points[at] * ground.nv + dof[row]))
            places.append((count + np.arange(len(dof))[:, None], ground.times[None]))
            count += len(dof)
        self.pattern = Pattern.of(np.concatenate(lower), np.concatenate(upper), names, places)

    def write(self, at: Stretch, g: np.ndarray, nonzeros: np.ndarray) -> None:
        """Values and slopes."""
        if not len(g):
            return
        ground, T = self.ground, at.duration
        M, dM = at.mixing
        places = at.places
        values, out = Blocks(g), Blocks(nonzeros)
        for table in self.tables:
            D = _rates(ground.spans, table.degree) / T**table.degree
            A, dA = D @ M, D @ dM
            value = (A @ places)[table.point, table.dof] / table.scale
            by_ratio = (dA @ places)[table.point, table.dof] / table.scale
            values.put(value)
            out.put(A[table.point[table.row], table.at] / table.scale[table.row])
            times = by_ratio[:, None] * at.by_times
            times[:, 0] -= table.degree / T * value
            out.put(times)


@lru_cache(maxsize=64)
def _rates(spans: int, degree: int) -> np.ndarray:
    return rate_matrix(spans, DEGREE, degree).toarray()
