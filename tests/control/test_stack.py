"""The stack of tasks on real robots: order is kept, limits are kept."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from poise.control import LimitedStack, slow_down, solve_stack
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
