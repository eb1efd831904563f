"""The parts of interact that need no world: admittance, footprints, safe set, swing, leaders."""

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
from poise.engines.interact.safe_area import (
    box_area,
    default_area,
    load_area,
    nearest_in,
    polygon_of,
    save_area,
)
from poise.engines.interact.sampling import Grid, Sampled, area_of, closure, random_footprint
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


# -- the safe set ---------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(x=st.floats(-1, 1), y=st.floats(-1, 1), turn=st.floats(-1, 1))
def test_clipping_ends_inside_and_leaves_what_is_inside(x, y, turn) -> None:
    area = box_area("a robot", 0.2, -0.3, -0.16, 0.2)
    clipped = area.clip((x, y, turn))
    assert area.contains(clipped, 1e-6)
    if area.contains((x, y, turn)):
        assert clipped == (x, y, turn)


def test_without_turning_the_set_is_closed() -> None:
    for name in ("hrp2", "nao", "talos"):
        area = default_area(poise.load_robot(name))
        assert closure(area, 500) == 1.0
    lopsided = box_area("a robot", 0.2, -0.3, -0.16, 0.2)
    lopsided.offsets[1] = polygon_offsets_moved(lopsided.offsets[1])
    assert closure(lopsided, 500) < 0.9


def polygon_offsets_moved(h: np.ndarray) -> np.ndarray:
    """The same polygon, 10 cm further forward."""
    from poise.engines.interact.safe_area import normals

    return h + normals() @ (0.1, 0.0)


def test_nearest_point_of_a_polygon() -> None:
    square = polygon_of(np.array([(1, 0), (0, 1), (-1, 0), (0, -1)], float), np.ones(4))
    assert len(square) == 4
    assert nearest_in(square, (2.0, 0.5)) == pytest.approx((1.0, 0.5))
    assert nearest_in(square, (3.0, -4.0)) == pytest.approx((1.0, -1.0))
    assert nearest_in(square, (0.2, 0.3)) == (0.2, 0.3)


def test_no_failed_footprint_is_inside_the_set_that_is_kept() -> None:
    robot = poise.load_robot("hrp2")
    xs, ys = np.linspace(-0.3, 0.3, 11), np.linspace(-0.35, -0.1, 8)
    X, Y = np.meshgrid(xs, ys, indexing="ij")
    fine = (X / 0.25) ** 2 + ((Y + 0.24) / 0.1) ** 2 < 1.0
    fine[7, 4] = False  # a hole
    area = area_of(robot, Sampled(xs, ys, np.array([0.0]), fine[None]))
    inside = np.array(
        [area.contains((x, y, 0.0)) for x, y in zip(X.ravel(), Y.ravel(), strict=True)]
    )
    assert not (inside & ~fine.ravel()).any()
    assert inside.sum() > 0.5 * fine.sum()
    assert closure(area, 300) == 1.0


def test_a_set_survives_its_file(tmp_path: Path) -> None:
    area = default_area(poise.load_robot("nao"))
    save_area(area, tmp_path / "area.toml")
    again = load_area(tmp_path / "area.toml")
    assert again.offsets == pytest.approx(area.offsets, abs=1e-6)
    (tmp_path / "bad.toml").write_text("robot = 3")
    with pytest.raises(PoiseError, match="turns"):
        load_area(tmp_path / "bad.toml")


def test_footprints_are_tried_with_the_whole_body() -> None:
    from poise.engines.interact.trial import trial

    apart = 0.19
    assert trial("hrp2", [(0.0, -apart, 0.0)]) == ""
    assert "close" in trial("hrp2", [(0.0, -0.10, 0.0)])
    assert trial("hrp2", [(0.8, -apart, 0.0)]) != ""


def test_random_clipped_sequences_do_not_collide() -> None:
    from poise.engines.interact.trial import trial

    area = default_area(poise.load_robot("hrp2"))
    random = np.random.default_rng(5)
    for _ in range(3):
        wishes = [area.clip(random_footprint(area, random)) for _ in range(4)]
        found = trial("hrp2", wishes)
        assert "close" not in found, (wishes, found)


def test_the_grid_fits_the_robot() -> None:
    from poise.engines.interact.sampling import footprints

    for name in ("hrp2", "nao"):
        robot = poise.load_robot(name)
        xs, ys, _ = footprints(robot, Grid())
        assert xs[0] == pytest.approx(-xs[-1])
        assert xs[-1] == pytest.approx(0.3 * Size.of(robot).length, rel=0.01)
        assert (ys < 0.0).all()


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
