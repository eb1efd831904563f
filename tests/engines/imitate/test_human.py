"""The person behind the markers, against the truth of the synthetic walker."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.engines.imitate import Human, frames, human
from poise.engines.imitate.anthropometry import DE_LEVA, FEMALE, MALE, whole_body
from poise.engines.imitate.contact_phases import phases, stances
from poise.engines.imitate.synthetic import with_gaps
from poise.errors import NotFound
from poise.examples import SyntheticTrial, synthetic_trial, write_synthetic_trial
from poise.io import read_recording
from poise.motion.marker_names import SIDES
from shared import mocap, shared

LEGS = [f"{side}_{joint}" for side in SIDES for joint in ("hip", "knee", "ankle")]
ARMS = [f"{side}_{joint}" for side in SIDES for joint in ("shoulder", "elbow", "wrist")]


@pytest.fixture(scope="module")
def trial() -> SyntheticTrial:
    return synthetic_trial(noise=1e-3, seed=3)


@pytest.fixture(scope="module")
def person(trial: SyntheticTrial) -> Human:
    return human(trial.walk, trial.static, trial.functional)


def rms(a: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.sum(np.atleast_2d(a) ** 2, axis=-1))))


def test_joint_centres_are_found_within_two_millimetres(
    trial: SyntheticTrial, person: Human
) -> None:
    for joint in LEGS + ARMS:
        assert rms(person.joints[joint] - trial.truth.joints[joint]) < 2e-3, joint


def test_joint_angles_are_found_within_a_degree(trial: SyntheticTrial, person: Human) -> None:
    for joint, truth in trial.truth.angles.items():
        found = person.angles[joint]
        assert np.rad2deg(np.sqrt(np.mean((found.flexion - truth.flexion) ** 2))) < 1.0, joint
        if "ankle" not in joint:  # the toe marker is not quite on the foot's axis
            for name in ("rotation", "abduction"):
                apart = getattr(found, name) - getattr(truth, name)
                assert np.rad2deg(np.sqrt(np.mean(apart**2))) < 1.0, (joint, name)


def test_the_centre_of_mass_is_found_within_a_few_millimetres(
    trial: SyntheticTrial, person: Human
) -> None:
    assert rms(person.com - trial.truth.com) < 6e-3


def test_sizes_are_found(trial: SyntheticTrial, person: Human) -> None:
    model = trial.truth.person
    assert person.leg_length == pytest.approx(model.leg, abs=3e-3)
    for side in SIDES:
        assert person.feet[side].ankle_height == pytest.approx(model.ankle_height, abs=3e-3)
        assert person.feet[side].length == pytest.approx(model.foot, abs=0.012)
    assert person.height == pytest.approx(model.height)
    assert person.mass == pytest.approx(model.mass)
    assert person.floor == pytest.approx(0.0, abs=1e-6)


def test_all_fifteen_segments_are_there_and_orthonormal(person: Human) -> None:
    assert len(person.segments) == 15
    assert person.missing == ()
    for name, segment in person.segments.items():
        off = segment.R @ segment.R.transpose(0, 2, 1) - np.eye(3)
        assert np.abs(off).max() < 1e-9, name
        assert np.linalg.det(segment.R).min() > 0.0, name


def test_without_functional_trials_the_hips_are_within_two_centimetres(
    trial: SyntheticTrial,
) -> None:
    found = human(trial.walk)
    assert any("Harrington" in note for note in found.notes)
    for side in SIDES:
        assert rms(found.joints[f"{side}_hip"] - trial.truth.joints[f"{side}_hip"]) < 0.02


def test_gaps_leave_the_person_whole(trial: SyntheticTrial) -> None:
    found = human(with_gaps(trial.walk, 0.15, 40, seed=1), trial.static)
    assert len(found) > 0.9 * len(trial.walk)
    first = round(found.time[0] * found.rate)
    truth = trial.truth.joints["left_knee"][first : first + len(found)]
    assert rms(found.joints["left_knee"] - truth) < 0.02


def test_stances_and_phases_cover_the_walk_without_holes(
    trial: SyntheticTrial, person: Human
) -> None:
    assert person.phases[0].start == person.time[0]
    assert person.phases[-1].end == person.time[-1]
    for before, after in zip(person.phases, person.phases[1:], strict=False):
        assert before.end == after.start
        assert before.support != after.support
    assert all(phase.support for phase in person.phases)  # a walk never flies
    gait = trial.truth.gait
    assert gait is not None
    whole = [s for s in person.stances if s.starts and s.ends]
    assert len(whole) >= 6
    for stance in whole:
        length = gait.step_time + gait.double_support
        assert stance.end - stance.start == pytest.approx(length, abs=0.03)


def test_the_centre_of_pressure_lies_under_the_foot_that_stands(person: Human) -> None:
    assert person.cop is not None and person.force is not None
    single = np.zeros(len(person), dtype=bool)
    for phase in person.phases:
        if len(phase.support) == 1:
            inside = (person.time > phase.start + 0.03) & (person.time < phase.end - 0.03)
            on = inside & (person.force[:, 2] > 300.0)
            single |= on
            sole = person.soles[phase.support[0]]
            ahead = np.column_stack([np.cos(sole.yaw), np.sin(sole.yaw)])[on]
            along = np.sum((person.cop - sole.heel)[on, :2] * ahead, axis=1)
            assert (along > -0.03).all() and (along < 0.30).all()
    assert single.sum() > 60


def test_relative_rotations_go_with_the_angles(person: Human) -> None:
    from poise.engines.imitate.angles import joint_angles

    R = person.relative("left_shank")
    assert np.abs(joint_angles(R).flexion - person.angles["left_knee"].flexion).max() < 1e-12
    with pytest.raises(NotFound, match="left_thigh"):
        person.segment("left_thy")


def test_the_trial_goes_through_c3d_files_unchanged(tmp_path, trial: SyntheticTrial) -> None:
    walk, static, *functional = map(read_recording, write_synthetic_trial(tmp_path, trial))
    through, direct = (
        human(walk, static, functional),
        human(trial.walk, trial.static, trial.functional),
    )
    assert rms(through.com - direct.com) < 1e-5
    assert np.abs(through.events.left.ic - direct.events.left.ic).max() < 1e-4


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_axes_are_orthonormal_whatever_the_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.normal(size=(6, 4, 3))
    for R in (
        frames.pelvis_axes(p[0], p[1], p[2]),
        frames.long_bone_axes(p[0], p[1], p[2]),
        frames.shank_axes(p[0], p[1], p[2]),
        frames.foot_axes(p[0], p[1]),
        frames.thorax_axes(p[0], p[1], p[2], p[3]),
        frames.upright_axes(p[0], p[1], p[2], p[3]),
    ):
        assert np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max() < 1e-9
        assert np.abs(np.linalg.det(R) - 1.0).max() < 1e-9


def test_masses_of_de_leva_make_a_whole_body() -> None:
    assert whole_body(MALE) == pytest.approx(100.0, abs=0.02)
    assert whole_body(FEMALE) == pytest.approx(100.0, abs=0.02)


def test_the_table_of_de_leva_is_as_others_typed_it() -> None:
    lines = shared("mocap/bmc/deLeva/BSP_ZdeLeva.txt").read_text().splitlines()[2:]
    rows = {line.split("\t")[0].strip(): line.split("\t")[3:] for line in lines if line.strip()}
    names = {
        "head": "Head",
        "trunk": "Trunk",
        "upper_arm": "UpperArm",
        "forearm": "Forearm",
        "hand": "Hand",
        "thigh": "Thigh",
        "shank": "Shank",
        "foot": "Foot",
    }
    for mine, theirs in names.items():
        row = DE_LEVA[mine]
        values = [*row.mass, *row.centre, *row.sagittal, *row.transverse, *row.longitudinal]
        assert values == pytest.approx([float(x) for x in rows[theirs]]), mine


def test_no_steps_make_no_stance_and_one_phase() -> None:
    from poise.engines.imitate import Events, FootEvents

    none = Events(np.zeros(0), np.zeros(0))
    events = FootEvents(none, none, 100.0, False)
    assert stances(events, 0.0, 1.0) == ()
    (phase,) = phases((), 0.0, 1.0)
    assert phase.support == ()


@pytest.mark.parametrize(
    "name",
    [
        "mcgill_biomechzoo/HC002D/Turn/HC002D25.c3d",
        "c3dparser/MH/dynamic/MH_Dynamic_BF08.c3d",
        "c3dparser/Sydney/dynamic/S4-AMGait03.c3d",
        "schreiber2019/2014001/2014001_C1_01.c3d",
        "opensim_core/walking2.c3d",
        "opensim_core/rajagopal_walk/markers_walk.trc",
        "rtosim/walking_1.c3d",
        "bmc/walk2.trc",
        "cmu_bvh/16_17.bvh",
        "cmu_amc/07_01.amc",
    ],
)
def test_real_people_walk_like_people(name: str) -> None:
    """Ranges that any walk keeps; a wrong axis or side breaks them at once."""
    person = human(mocap(name))
    assert 0.5 < person.leg_length < 1.0
    assert 0.5 * person.height < np.mean(person.com[:, 2]) - person.floor < 0.62 * person.height
    for side in SIDES:
        hip, knee = np.rad2deg(person.angles[f"{side}_hip"].flexion), person.angles[f"{side}_knee"]
        assert 20.0 < np.ptp(hip) < 75.0
        assert hip.min() > -35.0 and hip.max() < 60.0
        bend = -np.rad2deg(knee.flexion)
        assert 30.0 < bend.max() < 90.0
        assert bend.min() > -15.0
    speed = np.linalg.norm(person.com[-1, :2] - person.com[0, :2]) / (
        person.time[-1] - person.time[0]
    )
    assert 0.25 < speed < 2.0
    assert len(person.stances) >= 4


def test_a_skeleton_s_heel_is_behind_its_ankle_and_its_sole_on_the_floor() -> None:
    person = human(mocap("cmu_bvh/07_01.bvh"))
    for side in SIDES:
        foot = person.feet[side]
        assert 0.01 < foot.ankle_ahead < 0.08
        assert 0.03 < foot.ankle_height < 0.12
        assert foot.ball_ahead > foot.ankle_ahead + 0.08
        assert 0.18 < foot.length < 0.30
        height = np.percentile(person.soles[side].heel[:, 2], 20)  # resting
        assert abs(height - person.floor) < 0.02


def test_the_same_legs_in_two_formats_have_the_same_angles() -> None:
    bvh, amc = human(mocap("cmu_bvh/02_01.bvh")), human(mocap("cmu_amc/02_01.amc"))
    for side in SIDES:
        for joint in ("hip", "knee", "ankle"):
            a, b = bvh.angles[f"{side}_{joint}"], amc.angles[f"{side}_{joint}"]
            assert np.rad2deg(np.abs(a.flexion - b.flexion)).max() < 0.05, joint
    assert bvh.events.left.ic == pytest.approx(amc.events.left.ic + 1.0 / 120.0, abs=2e-3)


def test_a_static_trial_supplies_what_the_walk_does_not_mark() -> None:
    walk = mocap("opensim_core/gait2354_subject01/subject01_walk1.trc")
    static = mocap("opensim_core/gait2354_subject01/subject01_static.trc")
    person = human(walk, static)
    bend = -np.rad2deg(person.angles["left_knee"].flexion)
    assert 45.0 < bend.max() < 75.0
    assert person.events.treadmill
