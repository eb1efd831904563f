"""The front door: what needs two siblings is put together here.

`check` asks the simulator for a replay and hands the verdict to the judge; `picture` asks it
for frames and hands them to whoever composes pictures. Nobody below knows both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from poise import __version__
from poise.checks import CheckOptions, PhysicsVerdict, Report, judge
from poise.io import load as load
from poise.io import save as save
from poise.motion import Controller, Motion, Recording, motion_of
from poise.robot import Robot, load_robot

if TYPE_CHECKING:
    from poise.engines.imitate import ImitateOptions
    from poise.engines.imitate.events import FootEvents
    from poise.engines.multicontact import PlanOptions
    from poise.motion.panels import Panel
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
        physics: also replay it in the simulator by joint servos, open loop; plans through contact
            phases with their balance feedback.
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
    feedback: bool | None = None,
) -> Judged:
    """As `check`, keeping the replay for whoever wants to draw it.

    With `feedback` a whole stabiliser follows the simulated sensors where a motion is a walk;
    where it was planned through contact phases, the ankles push against an unplanned tilt and
    arms that lean give way, which works with any contacts. Without it, servos alone play it.
    Unless told, plans are replayed with it, because they are meant to be, and all others without.
    """
    robot = robot_of(motion, robot)
    if not physics or not _playable(motion, robot):
        return Judged(judge(motion, robot, options), motion, robot)
    from poise.simulation import replay

    controller: Controller | None = None
    through_contacts = motion.recipe.get("engine") == "multicontact"
    if feedback is None:
        feedback = through_contacts
    if feedback and through_contacts:
        from poise.engines.multicontact import Steadied

        known = None if simulation is None else simulation.ankle_stiffness
        controller = Steadied(robot, motion, ankle_stiffness=known)
    elif feedback:
        from poise.walking.follow import FollowMotion

        controller = FollowMotion(robot, motion)
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


def imitate(
    robot: Robot | str | Path,
    trial: Recording | str | Path,
    static: Recording | str | Path | None = None,
    functional: Sequence[Recording | str | Path] = (),
    options: ImitateOptions | None = None,
    physics: bool = True,
) -> Motion:
    """A robot that walks as a recorded person did.

    Args:
        robot: who imitates.
        trial: the walk, as a recording or as its file (C3D, TRC, BVH, AMC).
        static: the same person standing.
        functional: trials in which the legs are swung, for the hip centres.
        options: what is wanted.
        physics: play it slower until the judge and a physics replay find it good.
    """
    return imitated(robot, trial, static, functional, options, physics).motion


def imitated(
    robot: Robot | str | Path,
    trial: Recording | str | Path,
    static: Recording | str | Path | None = None,
    functional: Sequence[Recording | str | Path] = (),
    options: ImitateOptions | None = None,
    physics: bool = True,
    say: Callable[[str], None] = lambda words: None,
    events: FootEvents | None = None,
) -> Imitated:
    """As `imitate`, keeping the plan and the verdict; `events` are used instead of those found."""
    from poise.engines.imitate import ImitateOptions, human
    from poise.engines.imitate.engine import motion_of_plan, plan, slower_still

    robot = robot if isinstance(robot, Robot) else load_robot(robot)
    files = [trial, *([static] if static is not None else []), *functional]
    found = [path for path in map(_a_file, files) if path is not None]
    inputs = {path.name: sha256(path.read_bytes()).hexdigest() for path in found}
    standing = None if static is None else _recorded(static)
    person = human(_recorded(trial), standing, [_recorded(f) for f in functional], events)
    wanted = options or ImitateOptions()
    best: Imitated | None = None
    for attempt in range(ATTEMPTS if physics else 1):
        made = plan(robot, person, wanted)
        told: dict[str, Any] = {
            "inputs": inputs,
            "attempts": attempt + 1,
            "version": __version__,
        }
        if events is not None:
            told["events"] = {
                side: {kind: getattr(events.side(side), kind).tolist() for kind in ("ic", "to")}
                for side in ("left", "right")
            }
        motion = motion_of_plan(made, wanted, told)
        judged = examine(motion, robot, physics)
        now = Imitated(motion, judged, made)
        if best is None or now.rank > best.rank:
            best = now
        if judged.report.ok:
            break
        say(f"{made.slower:.2f} times slower than the person is not good yet: {now.why}")
        verdict = judged.report.physics
        wanted = slower_still(made, wanted, verdict is not None and not verdict.upright)
    assert best is not None
    return best


@dataclass(frozen=True, eq=False)
class Imitated:
    """An imitation with what the judge says about it and the plan it came from."""

    motion: Motion
    judged: Judged
    plan: Any

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """What makes one attempt better than another."""
        report = self.judged.report
        upright = report.physics is not None and report.physics.upright
        return report.ok, upright, -sum(not finding.ok for finding in report.findings)

    @property
    def why(self) -> str:
        """What is not good, in a few words."""
        return ", ".join(f.question for f in self.judged.report.findings if not f.ok)


def compared(found: Imitated) -> tuple[list[Panel], list[str]]:
    """Person and robot side by side: panels, and how alike they are in sentences."""
    from poise.engines.imitate.comparison import comparison
    from poise.engines.imitate.fidelity import fidelity

    made = found.plan
    sentences = [
        str(fidelity(made)),
        f"{made.slower:.2f} times slower than the person, steps {made.draft.walk.stride:.2f} of the"
        f" marionette's; the person's lengths are scaled by the legs, its times by the slowness.",
        *found.motion.recipe["notes"],
    ]
    return comparison(made), sentences


def write_comparison(found: Imitated, path: str | Path) -> Path:
    """One self-contained HTML page that puts person and robot side by side."""
    from poise.viewer.panels import panels_page

    title = f"{found.motion.robot} walks like {found.plan.person.source}"
    panels, sentences = compared(found)
    return panels_page(panels, title, sentences, str(found.judged.report), path)


ATTEMPTS = 6  # at an imitation, each slower than the one before


def _a_file(given: Recording | str | Path) -> Path | None:
    return None if isinstance(given, Recording) or not Path(given).is_file() else Path(given)


def _recorded(given: Recording | str | Path) -> Recording:
    from poise.io import read_recording

    return given if isinstance(given, Recording) else read_recording(given)


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
    """A video of a motion, without a display; .mp4 or .gif by the suffix.

    Args:
        motion: to show.
        path: of the file.
        robot: who moves; found by the motion when absent.
        rate: pictures a second [Hz].
        size: width and height [px].
    """
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
