from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from poise.motion import motion_of
from poise.robot import load_robot, robot_names
from poise.simulation import FallWatch, SimulatedWorld
from poise.simulation.falls import Plan

ONE = "nao" if "nao" in robot_names() else robot_names()[0]


def watched(**kwargs):
    robot = load_robot(ONE)
    world = SimulatedWorld(robot)
    motion = motion_of(robot, np.array([0.0, 1.0]), np.tile(robot.half_sitting, (2, 1)))
    return robot, world, FallWatch(world, Plan(motion, world.period), **kwargs)


def placed(world, height, rpy):
    """The robot high in the air or low, turned; what is seen then."""
    q = world.robot.half_sitting.copy()
    q[2] = height
    q[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(*rpy)).coeffs()
    return world.reset(q)


def test_forty_degrees_are_no_fall_and_fifty_are():
    robot, world, watch = watched()
    lean = pin.rpy.matrixToRpy(pin.Quaternion(robot.half_sitting[3:7]).matrix())
    high = 3.0 * robot.half_sitting[2]
    watch(placed(world, high, (lean[0] + np.deg2rad(40.0), lean[1], 0.0)))
    assert watch.fell_at is None
    watch(placed(world, high, (lean[0] + np.deg2rad(50.0), lean[1], 0.0)))
    assert watch.fell_at == 0.0 and "tilted" in watch.why


def test_turning_on_the_spot_is_no_fall():
    robot, world, watch = watched()
    rpy = pin.rpy.matrixToRpy(pin.Quaternion(robot.half_sitting[3:7]).matrix())
    watch(placed(world, robot.half_sitting[2], (rpy[0], rpy[1], 3.0)))
    assert watch.fell_at is None


def test_a_base_below_sixty_percent_is_a_fall():
    robot, world, watch = watched()
    seen = world.reset(robot.half_sitting)
    q = seen.q.copy()
    q[2] *= 0.62
    watch(replace(seen, q=q))
    assert watch.fell_at is None
    q[2] *= 0.95
    watch(replace(seen, q=q))
    assert "sank" in watch.why


def touching_knees(robot, world):
    """Low enough for the shins to touch, upright, the soles in the floor."""
    q = robot.half_sitting.copy()
    q[2] *= 0.65
    return world.reset(q)


def test_what_may_not_touch_is_named_and_what_may_is_allowed():
    robot, world, watch = watched()
    watch(touching_knees(robot, world))
    assert watch.why.endswith("touched the ground")
    culprit = watch.why.split(" ")[0]
    assert culprit in {shape.link for shape in robot.shapes}


def test_a_planned_hand_may_touch():
    robot, _, watch = watched(parts=("left_hand",))
    assert "left_hand" in watch.allowed
    assert {shape.link for shape in robot.shapes} - watch.allowed


def test_the_watch_goes_on_for_half_a_second_after_the_fall():
    robot, world, watch = watched()
    fallen = placed(world, 3.0 * robot.half_sitting[2], (1.2, 0.0, 0.0))
    assert not watch(fallen)
    assert not watch(replace(fallen, time=0.4))
    assert watch(replace(fallen, time=0.5))
    assert watch.fell_at == 0.0


@pytest.mark.parametrize("period", [0.005, 0.004, 0.01])
def test_the_plan_is_the_motion_between_its_instants_and_then_stays(period):
    robot = load_robot(ONE)
    q = np.tile(robot.half_sitting, (3, 1))
    q[:, 0] = [0.0, 0.1, 0.3]
    q[2, 3:7] = -q[2, 3:7]  # the same orientation, written the other way
    plan = Plan(motion_of(robot, np.array([2.0, 2.1, 2.2]), q, v=np.zeros((3, robot.nv))), period)
    assert np.isclose(plan.base(0.0)[0], 0.0)
    assert np.isclose(plan.base(round(0.06 / period) * period)[0], 0.06, atol=period)
    assert np.isclose(plan.base(0.16)[0], 0.1 + 0.2 * 0.6, atol=2 * period)
    assert np.isclose(plan.base(5.0)[0], 0.3)
    assert np.allclose(plan.base(np.array([0.12]))[0, 3:7], robot.half_sitting[3:7])
