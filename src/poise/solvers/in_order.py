"""The recursion of strict levels as one compiled call: axes of motion, level after level.

The levels J x = e lie one below the other. Reflections turn the n motions into axes of which the
first belong to the first level, the next to the second, and so on: what a level does along its own
axes no higher level sees, and what is left behind the last one is free. Within a level the row that
sees most comes first, so that rows which say again what others said are found out and told apart
from rows that nearly do: those belong to a singularity, and only there singular values are needed.
"""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled
from poise.solvers.damped import RANK

REGULAR = 1e-6  # singular values above this need no look at the rank [unit of the Jacobian]
SWEEPS = 30  # of rotations, at most; half a dozen is what it takes
ORTHOGONAL = 1e-14  # cosine of two columns that need no further rotation
DOUBTFUL = -1  # instead of a rank: whoever asked had better look carefully


@compiled
def serve_in_order(
    J: np.ndarray,
    e: np.ndarray,
    ends: np.ndarray,
    wish: np.ndarray,
    threshold: float,
    most: float,
    x: np.ndarray,
    axes: np.ndarray,
    damped: np.ndarray,
) -> int:
    """Write the x that serves levels in strict order and is nearest to a wish in what is left.

    Args:
        J: rows of all levels, (m, n).
        e: (m,).
        ends: the row after the last one of each level, (levels,).
        wish: (n,).
        threshold: singular value below which a step is damped, see `damped.Damping`.
        most: damping at a singular value of zero.
        x: (n,), written.
        axes: written, (n + 1, n): reflector k in row k from column k on; their scales, 2 / |.|²,
            in the last row.
        damped: whether each level met a singularity, written, (levels,).

    Returns:
        How many axes the levels see together; DOUBTFUL where a number is not finite or a rank not
        clear, and then nothing is worth reading.
    """
    n, rank, first, tallest = J.shape[1], 0, 0, 0
    for k in range(ends.shape[0]):
        tallest, first = max(tallest, ends[k] - first), ends[k]
    scales, y, missing = axes[n], np.zeros(n), np.empty(tallest)
    B, free = np.empty((tallest, n)), np.empty((n, n))
    first, known = 0, -1  # `free` and `x` belong to this rank
    for level in range(ends.shape[0]):
        rows, wanted = J[first : ends[level]], e[first : ends[level]]
        m, r, first = rows.shape[0], n - rank, ends[level]
        damped[level] = False
        if m == 0 or r == 0:
            continue
        size = 0.0
        for i in range(m):
            for j in range(n):
                size += rows[i, j] * rows[i, j]
        if not np.isfinite(size):
            return DOUBTFUL
        if m <= r:
            _turn(rows, axes, rank, B)
            for i in range(m):
                done = 0.0
                for j in range(rank):
                    done += B[i, j] * y[j]
                missing[i] = wanted[i] - done
        else:  # few motions are left: to look at each is quicker than to turn all rows
            if known != rank:
                write_free(axes, rank, free[:r])
                _turn_back(axes, rank, y, x)
                known = rank
            for i in range(m):
                done = 0.0
                for j in range(n):
                    done += rows[i, j] * x[j]
                missing[i] = wanted[i] - done
                for k in range(r):
                    seen = 0.0
                    for j in range(n):
                        seen += rows[i, j] * free[k, j]
                    B[i, rank + k] = seen
        k = _pivot(B[:m], missing, axes, rank, RANK * np.sqrt(size))
        if k:
            _fold(B, missing, m, k, rank)
            L = B[:k, rank : rank + k].copy()
            least = _solve(L, missing, threshold, most, y[rank : rank + k])
            if least <= RANK * np.sqrt(size):
                return DOUBTFUL
            damped[level] = k < min(m, r) or least < threshold
        else:
            damped[level] = True
        rank += k
    x[:] = wish
    for k in range(rank):
        _reflect(axes[k], scales[k], k, x)
    for k in range(rank):
        x[k] = y[k]
    for k in range(rank - 1, -1, -1):
        _reflect(axes[k], scales[k], k, x)
    for j in range(n):
        if not np.isfinite(x[j]):
            return DOUBTFUL
    return rank


