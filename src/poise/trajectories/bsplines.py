"""B-splines: smooth piecewise polynomials whose control points bound them.

A spline stays inside the convex hull of its control points, and so does its rate inside those of
its rate: a limit put on control points holds at all times, not on a grid. Knots are clamped: the
spline begins in its first control point and ends in its last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BSpline as ScipySpline

from poise.errors import BadInput
from poise.trajectories.chebyshev import monomials_to_bernstein
from poise.trajectories.spline_maps import basis_matrix, clamped_knots, pieces
from poise.trajectories.trajectory import refuse_empty_span, silenced


@dataclass(frozen=True, eq=False)
class BSpline:
    """A clamped B-spline.

    Args:
        knots: (c + degree + 1,) [s], not falling, the first and last ones repeated.
        control: control points (c, ...).
        degree: 3 has continuous accelerations.
        held: whether it holds its end values outside, or is zero there, as rates are.
    """

    knots: np.ndarray
    control: np.ndarray
    degree: int = 3
    held: bool = True

    def __post_init__(self) -> None:
        """Refuse knots that do not fit the control points."""
        if len(self.knots) != len(self.control) + self.degree + 1 or np.any(
            np.diff(self.knots) < 0
        ):
            found = f"{len(self.knots)}, or falling"
            accepted = f"{len(self.control) + self.degree + 1}, not falling"
            raise BadInput("B-spline", "number of knots", found, accepted)
        refuse_empty_span("B-spline", self.start, self.end)
        if not np.isfinite(self.control).all():
            raise BadInput("B-spline", "control points", "not finite", "finite numbers")

    @classmethod
    def uniform(cls, start: float, end: float, control: ArrayLike, degree: int = 3) -> BSpline:
        """Equal spans from start to end [s], as many as control points (c, ...) minus degree."""
        control = np.asarray(control, dtype=float)
        if len(control) <= degree:
            accepted = f"at least {degree + 1}, one more than the degree"
            raise BadInput("B-spline", "number of control points", str(len(control)), accepted)
        knots = start + (end - start) * clamped_knots(len(control) - degree, degree)
        return cls(knots, control, degree)

    @classmethod
    def fitted(
        cls, start: float, end: float, spans: int, times: ArrayLike, values: ArrayLike, degree=3
    ) -> BSpline:
        """The uniform spline nearest to values (k, ...) at times (k,) in the sense of squares."""
        times, values = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
        share = np.clip((times - start) / (end - start), 0.0, 1.0)
        B = basis_matrix(spans, share, degree).toarray()
        control = np.linalg.lstsq(B, values.reshape(len(values), -1), rcond=None)[0]
        return cls.uniform(start, end, control.reshape(-1, *values.shape[1:]), degree)

    @property
    def start(self) -> float:
        """First instant [s]."""
        return float(self.knots[self.degree])

    @property
    def end(self) -> float:
        """Last instant [s]."""
        return float(self.knots[-self.degree - 1])

    @cached_property
    def _curve(self) -> ScipySpline:
        return ScipySpline(self.knots, self.control, self.degree)

    def __call__(self, time: ArrayLike) -> np.ndarray:
        """Value at a time [s], or values at times (k,)."""
        time = np.asarray(time, dtype=float)
        values = self._curve(np.clip(time, self.start, self.end))
        return (values if self.held else silenced(values, time, self.start, self.end))[()]

    @cached_property
    def rate(self) -> BSpline:
        """Time derivative, a spline of one degree less [unit / s]."""
        if self.degree == 0:
            return BSpline(self.knots, np.zeros_like(self.control), 0, held=False)
        reach = self.knots[self.degree + 1 : -1] - self.knots[1 : -self.degree - 1]
        slope = self.degree / np.where(reach > 0.0, reach, np.inf)
        control = np.diff(self.control, axis=0) * slope.reshape(-1, *[1] * (self.control.ndim - 1))
        return BSpline(self.knots[1:-1], control, self.degree - 1, held=False)

    @property
    def hull(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest control point, component by component: the spline stays between."""
        return self.control.min(axis=0), self.control.max(axis=0)

    @property
    def breaks(self) -> np.ndarray:
        """Instants where spans meet, both ends included (spans + 1,) [s]."""
        return np.unique(self.knots[self.degree : len(self.knots) - self.degree])

    @cached_property
    def monomials(self) -> np.ndarray:
        """Each span as a polynomial, (spans, degree + 1, ...).

        Coefficients of 1, u, u^2, ..., u = 0 .. 1 the share of the span that has passed.
        """
        return pieces(self._curve, self.breaks)

    @cached_property
    def bernstein(self) -> np.ndarray:
        """Each span in Bernstein's basis, (spans, degree + 1, ...): bounds tighter than `hull`."""
        change = monomials_to_bernstein(self.degree)
        return np.einsum("ij,sj...->si...", change, self.monomials)
