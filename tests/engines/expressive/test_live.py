"""The live controller: sliders that move, falls that are explained, standing up again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.engines.expressive import ExpressiveController, Style, find_style, walk
from poise.engines.expressive.controller import WalkOptions
from poise.engines.expressive.falling import FallWatch
from poise.engines.expressive.options import KNOBS, NUMBERS
from poise.errors import BadInput, NotFound
from poise.robot import Robot, load_robot
from poise.robot.robot import BASE_Q

HANDS = ("left_hand", "right_hand")


def ticking(controller: ExpressiveController, seconds: float) -> list:
    return [controller.tick() for _ in range(round(seconds / controller.options.dt))]


def test_without_sway_it_falls_within_three_steps_and_says_why(nao: Robot) -> None:
    controller = ExpressiveController(nao, Style(sway=0.0))
    controller.start()
    for _ in range(3000):
        tick = controller.tick()
        if controller.fallen:
            break
    assert controller.fallen and tick.steps <= 3
    assert "fall" in tick.events and tick.state == "fallen"
    assert " at " in controller.reason and controller.reason == tick.reason


def test_after_a_fall_it_stands_up_where_it_was_and_walks_again(nao: Robot) -> None:
    controller = ExpressiveController(nao, Style(sway=0.0))
    controller.start()
    while not controller.fallen:
        controller.tick()
    controller.start()
    before = controller.time
    fallen = ticking(controller, 0.1)
    assert all(np.array_equal(t.q, fallen[0].q) for t in fallen)  # it lies still
    assert controller.time > before  # and time goes on
    controller.set_style(Style())
    controller.stand_up()
    assert not controller.fallen
    controller.start(2)
    ticks = ticking(controller, 6.0)
    assert ticks[-1].steps == 2 and not controller.fallen


def test_motors_that_would_have_to_give_more_than_they_can_are_a_fall(nao: Robot) -> None:
    weak = WalkOptions(torque_fraction=0.1)
    controller = ExpressiveController(nao, options=weak)
    ticks = ticking(controller, 1.0)
    assert controller.fallen and "had to give way" in controller.reason
    for tick in ticks:  # nothing beyond them is left in what a robot would play
        assert np.all(np.abs(nao.motor_map @ tick.tau) <= 0.1 * nao.effort_limit * (1.0 + 1e-6))


def test_a_joint_limit_that_gives_way_is_no_fall_yet(nao: Robot) -> None:
    tick = ExpressiveController(nao).tick()
    watch = FallWatch(nao)
    assert not watch.see(replace(tick, gave_way=("LHipPitch joint limit",)), 0.0)
    assert watch.see(replace(tick, time=0.1, gave_way=("LHipPitch torque limit",)), 0.0)
    assert watch.reason == "LHipPitch joint limit had to give way at 0.00 s"


def test_a_motor_that_would_have_to_leap_is_a_fall(nao: Robot) -> None:
    tick = ExpressiveController(nao).tick()
    assert not FallWatch(nao).see(replace(tick, gave_way=("loads of the feet",)), 0.0)
    assert FallWatch(nao).see(replace(tick, gave_way=("LHipRoll torque change",)), 0.0)


def test_a_foot_that_still_carries_is_lifted_later_but_not_never(nao: Robot) -> None:
    controller = _under_way(nao)
    machine = controller.machine
    while machine.shift < 0.5 or machine.shift >= 1.0:  # the second half of a double support
        controller.tick()
    left = (machine.angle - machine.clock) / machine.tempo
    waited = 0
    while not any(event.startswith("lift") for event in machine.advance(0.005, machine.gait, True)):
        waited += 1
        assert machine.clock <= machine.angle
        assert waited < 200
    late = waited * 0.005 - left
    assert 0.05 < late < 2.5 * machine.angle / machine.tempo


@pytest.mark.parametrize("name", ["nao", "hoap3"])
@pytest.mark.parametrize("style", ["relaxed", "cautious"])
def test_a_foot_takes_its_load_over_without_a_jerk(name: str, style: str) -> None:
    robot = load_robot(name)
    motion = walk(robot, style, 4)
    motors = motion.tau @ robot.motor_map.T
    assert (np.abs(np.diff(motors, axis=0)) <= 0.1 * robot.effort_limit).all()


FALLS = {"step_length high", "sideways low", "sideways high", "sway low", "sway high"}
FALLS |= {"sway_phase low", "sway_phase high"}  # sliders that ask for a fall on nao
HARD = ("step_length low", "spacing high", "step_height high", "single_support low")
HARD += ("double_support low", "sway low", "sideways high")  # ends that meet a limit


def greatest_change(controller: ExpressiveController, seconds: float) -> float:
    """Of a motor's torque from one tick to the next, as a share of its limit, until it falls."""
    robot, worst = controller.robot, 0.0
    before = None
    for tick in ticking(controller, seconds):
        if tick.reason:
            break
        share = robot.motor_map @ tick.tau / np.maximum(robot.effort_limit, 1e-9)
        worst = worst if before is None else max(worst, float(np.abs(share - before).max()))
        before = share
    return worst


