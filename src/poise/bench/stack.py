"""Frame tasks on a floating robot: one tick of poise against mink, pink and placo.

Everybody gets the same robot, the same eight frames whose targets go up and down, the same
regularising posture, joint and speed limits, period and gain. A tick is new targets, one solve,
one step and the model at its end. How far everybody stays from the targets is compared, too:
only answers to the same question may be compared in speed.

The strict stack answers another question with the same frames and the same posture: feet first,
then base and chest, then hands, then knees, then the posture; it is put beside the same peers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin

from poise.bench.measure import Absent, Result, compare
from poise.bench.peers import bare_urdf, in_turns
from poise.control import InverseKinematics, KinematicsOptions, StrictStack
from poise.errors import PoiseError
from poise.robot import Robot, load_robot
from poise.tasks import FramePose, Posture, Task

DT, GAIN = 0.005, 0.5  # [s], share of the error that goes in one tick
SIZE, RATE = 0.01, 0.03  # [m], [rad] in a tick
POSTURE = 1e-2  # cost of the posture; its square is the weight
LIMITS = {"mink": 0.5, "pink": 0.5, "placo": 3.0}
AGREE = 0.5  # [mm], how far apart tracking errors may be in a fair comparison
PEERS = {name: f"stack_{name}.py" for name in LIMITS}
KNEE = 3  # of the joints of a leg
ORDER = (1, 2), (0, 5), (3, 4), (6, 7)  # of the strict levels: feet, base and chest, hands, knees


class Ticks:
    """One tick after the other, by a solver of poise."""

    def __init__(self, robot: Robot, frames: list[dict[str, Any]], strict: bool) -> None:
        self.robot, self.strict = robot, strict
        self.soft = InverseKinematics(robot, KinematicsOptions(dt=DT, margin=0.0))
        self.stack = StrictStack(robot)
        self.q, self.at = robot.half_sitting.copy(), robot.still(robot.half_sitting)
        self.links = [frame["link"] for frame in frames]
        self.places = np.array([frame["p"] for frame in frames])
        poses = [pin.SE3(np.array(f["R"]), np.array(f["p"])) for f in frames]
        self.points = [pose.translation for pose in poses]  # views: targets are written into them
        self.tasks = [
            Task(link, FramePose(link, pose), 1.0, GAIN / DT)
            for link, pose in zip(self.links, poses, strict=True)
        ]
        self.rest = Task("posture", Posture(robot.half_sitting[7:]), POSTURE**2, GAIN / DT)
        self.order = [[self.tasks[k] for k in level] for level in ORDER] + [[self.rest]]
        self.phases, self.clock = np.arange(len(frames)), 0

    def targets(self) -> np.ndarray:
        """Where the frames should be [m], (n, 3)."""
        return self.places + np.outer(
            SIZE * np.sin(RATE * self.clock + self.phases), [0.0, 0.0, 1.0]
        )

    def __call__(self) -> None:
        """New targets, velocities, a step."""
        self.clock += 1
        for point, target in zip(self.points, self.targets(), strict=True):
            point[:] = target
        if self.strict:
            v = self.stack.solve(self.at, self.order)
        else:
            v = self.soft.solve(self.at, [*self.tasks, self.rest])
        self.q = pin.integrate(self.robot.model, self.q, DT * v)
        self.at.refresh(self.q)

    def error(self) -> float:
        """How far the frames are from their targets [mm], root mean square."""
        gaps = self.targets() - [self.at.position(link) for link in self.links]
        return float(1e3 * np.sqrt(3.0 * np.mean(np.square(gaps))))


def frames_of(robot: Robot) -> list[dict[str, Any]]:
    """Eight frames: base, feet, hands, chest, knees, each the frame of a moving body."""
    links = [robot.parts[p] for p in ("base", *robot.feet, "left_hand", "right_hand", "chest")]
    joints = [_mover(robot, link) for link in links]
    joints += [robot.model.getJointId(robot.groups[f"{s}_leg"][KNEE]) for s in ("left", "right")]
    at = robot.at(robot.half_sitting)
    found = []
    for joint in joints:
        link = _link(robot, joint)
        T = at.pose(link)
        name = robot.model.names[joint]
        found.append(
            {"joint": name, "link": link, "p": T.translation.tolist(), "R": T.rotation.tolist()}
        )
    return found


def problem_of(robot: Robot, frames: list[dict[str, Any]]) -> dict[str, Any]:
    """What the peers are told."""
    from poise.simulation.skeleton import skeleton

    spec, _ = skeleton(robot)
    spec.compile()
    return {
        "urdf": bare_urdf(robot),
        "mjcf": spec.to_xml(),
        "joints": list(robot.joint_names),
        "q": robot.half_sitting.tolist(),
        "lower": robot.lower.tolist(),
        "upper": robot.upper.tolist(),
        "speed": robot.velocity_limit.tolist(),
        "frames": frames,
        "dt": DT,
        "gain": GAIN,
        "posture": POSTURE,
        "size": SIZE,
        "rate": RATE,
    }


def run(names: tuple[str, ...] = ("g1", "talos")) -> list[Result | Absent]:
    """Measure robots, one after the other."""
    return [row for name in names for row in measured(load_robot(name))]


def measured(robot: Robot, rounds: int = 20) -> list[Result | Absent]:
    """Poise and its peers on one robot."""
    frames = frames_of(robot)
    soft, strict = Ticks(robot, frames, strict=False), Ticks(robot, frames, strict=True)
    mine: dict[str, Callable[[], None]] = {"soft": soft, "strict": strict}
    what = f"IK tick, 8 frames, {robot.name}"
    times, told, absent = in_turns(what, problem_of(robot, frames), PEERS, mine, rounds)
    results: list[Result | Absent] = []
    for peer, limit in LIMITS.items():
        if peer not in times:
            continue
        gap = abs(told[peer]["error_mm"] - soft.error())
        if gap > AGREE:
            raise PoiseError(
                f"{what}: {peer} is {told[peer]['error_mm']:.2f} mm from its targets and poise "
                f"{soft.error():.2f} mm; they do not answer the same question."
            )
        results.append(compare(what, times["soft"], peer, times[peer], limit))
        strictly = f"strict stack, 8 frames, {robot.name}"
        results.append(compare(strictly, times["strict"], peer, times[peer], limit))
    return [*results, *absent]


def _mover(robot: Robot, link: str) -> int:
    return int(robot.model.frames[robot.model.getFrameId(link)].parentJoint)


def _link(robot: Robot, joint: int) -> str:
    """A link whose frame is the joint's own: named alike by everybody who reads the URDF."""
    for frame in robot.model.frames:
        own = frame.parentJoint == joint and frame.placement.isIdentity(1e-9)
        if own and frame.type == pin.FrameType.BODY and frame.name not in robot.parts:
            return str(frame.name)
    raise PoiseError(f"{robot.name}: no link lies at the joint {robot.model.names[joint]}.")
