"""What a function does between its samples: Chebyshev nodes in, Bernstein coefficients out.

A function sampled at Chebyshev nodes of an interval gives a polynomial close to it everywhere; in
Bernstein's basis the coefficients of that polynomial bound it from both sides. All bases live on
u = 0 .. 1, coefficients come first: (order + 1, ...).
"""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np
from numpy.typing import ArrayLike


@cache
def chebyshev_nodes(order: int) -> np.ndarray:
    """Sampling points (order + 1,) on [0, 1], rising, both ends included."""
    if order == 0:
        return _frozen(np.array([0.5]))
    nodes = 0.5 - 0.5 * np.cos(np.pi * np.arange(order + 1) / order)
    return _frozen(nodes)


@cache
def nodes_to_bernstein(order: int) -> np.ndarray:
    """Matrix (order + 1, order + 1) from values at the nodes to Bernstein coefficients."""
    return _frozen(np.linalg.inv(bernstein_basis(order, chebyshev_nodes(order))))


@cache
def nodes_to_monomials(order: int) -> np.ndarray:
    """Matrix from values at the nodes to coefficients of 1, v, v^2, ..., v = 2 u - 1 = -1 .. 1.

    These are Taylor coefficients about the middle of the interval, of the interpolant.
    """
    powers = np.vander(2.0 * chebyshev_nodes(order) - 1.0, increasing=True)
    return _frozen(np.linalg.inv(powers))


@cache
def monomials_to_bernstein(order: int) -> np.ndarray:
    """Matrix from coefficients of 1, u, u^2, ... to Bernstein coefficients."""
    n = order
    rows = [
        [comb(i, j) / comb(n, j) if j <= i else 0.0 for j in range(n + 1)] for i in range(n + 1)
    ]
    return _frozen(np.array(rows))


def bernstein_basis(order: int, u: ArrayLike) -> np.ndarray:
    """Values of the Bernstein polynomials at u (...), (..., order + 1); they sum to one."""
    u = np.asarray(u, dtype=float)[..., None]
    i = np.arange(order + 1)
    choose = np.array([comb(order, k) for k in i], dtype=float)
    return choose * u**i * (1.0 - u) ** (order - i)


def bernstein_value(coefficients: np.ndarray, u: ArrayLike) -> np.ndarray:
    """Value of a polynomial (order + 1, ...) at u, or values at us (k,)."""
    basis = bernstein_basis(len(coefficients) - 1, u)
    return np.tensordot(basis, coefficients, axes=1)[()]


def bernstein_rate(coefficients: np.ndarray) -> np.ndarray:
    """Coefficients of the derivative with respect to u, (order, ...), at least one."""
    if len(coefficients) == 1:
        return np.zeros_like(coefficients)
    return (len(coefficients) - 1) * np.diff(coefficients, axis=0)


def bernstein_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Coefficients of the product of two polynomials of the same dimension."""
    m, n = len(a) - 1, len(b) - 1
    product = np.zeros((m + n + 1, *np.broadcast_shapes(a.shape[1:], b.shape[1:])))
    for i in range(m + 1):
        for j in range(n + 1):
            product[i + j] += comb(m, i) * comb(n, j) / comb(m + n, i + j) * a[i] * b[j]
    return product


def subdivide(coefficients: np.ndarray, at: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """The same polynomial on [0, at] and on [at, 1], each stretched to [0, 1] (de Casteljau)."""
    row = np.array(coefficients, dtype=float)
    left, right = np.empty_like(row), np.empty_like(row)
    last = len(row) - 1
    for k in range(last + 1):
        left[k], right[last - k] = row[0], row[-1]
        row = (1.0 - at) * row[:-1] + at * row[1:]
    return left, right


def bounds(coefficients: np.ndarray, halvings: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Numbers that a polynomial (order + 1, ...) does not leave on [0, 1], lowest and highest.

    Certain for any number of halvings; each makes them about four times tighter.
    """
    pieces = [np.asarray(coefficients, dtype=float)]
    for _ in range(halvings):
        pieces = [half for piece in pieces for half in subdivide(piece)]
    lowest = np.min([piece.min(axis=0) for piece in pieces], axis=0)
    highest = np.max([piece.max(axis=0) for piece in pieces], axis=0)
    return lowest, highest


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
