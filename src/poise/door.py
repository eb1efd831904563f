"""The front door: what needs two siblings is put together here.

`check` asks the simulator for a replay and hands the verdict to the judge; `picture` asks it
for frames and hands them to whoever composes pictures. Nobody below knows both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.checks import CheckOptions, PhysicsVerdict, Report, judge
from poise.io import load as load
from poise.io import save as save
from poise.motion import Motion, motion_of
from poise.robot import Robot, load_robot

if TYPE_CHECKING:
    from poise.engines.multicontact import PlanOptions
    from poise.simulation import Scene, SimulationOptions

AnyRobot = Robot | str | Path | None


@dataclass(frozen=True, eq=False)
class Judged:
    """A report with what it is about: the motion, and its physics replay if there was one."""

    report: Report
    motion: Motion
    robot: Robot
    replayed: Motion | None = None


def robot_of(motion: Motion, robot: AnyRobot = None) -> Robot:
    """The robot of a motion, unless another is given."""
    if isinstance(robot, Robot):
        return robot
    return load_robot(robot if robot is not None else motion.robot)


def check(
    motion: Motion,
    robot: AnyRobot = None,
    physics: bool = True,
    options: CheckOptions | None = None,
    simulation: SimulationOptions | None = None,
) -> Report:
    """Judge a motion: value, limit, where and when of every question, and a physics replay.

    Args:
        motion: what is judged.
        robot: whose motion it is, where its own name does not say.
        physics: also replay it in the simulator by joint servos, open loop.
        options: what is accepted.
        simulation: what the simulated world is like.
    """
    return examine(motion, robot, physics, options, simulation).report


def examine(
    motion: Motion,
    robot: AnyRobot = None,
    physics: bool = True,
    options: CheckOptions | None = None,
    simulation: SimulationOptions | None = None,
    stabilised: bool = False,
) -> Judged:
    """As `check`, keeping the replay for whoever wants to draw it.

    With `stabilised` the ankles push against an unplanned tilt while it is replayed.
    """
    robot = robot_of(motion, robot)
    if not physics or not _playable(motion, robot):
        return Judged(judge(motion, robot, options), motion, robot)
    from poise.simulation import replay

    controller = None
    if stabilised:
        from poise.engines.multicontact import Steadied

        controller = Steadied(robot, motion)
    scene = scene_of(motion)
    replayed, outcome = replay(robot, motion, simulation, scene, controller=controller)
    verdict = PhysicsVerdict(
        outcome.upright,
        outcome.fell_at,
        outcome.tilt_max_deg,
        outcome.drift_m,
        outcome.slip_m,
        outcome.saturation,
    )
    return Judged(judge(motion, robot, options, verdict), motion, robot, replayed)


def _playable(motion: Motion, robot: Robot) -> bool:
    """Whether a simulator can make sense of it at all; what is wrong with it the judge says."""
    return (
        len(motion) > 1
        and set(motion.joint_names) == set(robot.joint_names)
        and bool(np.isfinite(motion.q).all() and np.isfinite(motion.v).all())
        and bool((np.diff(motion.time) > 0.0).all())
        and bool(np.allclose(np.linalg.norm(motion.q[:, 3:7], axis=1), 1.0, atol=1e-2))
    )


def scene_of(motion: Motion) -> Scene | None:
    """What stands around in a motion, as its recipe tells it."""
    told = motion.recipe.get("environment")
    if not isinstance(told, list) or not told:
        return None
    import pinocchio as pin

    from poise.simulation import Scene, Solid

    solids = [
        Solid(
            solid["kind"],
            tuple(solid["size"]),
            pin.SE3(pin.rpy.rpyToMatrix(*solid["rpy"]), np.array(solid["position"])),
            solid["friction"],
            (int(solid["colour"][0]), int(solid["colour"][1]), int(solid["colour"][2])),
        )
        for solid in told
    ]
    return Scene(tuple(solids))


def simulate(
    motion: Motion, robot: AnyRobot = None, options: SimulationOptions | None = None
) -> Motion:
    """What really happens when a simulated robot plays a motion by its joint servos."""
    from poise.simulation import replay

    return replay(robot_of(motion, robot), motion, options, scene_of(motion))[0]


def write_report(judged: Judged, path: str | Path) -> Path:
    """One self-contained HTML page: verdict, 3D playback, plots, all on one timeline."""
    from poise.checks.html import write_html
    from poise.viewer.looks import looks_of

    looks = looks_of(judged.robot)
    write_html(judged.report, judged.motion, judged.robot, Path(path), judged.replayed, looks)
    return Path(path)


def walk(robot: Robot | str | Path, style: Any = "normal", steps: int = 20, **more: Any) -> Motion:
    """A walk in a style, from standing to standing.

    Args:
        robot: who walks.
        style: a preset's name, a Style, or the path of a style's TOML.
        steps: how many.
        **more: see `poise.engines.expressive.walk`.
    """
    from poise.engines.expressive import walk as expressive_walk

    robot = robot if isinstance(robot, Robot) else load_robot(robot)
    return expressive_walk(robot, style, steps, **more)


def plan(
    robot: Robot | str | Path, scene: Any, options: PlanOptions | None = None, **more: Any
) -> Motion:
    """A motion through the contact phases of a scene, its constraints certified.

    Args:
        robot: who moves.
        scene: a shipped scene's name, or the path of a scene's TOML.
        options: weights of the cost and effort of the solver.
        **more: see `poise.engines.multicontact.plan`.
    """
    from poise.engines.multicontact import plan as multicontact_plan

    robot = robot if isinstance(robot, Robot) else load_robot(robot)
    return multicontact_plan(robot, scene, options, **more)


def balance(
    robot: Robot | str | Path,
    scenario: Any = "stand",
    settings: Any = None,
    pushes: Any = (),
    seed: int = 0,
) -> Motion:
    """A robot that keeps its balance in the simulator, recorded.

    Args:
        robot: who balances.
        scenario: a shipped name, a Scenario, or the path of its TOML.
        settings: knobs of controller and scenario to set on top.
        pushes: further pushes (`poise.engines.balance.Shove`).
        seed: of the sensors' noise.
    """
    from poise.balancing import balance_trial

    return balance_trial(robot, scenario, settings, tuple(pushes), seed).handed_out


# -- looking ---------------------------------------------------------------------------


def view(motion: Motion, robot: AnyRobot = None, **more: Any) -> Any:
    """Open a motion in the browser; see `poise.viewer.view` for the rest."""
    from poise.viewer import view as open_page

    return open_page(motion, robot_of(motion, robot), **more)


def standing(robot: Robot, duration: float = 1.0, rate: float = 100.0) -> Motion:
    """A robot that does nothing but stand in half-sitting [s, Hz]."""
    time = np.arange(round(duration * rate) + 1) / rate
    q = np.tile(robot.half_sitting, (len(time), 1))
    return motion_of(robot, time, q, contacts=_both_feet(robot, duration))


def _both_feet(robot: Robot, duration: float) -> Any:
    from poise.contacts import ContactPlan, Touch

    at = robot.at(robot.half_sitting)
    return ContactPlan.of(
        Touch(part, 0.0, duration, at.pose(part), robot.soles[part].points) for part in robot.feet
    )


def simulate_standing(name: str, duration: float) -> str:
    """Let a robot stand in the simulator for a while [s]; one line that says how it went."""
    from time import perf_counter

    from poise.simulation import replay

    robot = load_robot(name)
    start = perf_counter()
    _, verdict = replay(robot, standing(robot, duration))
    speed = duration / (perf_counter() - start)
    state = "stands" if verdict.upright else "falls"
    return f"{name} {state}, {speed:.0f} x real time"


def portrait(name: str | Robot, size: tuple[int, int] = (640, 480)) -> np.ndarray:
    """A picture of a robot in half-sitting, (height, width, 3) uint8."""
    from poise.simulation.render import frames

    robot = name if isinstance(name, Robot) else load_robot(name)
    return frames(robot, [robot.half_sitting], size)[0]


def picture(
    motion: Motion,
    path: str | Path,
    robot: AnyRobot = None,
    count: int = 8,
    size: tuple[int, int] = (320, 400),
    title: str | None = None,
) -> Path:
    """A film strip of a motion: evenly spaced instants side by side, without a display."""
    from poise.simulation.render import frames
    from poise.viewer.pictures import film_strip

    robot = robot_of(motion, robot)
    rows = np.unique(np.linspace(0, len(motion) - 1, count).round().astype(int))
    images = frames(robot, _poses(motion, robot, rows), size, scene=scene_of(motion))
    film_strip(images, [float(motion.time[k]) for k in rows], Path(path), title=title)
    return Path(path)


def video(
    motion: Motion,
    path: str | Path,
    robot: AnyRobot = None,
    rate: float = 30.0,
    size: tuple[int, int] = (640, 480),
) -> Path:
    """A video of a motion, without a display; .mp4 or .gif by the suffix."""
    from poise.simulation.render import frames
    from poise.viewer.pictures import video as compose

    robot = robot_of(motion, robot)
    times = np.arange(motion.time[0], motion.time[-1] + 1e-9, 1.0 / rate)
    rows = np.array([motion.row(t) for t in times])
    images = frames(robot, _poses(motion, robot, rows), size, scene=scene_of(motion))
    compose(images, Path(path), rate)
    return Path(path)


def _poses(motion: Motion, robot: Robot, rows: Sequence[int] | np.ndarray) -> list[np.ndarray]:
    ordered = motion.ordered_as(robot.joint_names)
    return [ordered.q[k] for k in rows]
