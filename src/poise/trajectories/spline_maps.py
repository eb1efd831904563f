"""Uniform clamped B-splines as matrices: what an optimiser of control points needs.

Everything here is linear in the control points and independent of the duration. Time is the share
s = 0 .. 1 of the phase, or u = 0 .. 1 of one of its equal spans; a rate in seconds is the one here
divided by the duration, an acceleration by its square.
"""

from __future__ import annotations

from functools import cache
from math import factorial

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BSpline as ScipySpline
from scipy.sparse import csr_array

from poise.errors import BadInput


@cache
def clamped_knots(spans: int, degree: int = 3) -> np.ndarray:
    """Knots (spans + 2 degree + 1,) of equal spans on [0, 1], the ends repeated degree times."""
    if spans < 1 or degree < 0:
        accepted = "at least one span and a degree of at least 0"
        raise BadInput("B-spline", "spans and degree", f"{spans} and {degree}", accepted)
    inner = np.linspace(0.0, 1.0, spans + 1)
    return _frozen(np.r_[np.zeros(degree), inner, np.ones(degree)])


@cache
def rate_matrix(spans: int, degree: int = 3, order: int = 1) -> csr_array:
    """Control points to those of the derivative of an order, (spans + degree - order, ... )."""
    if order == 0:
        return csr_array(np.eye(spans + degree))
    knots = clamped_knots(spans, degree)
    slope = degree / (knots[degree + 1 : -1] - knots[1 : -degree - 1])
    D = slope[:, None] * np.diff(np.eye(spans + degree), axis=0)
    return csr_array(rate_matrix(spans, degree - 1, order - 1) @ D)


def basis_matrix(spans: int, share: ArrayLike, degree: int = 3, order: int = 0) -> csr_array:
    """Control points to values at shares of time (k,), or to derivatives there, (k, c) sparse.

    Args:
        spans: number of spans; there are c = spans + degree control points.
        share: (k,), each between 0 and 1.
        degree: of the spline.
        order: 0 for values, 1 for rates per unit of share, 2 for accelerations, ...
    """
    share = np.atleast_1d(np.asarray(share, dtype=float))
    if np.any((share < 0.0) | (share > 1.0)):
        raise BadInput("basis_matrix", "share", f"{share.min()} .. {share.max()}", "0 .. 1")
    if order > degree:
        return csr_array((len(share), spans + degree))
    knots = clamped_knots(spans, degree - order)
    values = ScipySpline.design_matrix(share, knots, degree - order)
    return csr_array(values @ rate_matrix(spans, degree, order))


@cache
def span_matrices(spans: int, degree: int = 3) -> np.ndarray:
    """Control points to the polynomial of each span, (spans, degree + 1, degree + 1).

    On span i, with P = control[i : i + degree + 1], the coefficients of 1, u, u^2, ... are
    span_matrices[i] @ P.
    """
    curve = ScipySpline(clamped_knots(spans, degree), np.eye(spans + degree), degree)
    powers = pieces(curve, np.linspace(0.0, 1.0, spans + 1))
    return _frozen(np.stack([powers[i, :, i : i + degree + 1] for i in range(spans)]))


def pieces(curve: ScipySpline, breaks: np.ndarray) -> np.ndarray:
    """Coefficients of 1, u, u^2, ... of a curve between breaks, (spans, degree + 1, ...)."""
    length = np.diff(breaks).reshape(-1, *[1] * (curve.c.ndim - 1))
    powers = [curve(breaks[:-1], j) * length**j / factorial(j) for j in range(curve.k + 1)]
    return np.stack(powers, axis=1)


def leading_points(
    value: ArrayLike,
    rate: ArrayLike,
    acceleration: ArrayLike,
    span: float,
    spans: int,
    degree: int = 3,
) -> np.ndarray:
    """The first three control points of a spline that starts in a given state, (3, ...).

    For cubics of two spans or more: P0 = q, P1 = q + v h / 3, P2 = q + v h + a h^2 / 3.

    Args:
        value: at the start.
        rate: [unit / s].
        acceleration: [unit / s^2].
        span: length h of one span [s].
        spans: number of spans.
        degree: at least 2.
    """
    state = [np.asarray(value, float), span * np.asarray(rate, float)]
    state.append(0.5 * span**2 * np.asarray(acceleration, float))
    stacked = np.stack(np.broadcast_arrays(*state))
    first = span_matrices(spans, degree)[0, :3, :3]  # lower triangular
    return np.linalg.solve(first, stacked.reshape(3, -1)).reshape(stacked.shape)


def trailing_points(
    value: ArrayLike,
    rate: ArrayLike,
    acceleration: ArrayLike,
    span: float,
    spans: int,
    degree: int = 3,
) -> np.ndarray:
    """The last three control points of a spline that ends in a given state, (3, ...), in order."""
    backwards = leading_points(value, -np.asarray(rate, float), acceleration, span, spans, degree)
    return backwards[::-1]


@cache
def roughness_matrix(spans: int, degree: int = 3, order: int = 3) -> np.ndarray:
    """G (c, c) with P' G P the integral over s = 0 .. 1 of the squared derivative of an order.

    The integral over a duration T, of the derivative per second, is P' G P / T^(2 order - 1).
    """
    nodes, weights = np.polynomial.legendre.leggauss(degree + 1)
    share = ((np.arange(spans)[:, None] + (nodes + 1.0) / 2.0) / spans).ravel()
    B = basis_matrix(spans, share, degree, order).toarray()
    return _frozen(B.T @ (np.tile(weights / (2.0 * spans), spans)[:, None] * B))


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
