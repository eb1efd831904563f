"""Small helpers to set robots up in the simulator."""

import numpy as np

from poise.motion import Command
from poise.robot import load_robot
from poise.simulation import Scene, SimulatedWorld, SimulationOptions


def hold(robot):
    return Command(robot.half_sitting[7:], np.zeros(robot.na))


def standing(name, seconds=1.0, scene=None, **options):
    """A world in which a robot has stood half-sitting for a while, and what it feels then."""
    robot = load_robot(name)
    world = SimulatedWorld(robot, options=SimulationOptions(**options), scene=scene)
    seen = world.reset(robot.half_sitting)
    command = hold(robot)
    for _ in range(round(seconds / world.period)):
        seen = world.step(command)
    return world, seen


def floating(name, **options):
    """A world without floor and without gravity, the robot at rest in half-sitting."""
    robot = load_robot(name)
    world = SimulatedWorld(robot, options=SimulationOptions(**options), scene=Scene(floor=False))
    world.model.opt.gravity[:] = 0.0
    return world, world.reset(robot.half_sitting)


def foot_forces(world, seen):
    return sum(seen.wrenches[part][:3] for part in world.robot.feet)
