"""Imitate: a whole clip against a retargeter on mink that solves two stages of QPs a frame.

The peer works in the manner of General Motion Retargeting: for every frame two stages of frame
tasks on fourteen bodies, each repeated until its error falls no more. Its targets are the same
person's joint centres and segments, scaled to the robot. It has no footsteps and no dynamics; the
time of poise includes the marionette, the steps, the search for a speed, the inverse kinematics
and every pass of the dynamics filter. Times are per frame: of the clip for the peer, of the robot's
motion, which has more of them because it is slower, for poise; and once more per frame of the clip.
"""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np
import pinocchio as pin

from poise.bench.measure import Absent, Result, compare
from poise.bench.peers import bare_urdf, in_turns
from poise.engines.imitate import ImitateOptions, human
from poise.engines.imitate.engine import plan
from poise.engines.imitate.frames import robot_axes
from poise.engines.imitate.human_model import JOINT_OF, Human
from poise.examples import synthetic_trial
from poise.robot import Robot, load_robot
from poise.robot.quaternion import quat_of
from poise.walking.stature import Stature

FRAMES = 200  # of the clip, that the peer solves
AT_ONCE = 50  # frames in a turn of the peer
ROUNDS = 4
PROMISED = 0.2  # of the peer's time per frame


def run(name: str = "hrp2") -> list[Result | Absent]:
    """Measure one robot on the synthetic trial."""
    robot = load_robot(name)
    trial = synthetic_trial()
    person = human(trial.walk, trial.static)
    options = ImitateOptions(rate=trial.walk.rate)
    made = plan(robot, person, options)
    frames = len(made.time)
    what, peers = f"whole clip, per frame, {name}", {"mink": "imitate_mink.py"}
    times, _, absent = in_turns(
        what,
        problem_of(robot, person),
        peers,
        {"poise": lambda: plan(robot, person, options)},
        ROUNDS,
        each=1,
        warm=1,
    )
    start = process_time()
    made.draft.solve(made.com)
    alone = np.array([(process_time() - start) / frames])
    results = []
    for peer in set(peers) & set(times):
        theirs, two = times[peer] / AT_ONCE, f"{peer}, two stages a frame"
        results += [
            compare(what, times["poise"] / frames, two, theirs, PROMISED),
            compare(
                f"the same, per frame of the clip, {name}",
                times["poise"] / len(person.time),
                two,
                theirs,
            ),
            compare(f"inverse kinematics, per frame, {name}", alone, two, theirs),
        ]
    return [*results, *absent]


def problem_of(robot: Robot, person: Human) -> dict[str, Any]:
    """What the peer is told: bodies, costs of both stages, and targets of every frame.

    Targets are the person's joint centres, scaled by the length of the legs, and the person's
    segments, turned as the robot's bodies are when it stands.
    """
    from poise.simulation.skeleton import skeleton

    spec, _ = skeleton(robot)
    spec.compile()
    pairs = bodies_of(robot)
    at = robot.at(robot.half_sitting)
    places = {joint: path - [0.0, 0.0, person.floor] for joint, path in person.joints.items()}
    places["pelvis"] = 0.5 * (places["left_hip"] + places["right_hip"])
    places["thorax"] = 0.5 * (places["left_shoulder"] + places["right_shoulder"])
    scale = Stature.of(robot).com_height / float(np.nanmean(person.com[:, 2] - person.floor))
    targets: list[list[list[float]]] = []
    for row in range(min(FRAMES, len(person.time))):
        targets.append([])
        for segment, joint in pairs:
            R = robot_axes(person.segments[segment].R[[row]])[0] @ at.data.oMi[joint].rotation
            place = scale * places[_beginning(segment)][row]
            targets[-1].append(_wxyz_xyz(pin.SE3(R, place)))
    start = robot.half_sitting.copy()
    start[:2] = targets[0][0][4:6]
    return {
        "urdf": bare_urdf(robot),
        "mjcf": spec.to_xml(),
        "joints": list(robot.joint_names),
        "lower": robot.lower.tolist(),
        "upper": robot.upper.tolist(),
        "q": start.tolist(),
        "bodies": [_body(robot, segment, joint) for segment, joint in pairs],
        "targets": targets,
        "at_once": AT_ONCE,
    }


def bodies_of(robot: Robot) -> list[tuple[str, int]]:
    """Segments of a person and the bodies of a robot that imitate them."""
    model = robot.model

    def of(part: str) -> int:
        return int(model.frames[model.getFrameId(robot.parts[part])].parentJoint)

    pairs = [("pelvis", of("base")), ("thorax", of("chest"))]
    for side in ("left", "right"):
        leg, arm = robot.groups[f"{side}_leg"], robot.groups[f"{side}_arm"]
        names = {"thigh": leg[2], "shank": leg[3], "upper_arm": arm[2], "forearm": arm[3]}
        pairs += [(f"{side}_{part}", int(model.getJointId(name))) for part, name in names.items()]
        pairs += [(f"{side}_foot", of(f"{side}_foot")), (f"{side}_hand", of(f"{side}_hand"))]
    return pairs


def _beginning(segment: str) -> str:
    """Where a segment begins: a joint, or the trunk's own middle."""
    side, _, part = segment.partition("_")
    return f"{side}_{JOINT_OF[part]}" if part else segment


def _body(robot: Robot, segment: str, joint: int) -> dict[str, Any]:
    held = segment == "pelvis" or segment.endswith("foot")
    place = (100.0, 100.0) if held else (0.0, 10.0)
    return {"joint": robot.model.names[joint], "place": place, "turn": (10.0, 5.0)}


def _wxyz_xyz(T: pin.SE3) -> list[float]:
    x, y, z, w = quat_of(T.rotation)
    return [float(w), float(x), float(y), float(z), *T.translation.tolist()]
