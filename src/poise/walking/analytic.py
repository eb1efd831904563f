"""The analytical pattern generator: a ZMP of polynomials and the centre of mass that obeys it.

Over one piece of the plan the ZMP is a polynomial p(s), and with w² = g / height

    c(s) = V cosh ws + W sinh ws + A(s),    A_i = a_i + (i + 1)(i + 2) A_{i+2} / w²

solves c'' = w² (c - p). Where the ZMP goes is decided by the feet; what is left free is one shape
in the first piece and one in the last, with unknown sizes k1 and km: they make the plan begin at
the present state and end at rest.

The closed form goes by the divergent part x = c + c'/w and the convergent part n = c - c'/w. With
S = A + A'/w and R = A - A'/w,

    x(0) = S(0) + e^{-wT} (x(T) - S(T)),        backwards, x fades
    n(T) = R(T) + e^{-wT} (n(0) - R(0)),        forwards, n fades

so both are stable to compute, linear in k1 and km, and two equations are left: x at the beginning
and n at the end. The work grows with the number of pieces and no matrix is ever formed.
`analytic_systems` has the same as linear systems, to check against.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import cosh, exp, sinh
from typing import NamedTuple

Poly = tuple[float, ...]  # coefficients, the constant first
Pair = tuple[float, float]  # x, y
ZERO: Poly = (0.0, 0.0, 0.0, 0.0, 0.0)


class Piece(NamedTuple):
    """A piece of the plan of the ZMP.

    The ZMP is x + k1 first + km last along x, and the same along y with sizes of its own.
    """

    duration: float  # [s]
    x: Poly  # [m]
    y: Poly  # [m]
    first: Poly = ZERO  # of the free shape at the beginning
    last: Poly = ZERO  # of the free shape at the end
    leg_x: Poly = ZERO  # [m], by which the real ZMP is off the pendulum's: the swinging leg
    leg_y: Poly = ZERO  # [m]

    def along(self, axis: int) -> Poly:
        """The decided part along x (0) or y (1)."""
        return self.y if axis else self.x


class Instant(NamedTuple):
    """The plan at one instant; every entry for x and y."""

    com: Pair  # [m]
    velocity: Pair  # [m/s]
    acceleration: Pair  # [m/s^2]
    zmp: Pair  # [m]
    zmp_rate: Pair  # [m/s]


class _Solved(NamedTuple):
    """One axis of one piece: the ZMP, its image and the hyperbolic part."""

    zmp: Poly
    image: Poly
    V: float
    W: float


@dataclass(frozen=True, eq=False)
class Pattern:
    """A solved plan: centre of mass and ZMP as functions of the time from its beginning [s]."""

    omega: float  # [1/s]
    pieces: tuple[Piece, ...]
    starts: tuple[float, ...]  # [s], of the pieces
    duration: float  # [s]
    axes: tuple[tuple[_Solved, ...], tuple[_Solved, ...]]
    k_first: Pair  # sizes of the free shapes
    k_last: Pair

    def leg(self, time: float) -> Pair:
        """By how much a swinging leg moves the ZMP away from the pendulum's at a time [s]."""
        time = min(max(time, 0.0), self.duration)
        j = bisect_right(self.starts, time) - 1
        piece, s = self.pieces[j], time - self.starts[j]
        if piece.leg_x is ZERO and piece.leg_y is ZERO:
            return 0.0, 0.0
        a, b = piece.leg_x, piece.leg_y
        return (
            a[0] + s * (a[1] + s * (a[2] + s * a[3])),
            b[0] + s * (b[1] + s * (b[2] + s * b[3])),
        )

    def at(self, time: float) -> Instant:
        """The plan at a time [s]; before and after it the pendulum stands still."""
        time = min(max(time, 0.0), self.duration)
        j = bisect_right(self.starts, time) - 1
        s, w = time - self.starts[j], self.omega
        ch, sh = cosh(w * s), sinh(w * s)
        x, y = _evaluate(self.axes[0][j], s, w, ch, sh), _evaluate(self.axes[1][j], s, w, ch, sh)
        return Instant((x[0], y[0]), (x[1], y[1]), (x[2], y[2]), (x[3], y[3]), (x[4], y[4]))


