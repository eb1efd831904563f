"""Preview control: a centre of mass that follows a ZMP known some way ahead.

The cart on a table, one axis at a time: state x = (c, c', c''), its jerk u as input, and

    p = c - (height / g) c''

as output. The law of Katayama, as Kajita used it for walking,

    u = - Gi sum e - Gx x + sum_j Gp(j) p_ref(k + j),    e = p - p_ref,

minimises the weighted squares of e and of the change of u; its gains come from a Riccati equation.
A robot is not a cart: what its limbs do to the ZMP is found by playing the motion through the
whole body, and the same law turns that error into a correction of the centre of mass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.linalg import solve_discrete_are
from scipy.signal import oaconvolve

from poise.compiled import compiled
from poise.errors import BadInput
from poise.robot.robot import GRAVITY

WINDOW = 1.6  # [s], looked ahead; beyond it the gains have died away
FALL_TIMES = (
    5.6  # looked ahead at least, in fall times sqrt(height / g): WINDOW for a cart at 0.8 m
)


@dataclass(frozen=True, eq=False)
class PreviewGains:
    """Gains of the law, for a height and a period."""

    height: float  # [m], of the centre of mass above the ZMP
    dt: float  # [s]
    integral: float  # Gi
    state: np.ndarray  # Gx, (3,)
    ahead: np.ndarray  # Gp, (n,): of p_ref one period ahead, two periods ahead, ...

    @property
    def window(self) -> float:
        """How far the law looks ahead [s]."""
        return len(self.ahead) * self.dt

    @property
    def advance(self) -> np.ndarray:
        """State of the next period from this one's, (3, 3)."""
        dt = self.dt
        return np.array([[1.0, dt, 0.5 * dt * dt], [0.0, 1.0, dt], [0.0, 0.0, 1.0]])

    @property
    def push(self) -> np.ndarray:
        """What a jerk does to the state of the next period, (3,)."""
        dt = self.dt
        return np.array([dt**3 / 6.0, dt * dt / 2.0, dt])

    @property
    def output(self) -> np.ndarray:
        """The ZMP from the state, (3,)."""
        return np.array([1.0, 0.0, -self.height / GRAVITY])


@lru_cache(maxsize=64)
def preview_gains(
    height: float,
    dt: float = 0.005,
    window: float | None = None,
    error_weight: float = 1.0,
    jerk_weight: float = 1e-6,
) -> PreviewGains:
    """Gains of preview control by the Riccati equation.

    Args:
        height: of the centre of mass above the ZMP [m].
        dt: period [s].
        window: how far to look ahead [s]; by default as far as the gains matter.
        error_weight: on the squared error of the ZMP [1/m^2].
        jerk_weight: on the squared change of the jerk [s^6/m^2].
    """
    if not (height > 0.0 and dt > 0.0 and error_weight > 0.0 and jerk_weight > 0.0):
        said = f"height {height} m, dt {dt} s, weights {error_weight} and {jerk_weight}"
        raise BadInput("preview control", "a size", said, "positive numbers")
    if window is None:
        window = max(WINDOW, FALL_TIMES * (height / GRAVITY) ** 0.5)
    bare = PreviewGains(height, dt, 0.0, np.zeros(3), np.zeros(0))
    A, B, C = bare.advance, bare.push, bare.output
    wide = np.block([[np.ones((1, 1)), (C @ A)[None]], [np.zeros((3, 1)), A]])
    inward = np.concatenate([[C @ B], B])[:, None]
    Q = np.diag([error_weight, 0.0, 0.0, 0.0])
    P = solve_discrete_are(wide, inward, Q, np.array([[jerk_weight]]))
    scale = 1.0 / float(jerk_weight + (inward.T @ P @ inward)[0, 0])
    gain = scale * (inward.T @ P @ wide)
    closed = wide - inward @ gain
    ahead = np.empty(max(1, round(window / dt)))
    reach = P[:, 0]  # what a step of the reference, one period ahead, costs from here
    for k in range(len(ahead)):
        ahead[k] = scale * float(inward[:, 0] @ reach)
        reach = closed.T @ reach
    return PreviewGains(height, dt, float(gain[0, 0]), gain[0, 1:].copy(), ahead)


@dataclass(frozen=True, eq=False)
class CartPath:
    """The cart over time; axes as columns, (n, k) each."""

    com: np.ndarray  # [m]
    velocity: np.ndarray  # [m/s]
    acceleration: np.ndarray  # [m/s^2]
    zmp: np.ndarray  # [m], of the cart

    def __add__(self, other: CartPath) -> CartPath:
        """Both motions at once: the cart is linear."""
        return CartPath(
            self.com + other.com,
            self.velocity + other.velocity,
            self.acceleration + other.acceleration,
            self.zmp + other.zmp,
        )


