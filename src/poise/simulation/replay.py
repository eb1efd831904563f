"""Open-loop replay of a Motion and closed-loop run of a Controller, both recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pinocchio as pin

from poise.contacts import ContactPlan, zmp
from poise.errors import BadInput
from poise.motion import Controller, Motion, Player, record
from poise.robot import Robot
from poise.simulation.bridge import crossed, tilt_between
from poise.simulation.falls import FallWatch, Plan
from poise.simulation.options import SimulationOptions
from poise.simulation.scene import Scene
from poise.simulation.world import SimulatedWorld

LOADED = 0.05  # of the weight: a foot that carries less does not count as standing
AT_LIMIT = 0.998  # of the torque limit


@dataclass(frozen=True)
class ReplayVerdict:
    """What became of a motion when a simulated robot played it."""

    upright: bool
    fell_at: float | None  # [s], from the start of the motion
    tilt_max_deg: float  # [deg], largest between the base's vertical and the planned one
    drift_m: float  # [m], largest horizontal way from the planned base, while upright
    slip_m: float  # [m], longest way a sole slid in one stance, while upright
    saturation: float  # largest share of the time that one motor spent at its torque limit
    why: str = ""  # how it fell


def replay(
    robot: Robot,
    motion: Motion,
    options: SimulationOptions | None = None,
    scene: Scene | None = None,
    *,
    period: float = 0.005,
    feed_torques: bool = False,
    controller: Controller | None = None,
) -> tuple[Motion, ReplayVerdict]:
    """Play a motion on a simulated robot by its joint servos alone, and say what became of it.

    Nobody balances, unless a controller is given: the joints follow their angles and rates, the
    base goes where physics puts it. On a bare floor the robot starts with its lowest sole on it.
    The recording ends half a second after a fall. It carries these signals: `command` (na),
    `tilt` [rad], `saturation` (highest torque as a share of its limit), `slip` [m] of each foot
    in its stance, `zmp` [m] as the feet feel it, `base_error` [m] from the planned base.

    Args:
        robot: whose motion it is.
        motion: what to play; its joints may be in any order.
        options: of the world.
        scene: floor and solids.
        period: of commands and of the recording [s].
        feed_torques: add the motion's torques to what the servos decide.
        controller: plays the motion instead of the bare servos, e.g. with balance feedback.
    """
    if len(motion) == 0:
        raise BadInput("replay", "the motion", "empty", "at least one instant")
    if motion.joint_names != robot.joint_names:
        motion = motion.ordered_as(robot.joint_names)
    options, scene = options or SimulationOptions(), scene or Scene()
    world = SimulatedWorld(robot, period, options, scene)
    start = motion.q[0].copy()
    if scene.floor and not scene.solids:
        start[2] -= lowest_sole(robot, start)
    plan = Plan(motion, period)
    watch = FallWatch(world, plan, motion.contacts.parts)
    played = record(
        controller or Player(motion, feed_torques),
        world,
        motion.duration,
        start=start,
        start_rates=motion.v[0],
        contacts=motion.contacts.shifted(-float(motion.time[0])),
        recipe={"replay": {"of": dict(motion.recipe), "options": asdict(options)}},
        until=watch,
    )
    return _judged(robot, played, plan, watch)


def run(
    controller: Controller,
    robot: Robot,
    duration: float,
    options: SimulationOptions | None = None,
    scene: Scene | None = None,
    *,
    period: float = 0.005,
    start: np.ndarray | None = None,
    contacts: ContactPlan | None = None,
    recipe: Mapping[str, Any] | None = None,
    world: SimulatedWorld | None = None,
) -> tuple[Motion, ReplayVerdict]:
    """Let a controller drive a simulated robot, closed loop, and say what became of it.

    The base is meant to stay upright; drift is counted from where it starts.

    Args:
        controller: decides each period.
        robot: what it drives.
        duration: how long [s].
        options: of the world.
        scene: floor and solids.
        period: of the loop [s].
        start: first configuration; half-sitting when absent.
        contacts: who is meant to touch what; parts that are not in it may not touch.
        recipe: how to make it again.
        world: a world to use instead of a new one, when the controller must reach into it.
    """
    world = world or SimulatedWorld(robot, period, options, scene)
    start = robot.half_sitting if start is None else np.asarray(start, dtype=float)
    plan = Plan(
        Motion(
            robot.name,
            robot.model_hash,
            np.zeros(1),
            start[None, :],
            np.zeros((1, robot.nv)),
            robot.joint_names,
        ),
        world.period,
    )
    watch = FallWatch(world, plan, contacts.parts if contacts else ())
    played = record(
        controller, world, duration, start=start, contacts=contacts, recipe=recipe, until=watch
    )
    return _judged(robot, played, plan, watch)


def lowest_sole(robot: Robot, q: np.ndarray) -> float:
    """Height of the lowest point of the soles at a configuration [m]."""
    at = robot.at(q)
    return min(
        float((at.pose(part).act(point))[2])
        for part in robot.feet
        for point in robot.soles[part].outline
    )


def _judged(
    robot: Robot, played: Motion, plan: Plan, watch: FallWatch
) -> tuple[Motion, ReplayVerdict]:
    meant = plan.base(played.time)
    tilts = tilt_between(played.q[:, 3:7], meant[:, 3:7])
    error = played.q[:, :3] - meant[:, :3]
    assert played.tau is not None  # a recording always has them
    limited = (robot.effort_limit > 0.0) & np.isfinite(robot.effort_limit)
    shares = np.abs(played.tau[:, limited]) / robot.effort_limit[limited]
    feet = _feet(robot, played)
    slip = _slips(robot, played, feet)
    standing = played.time <= (np.inf if watch.fell_at is None else watch.fell_at)
    drift = np.linalg.norm(error[:, :2], axis=1)
    verdict = ReplayVerdict(
        upright=watch.fell_at is None,
        fell_at=watch.fell_at,
        tilt_max_deg=float(np.rad2deg(tilts[standing].max())),
        drift_m=float(drift[standing].max()),
        slip_m=float(slip[standing].max(initial=0.0)),
        saturation=float((shares[standing] >= AT_LIMIT).mean(axis=0).max(initial=0.0)),
        why=watch.why,
    )
    signals = {
        **played.signals,
        "tilt": tilts[:, None],
        "saturation": shares.max(axis=1, initial=0.0)[:, None],
        "slip": slip,
        "zmp": _measured_zmp(robot, played, feet),
        "base_error": error,
    }
    return replace(played, signals=signals), verdict


@dataclass(frozen=True, eq=False)
class _Foot:
    """Where a sole was, how it moved and what it carried."""

    place: np.ndarray  # [m], (n, 3), world
    velocity: np.ndarray  # (n, 6), linear then angular, world axes
    force: np.ndarray  # [N], (n, 3)
    moment: np.ndarray  # [N m], (n, 3), at the place


def _feet(robot: Robot, motion: Motion) -> list[_Foot]:
    n = len(motion)
    data, frames = robot.model.createData(), [robot.frame_id(part) for part in robot.feet]
    place, velocity = np.zeros((len(frames), n, 3)), np.zeros((len(frames), n, 6))
    for k in range(n):
        pin.forwardKinematics(robot.model, data, motion.q[k], motion.v[k])
        for f, frame in enumerate(frames):
            place[f, k] = pin.updateFramePlacement(robot.model, data, frame).translation
            velocity[f, k] = pin.getFrameVelocity(
                robot.model, data, frame, pin.LOCAL_WORLD_ALIGNED
            ).vector
    return [
        _Foot(place[f], velocity[f], motion.forces[part][:, :3], motion.forces[part][:, 3:])
        for f, part in enumerate(robot.feet)
    ]


def _measured_zmp(robot: Robot, motion: Motion, feet: list[_Foot]) -> np.ndarray:
    """Zero-moment point of the floor's forces on the feet [m], (n, 2).

    It is told at the height of the lowest sole. In flight it stays where it was last.
    """
    if not feet:
        return motion.q[:, :2].copy()
    force = np.sum([foot.force for foot in feet], axis=0)
    moment = np.sum([foot.moment + crossed(foot.place, foot.force) for foot in feet], axis=0)
    height = np.min([foot.place[:, 2] for foot in feet], axis=0)
    felt = force[:, 2] > LOADED * robot.weight
    point = np.zeros((len(motion), 2))
    last = motion.q[0, :2]
    for k in range(len(motion)):
        if felt[k]:
            last = zmp(force[k], moment[k], float(height[k]))
        point[k] = last
    return point


def _slips(robot: Robot, motion: Motion, feet: list[_Foot]) -> np.ndarray:
    """How far each loaded sole has slid since it was set down [m], (n, feet).

    What counts is the point of the sole that carries, its centre of pressure: a foot that
    rolls over its toes turns, but does not slide.
    """
    slid = np.zeros((len(motion), len(feet)))
    dt = np.diff(motion.time, prepend=motion.time[0])
    for f, foot in enumerate(feet):
        loaded = foot.force[:, 2] > LOADED * robot.weight
        fz = np.where(loaded, foot.force[:, 2], 1.0)
        lever = np.column_stack([-foot.moment[:, 1] / fz, foot.moment[:, 0] / fz, 0.0 * fz])
        sliding = (foot.velocity[:, :3] + crossed(foot.velocity[:, 3:], lever))[:, :2]
        way = np.zeros(2)
        for k in range(len(motion)):
            way = way + dt[k] * sliding[k] if loaded[k] else np.zeros(2)
            slid[k, f] = np.hypot(*way)
    return slid
