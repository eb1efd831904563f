"""What a plan asks of joints, motors and soles, and what gives way where that is too much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.imitate.walks import ROBOTS, artist, planned
from poise.engines.imitate import ImitateOptions
from poise.engines.imitate.balancing import resampled
from poise.engines.imitate.draft import Draft
from poise.engines.imitate.limits import FRICTION, jump_of, resting, use_of
from poise.engines.imitate.rolling_feet import SINKING
from poise.engines.imitate.zmp_reference import zmp_reference
from poise.motion.marker_names import SIDES
from poise.robot.robot import BASE_Q


def drawn(name: str, **wanted: float) -> Draft:
    return artist(name).draw(ImitateOptions(rate=50.0, **wanted))


# -- shares -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROBOTS)
def test_a_plan_stays_within_what_may_be_used(name: str) -> None:
    made = planned(name)
    use = use_of(made)
    assert use.need <= 1.0 and use.peak <= 1.0
    assert jump_of(made) <= 1.0


def test_at_rest_is_what_is_left_when_all_is_played_very_slowly() -> None:
    made = planned("hrp2")
    assert resting(made) == pytest.approx(use_of(replace(made, stretch=1e3)).peak, rel=1e-3)
    assert resting(made) < use_of(replace(made, stretch=0.7)).peak


def test_a_plan_is_not_slower_than_it_need_be() -> None:
    made = planned("hrp2")
    assert made.slower > 1.0
    assert use_of(made).need > 0.9


def test_a_twist_is_told_as_a_share_of_what_the_sole_can_hold() -> None:
    made = planned("hrp2")
    draft = made.draft
    step = draft.walk.steps[2]
    rows = (draft.time > step.lift + 0.1) & (draft.time < step.land - 0.1)
    inertia = made.demand.inertia.copy()
    sole = draft.robot.soles[draft.limbs.feet["left"].part].points[:, :2]
    furthest = float(np.linalg.norm(sole - sole.mean(axis=0), axis=1).max())
    inertia[rows, 5] += 2.0 * FRICTION * furthest * draft.robot.weight
    wrung = replace(made, demand=replace(made.demand, inertia=inertia))
    assert use_of(wrung).twist > 1.5
    assert use_of(wrung).speed == use_of(made).speed


def test_a_corner_in_a_path_is_a_jump_and_steady_acceleration_is_none() -> None:
    made = planned("hrp2")
    limit = float(made.draft.robot.velocity_limit[0])
    for path, jumps in (("corner", True), ("parabola", False)):
        t = made.draft.time - made.draft.time[400]
        extra = 0.3 * limit * np.maximum(t, 0.0) if path == "corner" else 0.3 * limit * t * t
        q = made.postures.q.copy()
        q[:, BASE_Q] = extra
        bent = replace(made, postures=replace(made.postures, q=q))
        assert (jump_of(bent) > 1.0) == jumps


# -- what gives way -----------------------------------------------------------------------


def test_a_robot_that_leans_less_has_its_pelvis_nearer_to_level() -> None:
    def tilt(lean: float) -> float:
        up = artist("hrp2").draw(ImitateOptions(rate=50.0, lean=lean)).body.R_world_base[:, :, 2]
        return float(np.arccos(np.clip(up[:, 2], -1.0, 1.0)).max())

    assert tilt(0.0) < 1e-6
    assert tilt(0.5) == pytest.approx(0.5 * tilt(1.0), rel=0.05)


def test_less_sway_leaves_the_zmp_nearer_to_the_inner_side_of_the_foot() -> None:
    him = artist("nao")
    walk = him.draw(ImitateOptions(rate=50.0)).walk
    middle = 0.5 * (walk.steps[0].lift + walk.steps[0].land)
    path = [
        zmp_reference(walk, him.limbs, him.stature, np.array([middle]), sway)[0]
        for sway in (1.0, 0.6)
    ]
    other = walk.places["left" if walk.stands == "right" else "right"]
    far, near = (np.hypot(p[0] - other[0], p[1] - other[1]) for p in path)
    assert near < far - 0.3 * 0.34 * him.stature.sole_width


def test_straighter_knees_carry_the_base_higher() -> None:
    heights = [
        draft.heights(draft.com).max()
        for draft in (drawn("hrp2", bend=0.2), drawn("hrp2", bend=0.4))
    ]
    assert heights[0] > heights[1] + 0.005


# -- feet without haste -------------------------------------------------------------------


def test_feet_rise_no_higher_because_a_walk_is_slower() -> None:
    fast, slow = (drawn("nao", slow=slow).walk.steps[2] for slow in (1.0, 3.0))
    assert slow.heel_top - slow.heel_lift == pytest.approx(fast.heel_top - fast.heel_lift, abs=2e-3)


def test_rolls_get_smaller_with_the_square_of_their_time() -> None:
    fast, slow = (drawn("hrp2", slow=slow, stride=0.5).walk.steps[2] for slow in (1.0, 1.4))
    assert fast.toe_land > 0.0
    assert slow.toe_land == pytest.approx(1.4**2 * fast.toe_land, rel=0.03)


def test_toes_that_land_nearly_flat_come_down_early() -> None:
    for step in drawn("hrp2").walk.steps[1:-1]:
        way = 1.0 - step.toe_land / step.toe_top
        before = (step.land - step.toe_top_time) / (step.land - step.lift)
        assert before > 0.15 + 0.19 * way


def test_a_swing_uses_all_of_its_time() -> None:
    draft = drawn("hrp2")
    step = draft.walk.steps[2]
    path = draft.feet[step.side]
    share = (draft.time - step.lift) / (step.land - step.lift)
    start, end = np.array(step.start), np.array(step.end)
    way = (path.place[:, :2] - start[:2]) @ (end - start)[:2] / np.sum((end - start)[:2] ** 2)
    assert np.interp(0.9, share, way) < 0.995
    late = np.interp(SINKING[0], share, path.heel)
    assert late == pytest.approx(SINKING[1] * step.heel_top, abs=2e-3)


# -- one plan from another ----------------------------------------------------------------


def test_a_plan_resampled_for_its_own_draft_is_itself() -> None:
    made = planned("hrp2")
    moved, postures = resampled(made, made.draft)
    assert np.abs(made.draft.com + moved - made.com).max() < 1e-12
    assert np.abs(postures.q - made.postures.q).max() < 1e-9


def test_a_plan_that_came_from_a_sketch_has_its_zmp_where_it_should_be() -> None:
    for name in ROBOTS:
        made = planned(name)
        assert np.sqrt(np.mean((made.zmp - made.draft.zmp) ** 2)) < 1e-3
        assert made.postures.residual.max() < 5e-9
        assert all(made.draft.feet[side].p.shape == (len(made.time), 3) for side in SIDES)
