"""What a walk has to fulfil at every instant, and what its styles have to look like."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial import ConvexHull

from expressive_helpers.walks import walked
from poise.engines.expressive import ExpressiveController, Style, find_style, preset_names
from poise.engines.expressive.gait import Gait
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V
from poise.walking.legs import chest_axis

STEPS = 20


def test_equations_of_motion_hold_all_the_time(nao: Robot) -> None:
    at = nao.at(nao.half_sitting)
    worst = 0.0
    for tick in walked(nao, "relaxed", STEPS)[::3]:
        at.refresh(tick.q, tick.v)
        rest = at.mass_matrix @ tick.a + at.bias
        rest[BASE_V:] -= tick.tau
        for part, wrench in tick.forces.items():
            rest -= at.jacobian(part).T @ wrench
        worst = max(worst, np.abs(rest).max())
    assert worst < 1e-6


def test_soles_push_and_never_pull_and_the_zmp_is_between_them(nao: Robot) -> None:
    for tick in walked(nao, "normal", STEPS):
        for wrench in tick.forces.values():
            assert wrench[2] >= -1e-8
            assert np.hypot(*wrench[:2]) <= 0.4 * 2**0.5 * wrench[2] + 1e-6
        corners = np.vstack([touch.anchors[:, :2] for touch in tick.contacts])
        assert _outside(corners, tick.zmp) < 1e-6


def test_every_force_of_a_minute_of_walking_pushes_and_nothing_gives_way(nao: Robot) -> None:
    controller = ExpressiveController(nao)
    controller.start()
    for _ in range(round(60.0 / controller.options.dt)):
        tick = controller.tick()
        layout = controller._dynamics._last
        assert layout is not None and not tick.gave_way
        assert layout.lean._x[nao.nv :].min() >= -1e-8
    assert not controller.fallen and tick.steps > 60


def _outside(corners: np.ndarray, point: np.ndarray) -> float:
    """How far a point is outside the hull of corners [m]; negative inside."""
    hull = ConvexHull(corners)
    return float((hull.equations[:, :2] @ point + hull.equations[:, 2]).max())


@pytest.mark.parametrize("style", preset_names())
def test_presets_walk_within_all_limits_without_giving_way(nao: Robot, style: str) -> None:
    ticks = walked(nao, style, STEPS)
    assert ticks[-1].steps == STEPS and not ticks[-1].reason
    assert not any(tick.gave_way for tick in ticks)
    joints = np.array([t.q[BASE_Q:] for t in ticks])
    rates = np.array([t.v[BASE_V:] for t in ticks])
    torques = np.array([t.tau for t in ticks])
    assert (joints >= nao.lower - 1e-6).all() and (joints <= nao.upper + 1e-6).all()
    assert (np.abs(rates) <= nao.velocity_limit + 1e-6).all()
    assert (np.abs(torques @ nao.motor_map.T) <= nao.effort_limit + 1e-6).all()


@pytest.mark.parametrize("style", ["normal", "proud"])
def test_standing_feet_do_not_slip(nao: Robot, style: str) -> None:
    at = nao.at(nao.half_sitting)
    first: dict[int, pin.SE3] = {}
    for tick in walked(nao, style, STEPS)[::4]:
        at.refresh(tick.q, tick.v)
        for touch in tick.contacts:
            place = at.pose(touch.part)
            start = first.setdefault(id(touch), place)
            assert np.linalg.norm(place.translation - start.translation) < 2e-3
            assert np.degrees(np.linalg.norm(pin.log3(start.rotation.T @ place.rotation))) < 0.2


def test_relaxed_swings_the_arms_and_calms_the_body(nao: Robot) -> None:
    arms = np.concatenate([nao.indices("left_arm"), nao.indices("right_arm")])

    def measured(style: str) -> tuple[np.ndarray, float, float]:
        ticks = [t for t in walked(nao, style, STEPS) if 2 <= t.steps < STEPS - 1]
        momentum = np.array([t.momentum for t in ticks])
        speed = np.array([t.v[BASE_V + arms] for t in ticks])
        torque = np.array([t.tau[arms] for t in ticks])
        return (momentum**2).mean(0) ** 0.5, (speed**2).mean() ** 0.5, np.abs(torque).mean()

    (normal, slow, held), (relaxed, fast, loose) = measured("normal"), measured("relaxed")
    assert fast > 2.0 * slow
    assert relaxed[1] < 0.75 * normal[1] and relaxed[2] < 0.75 * normal[2]  # pitch, vertical
    assert loose < 0.7 * held


def test_cautious_lifts_its_feet_twice_as_high(nao: Robot) -> None:
    def highest(style: str) -> float:
        return max(max(p[2] for p in t.feet.values()) for t in walked(nao, style, STEPS))

    assert highest("cautious") > 1.95 * highest("normal")


@pytest.mark.parametrize("degrees", [-15.0, -8.0, 10.0, 20.0])
def test_the_chest_leans_as_the_slider_says(nao: Robot, degrees: float) -> None:
    ticks = walked(nao, "normal", 4, chest_pitch=np.radians(degrees))
    assert ticks[-1].steps == 4
    _assert_leans(nao, ticks, degrees)


@pytest.mark.parametrize("style", ["proud", "sad"])
def test_presets_lean_as_their_slider_says(nao: Robot, style: str) -> None:
    lean = np.degrees(find_style(style, nao).chest_pitch)
    assert lean < -5.0 if style == "proud" else lean > 5.0
    _assert_leans(nao, walked(nao, style, STEPS), lean)


def _assert_leans(robot: Robot, ticks: tuple, degrees: float) -> None:
    at, axis = robot.at(robot.half_sitting), chest_axis(robot)
    for tick in ticks[::10]:
        at.refresh(tick.q, tick.v)
        up = at.rotation("chest") @ axis
        assert np.degrees(np.arctan2(up[0], up[2])) == pytest.approx(degrees, abs=2.0)


def test_backward_walks_backward(nao: Robot) -> None:
    ticks = walked(nao, "normal", STEPS, step_length=-0.03)
    assert ticks[-1].steps == STEPS
    assert ticks[-1].com[0] - ticks[0].com[0] < -0.2


def test_twenty_steps_on_the_spot_turn_all_the_way_round(nao: Robot) -> None:
    ticks = walked(nao, "normal", STEPS, step_length=0.0, turn=np.radians(21.2))
    assert ticks[-1].steps == STEPS and not ticks[-1].reason
    ahead = np.array([pin.Quaternion(t.q[3:7]).toRotationMatrix()[:2, 0] for t in ticks[::5]])
    heading = np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))
    assert heading[-1] - heading[0] > 2.0 * np.pi


@pytest.mark.parametrize("side", [0.04, -0.04])
def test_side_steps_of_four_centimetres_walk_and_close_the_feet(nao: Robot, side: float) -> None:
    ticks = walked(nao, "normal", 8, step_length=0.0, sideways=side)
    assert ticks[-1].steps == 8 and not ticks[-1].reason
    feet = [t.feet["left_foot"][1] - t.feet["right_foot"][1] for t in ticks if 4 <= t.steps < 6]
    assert min(feet) < 0.09  # closer than they stand
    assert max(feet) > min(feet) + 0.075


def test_the_wider_a_side_step_the_less_the_body_sways(nao: Robot) -> None:
    gaits = [Gait.of(nao, Style(sideways=x)) for x in (0.0, 0.05, -0.15)]
    shares = [gait.zmp_sway / gait.half_spacing for gait in gaits]
    assert shares[1] < 0.95 * shares[0] and shares[2] < 0.7 * shares[0]
    assert gaits[0].half_spacing > gaits[1].half_spacing > gaits[2].half_spacing > 0.042


def test_long_steps_are_walked_lower(nao: Robot) -> None:
    heights = [Gait.of(nao, Style(step_length=x)).com_height for x in (0.0, 0.7, 1.0)]
    assert heights[0] == pytest.approx(Gait.of(nao, Style()).stand_height)
    assert heights[1] < 0.985 * heights[0] and heights[2] < 0.97 * heights[0]
