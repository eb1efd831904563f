from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from poise.contacts import ContactPlan, Touch
from poise.errors import BadInput
from poise.motion import motion_of
from poise.robot import load_robot
from poise.robot.robot import GRAVITY
from poise.viewer.figures import figures_of, margin, support_polygon
from viewer_helpers.motions import squat

NAO = load_robot("nao")
SQUARE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])


def still(n: int = 5):
    return motion_of(NAO, np.arange(n) * 0.1, np.tile(NAO.half_sitting, (n, 1)))


def test_the_zmp_of_a_robot_at_rest_is_under_its_centre_of_mass():
    figures = figures_of(NAO, still())
    assert np.allclose(figures.zmp[:, :2], figures.com[:, :2], atol=1e-9)
    assert np.allclose(figures.zmp[:, 2], 0.0)
    assert np.allclose(figures.force, [0.0, 0.0, NAO.weight])


def test_the_zmp_of_a_pushed_robot_lags_by_its_height_over_gravity():
    acceleration = 0.7  # [m/s^2]
    time = np.arange(200) * 0.005
    q = np.tile(NAO.half_sitting, (len(time), 1))
    q[:, 0] += 0.5 * acceleration * time**2
    figures = figures_of(NAO, motion_of(NAO, time, q, contacts=_stand(time[-1])))
    inner = slice(3, -3)  # differences at the ends are one-sided
    lag = figures.com[inner, 0] - figures.zmp[inner, 0]
    assert np.allclose(lag, acceleration * figures.com[inner, 2] / GRAVITY, atol=1e-4)


def test_the_zmp_lies_on_the_floor_that_carries_even_a_raised_one():
    acceleration, floor = 0.7, 0.3  # [m/s^2], [m]
    time = np.arange(200) * 0.005
    q = np.tile(NAO.half_sitting, (len(time), 1))
    q[:, 0] += 0.5 * acceleration * time**2
    q[:, 2] += floor
    plan = ContactPlan.of(
        replace(touch, T_world_surface=pin.SE3(np.eye(3), np.array([0.0, 0.0, floor])))
        for touch in _stand(time[-1]).touches
    )
    figures = figures_of(NAO, motion_of(NAO, time, q, contacts=plan))
    inner = slice(3, -3)
    assert np.allclose(figures.zmp[inner, 2], floor)
    lag = figures.com[inner, 0] - figures.zmp[inner, 0]
    height = figures.com[inner, 2] - floor
    assert np.allclose(lag, acceleration * height / GRAVITY, atol=1e-4)


def _stand(end: float) -> ContactPlan:
    return ContactPlan.of(
        Touch(part, 0.0, float(end), NAO.at(NAO.half_sitting).pose(part), NAO.soles[part].points)
        for part in NAO.feet
    )


def test_recorded_signals_win_over_computed_ones():
    motion = still()
    told = np.tile([0.01, 0.02], (len(motion), 1))
    figures = figures_of(NAO, replace(motion, signals={"zmp": told}))
    assert np.allclose(figures.zmp[:, :2], told)
    assert np.isfinite(figures.zmp).all()


def test_in_free_fall_there_is_no_zmp():
    time = np.arange(50) * 0.01
    q = np.tile(NAO.half_sitting, (len(time), 1))
    q[:, 2] += 2.0 - 0.5 * GRAVITY * time**2
    figures = figures_of(NAO, motion_of(NAO, time, q))
    assert np.isnan(figures.zmp[5:-5]).all()


def test_contacts_that_nobody_told_are_read_off_the_feet():
    motion = squat(NAO)
    told, guessed = (
        figures_of(NAO, motion),
        figures_of(NAO, replace(motion, contacts=ContactPlan())),
    )
    assert guessed.guessed
    assert not told.guessed
    assert guessed.contacts.at(1.0) == {"left_foot", "right_foot"}
    assert np.allclose(sorted(guessed.support(1.0).tolist()), sorted(told.support(1.0).tolist()))


def test_the_support_of_contacts_on_two_levels_is_not_drawn():
    low = _stand(1.0).touches
    raised = pin.SE3(np.eye(3), low[0].T_world_surface.translation + [0.0, 0.0, 0.1])
    assert len(support_polygon(low)) >= 4
    assert len(support_polygon((replace(low[0], T_world_surface=raised), low[1]))) == 0


def test_a_footprint_is_the_sole_where_it_was_put_down():
    prints = figures_of(NAO, squat(NAO)).footprints
    assert [part for part, _ in prints] == ["left_foot", "right_foot"]
    expected = NAO.at(NAO.half_sitting).pose("left_foot").translation
    assert np.linalg.norm(prints[0][1].mean(axis=0) - expected) < 0.05


def test_the_middle_follows_the_way_but_not_the_sway():
    time = np.arange(400) * 0.01
    q = np.tile(NAO.half_sitting, (len(time), 1))
    q[:, 0] += 0.3 * time
    q[:, 1] += 0.05 * np.sin(2.0 * np.pi * time / 0.7)
    figures = figures_of(NAO, motion_of(NAO, time, q))
    inner = slice(100, -100)
    assert np.ptp(figures.middle[inner, 1]) < 0.002
    assert np.allclose(figures.middle[inner, 0], figures.com[inner, 0], atol=1e-6)


def test_the_motion_of_another_robot_is_refused():
    motion = replace(still(), joint_names=tuple(f"j{k}" for k in range(NAO.na)))
    with pytest.raises(BadInput, match="24 joints of nao"):
        figures_of(NAO, motion)


def test_margins_are_distances_to_the_nearest_edge():
    assert margin(np.array([0.5, 0.2]), SQUARE) == pytest.approx(0.2)
    assert margin(np.array([0.5, -0.2]), SQUARE) == pytest.approx(-0.2)
    assert np.isnan(margin(np.array([0.5, 0.5]), SQUARE[:2]))
