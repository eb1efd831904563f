"""Motions made from motions: resampled, cut, mirrored, joined, slowed down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin

from poise.contacts import ContactPlan, Touch
from poise.errors import BadInput
from poise.motion.motion import Motion
from poise.robot import Robot
from poise.robot.robot import BASE_Q


def resampled(motion: Motion, robot: Robot, rate: float) -> Motion:
    """The same motion at another rate [Hz]; rotations along the shortest arc."""
    if not rate > 0.0:
        raise BadInput("resampled", "rate", f"{rate} Hz", "a positive number")
    count = max(int(np.floor(motion.duration * rate + 1e-9)) + 1, 1)
    time = motion.time[0] + np.arange(count) / rate
    k = np.clip(np.searchsorted(motion.time, time, side="right") - 1, 0, max(len(motion) - 2, 0))
    after = np.minimum(k + 1, len(motion) - 1)
    gap = np.where(after > k, motion.time[after] - motion.time[k], 1.0)
    s = (time - motion.time[k]) / gap

    def blend(rows: np.ndarray) -> np.ndarray:
        return (1.0 - s)[:, None] * rows[k] + s[:, None] * rows[after]

    q = np.array(
        [
            pin.interpolate(robot.model, motion.q[a], motion.q[b], float(x))
            for a, b, x in zip(k, after, s, strict=True)
        ]
    )
    return replace(
        motion,
        time=time,
        q=q,
        v=blend(motion.v),
        tau=None if motion.tau is None else blend(motion.tau),
        forces={part: blend(f) for part, f in motion.forces.items()},
        signals={name: blend(x) for name, x in motion.signals.items()},
    )


def cut(motion: Motion, start: float, end: float) -> Motion:
    """What lies between two instants [s], with time starting at zero again."""
    keep = (motion.time >= start - 1e-9) & (motion.time <= end + 1e-9)
    if not keep.any():
        raise BadInput(
            "cut",
            "the span",
            f"{start:g} to {end:g} s",
            f"within {motion.time[0]:g} to {motion.time[-1]:g} s",
        )
    return replace(
        motion,
        time=motion.time[keep] - start,
        q=motion.q[keep],
        v=motion.v[keep],
        tau=None if motion.tau is None else motion.tau[keep],
        contacts=motion.contacts.between(start, end).shifted(-start),
        forces={part: f[keep] for part, f in motion.forces.items()},
        signals={name: x[keep] for name, x in motion.signals.items()},
    )


def mirrored(motion: Motion, robot: Robot) -> Motion:
    """The motion seen in the mirror of the xz plane: left becomes right."""
    v = motion.v.copy()
    v[:, [1, 3, 5]] *= -1.0
    v[:, 6:] = robot.mirror.joints(motion.v[:, 6:])
    flip = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    return replace(
        motion,
        q=robot.mirrored(motion.q),
        v=v,
        tau=None if motion.tau is None else robot.mirror.joints(motion.tau),
        contacts=ContactPlan.of(_mirrored_touch(t) for t in motion.contacts.touches),
        forces={other_side(part): f * flip for part, f in motion.forces.items()},
        signals={},
    )


def other_side(part: str) -> str:
    """left_foot for right_foot, and the other way round."""
    if part.startswith("left_"):
        return "right_" + part.removeprefix("left_")
    if part.startswith("right_"):
        return "left_" + part.removeprefix("right_")
    return part


def _mirrored_touch(touch: Touch) -> Touch:
    M = np.diag([1.0, -1.0, 1.0])
    T = touch.T_world_surface
    image = pin.SE3(M @ T.rotation @ M, M @ T.translation)
    return replace(
        touch, part=other_side(touch.part), T_world_surface=image, points=touch.points @ M
    )


def slowed(motion: Motion, factor: float) -> Motion:
    """The same path in `factor` times the time; torques and forces no longer hold and go."""
    if not factor > 0.0:
        raise BadInput("slowed", "factor", f"{factor}", "a positive number")
    start = motion.time[0]
    touches = tuple(
        replace(t, start=start + factor * (t.start - start), end=start + factor * (t.end - start))
        for t in motion.contacts.touches
    )
    return replace(
        motion,
        time=start + factor * (motion.time - start),
        v=motion.v / factor,
        tau=None,
        forces={},
        contacts=ContactPlan(touches),
    )


def joined(first: Motion, second: Motion) -> Motion:
    """One motion after the other; the second starts one period after the first ends."""
    if first.joint_names != second.joint_names:
        raise BadInput("joined", "the joints", "different", "the same joints in the same order")
    period = first.duration / max(len(first) - 1, 1)
    delay = first.time[-1] + period - second.time[0]
    both_tau = first.tau is not None and second.tau is not None
    return replace(
        first,
        time=np.concatenate([first.time, second.time + delay]),
        q=np.vstack([first.q, second.q]),
        v=np.vstack([first.v, second.v]),
        tau=np.vstack([first.tau, second.tau]) if both_tau else None,  # type: ignore[list-item]
        contacts=ContactPlan(first.contacts.touches + second.contacts.shifted(delay).touches),
        forces={
            part: np.vstack([first.forces[part], second.forces[part]])
            for part in first.forces
            if part in second.forces
        },
        signals={
            name: np.vstack([first.signals[name], second.signals[name]])
            for name in first.signals
            if name in second.signals
        },
        recipe={"joined": [dict(first.recipe), dict(second.recipe)]},
    )


def moved(motion: Motion, T_new_old: pin.SE3) -> Motion:
    """The motion somewhere else in the world: every pose moved by T_new_old."""
    q = motion.q.copy()
    for row in q:
        row[:BASE_Q] = pin.SE3ToXYZQUAT(T_new_old * pin.XYZQUATToSE3(row[:BASE_Q]))
    R = T_new_old.rotation
    touches = tuple(
        replace(t, T_world_surface=T_new_old * t.T_world_surface) for t in motion.contacts.touches
    )
    turned = {
        part: np.hstack([f[:, :3] @ R.T, f[:, 3:] @ R.T]) for part, f in motion.forces.items()
    }
    return replace(motion, q=q, contacts=ContactPlan(touches), forces=turned, signals={})