def dragged(robot: Robot, slider: str) -> ExpressiveController:
    """In the middle of a step, with a slider at one end of its range."""
    controller = _under_way(robot)
    knob, end = slider.split()
    controller.set_style(controller.style.changed(**{knob: getattr(KNOBS[knob], end)}))
    return controller


def test_no_slider_jerks_a_motor(nao: Robot) -> None:
    for slider in [f"{knob} {end}" for knob in NUMBERS for end in ("low", "high")]:
        controller = dragged(nao, slider)
        assert greatest_change(controller, 4.0) < 0.1, slider
        assert slider in FALLS or not controller.fallen, (slider, controller.reason)


@pytest.mark.parametrize("name", ["hoap3", "hrp2"])
def test_no_slider_that_meets_limits_jerks_a_motor_of_other_robots(name: str) -> None:
    robot = load_robot(name)
    for slider in HARD:
        assert greatest_change(dragged(robot, slider), 3.0) < 0.1, slider


def test_motors_are_jerked_where_nobody_forbids_it(nao: Robot) -> None:
    free = _under_way(nao, WalkOptions(torque_step=2.0))
    free.set_style(free.style.changed(single_support=KNOBS["single_support"].low))
    assert greatest_change(free, 3.0) > 0.3  # else the tests above would show nothing


def _under_way(robot: Robot, options: WalkOptions | None = None) -> ExpressiveController:
    """In the middle of a first step."""
    controller = ExpressiveController(robot, options=options)
    controller.start()
    while controller.machine.steps_done < 1:
        controller.tick()
    return controller


def test_the_controller_waits_with_a_foot_whose_load_had_to_stay(
    nao: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, twin = _under_way(nao), _under_way(nao)
    solve = loaded._solve
    monkeypatch.setattr(loaded, "_solve", lambda: replace(solve(), gave_way=("loads of the feet",)))
    lifts = []
    for controller in (loaded, twin):
        count = 0
        while "lift" not in " ".join(controller.tick().events):
            count += 1
        lifts.append(count)
    assert lifts[0] >= lifts[1] + 10


def test_a_slider_acts_in_the_next_tick(nao: Robot) -> None:
    moved, twin = ExpressiveController(nao), ExpressiveController(nao)
    for controller in (moved, twin):
        ticking(controller, 0.5)
    moved.set(arm_raise=1.0)
    a, b = ticking(moved, 0.03)[-1], ticking(twin, 0.03)[-1]
    assert not np.allclose(a.tau, b.tau, atol=1e-9)


SEEN, SOON = 3e-4, 0.07  # [m], that a person sees; [s], in which it is there


@pytest.mark.parametrize(
    ("knob", "value"),
    [("com_height", 0.94), ("chest_pitch", 0.1), ("arm_raise", 0.8), ("arm_spread", 0.5)],
)
def test_the_body_goes_along_with_a_slider_at_once(nao: Robot, knob: str, value: float) -> None:
    controller, other = ExpressiveController(nao), ExpressiveController(nao)
    ticking(controller, 2.0)
    ticking(other, 2.0)
    controller.set_style(Style().changed(**{knob: value}))
    at, stays = (nao.at(ticking(one, SOON)[-1].q) for one in (controller, other))
    moved = [np.abs(at.position(part) - stays.position(part)).max() for part in ("chest", *HANDS)]
    assert max(moved) > SEEN


@pytest.mark.parametrize("seed", [1, 2])
def test_random_sliders_never_break_it(nao: Robot, seed: int) -> None:
    random = np.random.default_rng(seed)
    controller = ExpressiveController(nao)
    controller.start()
    for _ in range(12):
        name = NUMBERS[random.integers(len(NUMBERS))]
        one = KNOBS[name]
        controller.set_style(
            controller.style.changed(**{name: float(random.uniform(one.low, one.high))})
        )
        for tick in ticking(controller, 1.0):
            assert np.isfinite(tick.q).all() and np.isfinite(tick.tau).all()
            joints = tick.q[BASE_Q:]
            assert (joints >= nao.lower - 1e-6).all() and (joints <= nao.upper + 1e-6).all()
        if controller.fallen:
            assert " at " in controller.reason
            controller.set_style(Style())
            controller.stand_up()
            controller.start()


def test_a_style_may_change_on_the_way(nao: Robot) -> None:
    controller = ExpressiveController(nao)
    controller.start()
    ticking(controller, 3.0)
    controller.set_style(find_style("sad", nao))
    ticks = ticking(controller, 9.0)
    assert not controller.fallen and ticks[-1].steps > 4
    assert controller.settled


def test_wrong_knobs_are_told_in_one_sentence(nao: Robot) -> None:
    controller = ExpressiveController(nao)
    with pytest.raises(NotFound, match="step_length"):
        controller.set(step_lenght=0.1)
    with pytest.raises(BadInput, match="step_length"):
        controller.set(step_length=3.0)
    with pytest.raises(BadInput, match="sway"):
        controller.set(sway=float("nan"))
