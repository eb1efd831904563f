"""What a walk costs now: how much of balance, torque, speed and friction it uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.contacts import Touch
from poise.engines.expressive import Tick
from poise.robot import Robot
from poise.robot.robot import BASE_V
from poise.viewer.figures import margin, support_polygon


@dataclass(frozen=True)
class Costs:
    """Each as a share of what there is: 1 is all of it."""

    balance: float  # 0: ZMP in the middle of a sole; 1: on the edge
    torque: float  # of the joint that is used most
    speed: float  # of the joint that is fastest
    friction: float  # of the foot that slips first
    margin: float  # [m], of the ZMP to the edge of the support
    strained: str = ""  # the joint behind `torque`
    fast: str = ""  # the joint behind `speed`


def costs_of(robot: Robot, tick: Tick, friction: float) -> Costs:
    """The costs of one instant.

    Args:
        robot: who walks.
        tick: the instant.
        friction: coefficient that the contact forces may use.
    """
    torque = np.abs(tick.tau) / np.maximum(robot.effort_limit, 1e-9)
    torque[robot.effort_limit <= 0.0] = 0.0
    speed = np.abs(tick.v[BASE_V:]) / np.maximum(robot.velocity_limit, 1e-9)
    k, j = int(np.argmax(torque)), int(np.argmax(speed))
    slip = max(
        (
            float(np.hypot(f[0], f[1]) / (friction * f[2]))
            for f in tick.forces.values()
            if f[2] > 0.05 * robot.weight
        ),
        default=0.0,
    )
    inside = margin(tick.zmp, support_polygon(whole_soles(robot, tick.contacts)))
    half = 0.5 * min(float(np.ptp(s.polygon[:, 1])) for s in robot.soles.values())
    balance = 1.0 - inside / half if np.isfinite(inside) else 1.0
    return Costs(
        float(np.clip(balance, 0.0, 2.0)),
        float(torque[k]),
        float(speed[j]),
        slip,
        inside,
        robot.joint_names[k],
        robot.joint_names[j],
    )


def whole_soles(robot: Robot, contacts: Sequence[Touch]) -> tuple[Touch, ...]:
    """Contacts with their whole soles; a walk itself uses only a part of them."""
    return tuple(replace(touch, points=robot.soles[touch.part].points) for touch in contacts)


def worst_of(costs: list[Costs]) -> Costs | None:
    """The worst of each over a while."""
    if not costs:
        return None
    strained = max(costs, key=lambda c: c.torque)
    fast = max(costs, key=lambda c: c.speed)
    finite = [c.margin for c in costs if np.isfinite(c.margin)]
    return Costs(
        max(c.balance for c in costs),
        strained.torque,
        fast.speed,
        max(c.friction for c in costs),
        min(finite) if finite else float("nan"),
        strained.strained,
        fast.fast,
    )
