"""The synthetic person's walk on a robot: feet, balance, joints and postures as promised."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from engines.imitate.walks import ROBOTS, artist, person, planned, slow_plan
from poise.engines.imitate import ImitateOptions
from poise.engines.imitate.balancing import tightest
from poise.engines.imitate.body_reference import outwards
from poise.engines.imitate.clearances import crossed
from poise.engines.imitate.comparison import comparison
from poise.engines.imitate.engine import motion_of_plan, slower_still
from poise.engines.imitate.fidelity import fidelity
from poise.engines.imitate.footsteps import LATE, flat_where_light, rolls_of
from poise.engines.imitate.leg_kinematics import Wish
from poise.engines.imitate.leg_steps import move, write_rows, write_step
from poise.engines.imitate.limits import use_of
from poise.engines.imitate.rhythm import rhythm_of
from poise.engines.imitate.rolling_feet import _heights, foot_paths
from poise.engines.imitate.whole_body import demand
from poise.engines.imitate.zmp_reference import zmp_reference
from poise.errors import BadInput
from poise.examples import synthetic_trial
from poise.motion.marker_names import SIDES
from poise.robot import load_robot
from poise.robot.robot import BASE_Q

# -- the marionette -------------------------------------------------------------------


def test_the_rhythm_is_the_persons() -> None:
    rhythm = rhythm_of(person())
    truth = synthetic_trial().truth
    contacts = np.sort(np.concatenate([truth.ic[side] for side in SIDES]))
    assert rhythm.step_time == pytest.approx(float(np.median(np.diff(contacts))), rel=0.01)
    sides = [swing.side for swing in rhythm.swings]
    assert all(a != b for a, b in pairwise(sides))


def test_feet_of_the_marionette_face_as_the_persons_do_at_contact() -> None:
    him = artist("hrp2")
    for swing in him.rhythm.swings:
        k = int(np.argmin(np.abs(him.aims.time - swing.land)))
        R = him.puppet.feet[swing.side][0][k]
        yaw, pitch = np.arctan2(R[1, 0], R[0, 0]), np.arcsin(R[2, 0])
        off = (yaw - him.aims.foot_yaw[swing.side][k] + np.pi) % (2 * np.pi) - np.pi
        assert abs(np.rad2deg(off)) < 0.5
        assert abs(np.rad2deg(pitch - him.aims.foot_pitch[swing.side][k])) < 0.5


def test_steps_are_where_the_marionette_puts_its_feet() -> None:
    him = artist("hrp2")
    walk = him.draw(ImitateOptions(rate=50.0)).walk
    stands = walk.places[walk.stands]
    wish, swing = walk.full[0], him.rhythm.swings[0]
    k = int(np.argmin(np.abs(him.aims.time - swing.land)))
    (R, p), (R0, p0) = him.puppet.feet[swing.side], him.puppet.feet[walk.stands]
    heel, toe = him.limbs.feet[swing.side].heel, him.limbs.feet[walk.stands].toe
    way = (p[k] + heel * R[k, :, 0] - p0[k] - toe * R0[k, :, 0])[:2]
    mine = np.array(wish[:2]) + heel * np.array([np.cos(wish[2]), np.sin(wish[2])])
    mine -= np.array(stands[:2]) + toe * np.array([np.cos(stands[2]), np.sin(stands[2])])
    assert np.hypot(*mine) == pytest.approx(np.hypot(*way), abs=1e-3)


# -- feet ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROBOTS)
def test_standing_feet_neither_slide_nor_sink_in_the_reference(name: str) -> None:
    made = planned(name)
    draft = made.draft
    for side in SIDES:
        path, foot = draft.feet[side], draft.limbs.feet[side]
        outline = draft.robot.soles[foot.part].outline
        points = path.p[:, None] + np.einsum("nij,kj->nki", path.R, outline)
        assert points[:, :, 2].min() > -1e-4
        for touch in path.touches:
            rows = (draft.time >= touch.start) & (draft.time < touch.end)
            held = path.p[rows, None] + np.einsum("nij,kj->nki", path.R[rows], touch.points)
            assert np.abs(held - touch.anchors).max() < 1e-4


@pytest.mark.parametrize("name", ROBOTS)
def test_standing_feet_stay_after_inverse_kinematics(name: str) -> None:
    made = planned(name)
    draft = made.draft
    for k in range(0, len(draft.time), 7):
        at = draft.robot.at(made.postures.q[k])
        for side in SIDES:
            part = draft.limbs.feet[side].part
            for touch in draft.feet[side].touches:
                if touch.start <= draft.time[k] < touch.end:
                    held = at.position(part) + touch.points @ at.rotation(part).T
                    assert np.abs(held - touch.anchors).max() < 1e-3


def test_feet_roll_over_their_edges_when_there_is_time() -> None:
    made = slow_plan()
    edges = [t for path in made.draft.feet.values() for t in path.touches if len(t.points) < 3]
    assert edges
    heights = [s.heel_lift for s in made.draft.walk.steps]
    assert max(heights) > 0.01


def test_heights_of_a_foot_have_no_steps_in_their_acceleration() -> None:
    knots, values = [0.1, 0.2, 0.35, 0.6], [0.0, 0.03, 0.09, 0.0]
    h = 1e-4
    for t in knots:
        near = _heights(t + h * np.arange(-12, 13), knots, values)
        acceleration = np.diff(near, 2) / h**2
        assert np.abs(np.diff(acceleration)).max() < 3.0  # a jump would be tens of m/s^2


def test_zmp_and_feet_have_no_steps_in_their_acceleration_where_phases_meet() -> None:
    him = artist("hrp2")
    walk = him.draw(ImitateOptions(rate=50.0)).walk
    rolls = rolls_of(walk)
    for t in {t for r in rolls for t in (r.t3, r.t4, r.t7, r.t2)}:
        jumps = []
        for h in (1e-3, 1e-4):
            time = t + h * np.arange(-6, 7)
            feet = foot_paths(him.robot, him.limbs.feet, walk, time)
            paths = [zmp_reference(walk, him.limbs, him.stature, time)]
            paths += [np.column_stack([f.p, f.place]) for f in feet.values()]
            jumps.append(np.abs(np.diff(np.hstack(paths), 3, axis=0) / h**2).max())
        # of a smooth path the differences shrink with the period; those of a step would not
        assert jumps[1] < 0.2 * jumps[0] + 1e-5


def test_a_heel_that_leaves_flat_has_time_to_rise() -> None:
    walk = artist("hrp2").draw(ImitateOptions(rate=50.0)).walk
    flat = flat_where_light(walk, range(len(walk.steps)), (), artist("hrp2").limbs.leg_length)
    for step in flat.steps:
        assert (step.heel_top_time - step.lift) / (step.land - step.lift) >= LATE - 1e-9


def test_t1_to_t7_are_in_order() -> None:
    walk = planned("hrp2").draft.walk
    for k, (step, roll) in enumerate(zip(walk.steps, rolls_of(walk), strict=True)):
        assert roll.t3 <= roll.t4 < step.heel_top_time < roll.t7 <= roll.t2
        assert roll.t4 < step.toe_top_time < roll.t7
        if k:
            assert walk.steps[k - 1].land < step.lift


# -- joints and postures ----------------------------------------------------------------


@pytest.mark.parametrize("name", ROBOTS)
def test_inverse_kinematics_is_exact_and_within_limits(name: str) -> None:
    made = planned(name)
    robot, joints = made.draft.robot, made.postures.q[:, BASE_Q:]
    assert made.postures.residual.max() < 5e-5
    assert (joints > robot.lower - 1e-4).all() and (joints < robot.upper + 1e-4).all()
    assert np.abs([robot.coupling_gap(q) for q in made.postures.q[::25]]).max(initial=0.0) < 1e-9
    limit = np.where(robot.velocity_limit > 0, robot.velocity_limit, np.inf)
    assert (np.abs(made.demand.v[:, 6:]) <= limit).all()


@pytest.mark.parametrize("name", ROBOTS)
def test_the_last_posture_is_the_first(name: str) -> None:
    joints = planned(name).postures.q[:, BASE_Q:]
    assert np.abs(joints[-1] - joints[0]).max() < 1e-4
    robot = load_robot(name)
    mirrored = robot.mirror.joints(joints[0])
    assert np.abs(mirrored - joints[0]).max() < 1e-3


def test_what_is_free_does_not_disturb_what_must_hold() -> None:
    made = planned("nao")
    draft = made.draft
    rows = np.arange(0, len(draft.time), 40)
    height = draft.heights(made.com, made.postures) - 0.01  # something else to strive for
    wish = Wish(draft.feet, made.com, draft.body.R_world_base, height, draft.body.angles)
    solver = draft.kinematics
    wished, legs = solver.wished(wish), solver.tables
    for row in rows:
        q = made.postures.q[row]
        R = draft.robot.at(q).data.oMi[1].rotation.copy()
        angles = q[BASE_Q:][solver.columns]
        J, e = np.empty((14, 6 + len(angles))), np.empty(14)
        step = np.empty(6 + solver.free.shape[1])
        assert write_rows(legs, wished, row, q[:3], R, angles, J, e) < 1e-6
        write_step(legs, wished, row, q[:3], R, angles, J, e, step)
        A = np.hstack([J[:, :6], J[:, 6:] @ solver.free])
        assert np.abs(step).max() > 1e-4
        assert np.abs(A @ step - e).max() < 1e-10 * max(1.0, np.abs(step).max())


def test_a_step_follows_the_jacobian_of_the_errors() -> None:
    made = planned("nao")
    draft, solver = made.draft, made.draft.kinematics
    height = draft.heights(made.com, made.postures)
    wish = Wish(draft.feet, made.com, draft.body.R_world_base, height, draft.body.angles)
    wished, legs, row = solver.wished(wish), solver.tables, len(draft.time) // 2
    rng, h = np.random.default_rng(3), 1e-6
    q = made.postures.q[row]
    p, R = q[:3].copy(), draft.robot.at(q).data.oMi[1].rotation.copy()
    angles = q[BASE_Q:][solver.columns] + 1e-3 * rng.normal(size=len(solver.columns))
    J, e = np.empty((14, 6 + len(angles))), np.empty(14)
    write_rows(legs, wished, row, p, R, angles, J, e)
    x = rng.normal(size=6 + solver.free.shape[1])
    errors = []
    for sign in (1.0, -1.0):
        p1, R1, q1, moved = p.copy(), R.copy(), angles.copy(), np.empty(14)
        move(p1, R1, q1, solver.free, sign * h * x)
        write_rows(legs, wished, row, p1, R1, q1, np.empty_like(J), moved)
        errors.append(moved)
    slope = (errors[1] - errors[0]) / (2.0 * h)
    assert np.allclose(slope, J[:, :6] @ x[:6] + J[:, 6:] @ solver.free @ x[6:], atol=5e-3)


def test_a_clip_is_solved_in_few_rounds() -> None:
    assert planned("hrp2").postures.rounds <= 10.0
    draft = planned("hrp2").draft
    assert draft.solve(draft.com).rounds <= 10.0  # from half-sitting


@pytest.mark.parametrize("name", [*ROBOTS, "hoap3", "g1"])
def test_arms_are_held_away_from_the_body_outwards(name: str) -> None:
    robot = load_robot(name)
    q = robot.half_sitting.copy()
    q[BASE_Q:] += 0.1 * outwards(robot)
    for side, out in zip(SIDES, (1.0, -1.0), strict=True):
        before, after = (robot.at(x).position(f"{side}_hand")[1] for x in (robot.half_sitting, q))
        assert out * (after - before) > 0.02 * robot.height / 1.5


def test_legs_and_arms_in_each_others_way_are_noticed() -> None:
    robot = load_robot("g1")
    free = np.tile(robot.half_sitting, (3, 1))
    assert crossed(robot, free, 0.01) == (False, False)
    q = free.copy()
    q[1, BASE_Q + robot.index("left_hip_roll_joint")] -= 0.45
    q[1, BASE_Q + robot.index("right_hip_roll_joint")] += 0.45
    assert crossed(robot, q, 0.1)[1]
    q = free.copy()
    q[1, BASE_Q:] -= 0.5 * outwards(robot)
    assert crossed(robot, q, 0.1)[0]


def test_wider_steps_are_wider() -> None:
    him = artist("hrp2")
    usual, wide = (him.draw(ImitateOptions(rate=50.0, width=w)).walk for w in (1.0, 1.3))
    ways = [
        np.mean([abs(a.end[1] - b.end[1]) for a, b in pairwise(walk.steps[:4])])
        for walk in (usual, wide)
    ]
    assert ways[1] > 1.1 * ways[0]


def test_memory_grows_with_the_number_of_frames_and_no_faster() -> None:
    peaks = []
    for rate in (100.0, 200.0):
        draft = artist("hrp2").draw(ImitateOptions(rate=rate, stride=0.6, slow=2.0))
        tracemalloc.start()
        demand(draft.robot, draft.solve(draft.com).q, draft.dt)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2.1 * peaks[0]


# -- balance -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROBOTS)
def test_the_zmp_stays_inside_the_support(name: str) -> None:
    made = planned(name)
    draft = made.draft
    assert draft.support.margins(draft.time, draft.zmp).min() >= 0.005
    assert made.margin.min() >= 0.005
    assert np.sqrt(np.mean((made.zmp - draft.zmp) ** 2)) < 2e-3


def test_quasistatic_time_is_stretched_no_more_than_needed() -> None:
    made = slow_plan()
    draft, asked = made.draft, made.demand
    margin = 0.005
    k = tightest(draft, asked, margin)
    assert draft.support.margins(draft.time, asked.zmp(k)).min() >= margin
    assert draft.support.margins(draft.time, asked.zmp(0.95 * k)).min() < margin
    assert made.slower == pytest.approx(draft.walk.slow * made.stretch)


def test_torques_of_a_stretched_walk_are_those_of_its_own_time() -> None:
    made = slow_plan()
    assert made.stretch > 1.5
    hasty = replace(made, stretch=1.0)
    assert use_of(made).peak < 0.8 * use_of(hasty).peak
    assert made.draft.walk.stride > 0.4  # nothing but the weight is carried: steps stay long


def test_what_did_not_please_is_asked_for_more_carefully() -> None:
    fast, slow = planned("hrp2"), slow_plan()
    options = ImitateOptions()
    assert slower_still(fast, options).slow == pytest.approx(1.15 * fast.slower)
    assert slower_still(fast, options, fell=True).slow == pytest.approx(1.3 * fast.slower)
    assert slower_still(fast, options).stride < fast.draft.walk.stride
    careful = slower_still(slow, ImitateOptions(balance="quasistatic"))
    assert careful.margin > options.margin and careful.stride < slow.draft.walk.stride


# -- what comes out -----------------------------------------------------------------------


def test_the_clip_alone_is_as_long_as_the_recording_times_the_slowness() -> None:
    made = planned("hrp2")
    clip = motion_of_plan(made, ImitateOptions(lead=False))
    whole = motion_of_plan(made, ImitateOptions())
    length = float(person().time[-1] - person().time[0])
    assert clip.duration == pytest.approx(made.slower * length, abs=0.03)
    assert clip.duration < whole.duration
    assert clip.contacts.end <= clip.duration + 1e-6


def test_fidelity_says_how_like_the_person_it_is() -> None:
    figures = fidelity(planned("hrp2"))
    assert figures.phase_timing < 0.03
    assert figures.cadence * figures.slower == pytest.approx(figures.cadence_person, rel=0.02)
    assert figures.leg_correlation > 0.3


def test_the_map_of_a_person_does_not_tell_where_the_walk_went() -> None:
    made = planned("hrp2")
    who, c, s = made.person, np.cos(2.0), np.sin(2.0)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    there = np.array([3.0, -1.0, 0.0])
    soles = {
        side: replace(sole, heel=sole.heel @ turn.T + there, tip=sole.tip @ turn.T + there)
        for side, sole in who.soles.items()
    }
    cop = None if who.cop is None else who.cop @ turn[: who.cop.shape[1], : who.cop.shape[1]].T
    cop = None if cop is None else cop + there[: cop.shape[1]]
    elsewhere = replace(who, com=who.com @ turn.T + there, soles=soles, cop=cop)
    here, away = comparison(made)[0], comparison(replace(made, person=elsewhere))[0]
    assert here.lines[0].x[-1] == pytest.approx(np.hypot(*(who.com[-1] - who.com[0])[:2]))
    for one, other in zip(here.lines, away.lines, strict=True):
        assert other.x == pytest.approx(one.x, abs=1e-9, nan_ok=True)
        assert other.y == pytest.approx(one.y, abs=1e-9, nan_ok=True)


def test_asking_for_the_impossible_is_said() -> None:
    with pytest.raises(BadInput, match="balance"):
        ImitateOptions(balance="magic")
    with pytest.raises(BadInput, match="slow"):
        ImitateOptions(slow=0.5)


def test_a_walk_of_one_step_is_too_short() -> None:
    who = person()
    short = replace(who, time=who.time[:30])
    with pytest.raises(BadInput, match="too short"):
        rhythm_of(short)
