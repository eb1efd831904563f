"""Preview control against published gains and against the pendulum in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from poise.errors import BadInput
from poise.walking.pendulum import Span, divergent_now, pendulum_after, pendulum_rate
from poise.walking.preview import PreviewCart, preview_gains, preview_path, with_multibody

HEIGHT, DT = 0.814, 0.005
SPANS = [  # of a ZMP that waits, goes over, waits, comes back, waits
    Span(1.6, np.array([0.0, 0.0]), np.array([0.0, 0.0])),
    Span(0.2, np.array([0.0, 0.0]), np.array([0.1, 0.09])),
    Span(0.7, np.array([0.1, 0.09]), np.array([0.1, 0.09])),
    Span(0.2, np.array([0.1, 0.09]), np.array([0.3, -0.09])),
    Span(2.0, np.array([0.3, -0.09]), np.array([0.3, -0.09])),
]


def zmp_path(dt: float = DT) -> np.ndarray:
    """The spans, sampled."""
    rows = [
        s.start + np.arange(round(s.duration / dt))[:, None] * dt / s.duration * (s.end - s.start)
        for s in SPANS
    ]
    return np.vstack(rows)


def closed_form(height: float, dt: float = DT) -> np.ndarray:
    """The centre of mass that stays bounded over the same ZMP, in closed form."""
    w, rows = pendulum_rate(height), []
    com = np.zeros(2)
    velocity = w * (divergent_now(SPANS, 0.0, w) - com)
    for k, span in enumerate(SPANS):
        for i in range(round(span.duration / dt)):
            rows.append(pendulum_after(com, velocity, span, w, i * dt)[0])
        com, _ = pendulum_after(com, velocity, span, w, span.duration)
        rest = SPANS[k + 1 :]
        if rest:  # again from the end backwards: errors of the divergent part do not grow
            velocity = w * (divergent_now(rest, 0.0, w) - com)
    return np.array(rows)


def test_the_gains_are_those_that_are_published_for_a_tall_robot() -> None:
    gains = preview_gains(HEIGHT, DT, window=1.6)
    assert gains.integral == pytest.approx(618.70, abs=0.01)
    assert gains.state == pytest.approx([72719.0, 21550.0, 177.01], rel=1e-4)
    assert len(gains.ahead) == 320


def test_only_the_ratio_of_the_weights_counts() -> None:
    one, other = preview_gains(0.3, 0.01), preview_gains(0.3, 0.01, None, 7.0, 7e-6)
    assert np.allclose(one.ahead, other.ahead, rtol=1e-6)
    assert np.allclose(one.state, other.state, rtol=1e-6)


@pytest.mark.parametrize("height", [0.26, 0.814])
def test_a_cart_moves_as_the_pendulum_does_in_closed_form(height: float) -> None:
    cart = preview_path(zmp_path(), preview_gains(height, DT, jerk_weight=1e-9))
    assert np.abs(cart.com - closed_form(height)).max() < 5e-4
    cart = preview_path(zmp_path(), preview_gains(height, DT))
    assert np.abs(cart.com - closed_form(height)).max() < 4e-3


def test_the_zmp_follows_and_everything_rests_in_the_end() -> None:
    cart, wish = preview_path(zmp_path(), preview_gains(HEIGHT, DT)), zmp_path()
    assert np.abs(cart.zmp - wish).max() < 0.012  # at the corners of the reference
    assert cart.com[-1] == pytest.approx(wish[-1], abs=1e-4)
    assert np.abs(cart.velocity[-1]).max() < 1e-3


def test_period_by_period_is_the_same_as_all_at_once() -> None:
    wish, gains = zmp_path(), preview_gains(HEIGHT, DT)
    whole = preview_path(wish, gains)
    cart = PreviewCart(gains, wish[0])
    for k in range(len(wish)):
        assert cart.state[0] == pytest.approx(whole.com[k], abs=1e-9)
        cart.step(wish[k:])


def test_what_the_limbs_do_to_the_zmp_is_corrected() -> None:
    wish, gains = zmp_path(), preview_gains(HEIGHT, DT)
    t = np.arange(len(wish)) * DT
    swing = 0.02 * np.sin(7.0 * (t - 1.4)) * ((t > 1.4) & (t < 1.4 + 4 * np.pi / 7.0))
    limbs = swing[:, None] * np.array([1.0, -0.5])

    def errors(passes: int) -> float:
        _, real = with_multibody(wish, gains, lambda cart: cart.zmp + limbs, passes)
        return float(np.sqrt(np.mean((real - wish) ** 2)))

    assert errors(1) < 0.1 * errors(0)
    assert errors(3) <= errors(1)  # corners of the reference ring, and are not made worse
    # what was corrected once need not be found again
    found, _ = with_multibody(wish, gains, lambda cart: cart.zmp + limbs, 1)
    moved = found.com - preview_path(wish, gains).com
    _, real = with_multibody(wish, gains, lambda cart: cart.zmp + limbs, 0, moved=moved)
    assert np.sqrt(np.mean((real - wish) ** 2)) < 0.3 * errors(0)


def test_a_cart_without_height_is_refused() -> None:
    with pytest.raises(BadInput, match="positive"):
        preview_gains(0.0)
