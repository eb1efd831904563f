"""The parts of interact that need no world: admittance, footprints, swing, leaders."""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import poise
from poise.engines.interact.admittance import (
    Admittance,
    hand_inertia,
    weighted_inverse,
    without_band,
)
from poise.engines.interact.body import Body, Wishes
from poise.engines.interact.comparing import compare_generators
from poise.engines.interact.footprint import (
    centre_of,
    compose,
    inverse,
    mean_place,
    next_footprint,
    seen_from,
)
from poise.engines.interact.holding import offering
from poise.engines.interact.leader import find_leader, leader_names, read_leader
from poise.engines.interact.options import options_for
from poise.engines.interact.size import Size
from poise.engines.interact.swing import SwingFoot
from poise.engines.interact.watch import Watch
from poise.errors import PoiseError
from poise.robot import Robot

# -- admittance -----------------------------------------------------------------------------


def test_a_pulled_hand_moves_the_joints_as_without_motors() -> None:
    """With M = (J A^-1 J')^-1 and the weighted inverse: A q'' = J'f - (J'BJ) q'."""
    random = np.random.default_rng(3)
    robot = poise.load_robot("hrp2")
    at = robot.at(robot.half_sitting)
    A, J = at.mass_matrix, at.jacobian("right_hand")
    M, J_sharp = hand_inertia(A, J), weighted_inverse(A, J)
    B = np.diag([80.0, 80.0, 80.0, 6.0, 6.0, 6.0])
    f, rate = random.standard_normal(6), random.standard_normal(6)
    v = J_sharp @ rate
    joints = J_sharp @ np.linalg.solve(M, f - B @ rate)
    expected = np.linalg.solve(A, J.T @ f - J.T @ B @ J @ v)
    assert joints == pytest.approx(expected, abs=1e-10)
    wrong = J_sharp @ ((f - B @ rate) / 8.0)
    assert np.abs(wrong - expected).max() > 1e-3


def test_the_body_tells_the_same_inertia() -> None:
    robot = poise.load_robot("hrp2")
    body = Body(robot, offering(robot, "right"), 0.005)
    body.look()
    k = body._active  # idle joints are held: their share is not felt
    M = hand_inertia(body.at.mass_matrix[np.ix_(k, k)], body.at.jacobian("right_hand")[:, k])
    assert np.linalg.inv(body.mobility("right_hand")) == pytest.approx(M, rel=1e-6, abs=1e-9)


def test_a_constant_pull_gives_the_speed_force_over_damping() -> None:
    admittance = Admittance(np.r_[np.full(3, 80.0), np.full(3, 6.0)], 0.0, 0.02, 0.0)
    mobility = np.diag([1 / 4.0] * 3 + [1 / 0.02] * 3)
    for _ in range(600):
        velocity = admittance.step(np.array([10.0, 0, 0, 0, 0, 0.3]), mobility, 0.005)
    assert velocity[0] == pytest.approx(10.0 / 80.0, rel=0.02)
    assert velocity[5] == pytest.approx(0.3 / 6.0, rel=0.02)


def test_a_stiff_grip_with_a_delay_comes_to_rest() -> None:
    dt, delay, stiffness = 0.005, 4, 800.0  # 20 ms
    admittance = Admittance(np.r_[np.full(3, 80.0), np.full(3, 6.0)], 0.0, 0.02, 0.0)
    mobility = np.diag([1 / 8.0] * 3 + [1 / 0.1] * 3)
    place, late, ways = 0.05, [0.05] * (delay + 1), []
    for _ in range(2000):
        force = -stiffness * late[0]
        velocity = admittance.step(np.array([force, 0, 0, 0, 0, 0]), mobility, dt)[0]
        place += dt * velocity
        late = [*late[1:], place]
        ways.append(place)
    assert np.abs(ways[-200:]).max() < 1e-3


def test_the_dead_band_shortens_and_never_jumps() -> None:
    assert without_band(np.array([1.0, 0, 0]), 2.0) == pytest.approx([0.0, 0, 0])
    assert without_band(np.array([0.0, 5.0, 0]), 2.0) == pytest.approx([0.0, 3.0, 0])


