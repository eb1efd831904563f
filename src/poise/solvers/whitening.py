"""The arithmetic around an active-set solve, as compiled loops.

With P = L L' and x = L^-T y the cost 1/2 x'Px + r'x becomes 1/2 |y|^2 + (L^-1 r)'y. Here L is the
factor of a leading block of P; what follows the block is diagonal.
"""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled

SINGULAR = 1e-13  # pivots of P below this fraction of its mean diagonal count as zero


@compiled
def factor(P: np.ndarray, L: np.ndarray) -> bool:
    """Write the factor L of the leading block of P (the upper triangle counts); False if singular.

    Args:
        P: (n, n), n at least the size of L.
        L: (d, d), the lower triangle is written.
    """
    d, least, total = L.shape[0], np.inf, 0.0
    for i in range(d):
        row = L[i]
        for j in range(i):
            other, s = L[j], P[j, i]
            for k in range(j):
                s -= row[k] * other[k]
            row[j] = s / other[j]
        s = P[i, i]
        total += s
        for k in range(i):
            s -= row[k] * row[k]
        if not s > 0.0:
            return False
        least = min(least, s)
        row[i] = np.sqrt(s)
    return bool(least > SINGULAR * total / d)


@compiled
def minimise_freely(
    P: np.ndarray,
    r: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    multipliers: np.ndarray,
    L: np.ndarray,
    x: np.ndarray,
) -> bool:
    """Write the x with P x = -r; says whether it is unique and within bounds, and so the answer.

    Not tried where a bound pushed a tick ago: it mostly still does.

    Args:
        P: (n, n), the upper triangle counts.
        r: (n,).
        lower: bounds of the last variables, (k,).
        upper: likewise.
        multipliers: of the bounds a tick ago, (k,).
        L: (n, n), written.
        x: (n,), written.
    """
    for m in multipliers:
        if m != 0.0:
            return False
    if not factor(P, L):
        return False
    n, free = x.shape[0], x.shape[0] - lower.shape[0]
    for i in range(n):
        s = -r[i]
        for k in range(i):
            s -= L[i, k] * x[k]
        x[i] = s / L[i, i]
    for i in range(n - 1, -1, -1):
        xi = x[i] / L[i, i]
        x[i] = xi
        for k in range(i):
            x[k] -= L[i, k] * xi
        if not np.isfinite(xi):
            return False
        if i >= free and not lower[i - free] <= xi <= upper[i - free]:
            return False
    return True


@compiled
def whiten_rows(L: np.ndarray, per_root: np.ndarray, A: np.ndarray, out: np.ndarray) -> None:
    """Rows A (m, n) in the variables y, into out (m, n)."""
    d, n = L.shape[0], A.shape[1]
    for row in range(A.shape[0]):
        a, y = A[row], out[row]
        for i in range(d):
            own, s = L[i], a[i]
            for k in range(i):
                s -= own[k] * y[k]
            y[i] = s / own[i]
        for i in range(d, n):
            y[i] = a[i] * per_root[i - d]


@compiled
def whiten_units(L: np.ndarray, first: int, out: np.ndarray) -> None:
    """The variables themselves, from `first` on, as rows in the variables y, into out (k, n)."""
    d = L.shape[0]
    for row in range(out.shape[0]):
        y, start = out[row], first + row
        y[start] = 1.0 / L[start, start]
        for i in range(start + 1, d):
            own, s = L[i], 0.0
            for k in range(start, i):
                s -= own[k] * y[k]
            y[i] = s / own[i]


@compiled
def whiten_cost(L: np.ndarray, per_root: np.ndarray, r: np.ndarray, out: np.ndarray) -> None:
    """The linear cost r (n,) in the variables y, into out (n,)."""
    whiten_rows(L, per_root, r.reshape(1, -1), out.reshape(1, -1))


@compiled
def colour(L: np.ndarray, per_root: np.ndarray, y: np.ndarray, x: np.ndarray) -> None:
    """Bring an answer y (n,) back to x (n,)."""
    d, n = L.shape[0], x.shape[0]
    for i in range(d):
        x[i] = y[i]
    for i in range(d - 1, -1, -1):
        own = L[i]
        xi = x[i] / own[i]
        x[i] = xi
        for k in range(i):
            x[k] -= own[k] * xi
    for i in range(d, n):
        x[i] = y[i] * per_root[i - d]


@compiled
def write_active_set(multipliers: np.ndarray, out: np.ndarray) -> None:
    """How the method writes an active set: 1 at the upper bound, 3 at the lower, 0 free.

    It finds the equalities itself.
    """
    for k in range(out.shape[0]):
        m = multipliers[k]
        out[k] = 1 if m > 0.0 else (3 if m < 0.0 else 0)


@compiled
def violation(
    A: np.ndarray, x: np.ndarray, free: int, below: np.ndarray, above: np.ndarray
) -> float:
    """Sum of squares of what an answer violates; not-a-number where the answer is.

    Args:
        A: rows (m, n).
        x: the answer (n,).
        free: how many variables come first that have no bounds.
        below: lower bounds of the other variables, then of the rows.
        above: upper bounds, likewise.
    """
    n, total = x.shape[0], 0.0
    for i in range(n):
        if not np.isfinite(x[i]):
            return np.nan
    for k in range(below.shape[0]):
        if k < n - free:
            reach = x[free + k]
        else:
            row, reach = A[k - (n - free)], 0.0
            for i in range(n):
                reach += row[i] * x[i]
        for gap in (below[k] - reach, reach - above[k]):
            if gap > 0.0:
                total += gap * gap
            elif not gap <= 0.0:
                return np.nan
    return total


@compiled
def imbalance(
    rows: np.ndarray, multipliers: np.ndarray, y: np.ndarray, v: np.ndarray
) -> tuple[float, float]:
    """Squared pull y + v of the cost less the push of the constraints, and what to compare with.

    Args:
        rows: whitened (m, n).
        multipliers: of the rows (m,).
        y: the answer (n,).
        v: whitened linear cost (n,).
    """
    n = y.shape[0]
    push, scale, total = y + v, 0.0, 0.0
    for k in range(rows.shape[0]):
        m = multipliers[k]
        if m != 0.0:
            row = rows[k]
            for i in range(n):
                push[i] += m * row[i]
    for i in range(n):
        total += push[i] * push[i]
        scale += y[i] * y[i] + v[i] * v[i]
    return total, scale
