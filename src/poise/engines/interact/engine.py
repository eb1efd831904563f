"""The interact engine: a robot, a leader and a world give what happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from poise.engines.interact.controller import InteractController
from poise.engines.interact.footprint import mean_place
from poise.engines.interact.leader import Leader
from poise.engines.interact.options import InteractOptions
from poise.engines.interact.partner import Partner
from poise.engines.interact.safe_area import SafeArea
from poise.engines.interact.size import Size
from poise.motion import Command, Observation
from poise.robot import Robot
from poise.walking.swing_foot import Place

Pull = Callable[[str, np.ndarray, np.ndarray], None]  # part, force [N], moment [N m]


@dataclass
class Led:
    """A robot with a partner who holds its hands: a controller that also pulls.

    The partner feels where the hands really are, from the truth of the world; the robot feels
    only its sensors.
    """

    controller: InteractController
    partners: Mapping[str, Partner]
    pull: Pull
    rows: list[np.ndarray] = field(default_factory=list)
    spoil: Callable[[Observation], Observation] | None = None  # a sensor that fails, for tests

    def __post_init__(self) -> None:
        self._at = self.controller.robot.at(self.controller.start)

    def command(self, seen: Observation) -> Command:
        """Let the partner pull, and the robot answer."""
        at = self._at
        at.refresh(seen.q, seen.v)
        row = []
        for hand, partner in self.partners.items():
            p, R, twist = at.position(hand), at.rotation(hand), at.velocity(hand)
            force, moment = partner.wrench(seen.time, p, R, twist)
            self.pull(hand, force, moment)
            row += [*partner.goal(seen.time), *p, *force]
        self.rows.append(np.array(row))
        if self.spoil is not None:
            seen = self.spoil(seen)
        return self.controller.command(seen)


def lead(
    robot: Robot,
    leader: Leader,
    options: InteractOptions,
    pull: Pull,
    area: SafeArea | None = None,
    dt: float = 0.005,
) -> Led:
    """A robot and the partner who leads it.

    Args:
        robot: who is led.
        leader: who leads, in sizes of the paper's robot.
        options: in SI units.
        pull: how a force reaches the robot in its world.
        area: where feet may be put.
        dt: control period [s].
    """
    size = Size.of(robot)
    own = leader.on(size)
    controller = InteractController(robot, options, area, dt, begin=0.5 * size.time)
    controller.stop_at = own.duration - 0.75 * own.settle
    rest = controller.rest
    left, right = controller.places[True], controller.places[False]
    origin: Place = mean_place([left, right])
    share = 1.0 / len(controller.hands)  # a partner with two hands is not stronger
    own = replace(
        own,
        stiffness=share * own.stiffness,
        damping=share * own.damping,
        spin_stiffness=share * own.spin_stiffness,
        spin_damping=share * own.spin_damping,
        strength=share * own.strength,
    )
    partners = {
        hand: Partner(own, rest.hands[hand], rest.heights[hand], rest.R_hands[hand], origin)
        for hand in controller.hands
    }
    return Led(controller, partners, pull)


def recipe_of(
    robot: Robot, leader: Leader, options: InteractOptions, area: SafeArea
) -> dict[str, Any]:
    """Enough to make the same again."""
    return {
        "engine": "interact",
        "options": asdict(options),
        "inputs": {"leader": asdict(leader)},
        "area": {"turns": area.turns.tolist(), "offsets": area.offsets.tolist()},
        "seed": None if leader.wander is None else leader.wander.seed,
    }