# -- the body -------------------------------------------------------------------------------


def _rest_wishes(robot: Robot, body: Body) -> Wishes:
    """Feet, mass and waist as they are at rest."""
    at = robot.at(body.q)
    still = {part: np.zeros(6) for part in robot.feet}
    poses = {part: at.pose(part) for part in robot.feet}
    return Wishes(at.com[:2].copy(), np.zeros(2), poses, still, 0.0, 0.0)


@pytest.mark.parametrize("name", ["hrp2", "talos"])
@pytest.mark.parametrize("way", [(0.0, -0.12, 0.0), (-0.12, 0.0, 0.0), (0.0, 0.12, 0.1)])
def test_an_arm_comes_to_its_limits_without_a_jerk_and_feet_and_mass_stay(name, way) -> None:
    robot = poise.load_robot(name)
    body = Body(robot, offering(robot, "right"), 0.005)
    wishes, hand = _rest_wishes(robot, body), {"right_hand": np.r_[way, 0.0, 0.0, 0.0]}
    met, jerk = set(), []
    for k in range(400):
        before = body.v.copy()
        body.look()
        body.step(wishes, hand)
        met |= {*body.held_joints}
        jerk += [np.abs(body.v - before)[6:].max()] if k > 2 else []
    assert met  # the way is longer than the arm
    assert max(jerk) < 0.4  # [rad/s] from one period to the next
    at = robot.at(body.q)
    assert at.com[:2] == pytest.approx(wishes.com, abs=1e-3)
    for part, T in wishes.feet.items():
        assert at.position(part) == pytest.approx(T.translation, abs=1e-3)


# -- footprints -----------------------------------------------------------------------------

PLACE = st.tuples(st.floats(-2, 2), st.floats(-2, 2), st.floats(-pi + 0.1, pi - 0.1))


def test_footprint_formula() -> None:
    rest = (0.30, 0.03, 0.0)  # the hand seen from the right foot
    from_support = (0.30, -0.16, 0.0)  # the same seen from the left foot, 19 cm beside it
    assert next_footprint(from_support, rest) == pytest.approx((0.0, -0.19, 0.0))
    ahead = (0.40, -0.16, 0.0)
    assert next_footprint(ahead, rest) == pytest.approx((0.10, -0.19, 0.0))
    turned = compose((0.0, 0.0, 0.2), from_support)
    assert next_footprint(turned, rest) == pytest.approx((0.038, -0.186, 0.2), abs=5e-4)


@settings(max_examples=50, deadline=None)
@given(world=PLACE, hand=PLACE, rest=PLACE)
def test_footprints_do_not_depend_on_the_frame(world, hand, rest) -> None:
    moved = compose(world, hand)
    a, b = centre_of(hand, rest), centre_of(moved, rest)
    assert seen_from(compose(world, a), b) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    assert seen_from(compose(a, rest), hand) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


def test_two_hands_are_averaged_across_the_half_turn() -> None:
    x, y, heading = mean_place([(0.0, 0.0, pi - 0.1), (2.0, 2.0, -pi + 0.1)])
    assert (x, y) == (1.0, 1.0)
    assert heading == pytest.approx(pi)


# -- the swinging foot ----------------------------------------------------------------------


def test_a_replanned_swing_is_smooth_and_lands_where_and_when_it_should() -> None:
    swing = SwingFoot((0.0, 0.1, 0.0), (0.2, 0.1, 0.0), 1.0, 1.7, 0.05)
    before = swing.at(1.2)
    swing.land_at((0.3, 0.05, 0.1), 1.2, 1.8)
    after = swing.at(1.2)
    assert after.place == pytest.approx(before.place, abs=1e-9)
    assert after.rate == pytest.approx(before.rate, abs=1e-9)
    assert after.rate2 == pytest.approx(before.rate2, abs=1e-7)
    end = swing.at(1.8)
    assert end.place == pytest.approx([0.3, 0.05, 0.0, 0.1], abs=1e-9)
    assert np.abs(end.rate).max() == 0.0
    assert swing.at(1.75).place[[0, 1, 3]] == pytest.approx([0.3, 0.05, 0.1], abs=1e-9)
    heights = [swing.at(t).place[2] for t in np.linspace(1.2, 1.8, 100)]
    assert 0.045 < max(heights) < 0.06 and min(heights) > -1e-9