def _evaluate(
    piece: _Solved, s: float, w: float, ch: float, sh: float
) -> tuple[float, float, float, float, float]:
    a, A = piece.zmp, piece.image
    p = a[0] + s * (a[1] + s * (a[2] + s * (a[3] + s * a[4])))
    pd = a[1] + s * (2.0 * a[2] + s * (3.0 * a[3] + s * 4.0 * a[4]))
    V, W = piece.V, piece.W
    c = V * ch + W * sh + A[0] + s * (A[1] + s * (A[2] + s * (A[3] + s * A[4])))
    cd = w * (V * sh + W * ch) + A[1] + s * (2.0 * A[2] + s * (3.0 * A[3] + s * 4.0 * A[4]))
    return c, cd, w * w * (c - p), p, pd


# -- polynomials ---------------------------------------------------------------------------


def hermite(start: float, end: float, duration: float, rate: float = 0.0) -> Poly:
    """A cubic from one value to another, with a rate at its start and none at its end."""
    way = end - start
    second = 3.0 * way / duration**2 - 2.0 * rate / duration
    return (start, rate, second, -2.0 * way / duration**3 + rate / duration**2, 0.0)


def bump(duration: float) -> Poly:
    """s² (T - s)²: nothing at both ends, T⁴ / 16 in the middle."""
    return (0.0, 0.0, duration * duration, -2.0 * duration, 1.0)


def later(a: Poly, s: float) -> Poly:
    """The same polynomial seen from a later origin."""
    if a[1:] == ZERO[1:]:
        return a
    return (
        a[0] + s * (a[1] + s * (a[2] + s * (a[3] + s * a[4]))),
        a[1] + s * (2.0 * a[2] + s * (3.0 * a[3] + s * 4.0 * a[4])),
        a[2] + s * (3.0 * a[3] + s * 6.0 * a[4]),
        a[3] + 4.0 * s * a[4],
        a[4],
    )


def image(a: Poly, omega: float) -> Poly:
    """The polynomial part of the centre of mass over a polynomial ZMP."""
    w2 = omega * omega
    third = a[3]
    second = a[2] + 12.0 * a[4] / w2
    return (a[0] + 2.0 * second / w2, a[1] + 6.0 * third / w2, second, third, a[4])


def _ends(A: Poly, T: float, w: float) -> tuple[float, float, float, float]:
    """S(0), S(T), R(0), R(T) of an image."""
    here = A[0] + T * (A[1] + T * (A[2] + T * (A[3] + T * A[4])))
    rate = (A[1] + T * (2.0 * A[2] + T * (3.0 * A[3] + T * 4.0 * A[4]))) / w
    first = A[1] / w
    return A[0] + first, here + rate, A[0] - first, here - rate


# -- the closed form ------------------------------------------------------------------------

_Ends = tuple[float, float, float, float]


class Ready(NamedTuple):
    """A piece with all that does not depend on where a plan begins."""

    piece: Piece
    fade: float  # e^{-wT}
    images: tuple[Poly, Poly]
    ends: tuple[_Ends, _Ends]


def ready(pieces: Sequence[Piece], omega: float) -> list[Ready]:
    """Pieces made ready to be solved."""
    found = []
    for piece in pieces:
        (A, a), (B, b) = (
            _seen(piece.x, piece.duration, omega),
            _seen(piece.y, piece.duration, omega),
        )
        found.append(Ready(piece, exp(-omega * piece.duration), (A, B), (a, b)))
    return found


def _seen(a: Poly, T: float, w: float) -> tuple[Poly, _Ends]:
    """The image of a polynomial, and its ends."""
    if a[1] == a[2] == a[3] == a[4] == 0.0:  # most pieces rest
        here = a[0]
        return a, (here, here, here, here)
    A = image(a, w)
    return A, _ends(A, T, w)


def solve(omega: float, pieces: Sequence[Piece], com: Pair, velocity: Pair, end: Pair) -> Pattern:
    """The plan that begins at a state and ends at rest.

    Args:
        omega: rate of the pendulum [1/s].
        pieces: of the ZMP; the first must have a free shape, and the last one too.
        com: where the centre of mass is [m].
        velocity: how fast [m/s].
        end: where it rests in the end [m].
    """
    return solve_ready(omega, ready(pieces, omega), com, velocity, end)


def solve_ready(
    omega: float, parts: Sequence[Ready], com: Pair, velocity: Pair, end: Pair
) -> Pattern:
    """As `solve`, of pieces that were made ready."""
    shapes = _shapes(omega, parts)
    x, y = (
        _solve_axis(omega, parts, shapes, axis, com[axis], velocity[axis], end[axis])
        for axis in (0, 1)
    )
    starts, total = [], 0.0
    for part in parts:
        starts.append(total)
        total += part.piece.duration
    return Pattern(
        omega,
        tuple(part.piece for part in parts),
        tuple(starts),
        total,
        (x[0], y[0]),
        (x[1], y[1]),
        (x[2], y[2]),
    )


