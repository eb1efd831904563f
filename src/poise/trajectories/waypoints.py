"""Trajectories through way-points: one polynomial, or a spline of low order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike
from scipy.interpolate import make_interp_spline

from poise.errors import BadInput
from poise.trajectories.bsplines import BSpline
from poise.trajectories.polynomials import Polynomial


def through_waypoints(
    times: ArrayLike,
    values: ArrayLike,
    rates: Mapping[int, ArrayLike] | None = None,
    accelerations: Mapping[int, ArrayLike] | None = None,
) -> Polynomial:
    """One polynomial through all way-points.

    Its order is the number of conditions minus one. Infinitely smooth, but it may swing between
    way-points that are many or oddly spaced: then `spline_through` is the better choice.

    Args:
        times: (k,) rising [s].
        values: (k, ...).
        rates: way-point number (-1 for the last) to the rate there [unit / s].
        accelerations: way-point number to the acceleration there [unit / s^2].
    """
    times, values = _checked(times, values, least=1)
    rates, accelerations = dict(rates or {}), dict(accelerations or {})
    count = len(times) + len(rates) + len(accelerations)
    if len(times) < 2:
        raise BadInput("through_waypoints", "times", f"{len(times)} of them", "at least two")
    scale = 2.0 / (times[-1] - times[0])
    x = np.clip(scale * (times - times[0]) - 1.0, -1.0, 1.0)
    each = np.eye(count)
    rows = [chebyshev.chebval(x, each).T]
    wanted = [values.reshape(len(values), -1)]
    for derivative, given in ((1, rates), (2, accelerations)):
        for number, value in given.items():
            if not -len(times) <= number < len(times):
                accepted = f"a way-point number below {len(times)}"
                raise BadInput("through_waypoints", "condition", f"at {number}", accepted)
            slopes = chebyshev.chebder(each, derivative, scl=scale, axis=0)
            rows.append(chebyshev.chebval(x[number], slopes)[None])
            goal = np.broadcast_to(np.asarray(value, float), values.shape[1:])
            wanted.append(goal.reshape(1, -1))
    coefficients = np.linalg.solve(np.vstack(rows), np.vstack(wanted))
    shape = (count, *values.shape[1:])
    return Polynomial(float(times[0]), float(times[-1]), coefficients.reshape(shape))


def spline_through(
    times: ArrayLike,
    values: ArrayLike,
    degree: int = 3,
    rates: tuple[ArrayLike, ArrayLike] | None = (0.0, 0.0),
    accelerations: tuple[ArrayLike, ArrayLike] | None = (0.0, 0.0),
) -> BSpline:
    """A spline through all way-points, smooth where its pieces meet.

    Degree 3 has continuous accelerations, degree 5 continuous rates of jerk. A cubic is either
    clamped (`rates` given at both ends; `accelerations` do not matter) or natural (`rates` None:
    no bending at the ends). A quintic takes rates and accelerations at both ends, or neither
    (rates None: its third and fourth derivatives vanish there).

    Args:
        times: (k,) rising [s].
        values: (k, ...).
        degree: 3 or 5.
        rates: at start and end [unit / s], or None.
        accelerations: at start and end [unit / s^2], of a quintic.
    """
    times, values = _checked(times, values, least=2)
    shape = values.shape[1:]
    if degree not in (3, 5):
        raise BadInput("spline_through", "degree", str(degree), "3 or 5")
    if rates is None:
        zero = np.zeros(shape)
        ends = [[(2, zero)]] * 2 if degree == 3 else [[(3, zero), (4, zero)]] * 2
    else:
        ends = [[(1, np.broadcast_to(np.asarray(rate, float), shape))] for rate in rates]
        if degree == 5:
            bends = accelerations if accelerations is not None else (0.0, 0.0)
            for end, bend in zip(ends, bends, strict=True):
                end.append((2, np.broadcast_to(np.asarray(bend, float), shape)))
    curve = make_interp_spline(times, values, k=degree, bc_type=tuple(ends))
    return BSpline(curve.t, curve.c, degree)


def _checked(times: ArrayLike, values: ArrayLike, least: int) -> tuple[np.ndarray, np.ndarray]:
    times, values = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    if times.ndim != 1 or len(times) < least or np.any(np.diff(times) <= 0.0):
        raise BadInput("way-points", "times", str(times), f"at least {least}, rising")
    if len(values) != len(times):
        raise BadInput(
            "way-points", "values", f"{len(values)} of them", f"{len(times)}, one a time"
        )
    if not (np.isfinite(times).all() and np.isfinite(values).all()):
        raise BadInput("way-points", "values or times", "not finite", "finite numbers")
    return times, values