# -- generators -----------------------------------------------------------------------------


def test_both_generators_answer_the_same_wishes() -> None:
    found = compare_generators(120)
    timing, both = found["timing"], found["both"]
    assert timing["refused"] == both["refused"] == 0.0
    assert timing["off_mm_mean"] < both["off_mm_mean"]  # it lands where it is told
    assert both["zmp_mm_mean"] < timing["zmp_mm_mean"]  # for the price of the ZMP
    assert max(timing["zmp_mm_p95"], both["zmp_mm_p95"]) <= 15.0 + 1e-3


# -- who watches, who leads ------------------------------------------------------------------


def test_reasons_to_stop() -> None:
    def watch() -> Watch:
        return Watch(60.0, 0.4)

    silent = watch()
    assert silent.wrench(1.0, "right_hand", {}) == pytest.approx(np.zeros(6))
    assert "silent" in silent.reason
    mad = watch()
    mad.wrench(1.0, "right_hand", {"right_hand": np.full(6, np.nan)})
    assert "no numbers" in mad.reason
    strong = watch()
    strong.wrench(1.0, "right_hand", {"right_hand": np.array([61.0, 0, 0, 0, 0, 0])})
    assert "61 N" in strong.reason
    far = watch()
    far.lead(1.0, "right_hand", 0.41, False)
    assert "0.41 m" in far.reason
    heavy = watch()
    heavy.lean(1.0, "right_hand", 0.9)
    heavy.lean(1.15, "right_hand", 1.1)
    assert not heavy.reason  # a tug passes
    heavy.lean(1.25, "right_hand", 1.1)
    assert "lean" in heavy.reason
    calm = watch()
    calm.wrench(1.0, "right_hand", {"right_hand": np.array([59.0, 0, 0, 0, 0, 0])})
    calm.lead(1.0, "right_hand", 0.39, False)
    assert not calm.reason


def test_every_leader_can_be_read_and_scaled() -> None:
    small = Size.of(poise.load_robot("nao"))
    for name in leader_names():
        leader = find_leader(name)
        assert leader.on(small).duration <= leader.duration
        path = leader.path((0.3, -0.2, 0.0))
        assert np.isfinite(path.at(leader.duration)[0]).all()
    assert {"straight", "stop", "backward", "quarter_turn", "sideways", "random", "tug"} <= set(
        leader_names()
    )


def test_a_leader_with_a_wrong_key_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('title = "x"\n[[stretch]]\nduration = 1.0\nforwards = 0.1\n')
    with pytest.raises(PoiseError, match="forwards"):
        read_leader(path)
    with pytest.raises(PoiseError, match="leader"):
        find_leader("nobody")


def test_seeds_of_a_wanderer_differ_and_repeat() -> None:
    hand = (0.3, -0.2, 0.0)
    a, b, c = (find_leader("random", seed).path(hand).body(30.0) for seed in (1, 1, 2))
    assert a == b != c


def test_options_fit_the_robot_and_refuse_nonsense() -> None:
    nao, hrp2 = (options_for(poise.load_robot(name)) for name in ("nao", "hrp2"))
    assert nao.step_height < 0.5 * hrp2.step_height
    assert nao.most_force < 0.2 * hrp2.most_force
    with pytest.raises(PoiseError, match="damping"):
        options_for(poise.load_robot("nao"), {"damping": -1.0})
    with pytest.raises(PoiseError, match="knob"):
        options_for(poise.load_robot("nao"), {"dampin": 1.0})


def test_inverse_is_an_inverse() -> None:
    a = (0.3, -0.2, 0.7)
    assert compose(a, inverse(a)) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
