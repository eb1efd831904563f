"""Ticks into a Motion: rows, the contacts that really were, and the signals worth keeping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from poise.contacts import ContactPlan, Touch
from poise.engines.expressive.tick import Tick
from poise.motion import Motion
from poise.robot import Robot


def motion_of_ticks(robot: Robot, ticks: Sequence[Tick], recipe: Mapping[str, Any]) -> Motion:
    """The motion that some ticks in a row make.

    Args:
        robot: who walked.
        ticks: evenly spaced in time.
        recipe: how to make it again.
    """
    n = len(ticks)
    time = np.array([t.time for t in ticks])
    forces = {part: np.zeros((n, 6)) for part in robot.feet}
    for k, tick in enumerate(ticks):
        for part, wrench in tick.forces.items():
            forces[part][k] = wrench
    return Motion(
        robot=robot.name,
        model_hash=robot.model_hash,
        time=time,
        q=np.array([t.q for t in ticks]),
        v=np.array([t.v for t in ticks]),
        joint_names=robot.joint_names,
        tau=np.array([t.tau for t in ticks]),
        contacts=contacts_of_ticks(robot, ticks),
        forces=forces,
        signals={
            "com": np.array([t.com for t in ticks]),
            "com_ref": np.array([t.com_ref for t in ticks]),
            "zmp": np.array([t.zmp for t in ticks]),
            "zmp_ref": np.array([t.zmp_ref for t in ticks]),
            "momentum": np.array([t.momentum for t in ticks]),
        },
        recipe=recipe,
    )


def contacts_of_ticks(robot: Robot, ticks: Sequence[Tick]) -> ContactPlan:
    """Who touched what, from the first to the last of some ticks."""
    spans: dict[int, tuple[Touch, float, float]] = {}
    period = ticks[1].time - ticks[0].time if len(ticks) > 1 else 0.0
    for tick in ticks:
        for touch in tick.contacts:
            start = spans[id(touch)][1] if id(touch) in spans else tick.time
            spans[id(touch)] = (touch, start, tick.time + period)
    last = ticks[-1].time
    return ContactPlan.of(
        replace(touch, start=start, end=min(end, last), points=robot.soles[touch.part].points)
        for touch, start, end in spans.values()
    )
