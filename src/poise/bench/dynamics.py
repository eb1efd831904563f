"""One inverse-dynamics tick of a swaying robot: poise against TSID and placo.

Everybody gets the robot of `poise bench control`: two feet on the floor, centre of mass to and
fro, hands and chest held, a posture, angular momentum (placo has no such task in its dynamics),
torque limits and friction. A tick is the reference, the model, one QP and one step of 5 ms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.bench.control import SwayingTick
from poise.bench.measure import Absent, Result, compare
from poise.bench.peers import bare_urdf, in_turns
from poise.errors import PoiseError
from poise.robot import Robot, load_robot

PEERS = {"tsid": "dynamics_tsid.py", "placo": "dynamics_placo.py"}
LIMITS: dict[str, float | None] = {"tsid": 1.0, "placo": None}
FRICTION = 0.6
AGREE = 2.0  # [mm], how far a centre of mass may be from its reference in a fair comparison
ROUNDS, EACH = 20, 30


def problem_of(robot: Robot, dt: float) -> dict[str, Any]:
    """What the peers are told."""
    at = robot.at(robot.half_sitting)
    base = at.pose(robot.parts["base"])
    return {
        "urdf": bare_urdf(robot),
        "joints": list(robot.joint_names),
        "q": robot.half_sitting.tolist(),
        "lower": robot.lower.tolist(),
        "upper": robot.upper.tolist(),
        "speed": robot.velocity_limit.tolist(),
        "torque": robot.effort_limit.tolist(),
        "mass": robot.mass,
        "base": {
            "link": robot.parts["base"],
            "p": base.translation.tolist(),
            "R": base.rotation.tolist(),
        },
        "feet": [foot_of(robot, part) for part in robot.feet],
        "hands": [robot.parts[p] for p in ("left_hand", "right_hand") if p in robot.parts],
        "chest": robot.parts["chest"],
        "friction": FRICTION,
        "most": 2.0 * robot.weight,
        "dt": dt,
    }


def run(name: str = "talos") -> list[Result | Absent]:
    """Measure on one robot."""
    robot = load_robot(name)
    tick = SwayingTick(robot)
    what = f"inverse dynamics tick, {name}"
    times, told, absent = in_turns(
        what, problem_of(robot, tick.dt), PEERS, {"poise": tick}, ROUNDS, EACH
    )
    at = robot.at(tick.q)
    off = 1e3 * float(np.linalg.norm(at.com - tick.com)) - 20.0  # the sway is 20 mm wide
    results = []
    for peer, found in told.items():
        if max(found["error_mm"], off) > AGREE:
            raise PoiseError(
                f"{what}: {peer} is {found['error_mm']:.1f} mm off its reference; it does not "
                "answer the same question."
            )
        results.append(compare(what, times["poise"], peer, times[peer], LIMITS[peer]))
    return [*results, *absent]


def foot_of(robot: Robot, part: str) -> dict[str, Any]:
    """A sole as others want it: its link, corners and upward direction in the link's frame."""
    model, link = robot.model, robot.parts[part]
    mine, theirs = (model.frames[model.getFrameId(name)].placement for name in (part, link))
    T_link_sole = theirs.actInv(mine)
    corners = np.column_stack([robot.soles[part].corners, np.zeros(4)])
    length, width = np.ptp(robot.soles[part].corners, axis=0)
    return {
        "link": link,
        "points": [(T_link_sole * corner).tolist() for corner in corners],
        "normal": T_link_sole.rotation[:, 2].tolist(),
        "length": float(length),
        "width": float(width),
    }
