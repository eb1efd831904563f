"""Hip centres: by the motion of the thigh, by regressions, and not at all where nothing moved."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.engines.imitate import frames
from poise.engines.imitate.angles import composed
from poise.engines.imitate.functional import functional_hips
from poise.engines.imitate.joint_centres import (
    bell,
    functional_centre,
    harrington,
    motion_range,
    too_little,
)
from poise.engines.imitate.synthetic import captured, swinging, with_noise
from poise.engines.imitate.synthetic.person import Person
from poise.engines.imitate.synthetic.truth import hip_place
from poise.errors import BadInput
from poise.examples import synthetic_trial
from shared import mocap


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_a_ball_joint_without_noise_has_its_exact_centre(seed: int) -> None:
    rng = np.random.default_rng(seed)
    R1, R2 = composed(rng.uniform(-0.5, 0.5, (80, 3))), composed(rng.uniform(-0.5, 0.5, (80, 3)))
    c1, c2, t1 = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(80, 3))
    t2 = R1 @ c1 + t1 - R2 @ c2
    found = functional_centre(R1, t1, R2, t2)
    assert np.abs(found.in_first - c1).max() < 1e-8
    assert np.abs(found.in_second - c2).max() < 1e-8
    assert found.residual < 1e-8


def test_the_range_of_a_motion_is_from_end_to_end() -> None:
    swing = composed(np.column_stack([np.zeros(50), np.linspace(-0.3, 0.2, 50), np.zeros(50)]))
    assert motion_range(swing) == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(6))
def test_forty_degrees_and_a_millimetre_of_noise_give_the_hips_within_two_millimetres(
    seed: int,
) -> None:
    trial = synthetic_trial(noise=1e-3, seed=10 * seed)
    hips = functional_hips(trial.functional)
    assert {hip.side for hip in hips} == {"left", "right"}
    for hip in hips:
        miss = np.linalg.norm(hip.place - hip_place(Person(), hip.side))
        assert miss < 2e-3, (hip.side, miss)


def test_twelve_degrees_are_refused_and_it_is_said_why() -> None:
    little = captured(swinging("left", np.deg2rad(12.0)), "little.c3d")
    with pytest.raises(
        BadInput, match=r"left hip moved over 12 degrees only.*15 degrees"
    ) as caught:
        functional_hips([little])
    assert "little.c3d" in str(caught.value) and "\n" not in str(caught.value)


def test_sixteen_degrees_are_enough() -> None:
    assert functional_hips([captured(swinging("left", np.deg2rad(16.0)))])


def test_a_hinge_has_no_centre() -> None:
    flexion = 0.5 * np.sin(np.linspace(0.0, 20.0, 300))
    R2 = composed(np.column_stack([np.zeros(300), flexion, np.zeros(300)]))
    R1 = np.tile(np.eye(3), (300, 1, 1))
    arm = np.array([0.0, 0.4, 0.0])
    found = functional_centre(R1, np.zeros((300, 3)), R2, -(R2 @ arm))
    assert "one axis" in (too_little(found) or "")


def test_a_trial_without_thigh_markers_says_what_is_missing() -> None:
    trial = captured(swinging("left"))
    keep = [k for k, name in enumerate(trial.marker_names) if "KN" not in name]
    names = tuple(trial.marker_names[k] for k in keep)
    bare = replace(trial, marker_names=names, markers=trial.markers[:, keep])
    with pytest.raises(BadInput, match="3 are needed"):
        functional_hips([bare])


def test_a_real_hip_is_where_the_lab_found_it() -> None:
    """Within 15 mm of the SCoRE value that the laboratory wrote into its walk."""
    (hip,) = functional_hips([mocap("btkdata/functional/FunctionalLHip.c3d")])
    walk = mocap("btkdata/functional/FunctionalWalk.c3d")
    back = 0.5 * (walk.marker("LPSI") + walk.marker("RPSI"))
    R = frames.pelvis_axes(walk.marker("LASI"), walk.marker("RASI"), back)
    middle = 0.5 * (walk.marker("LASI") + walk.marker("RASI"))
    lab = np.einsum("nji,nj->ni", R, walk.marker("LeftHipCenterScore") - middle)
    assert hip.side == "left"
    assert np.linalg.norm(hip.place - np.nanmedian(lab, axis=0)) < 15e-3


def test_regressions_put_the_hip_behind_below_and_outside() -> None:
    for place in (harrington(0.25, 0.16, 0.88), harrington(0.25, 0.16), bell(0.25)):
        assert -0.09 < place[0] < -0.03
        assert -0.12 < place[1] < -0.05
        assert 0.06 < place[2] < 0.11


def test_harrington_as_printed() -> None:
    # 250 mm wide, 160 mm deep, legs of 880 mm
    assert 1e3 * harrington(0.25, 0.16, 0.88) == pytest.approx([-48.3, -82.3, 92.7])
    assert 1e3 * harrington(0.25, 0.16)[1] == pytest.approx(-85.9)
    assert 1e3 * bell(0.25) == pytest.approx([-47.5, -75.0, 90.0])


def test_noise_alone_is_no_motion() -> None:
    still = with_noise(captured(swinging("right", 0.0)), 1e-3)
    with pytest.raises(BadInput, match="no use"):
        functional_hips([still])
