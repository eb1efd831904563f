"""What the paper's figures show, as numbers: following, forces, ZMP, replans."""

from __future__ import annotations

from functools import partial
from math import hypot
from typing import Any

import numpy as np

from poise.engines.interact.engine import Led
from poise.engines.interact.footprint import seen_from
from poise.engines.interact.gait import Step
from poise.engines.interact.safe_area import SafeArea, sided
from poise.engines.interact.size import Size
from poise.motion import Motion

ZMP_LIMIT = 0.02  # [m], the paper's: how far the real ZMP is from the reference
MOST_LEAD = 0.35  # [m], of the paper's robot
SPEED_TOLERANCE = 0.15


def figures(led: Led, motion: Motion, upright: bool, fell_at: float | None) -> dict[str, Any]:
    """Numbers of one run.

    Args:
        led: robot and partner, after the run.
        motion: what really happened.
        upright: whether the robot still stands.
        fell_at: when it fell [s].
    """
    controller = led.controller
    size = Size.of(controller.robot)
    signals = controller.diary.signals()
    n = min(len(signals["zmp_ref"]), len(motion))
    moving = signals["phase"][:n, 0] > 0
    # as the robot's feet feel it, in the frame of its footprints: what they slip is not counted
    off = np.linalg.norm(signals["zmp_felt"][:n] - signals["zmp_ref"][:n], axis=1)
    off = off[moving] if moving.any() else off
    hand = controller.hands[0]
    path = led.partners[hand].path
    end = min(float(motion.time[-1]), path.leader.duration)
    wanted, got = path.body(end), _way(motion)
    far = hypot(wanted[0], wanted[1])
    lead = np.linalg.norm(signals["lead"][:n], axis=1)
    steps = controller.gait.steps
    shifts = [step.replan.shift for step in steps]
    sizes = [step.replan.fluctuation for step in steps]
    chances = [
        chance for chance in map(partial(_chance, controller.area), steps) if chance is not None
    ]
    clipped = [s for s in steps if hypot(*seen_from(s.wish, s.clipped)[:2]) > 1e-4]
    limit = MOST_LEAD * size.length
    asked_to_stop = controller.watch.time
    after = [s for s in steps if asked_to_stop is not None and s.time > asked_to_stop]
    followed = bool(lead.max() <= limit)
    if far > 0.1 * size.length:
        followed &= abs(hypot(*got) / far - 1.0) <= SPEED_TOLERANCE
    return {
        "ok": bool(upright and followed and not controller.watch.reason),
        "upright": bool(upright),
        "fell_at": fell_at,
        "followed": followed,
        "distance": hypot(*got),
        "distance_led": far,
        "turned": float(_yaw(motion, -1) - _yaw(motion, 0)),
        "turn_led": wanted[2],
        "steps": len(steps),
        "hand_lead_max": float(lead.max()),
        "hand_lead_limit": limit,
        "hand_force_max": float(np.linalg.norm(signals["hand_force"][:n], axis=1).max()),
        "zmp_error_p50": float(np.percentile(off, 50)),
        "zmp_error_p95": float(np.percentile(off, 95)),
        "zmp_within_2cm": float(np.mean(off <= ZMP_LIMIT)),
        "shift_max": max(map(abs, shifts), default=0.0),
        "fluctuation_x_max": max((abs(f[0]) for f in sizes), default=0.0),
        "fluctuation_y_max": max((abs(f[1]) for f in sizes), default=0.0),
        "footprints_clipped": len(clipped),
        "revised": sum(s.replan.accepted for s in controller.gait.revised),
        "revisions_refused": sum(not s.replan.accepted for s in controller.gait.revised),
        "feasibility_min": min(chances, default=None),
        "feasibility_mean": float(np.mean(chances)) if chances else None,
        "feasibility": chances,
        "stopped_because": controller.watch.reason or None,
        "stopped_at": asked_to_stop,
        "steps_to_stop": len(after) if asked_to_stop is not None else None,
    }


def _chance(area: SafeArea, step: Step) -> float | None:
    """How likely a step was to be feasible, by what was learnt before."""
    standing = step.replan.walk.stances[0]
    x, y, turn = seen_from(standing.place, step.replan.landing)
    vx, vy = step.replan.walk.at(step.time).velocity
    forward, aside, _ = seen_from((0.0, 0.0, standing.place[2]), (vx, vy, 0.0))
    speed = (forward, aside if standing.left else -aside)
    return area.feasibility(sided((x, y, turn), standing.left), speed)


def _way(motion: Motion) -> tuple[float, float]:
    x, y = motion.q[-1, :2] - motion.q[0, :2]
    return float(x), float(y)


def _yaw(motion: Motion, row: int) -> float:
    x, y, z, w = motion.q[row, 3:7]
    return float(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
