"""A stack of tasks: strict priorities, the order of the list is the order of importance.

    stack = [[feet], [centre_of_mass], [left_hand, gaze], [comfort]]

A lower level moves only what the higher ones leave free; tasks of one level share it by their
weights. Two solvers answer the same stack: the recursion of projections (fast, limits kept by
slowing the whole motion down) and a hierarchy of QPs (joint, speed and given limits strictly
inside the optimisation).

Velocities are of the joints and the floating base. Coupled joints count as a level above all
others, because no task can part what a motor holds together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.control.stack_wishes import Stack, StackWishes
from poise.robot import Robot, Snapshot
from poise.robot.robot import BASE_Q, BASE_V
from poise.solvers.damped import DAMPING, Damping
from poise.solvers.hierarchy import solve_carefully
from poise.solvers.hierarchy_qp import Goal, HierarchyQP


@dataclass(frozen=True, eq=False)
class StackVelocity:
    """What a stack asks for at one instant."""

    v: np.ndarray  # (nv,)
    slowed: float = 1.0  # factor by which all was slowed to keep a limit; 1 when none was met
    limited_by: str = ""  # the joint that asked for it


class StrictStack:
    """Answers stacks in strict order without limits, tick after tick, in memory made once."""

    def __init__(self, robot: Robot, damping: Damping = DAMPING) -> None:
        """Take the robot, and how steps are bounded near singularities."""
        self.wishes, self.damping = StackWishes(robot), damping

    def solve(self, at: Snapshot, stack: Stack) -> np.ndarray:
        """Velocity (nv,) under which each error dies at its task's gain [1/s]."""
        wishes = self.wishes
        wishes.write(at, stack)
        found = wishes.in_order.solve(wishes.J, wishes.e, self.damping)
        return solve_carefully(wishes.levels, self.damping).x if found is None else found


def solve_stack(at: Snapshot, stack: Stack, damping: Damping = DAMPING) -> np.ndarray:
    """Velocity (nv,) that serves a stack in strict order, without limits; see `StrictStack`."""
    return StrictStack(at.robot, damping).solve(at, stack)


def slow_down(robot: Robot, v: np.ndarray, fraction: float = 1.0) -> StackVelocity:
    """The same direction, slowed until no joint exceeds a fraction of its speed limit."""
    use = np.abs(v[BASE_V:]) / (fraction * robot.velocity_limit)
    worst = int(use.argmax())
    if use[worst] <= 1.0:
        return StackVelocity(v)
    factor = 1.0 / float(use[worst])
    return StackVelocity(factor * v, factor, robot.joint_names[worst])


class LimitedStack:
    """The same stack answered by a hierarchy of QPs that keeps every limit strictly."""

    def __init__(self, robot: Robot, dt: float, margin: float = 1e-3) -> None:
        """Remember the limits.

        Args:
            robot: whose.
            dt: control period [s].
            margin: how far inside its limits every joint stays [rad].
        """
        self.robot, self.dt, self.margin = robot, dt, margin
        self._solver, self._wishes = HierarchyQP(), StackWishes(robot)
        self._low = np.full(robot.nv, -np.inf)
        self._high = np.full(robot.nv, np.inf)

    def solve(self, at: Snapshot, stack: Stack, limits: Sequence[Goal] = ()) -> np.ndarray:
        """Velocity (nv,) that serves a stack in strict order within joint and given limits.

        Args:
            at: the robot now.
            stack: levels of tasks, the most important first.
            limits: further rows lower <= A v <= upper that hold at every level.
        """
        robot = self.robot
        most = robot.velocity_limit
        room_down = (robot.lower + self.margin - at.q[BASE_Q:]) / self.dt
        room_up = (robot.upper - self.margin - at.q[BASE_Q:]) / self.dt
        np.clip(room_down, -most, most, out=self._low[BASE_V:])
        np.clip(room_up, -most, most, out=self._high[BASE_V:])
        self._wishes.write(at, stack)
        goals = [Goal(J, e, e) for J, e in self._wishes.levels]
        return self._solver.solve(goals, limits, self._low, self._high).x
