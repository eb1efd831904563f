"""The analytical generator as linear systems: slower, and there to check the closed form.

`compact`: unknown are k1, V and W of every piece, km: 2m + 2 equations. `full`: the textbook way,
where the first and the last ZMP polynomial are unknown in their three highest coefficients and rows
say where and how fast they end: 2m + 6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from poise.walking.analytic import Piece, Poly, image


def compact(
    omega: float, pieces: Sequence[Piece], axis: int, com: float, velocity: float, end: float
) -> tuple[np.ndarray, float]:
    """Solve one axis by the compact system.

    Args:
        omega: rate of the pendulum [1/s].
        pieces: of the ZMP.
        axis: 0 for x, 1 for y.
        com: where the centre of mass is [m].
        velocity: how fast [m/s].
        end: where it rests in the end [m].

    Returns:
        k1, V and W of every piece, km, (2m + 2,); and the largest residual of the system.
    """
    w, m = omega, len(pieces)
    M, b = np.zeros((2 * m + 2, 2 * m + 2)), np.zeros(2 * m + 2)
    last = 2 * m + 1

    def write(row: int, j: int, s: float, sign: float) -> None:
        """Position and velocity of piece j at s, into rows `row` and `row` + 1."""
        ch, sh = np.cosh(w * s), np.sinh(w * s)
        V, W = 1 + 2 * j, 2 + 2 * j
        M[row, V] += sign * ch
        M[row, W] += sign * sh
        M[row + 1, V] += sign * w * sh
        M[row + 1, W] += sign * w * ch
        for column, shape in ((0, pieces[j].first), (last, pieces[j].last)):
            value, rate = _at(image(shape, w), s)
            M[row, column] += sign * value
            M[row + 1, column] += sign * rate
        value, rate = _at(image(pieces[j].along(axis), w), s)
        b[row] -= sign * value
        b[row + 1] -= sign * rate

    _join(write, pieces)
    b[:2] += com, velocity
    b[2 * m :] += end, 0.0
    unknown = np.linalg.solve(M, b)
    return unknown, float(np.abs(M @ unknown - b).max())


def full(
    omega: float, pieces: Sequence[Piece], axis: int, com: float, velocity: float, end: float
) -> np.ndarray:
    """V and W of every piece, (m, 2), by the textbook system with 2m + 6 unknowns.

    The first and the last ZMP polynomial are unknown but for their two lowest coefficients,
    which say where they start and how fast; rows say where and how fast they end.
    """
    w, m = omega, len(pieces)
    size = 2 * m + 6  # V, W of all; a2, a3, a4 of the first and of the last
    M, b = np.zeros((size, size)), np.zeros(size)
    free = {0: 2 * m, m - 1: 2 * m + 3}

    def write(row: int, j: int, s: float, sign: float) -> None:
        ch, sh = np.cosh(w * s), np.sinh(w * s)
        M[row, 2 * j] += sign * ch
        M[row, 2 * j + 1] += sign * sh
        M[row + 1, 2 * j] += sign * w * sh
        M[row + 1, 2 * j + 1] += sign * w * ch
        known = pieces[j].along(axis)
        if j in free:
            known = (known[0], known[1], 0.0, 0.0, 0.0)
            for k, power in enumerate((2, 3, 4)):
                unit = tuple(1.0 if i == power else 0.0 for i in range(5))
                value, rate = _at(image(unit, w), s)
                M[row, free[j] + k] += sign * value
                M[row + 1, free[j] + k] += sign * rate
        value, rate = _at(image(known, w), s)
        b[row] -= sign * value
        b[row + 1] -= sign * rate

    _join(write, pieces)
    b[:2] += com, velocity
    b[2 * m : 2 * m + 2] += end, 0.0
    for row, j in ((2 * m + 2, 0), (2 * m + 4, m - 1)):
        T, known = pieces[j].duration, pieces[j].along(axis)
        for k, power in enumerate((2, 3, 4)):
            M[row, free[j] + k] = T**power
            M[row + 1, free[j] + k] = power * T ** (power - 1)
        value, rate = _at(known, T)
        b[row], b[row + 1] = value - known[0] - known[1] * T, rate - known[1]
    return np.linalg.solve(M, b)[: 2 * m].reshape(m, 2)


def _at(a: Poly, s: float) -> tuple[float, float]:
    """A polynomial and its rate."""
    powers = s ** np.arange(len(a))
    rates = np.arange(1, len(a)) * powers[:-1]
    return float(np.dot(a, powers)), float(np.dot(a[1:], rates))


def _join(write: Callable[[int, int, float, float], None], pieces: Sequence[Piece]) -> None:
    """Rows of the beginning, of every joint between two pieces, and of the end."""
    m = len(pieces)
    write(0, 0, 0.0, 1.0)
    for j in range(m - 1):
        write(2 + 2 * j, j, pieces[j].duration, 1.0)
        write(2 + 2 * j, j + 1, 0.0, -1.0)
    write(2 * m, m - 1, pieces[-1].duration, 1.0)
