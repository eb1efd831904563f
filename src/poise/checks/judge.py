"""The judge: every question, asked of one motion."""

from __future__ import annotations

from collections.abc import Callable

from poise.checks import (
    contact_hold,
    ground,
    joint_limits,
    joint_torque,
    joint_velocity,
    jumps,
    readable,
    rest,
    self_collision,
    support,
    swing,
    zmp,
)
from poise.checks import frames_and_units as frames
from poise.checks.evidence import Evidence
from poise.checks.finding import Finding, unanswered
from poise.checks.options import CheckOptions
from poise.checks.physics import PhysicsVerdict
from poise.checks.report import Report
from poise.motion import Motion
from poise.robot import Robot

Question = Callable[[Evidence], tuple[Finding, ...]]

# from the plainest to the most derived: the first that fails is usually the reason
QUESTIONS: tuple[tuple[tuple[str, ...], Question], ...] = (
    ((frames.PLAUSIBLE,), frames.frames_and_units),
    ((joint_limits.POSITION,), joint_limits.joint_position),
    ((joint_velocity.SPEED,), joint_velocity.joint_velocity),
    ((joint_velocity.AGREEMENT,), joint_velocity.velocity_agreement),
    ((joint_limits.COUPLINGS,), joint_limits.couplings),
    ((jumps.POSITION, jumps.VELOCITY, jumps.ACCELERATION), jumps.jumps),
    (contact_hold.NAMES, contact_hold.contact_hold),
    ((swing.CLEARANCE, swing.DRAG), swing.swing),
    ((ground.BODY,), ground.body_above_ground),
    ((self_collision.CLEAR,), self_collision.self_collision),
    ((support.SUPPORT, support.FLIGHT), support.support),
    ((zmp.MARGIN,), zmp.zmp_margin),
    ((joint_torque.TORQUE,), joint_torque.joint_torque),
    ((rest.START, rest.END), rest.rest),
)


def judge(
    motion: Motion,
    robot: Robot,
    options: CheckOptions | None = None,
    physics: PhysicsVerdict | None = None,
) -> Report:
    """Ask every question of a motion; a bad motion gives findings, never an error.

    Args:
        motion: what is judged.
        robot: the robot it is for.
        options: what is accepted.
        physics: what a replay in a simulator showed, if there was one.
    """
    first, ordered = readable.readable(motion, robot)
    if ordered is None:
        why = next((f.detail for f in first if not f.ok), "the motion cannot be read")
        rest_of = tuple(unanswered(name, why) for names, _ in QUESTIONS for name in names)
        report = Report(first + rest_of, robot=robot.name, duration=_duration(motion))
        return report if physics is None else report.with_physics(physics)
    evidence = Evidence(ordered, robot, options or CheckOptions())
    findings = first + tuple(found for _, ask in QUESTIONS for found in ask(evidence))
    report = Report(findings, robot=robot.name, duration=motion.duration, evidence=evidence)
    return report if physics is None else report.with_physics(physics, evidence.travelled)


def _duration(motion: Motion) -> float:
    """How long an unreadable motion says it is [s]."""
    duration = motion.duration
    return duration if duration == duration and duration > 0.0 else 0.0