@compiled
def write_free(axes: np.ndarray, rank: int, out: np.ndarray) -> None:
    """Orthonormal motions that `rank` axes do not see, one a row, (n - rank, n)."""
    n = axes.shape[1]
    for row in range(n - rank):
        out[row] = 0.0
        out[row, rank + row] = 1.0
        for k in range(rank - 1, -1, -1):
            _reflect(axes[k], axes[n, k], k, out[row])


@compiled
def _reflect(reflector: np.ndarray, scale: float, first: int, x: np.ndarray) -> None:
    along = 0.0
    for i in range(first, x.shape[0]):
        along += reflector[i] * x[i]
    along *= scale
    for i in range(first, x.shape[0]):
        x[i] -= along * reflector[i]


@compiled
def _turn(rows: np.ndarray, axes: np.ndarray, rank: int, out: np.ndarray) -> None:
    """Rows in the axes found so far."""
    n = rows.shape[1]
    for i in range(rows.shape[0]):
        for j in range(n):
            out[i, j] = rows[i, j]
        for k in range(rank):
            _reflect(axes[k], axes[n, k], k, out[i])


@compiled
def _turn_back(axes: np.ndarray, rank: int, y: np.ndarray, x: np.ndarray) -> None:
    """The motion x (n,) that is y along the axes found so far."""
    n = x.shape[0]
    for i in range(n):
        x[i] = y[i] if i < rank else 0.0
    for k in range(rank - 1, -1, -1):
        _reflect(axes[k], axes[n, k], k, x)


@compiled
def _pivot(B: np.ndarray, missing: np.ndarray, axes: np.ndarray, rank: int, zero: float) -> int:
    """Find the axes of a level; B becomes lower triangular from column `rank` on.

    Rows change places, the one that sees most of what is left first.

    Args:
        B: rows in the axes found so far, (m, n).
        missing: what each still wants, (m,); changes places alike.
        axes: reflectors are added.
        rank: number of axes so far.
        zero: a row shorter than this sees nothing.

    Returns:
        How many were added.
    """
    m, n = B.shape
    for k in range(min(m, n - rank)):
        column, best, square = rank + k, k, 0.0
        for i in range(k, m):
            total = 0.0
            for j in range(column, n):
                total += B[i, j] * B[i, j]
            if total > square:
                best, square = i, total
        length = np.sqrt(square)
        if not length > zero:
            return k
        if best != k:
            for j in range(n):
                B[k, j], B[best, j] = B[best, j], B[k, j]
            missing[k], missing[best] = missing[best], missing[k]
        lead = B[k, column]
        top = -length if lead > 0.0 else length
        reflector, scale = axes[column], 1.0 / (square - top * lead)
        reflector[column] = lead - top
        for j in range(column + 1, n):
            reflector[j] = B[k, j]
        axes[n, column] = scale
        B[k, column] = top
        for i in range(k + 1, m):
            _reflect(reflector, scale, column, B[i])
    return min(m, n - rank)


@compiled
def _fold(B: np.ndarray, missing: np.ndarray, m: int, k: int, rank: int) -> None:
    """Rows below the k-th only say again: what they want is shared with the k above, least squares.

    Reflections of the rows, the last column first, keep those above lower triangular.
    """
    if m == k:
        return
    for c in range(k - 1, -1, -1):
        column, below = rank + c, 0.0
        for i in range(k, m):
            below += B[i, column] * B[i, column]
        lead = B[c, column]
        square = lead * lead + below
        top = -np.sqrt(square) if lead > 0.0 else np.sqrt(square)
        own, scale = lead - top, 1.0 / (square - top * lead)
        for j in range(rank, column):
            along = own * B[c, j]
            for i in range(k, m):
                along += B[i, column] * B[i, j]
            along *= scale
            B[c, j] -= along * own
            for i in range(k, m):
                B[i, j] -= along * B[i, column]
        along = own * missing[c]
        for i in range(k, m):
            along += B[i, column] * missing[i]
        along *= scale
        missing[c] -= along * own
        for i in range(k, m):
            missing[i] -= along * B[i, column]
        B[c, column] = top