class PreviewCart:
    """The cart period after period, for whoever replans on the way."""

    def __init__(self, gains: PreviewGains, com: np.ndarray) -> None:
        """Rest at a place [m], (k,)."""
        self.gains = gains
        com = np.asarray(com, dtype=float)
        self.state = np.vstack([com, np.zeros((2, len(com)))])  # c, c', c''; (3, k)
        self._sum = np.zeros(len(com))
        self._advance, self._push, self._output = gains.advance, gains.push, gains.output

    @property
    def zmp(self) -> np.ndarray:
        """Of the cart now [m], (k,)."""
        return self._output @ self.state

    def step(self, reference: np.ndarray) -> None:
        """Let one period pass.

        Args:
            reference: the ZMP now and in the periods to come [m], (n, k); the last one is taken
                to stay where the window reaches further.
        """
        g = self.gains
        ahead = reference[1 : len(g.ahead) + 1]
        pull = g.ahead[: len(ahead)] @ ahead
        if len(ahead) < len(g.ahead):
            pull = pull + g.ahead[len(ahead) :].sum() * reference[-1]
        self._sum = self._sum + self.zmp - reference[0]
        jerk = -g.integral * self._sum - g.state @ self.state + pull
        self.state = self._advance @ self.state + np.outer(self._push, jerk)


def preview_path(
    reference: np.ndarray, gains: PreviewGains, start: np.ndarray | None = None
) -> CartPath:
    """The cart that follows a ZMP over its whole length; after its end the ZMP stays.

    A cart that rests cannot already be on its way: the reference should stand still for about the
    window at its start, or the first second has an error that no law can avoid.

    Args:
        reference: of the ZMP, one row a period [m], (n, k).
        gains: of the law.
        start: where the cart rests at first [m], (k,); over the first ZMP when absent.
    """
    reference = np.asarray(reference, dtype=float)
    n, axes = reference.shape
    reach = len(gains.ahead)
    padded = np.vstack([reference[1:], np.repeat(reference[-1:], reach, axis=0)])
    # sum_j Gp(j) p_ref(k + j) for all k at once
    pull = oaconvolve(padded, gains.ahead[::-1, None], mode="valid", axes=0)[:n]
    x = np.zeros((3, axes))
    x[0] = reference[0] if start is None else start
    com, velocity, acceleration = np.empty((3, n, axes))
    lean = gains.height / GRAVITY
    _drive(reference, pull, gains.integral, gains.state, gains.dt, lean, x, com, velocity,
           acceleration)  # fmt: skip
    return CartPath(com, velocity, acceleration, com - lean * acceleration)


@compiled
def _drive(
    reference: np.ndarray,
    pull: np.ndarray,
    integral: float,
    gain: np.ndarray,
    dt: float,
    lean: float,
    start: np.ndarray,
    com: np.ndarray,
    velocity: np.ndarray,
    acceleration: np.ndarray,
) -> None:
    """Let the cart run under the law.

    Args:
        reference: of the ZMP [m], (n, k).
        pull: what of the law looks ahead, (n, k).
        integral: gain of the summed error.
        gain: of the state, (3,).
        dt: period [s].
        lean: height over gravity [s^2].
        start: state at first, (3, k).
        com: written [m], (n, k).
        velocity: written [m/s], (n, k).
        acceleration: written [m/s^2], (n, k).
    """
    for axis in range(reference.shape[1]):
        c, v, a, total = start[0, axis], start[1, axis], start[2, axis], 0.0
        for k in range(reference.shape[0]):
            com[k, axis], velocity[k, axis], acceleration[k, axis] = c, v, a
            total += c - lean * a - reference[k, axis]
            jerk = pull[k, axis] - integral * total - gain[0] * c - gain[1] * v - gain[2] * a
            c += dt * (v + dt * (0.5 * a + dt * jerk / 6.0))
            v += dt * (a + 0.5 * dt * jerk)
            a += dt * jerk


def with_multibody(
    reference: np.ndarray,
    gains: PreviewGains,
    measure: Callable[[CartPath], np.ndarray],
    passes: int = 2,
    tolerance: float = 0.0,
    moved: np.ndarray | None = None,
) -> tuple[CartPath, np.ndarray]:
    """The cart whose whole-body motion has its ZMP on the reference.

    Every pass plays the motion through the whole body and lets preview control, from rest, follow
    what is missing; the best pass is kept, because sharp corners of a reference ring on.

    Args:
        reference: of the ZMP [m], (n, k).
        gains: of the law.
        measure: the ZMP of the whole body when its centre of mass follows a cart [m], (n, k).
        passes: corrections at most.
        tolerance: an error of the ZMP that is good enough [m].
        moved: a correction of the centre of mass that is known beforehand [m], (n, k).

    Returns:
        The corrected cart, and the whole body's ZMP under it [m], (n, k).
    """
    cart = preview_path(reference, gains)
    if moved is not None:
        cart = cart + _carried(moved, gains)
    real = measure(cart)
    best, least = (cart, real), _rms(reference - real)
    for _ in range(passes):
        missing = reference - real
        if np.abs(missing).max() <= tolerance:
            break
        cart = cart + preview_path(missing, gains, start=np.zeros(reference.shape[1]))
        real = measure(cart)
        if _rms(reference - real) < least:
            best, least = (cart, real), _rms(reference - real)
    return best


def _carried(com: np.ndarray, gains: PreviewGains) -> CartPath:
    """The cart whose centre of mass goes along a path [m], (n, k), by its differences."""
    velocity = np.gradient(com, gains.dt, axis=0)
    acceleration = np.gradient(velocity, gains.dt, axis=0)
    return CartPath(com, velocity, acceleration, com - gains.height / GRAVITY * acceleration)


def _rms(error: np.ndarray) -> float:
    return float(np.sqrt(np.mean(error**2)))
