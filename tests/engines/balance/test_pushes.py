"""Pushed in the simulator: lagging servos, rubber soles, coarse and noisy force sensors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from poise.balancing import Balanced, balance_trial
from poise.engines.balance import BalanceController, BalanceOptions, Shove
from poise.engines.balance.catching import Capture
from poise.engines.balance.feedback import NoRegulation, Stiff
from poise.engines.balance.footing import footings
from poise.engines.balance.oracle import Body, sway
from poise.engines.balance.scenario import Scenario
from poise.errors import BadInput
from poise.robot import load_robot

PUSH = dict(force=8.0, start=0.6, duration=0.5)


def pushed(settings: dict, direction: float = 0.0, robot: str = "hoap3") -> Balanced:
    push = Shove(direction=direction, **PUSH)
    return balance_trial(robot, "stand", {"duration": 2.3, **settings}, (push,))


def test_unregulated_the_zmp_goes_where_statics_says() -> None:
    done = pushed({"feedback": "none"})
    (push,) = done.figures["pushes"]
    assert done.upright
    assert push["passive_offset_mm"] == pytest.approx(26.7, abs=0.1)
    assert push["offset_share"] == pytest.approx(1.0, abs=0.12)


@pytest.mark.parametrize("direction", [0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0])
def test_the_papers_law_leans_against_a_push_from_anywhere(direction: float) -> None:
    done = pushed({"feedback": "stiff", "Kp": 0.3}, direction)
    (push,) = done.figures["pushes"]
    assert done.upright
    assert push["offset_share"] <= 0.80  # 1 / (1 + Kp) is 77 % at rest
    assert push["lean_mm"] < -3.0
    assert push["settled_after_s"] is not None and push["settled_after_s"] <= 1.0
    assert done.figures["least_load_share"] > 0.05
    assert done.figures["feet_error_max_mm"] < 0.1 and done.figures["feet_error_max_deg"] < 0.02


def test_a_stronger_gain_leans_further() -> None:
    done = pushed({"feedback": "stiff", "Kp": 0.6, "Kd": 0.02, "zmp_filter": 0.18})
    (push,) = done.figures["pushes"]
    assert done.upright and push["offset_share"] <= 0.67


@pytest.mark.parametrize("direction", [0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0])
def test_catching_settles_within_a_second_from_anywhere(direction: float) -> None:
    done = pushed({"feedback": "capture"}, direction)
    (push,) = done.figures["pushes"]
    assert done.upright and done.figures["recovery_steps"] == 0
    assert push["offset_share"] <= 0.6  # the ZMP comes back while the push lasts
    assert push["settled_after_s"] is not None and push["settled_after_s"] <= 1.0


@pytest.mark.parametrize(
    ("robot", "direction", "unregulated"),  # [deg], [N s] of half a sine that no regulation bears
    [
        ("hoap3", 180.0, 6.64),
        ("hoap3", 90.0, 8.94),
        ("nao", 0.0, 4.89),
        ("nao", 315.0, 5.49),
        ("hrp2", 90.0, 58.9),
        ("hrp2", 315.0, 57.3),
        ("talos", 180.0, 47.3),
        ("talos", 225.0, 65.0),
    ],
)
def test_catching_bears_three_tenths_more_than_no_regulation(
    robot: str, direction: float, unregulated: float
) -> None:
    for impulse, law in ((1.3 * unregulated, "capture"), (1.04 * unregulated, "none")):
        push = Shove(np.pi * impulse, direction=direction, start=0.4, duration=0.5, shape="sine")
        done = balance_trial(robot, Scenario("hit", duration=2.7), {"feedback": law}, (push,))
        assert done.upright == (law == "capture")


@pytest.mark.parametrize("robot", ["hoap3", "nao", "hrp2", "talos"])
def test_noisy_sensors_alone_move_nobody(robot: str) -> None:
    done = balance_trial(robot, "stand", {"duration": 2.5})
    zmp = done.motion.signals["zmp"][500:]
    length = np.ptp(done.robot.soles["left_foot"].polygon[:, 0])
    assert np.ptp(zmp[:, :2], axis=0).max() < 0.05 * length


def test_giving_way_enlarges_the_offset() -> None:
    done = pushed({"feedback": "compliant"})
    (push,) = done.figures["pushes"]
    assert done.upright and push["offset_share"] > 1.1 and push["lean_mm"] > 2.0


def test_the_simulated_zmp_is_that_of_the_pendulum() -> None:
    robot = load_robot("hoap3")
    controller = BalanceController(robot, BalanceOptions(feedback="none"))
    forward = footings(controller.rooted, controller.stance, controller.options)[0]
    slender = forward.inertia / (forward.mass * forward.height**2) - 1.0
    body = Body(
        forward.mass, forward.height, 0.05, 0.057, 0.02, forward.stiffness, forward.damping, slender
    )
    options = BalanceOptions(feedback="stiff")
    swayed = sway(
        body,
        Stiff(options, 0.001),
        options.k,
        lambda t: 8.0 if 0.6 <= t < 1.1 else 0.0,
        2.3,
    )
    last = (swayed.time >= 1.05) & (swayed.time < 1.1)
    (push,) = pushed({"feedback": "stiff"}).figures["pushes"]
    assert push["offset_end_mm"] == pytest.approx(1e3 * swayed.zmp[last].mean(), rel=0.2)
    before = swayed.com[600]
    assert push["lean_mm"] == pytest.approx(1e3 * (swayed.com[last].mean() - before), rel=0.2)


def test_a_pendulum_that_tips_over_its_rim_comes_back_and_is_caught() -> None:
    robot = load_robot("hoap3")
    controller = BalanceController(robot, BalanceOptions(feedback="none"))
    axes = footings(controller.rooted, controller.stance, controller.options)
    one, slender = axes[0], axes[0].inertia / (axes[0].mass * axes[0].height ** 2) - 1.0
    soles = one.stiffness, one.damping
    body = Body(one.mass, one.height, 0.05, 0.058, 0.02, *soles, slender)

    def hit(share: float) -> Callable[[float], float]:
        peak = share * body.front * robot.weight / body.height
        return lambda t: peak * float(np.sin(np.pi * (t - 0.2) / 0.5)) if 0.2 < t < 0.7 else 0.0

    options = BalanceOptions()
    law = Capture(axes, 0.001, 10.0**options.effort, 10.0**options.believe)
    swayed = sway(body, law, options.k, hit(1.6), 2.6)
    assert swayed.upright and swayed.tilt.max() > 0.04  # it tipped by more than soles give
    assert np.abs(swayed.tilt[-300:]).max() < 0.005
    # more than 1.3 times what no regulation bears
    assert not sway(body, NoRegulation(), options.k, hit(1.23), 2.6).upright


def test_accepted_gains_last_a_minute_and_refused_ones_do_not() -> None:
    robot = load_robot("hoap3")
    controller = BalanceController(robot)
    one = footings(controller.rooted, controller.stance, controller.options)[0]
    slender = one.inertia / (one.mass * one.height**2) - 1.0
    body = Body(one.mass, one.height, 0.05, 0.058, 0.02, one.stiffness, one.damping, slender)
    lasted = []
    for Kp in (0.41, 1.0):  # the strongest that is offered instead of 1, and 1
        options = BalanceOptions(feedback="stiff", Kp=Kp, zmp_filter=0.08)
        law, knock = Stiff(options, 0.001), lambda t: 8.0 if 0.2 < t < 0.4 else 0.0
        swayed = sway(body, law, options.k, knock, 60.0, finer=2)
        lasted.append(swayed.upright and np.abs(swayed.zmp[-1000:]).max() < 1e-3)
        if Kp < 1.0:
            options.require_stable(robot)
        else:
            with pytest.raises(BadInput):
                options.require_stable(robot)
    assert lasted == [True, False]


def test_on_a_rigid_sole_the_pendulum_ends_where_statics_says() -> None:
    body = Body(8.8, 0.28, np.inf, np.inf, servo_time=0.0)
    passive = 8.0 * 0.28 / (8.8 * 9.81)
    still = sway(body, NoRegulation(), 5.0, lambda t: 8.0, 1.0)
    assert still.zmp[-1] == pytest.approx(passive, rel=1e-6)
    options = BalanceOptions(feedback="stiff", Kp=0.3, zmp_filter=0.1)
    leaning = sway(body, Stiff(options, 0.001), 5.0, lambda t: 8.0, 6.0)
    assert leaning.zmp[-1] == pytest.approx(passive / 1.3, rel=1e-3)
    assert leaning.com[-1] == pytest.approx(-0.3 / 1.3 * passive, rel=1e-3)


@pytest.mark.parametrize("robot", ["nao", "hrp2", "talos"])
def test_other_robots_stand_a_push_of_the_same_share_of_their_weight(robot: str) -> None:
    push = Shove(relative_force=0.06, direction=180.0, start=0.6, duration=0.5)
    done = balance_trial(robot, "stand", {"duration": 1.6}, (push,))
    assert done.upright
    assert done.figures["feet_error_max_mm"] < 0.1
