"""From a solution to a Motion: sampled, with torques, forces, contacts and its certificate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from poise.contacts import ContactPlan, Touch, zmp
from poise.engines.multicontact.dynamics import load
from poise.engines.multicontact.problem import Problem
from poise.engines.multicontact.stage import Hold
from poise.engines.multicontact.variables import Unpacked
from poise.motion import Motion


def motion_from(problem: Problem, x: np.ndarray, rate: float, recipe: dict[str, Any]) -> Motion:
    """The motion of a solution, at about a rate [Hz]."""
    u = problem.variables.unpack(x)
    chart, stage = problem.chart, problem.stage
    ends = np.concatenate([[0.0], np.cumsum(u.durations)])
    count = max(round(ends[-1] * rate), 2)
    time = ends[-1] * np.arange(count + 1) / count
    owner = np.clip(np.searchsorted(ends, time, side="right") - 1, 0, problem.layout.phases - 1)
    n = len(time)
    flat, speed = np.empty((n, chart.nv)), np.empty((n, chart.nv))
    tau = np.empty((n, chart.na))
    wrench = np.empty((n, 6))
    forces = {hold.part: np.zeros((n, 6)) for hold in stage.holds}
    for p in range(problem.layout.phases):
        rows = np.flatnonzero(owner == p)
        if not len(rows):
            continue
        share = np.clip((time[rows] - ends[p]) / u.durations[p], 0.0, 1.0)
        at = problem.instants(u, p, share)
        loaded = load(at, problem.sharing(u, p), problem.moved(p))
        flat[rows], speed[rows], tau[rows], wrench[rows] = at.q, at.v, loaded.tau, at.wrench
        start = 0
        for h in stage.phases[p].holds:
            hold = stage.holds[h]
            mine = loaded.forces[:, 3 * start : 3 * (start + len(hold.points))]
            start += len(hold.points)
            _, T_joint_part = chart.carrier(hold.part)
            place = at.p[hold.joint] + at.R[hold.joint] @ T_joint_part.translation
            forces[hold.part][rows] += _wrench(hold, u, problem, h, mine, place)
    signals = {
        "zmp_ref": _foot_zmp(problem, flat, forces),
        "vertical_force": wrench[:, 2:3],
        "wrench": wrench,
        "phase": owner[:, None].astype(float),
    }
    return Motion(
        robot=chart.robot.name,
        model_hash=chart.robot.model_hash,
        time=time,
        q=chart.full(flat),
        v=chart.rates(flat, speed),
        joint_names=chart.robot.joint_names,
        tau=tau,
        contacts=contact_plan(problem, u),
        forces=forces,
        signals=signals,
        recipe=recipe,
    )


def _foot_zmp(problem: Problem, flat: np.ndarray, forces: dict[str, np.ndarray]) -> np.ndarray:
    """Where the feet alone are pressed [m], (n, 2), at the height of the lower one."""
    robot, data = problem.chart.robot, problem.chart.model.createData()
    carriers = {part: problem.chart.carrier(part) for part in robot.feet if part in forces}
    found = np.zeros((len(flat), 2))
    for k, q in enumerate(flat):
        pin.forwardKinematics(problem.chart.model, data, q)
        places = {part: (data.oMi[j] * T).translation for part, (j, T) in carriers.items()}
        pressed = {part: forces[part][k] for part in places if forces[part][k, 2] > 1.0}
        if not pressed:
            found[k] = found[k - 1] if k else q[:2]
            continue
        force = np.sum([w[:3] for w in pressed.values()], axis=0)
        moment = np.sum([w[3:] + np.cross(places[p], w[:3]) for p, w in pressed.items()], axis=0)
        found[k] = zmp(force, moment, min(float(p[2]) for p in places.values()))
    return found


def contact_plan(problem: Problem, u: Unpacked) -> ContactPlan:
    """Who touches what when; a contact that lasts over some phases is one touch."""
    stage = problem.stage
    ends = np.concatenate([[0.0], np.cumsum(u.durations)])
    touches = []
    for h, hold in enumerate(stage.holds):
        held = [h in phase.holds for phase in stage.phases] + [False]
        start = None
        for p, down in enumerate(held):
            if down and start is None:
                start = p
            if not down and start is not None:
                floats = u.floats[problem.variables.slots[h]]
                touches += touches_of(hold, floats, ends[start], ends[p])
                start = None
    return ContactPlan.of(touches)


def touches_of(hold: Hold, floats: np.ndarray, start: float, end: float) -> list[Touch]:
    """A contact as Touches tell it: the z of a surface is its normal, points lie where they touch.

    A part that lies tilted on its surface is told point by point.
    """
    T_part = hold.T_part_contact
    points = hold.points @ T_part.rotation.T + T_part.translation
    T = hold.pose(floats) * T_part.inverse()
    if T.rotation[:, 2] @ hold.T_world_surface.rotation[:, 2] > 1.0 - 1e-9:
        return [Touch(hold.part, start, end, T, points)]
    R = hold.T_world_surface.rotation
    return [
        Touch(
            hold.part, start, end, pin.SE3(R, hold.pose(floats).act(mine) - R @ point), point[None]
        )
        for mine, point in zip(hold.points, points, strict=True)
    ]


def _wrench(hold, u, problem, h, mine, place) -> np.ndarray:
    grip = hold.grip(u.floats[problem.variables.slots[h]])
    world = mine.reshape(len(mine), -1, 3) @ grip.R_world_surface.T
    arms = grip.points[None] - place[:, None]
    return np.hstack([world.sum(axis=1), np.cross(arms, world).sum(axis=1)])