@compiled
def _solve(
    L: np.ndarray, wanted: np.ndarray, threshold: float, most: float, y: np.ndarray
) -> float:
    """Write the damped y (k,) of L y = wanted, L (k, k) lower triangular.

    Returns:
        The smallest singular value, or any number above which it is, if that is regular.
    """
    k, square = L.shape[0], 0.0
    smallest, inverse = max(threshold, REGULAR), np.zeros((k, k))
    for j in range(k):
        inverse[j, j] = 1.0 / L[j, j]
        for i in range(j + 1, k):
            total = 0.0
            for c in range(j, i):
                total += L[i, c] * inverse[c, j]
            inverse[i, j] = -total / L[i, i]
        for i in range(j, k):
            square += inverse[i, j] * inverse[i, j]
    # 1 / |L^-1| is below the smallest singular value, whatever norm: the cheap one first
    bound = 1.0 / np.sqrt(square)
    if bound <= smallest:
        bound = 1.0 / np.sqrt(np.sqrt(_fourth(inverse)))
    if not bound > smallest:
        return _damp(L, wanted, threshold, most, y)
    for i in range(k):
        total = 0.0
        for j in range(i + 1):
            total += inverse[i, j] * wanted[j]
        y[i] = total
    return bound


@compiled
def _fourth(A: np.ndarray) -> float:
    """Sum of the fourth powers of the singular values of A (k, k), lower triangular."""
    k, total = A.shape[0], 0.0
    for i in range(k):
        for j in range(i + 1):
            g = 0.0
            for c in range(j + 1):
                g += A[i, c] * A[j, c]
            total += g * g if i == j else 2.0 * g * g
    return total


@compiled
def _damp(L: np.ndarray, wanted: np.ndarray, threshold: float, most: float, y: np.ndarray) -> float:
    """The same near a singularity: every singular value damped on its own, see `damped.Damping`.

    Columns are rotated in pairs until all are orthogonal (Jacobi, one side): L V = U S. From the
    pivoted triangle that takes few sweeps, and small singular values come out as exact as large.
    """
    k = L.shape[0]
    C = np.zeros((k, 2 * k))  # column i of L, then of V
    for i in range(k):
        C[i, k + i] = 1.0
        for j in range(i, k):
            C[i, j] = L[j, i]
    for _ in range(SWEEPS):
        rotated = False
        for p in range(k - 1):
            for q in range(p + 1, k):
                a, b, d = 0.0, 0.0, 0.0
                for j in range(k):
                    a += C[p, j] * C[p, j]
                    b += C[q, j] * C[q, j]
                    d += C[p, j] * C[q, j]
                if not d * d > ORTHOGONAL * ORTHOGONAL * a * b:
                    continue
                rotated = True
                zeta = (b - a) / (2.0 * d)
                t = 1.0 / (abs(zeta) + np.sqrt(1.0 + zeta * zeta))
                if zeta < 0.0:
                    t = -t
                cosine = 1.0 / np.sqrt(1.0 + t * t)
                sine = cosine * t
                for j in range(2 * k):
                    u, w = C[p, j], C[q, j]
                    C[p, j], C[q, j] = cosine * u - sine * w, sine * u + cosine * w
        if not rotated:
            break
    else:
        return 0.0  # not a number among them
    least = np.inf
    for i in range(k):
        y[i] = 0.0
    for i in range(k):
        square, along = 0.0, 0.0
        for j in range(k):
            square += C[i, j] * C[i, j]
            along += C[i, j] * wanted[j]
        s = np.sqrt(square)
        least = min(least, s)
        d = most * (1.0 - min(s / threshold, 1.0) ** 2)
        bottom = s * s + d * d
        if bottom > 0.0 and s > 0.0:
            for j in range(k):
                y[j] += along / bottom * C[i, k + j]
    return least
