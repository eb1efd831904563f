"""The stack of tasks on real robots: order is kept, limits are kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from poise.control import LimitedStack, StrictStack, slow_down, solve_stack
from poise.errors import BadInput
from poise.robot import Robot, Snapshot, load_robot
from poise.tasks import CenterOfMass, Comfort, FramePosition, RelativePose, Task


def standing(robot: Robot) -> tuple[Snapshot, list[list[Task]]]:
    at = robot.at(robot.half_sitting)
    T_left_right = at.pose("left_foot").inverse() * at.pose("right_foot")
    feet = Task("feet", RelativePose("left_foot", "right_foot", T_left_right), gain=10.0)
    com = Task("com", CenterOfMass(at.com + [0.01, 0.005, -0.01]), gain=10.0)
    hand = at.position("left_hand") + [0.05, 0.0, 0.05]
    reach = Task("hand", FramePosition("left_hand", hand), gain=10.0)
    comfort = Task("comfort", Comfort(robot, robot.comfort[7:]), gain=1.0)
    return at, [[feet], [com], [reach], [comfort]]


@pytest.mark.parametrize("name", ["nao", "hrp2", "hoap3"])
def test_a_lower_level_never_disturbs_a_higher_one(name: str) -> None:
    robot = load_robot(name)
    at, stack = standing(robot)
    rng = np.random.default_rng(1)
    wild = Task("wild", FramePosition("right_hand", 5.0 * rng.normal(size=3)), gain=50.0)
    v = solve_stack(at, stack)
    v_wild = solve_stack(at, [*stack[:2], [wild], *stack[3:]])
    for level in stack[:2]:
        J = level[0].residual.linearize(at).jacobian
        assert np.abs(J @ (v - v_wild)).max() < 1e-9


@pytest.mark.parametrize("name", ["nao", "hrp2", "hoap3"])
def test_the_stack_reaches_what_can_be_reached(name: str) -> None:
    robot = load_robot(name)
    at, stack = standing(robot)
    q = robot.half_sitting
    for _ in range(400):
        q = pin.integrate(robot.model, q, 0.01 * solve_stack(at, stack))
        at.refresh(q, np.zeros(robot.nv))
    for level in stack[:3]:
        assert np.abs(level[0].residual.linearize(at).error).max() < 1e-4


def test_coupled_joints_never_part() -> None:
    robot = load_robot("nao")
    at, stack = standing(robot)
    for solve in (solve_stack, LimitedStack(robot, 0.005).solve):
        assert np.abs(robot.coupling_rows @ solve(at, stack)).max() < 1e-9


def test_both_solvers_agree_where_no_limit_is_met() -> None:
    robot = load_robot("hrp2")
    at, stack = standing(robot)
    assert np.allclose(
        solve_stack(at, stack), LimitedStack(robot, 1e-3).solve(at, stack), atol=1e-7
    )


def test_the_limited_stack_keeps_speeds_that_the_free_one_breaks() -> None:
    robot = load_robot("hoap3")
    at, stack = standing(robot)
    far = Task("com", CenterOfMass(at.com + [0.3, 0.0, -0.3]), gain=200.0)
    stack[1] = [far]
    free = solve_stack(at, stack)
    limited = LimitedStack(robot, 0.005).solve(at, stack)
    assert np.any(np.abs(free[6:]) > robot.velocity_limit)
    assert np.all(np.abs(limited[6:]) <= robot.velocity_limit + 1e-7)
    slowed = slow_down(robot, free)
    assert np.all(np.abs(slowed.v[6:]) <= robot.velocity_limit + 1e-9)
    assert slowed.limited_by in robot.joint_names
    feet = stack[0][0].residual.linearize(at).jacobian
    assert np.abs(feet @ limited).max() < 1e-6


def test_a_stack_in_the_same_memory_is_answered_as_in_fresh_one() -> None:
    robot = load_robot("nao")
    at, stack = standing(robot)
    solver = StrictStack(robot)
    for change in (stack, stack[:2], [[*stack[0], *stack[1]], stack[3]], stack):
        np.testing.assert_array_equal(solver.solve(at, change), solve_stack(at, change))


def test_weights_share_a_level_and_do_nothing_to_one_alone() -> None:
    robot = load_robot("hrp2")
    at, stack = standing(robot)

    def weighed(factor: float) -> list[list[Task]]:
        return [[replace(task, weight=factor * task.weight) for task in one] for one in stack]

    v = solve_stack(at, stack)
    for factor in (1e-4, 1e4):  # as numbers alone they would look like a singularity
        np.testing.assert_allclose(solve_stack(at, weighed(factor)), v, atol=1e-12)
    up, down = (
        Task("hand", FramePosition("left_hand", at.position("left_hand") + [0.0, 0.0, z]), w)
        for z, w in ((0.1, 1.0), (-0.1, 3.0))
    )
    J = FramePosition("left_hand", np.zeros(3)).linearize(at).jacobian
    rise = (J @ solve_stack(at, [[up, down]]))[2]
    assert rise == pytest.approx(100.0 * (0.25 * 0.1 - 0.75 * 0.1))


def test_numbers_that_are_not_numbers_are_refused() -> None:
    robot = load_robot("hrp2")
    at, stack = standing(robot)
    nowhere = Task("com", CenterOfMass(np.full(3, np.nan)))
    with pytest.raises(BadInput, match="level 1 is not finite"):
        solve_stack(at, [stack[0], [nowhere]])
