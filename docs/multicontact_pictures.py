"""Make the hop of docs/engines/multicontact.md again: `python docs/multicontact_pictures.py`.

Figures 5 and 6 of the paper: the vertical force of the walk over the platform, bounded and not, as
planned and as simulated ankles that sag feel it. Two motion files, bounded then not, are taken
instead of planning again, which takes minutes.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from poise.door import load, plan, scene_of
from poise.engines.multicontact import SceneFile, Steadied, read_scene
from poise.motion import Motion
from poise.motion.panels import Line, Panel
from poise.robot import Robot, load_robot
from poise.simulation import ReplayVerdict, replay, sagging_ankles
from poise.viewer.panels import panels_png

PICTURES = Path(__file__).parent / "pictures"
SAG = 0.01  # [m], of an ankle under 1.25 weights
EDGE = 0.03  # [s], after touching down and before lifting off, that is not counted
NAMES = ("560 to 580 N", "unbounded")


@dataclass(frozen=True, eq=False)
class Felt:
    """What the feet of a simulated robot felt."""

    time: np.ndarray  # [s]
    total: np.ndarray  # [N]
    least: float  # [N], of any foot while it was meant to stand
    when: float  # [s], of that
    verdict: ReplayVerdict


def played(robot: Robot, motion: Motion) -> Felt:
    """A motion on ankles that sag, with balance feedback."""
    world = sagging_ankles(robot, SAG)
    controller = Steadied(robot, motion, ankle_stiffness=world.ankle_stiffness)
    done, verdict = replay(robot, motion, world, scene_of(motion), controller=controller)
    least, when = np.inf, 0.0
    for touch in motion.contacts.touches:
        if touch.part in robot.feet:
            meant = (done.time > touch.start + EDGE) & (done.time < touch.end - EDGE)
            force = np.where(meant, done.forces[touch.part][:, 2], np.inf)
            if force.min() < least:
                least, when = float(force.min()), float(done.time[force.argmin()])
    total = np.sum([done.forces[part][:, 2] for part in robot.feet], axis=0)
    return Felt(done.time, total, least, when, verdict)


def main(files: list[str], name: str = "hrp2") -> None:
    """Draw it."""
    robot = load_robot(name)
    bounded = read_scene("platform")
    # without the bound, and with as much torque as scenes have unless they say otherwise
    scenes = (bounded, replace(bounded, vertical=None, torque=SceneFile.torque))
    motions = [load(f) for f in files] or [plan(robot, scene) for scene in scenes]
    planned, simulated = [], []
    for kind, label, motion in zip(("robot", "person"), NAMES, motions, strict=True):
        force = motion.signals["vertical_force"][:, 0]
        felt = played(robot, motion)
        planned.append(Line(motion.time, force, label, kind))
        simulated.append(Line(felt.time, felt.total, label, kind))
        off = np.abs(force - robot.weight).max()
        verdict = "upright" if felt.verdict.upright else f"falls at {felt.verdict.fell_at:.2f} s"
        print(
            f"{label}: planned {force.min():.1f} to {force.max():.1f} N, at most {off:.1f} N off "
            f"the weight; on sagging ankles {verdict}, tilt {felt.verdict.tilt_max_deg:.1f} deg, "
            f"the feet feel {felt.total.min():.0f} to {felt.total.max():.0f} N, a standing foot "
            f"at least {felt.least:.1f} N (at {felt.when:.2f} s)"
        )
    end = max(motion.duration for motion in motions)
    for share in (1.0, 1.25):
        level = np.full(2, share * robot.weight)
        told = "weight" if share == 1.0 else "125 % of it"
        for lines in (planned, simulated):
            lines.append(Line(np.array([0.0, end]), level, told, "limit", dashed=True))
    panels = [
        Panel("Vertical force, as planned", "time [s]", "force [N]", tuple(planned)),
        Panel("Force under the feet, ankles that sag", "time [s]", "force [N]", tuple(simulated)),
    ]
    panels_png(panels, PICTURES / "multicontact-hop.png")


if __name__ == "__main__":
    main(sys.argv[1:])