_Shape = tuple[Poly, _Ends] | None


class _Shapes(NamedTuple):
    """What the free shapes do, the same for both axes; one entry a piece."""

    first: list[_Shape]
    last: list[_Shape]
    backwards: list[Pair]  # x1 and xm at the start of a piece
    forwards: list[Pair]  # n1 and nm at the start of a piece
    n_end: Pair  # n1 and nm at the end of the plan


def _shapes(w: float, parts: Sequence[Ready]) -> _Shapes:
    first: list[_Shape] = []
    last: list[_Shape] = []
    for part in parts:
        T = part.piece.duration
        for shape, found in ((part.piece.first, first), (part.piece.last, last)):
            found.append(None if shape is ZERO else _seen(shape, T, w))
    x1 = xm = n1 = nm = 0.0
    backwards, forwards = [], []
    for j in range(len(parts) - 1, -1, -1):
        fade = parts[j].fade
        x1 = fade * x1 + _gain(first[j], fade, 0, 1)
        xm = fade * xm + _gain(last[j], fade, 0, 1)
        backwards.append((x1, xm))
    for j, part in enumerate(parts):
        forwards.append((n1, nm))
        n1 = part.fade * n1 + _gain(first[j], part.fade, 3, 2)
        nm = part.fade * nm + _gain(last[j], part.fade, 3, 2)
    return _Shapes(first, last, backwards[::-1], forwards, (n1, nm))


def _gain(shape: _Shape, fade: float, near: int, far: int) -> float:
    """What a free shape of unit size adds over a piece, from one of its ends to the other."""
    return 0.0 if shape is None else shape[1][near] - fade * shape[1][far]


def _solve_axis(
    w: float,
    parts: Sequence[Ready],
    shapes: _Shapes,
    axis: int,
    com: float,
    velocity: float,
    end: float,
) -> tuple[tuple[_Solved, ...], float, float]:
    # backwards: x = x0 + x1 k1 + xm km at the start of every piece
    x0, backwards = end, []
    for part in reversed(parts):
        S0, ST, _, _ = part.ends[axis]
        x0 = S0 + part.fade * (x0 - ST)
        backwards.append(x0)
    # forwards: n = n0 + n1 k1 + nm km
    n0, forwards = com - velocity / w, []
    for part in parts:
        forwards.append(n0)
        _, _, R0, RT = part.ends[axis]
        n0 = RT + part.fade * (n0 - R0)
    (x1, xm), (n1, nm) = shapes.backwards[0], shapes.n_end
    want_x, want_n = com + velocity / w - x0, end - n0
    det = x1 * nm - xm * n1
    k1, km = (want_x * nm - xm * want_n) / det, (x1 * want_n - n1 * want_x) / det
    solved = []
    for j, part in enumerate(parts):
        (S0, _, R0, _), a, A = part.ends[axis], part.piece.along(axis), part.images[axis]
        (b1, bm), (f1, fm) = shapes.backwards[j], shapes.forwards[j]
        x = backwards[-1 - j] + b1 * k1 + bm * km - S0
        n = forwards[j] + f1 * k1 + fm * km - R0
        for shape, poly, k in (
            (shapes.first[j], part.piece.first, k1),
            (shapes.last[j], part.piece.last, km),
        ):
            if shape is not None:
                a, A = _plus(a, k, poly), _plus(A, k, shape[0])
                x -= k * shape[1][0]
                n -= k * shape[1][2]
        solved.append(_Solved(a, A, 0.5 * (x + n), 0.5 * (x - n)))
    return tuple(solved), k1, km


def _plus(a: Poly, k: float, b: Poly) -> Poly:
    """A + k b."""
    return (
        a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2], a[3] + k * b[3], a[4] + k * b[4],
    )  # fmt: skip


def divergent_before(parts: Sequence[Ready], end: Pair) -> Pair:
    """The divergent component that is required before some pieces, to end at rest [m].

    The free shape at the end is left out: it moves the answer by less than its own fading.
    """
    x, y = end
    for part in reversed(parts):
        a, b = part.ends
        x, y = a[0] + part.fade * (x - a[1]), b[0] + part.fade * (y - b[1])
    return x, y
