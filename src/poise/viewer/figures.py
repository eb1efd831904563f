"""What is worth drawing about a motion: balance, feet, contacts; recorded or worked out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pinocchio as pin

from poise.contacts import ContactPlan, Touch, support_points, zmp
from poise.errors import BadInput
from poise.motion import Motion
from poise.robot import Robot
from poise.robot.robot import GRAVITY
from poise.solvers.polytope import convex_hull, signed_distance

NEAR_GROUND = 0.008  # [m], a sole this near to the lowest one counts as standing
SHORTEST_STAND = 0.06  # [s], of a guessed contact
SWAY = 0.7  # [s], half of the while over which a sway evens out
LEVEL = 0.01  # [m], contacts of one flat floor differ by less in height
UPRIGHT = 0.995  # cosine of the steepest floor that counts as flat
FLYING = 0.05  # of the weight: with less force under the feet there is no ZMP


@dataclass(frozen=True, eq=False)
class Figures:
    """A motion of a robot with what can be drawn of it; arrays have one row per instant."""

    robot: Robot
    motion: Motion  # its joints in the order of the robot
    com: np.ndarray  # [m], (n, 3)
    zmp: np.ndarray  # [m], (n, 3), on the floor; NaN in flight
    force: np.ndarray  # [N], (n, 3), all contacts together, from the change of momentum
    feet: Mapping[str, np.ndarray]  # part -> height of the lowest point of the sole [m], (n,)
    contacts: ContactPlan
    guessed: bool  # whether the contacts were read off the heights of the feet

    @cached_property
    def _supports(self) -> list[np.ndarray]:
        """The support polygon between two switches of the contacts, for each such phase."""
        switches = np.array(self.contacts.switches)
        middles = 0.5 * (switches[1:] + switches[:-1])
        return [support_polygon(self.contacts.active(float(t))) for t in middles]

    def support(self, time: float) -> np.ndarray:
        """The support polygon at a time [s], in the world [m], (k, 3); empty if there is none."""
        switches = self.contacts.switches
        if not switches or not switches[0] <= time <= switches[-1]:
            return np.zeros((0, 3))
        phase = int(np.searchsorted(switches, time, side="right")) - 1
        return self._supports[min(phase, len(self._supports) - 1)] if self._supports else _NOTHING

    @cached_property
    def middle(self) -> np.ndarray:
        """Where the robot is, without its sway: the mean of its CoM over a while [m], (n, 2)."""
        time, com = self.motion.time, self.com[:, :2]
        if len(time) < 3:
            return com
        travelled = np.vstack(
            [np.zeros(2), np.cumsum(0.5 * (com[1:] + com[:-1]) * np.diff(time)[:, None], axis=0)]
        )
        early, late = (np.clip(time + d, time[0], time[-1]) for d in (-SWAY, SWAY))
        mean = [
            (np.interp(late, time, travelled[:, k]) - np.interp(early, time, travelled[:, k]))
            / (late - early)
            for k in range(2)
        ]
        return np.column_stack(mean)

    @cached_property
    def footprints(self) -> tuple[tuple[str, np.ndarray], ...]:
        """Where the feet were put down: part, and outline in the world [m], (k, 3)."""
        prints: list[tuple[str, np.ndarray]] = []
        for touch in self.contacts.touches:
            sole = self.robot.soles.get(touch.part)
            if sole is not None and not touch.is_edge:
                T = touch.T_world_surface
                outline = sole.outline @ T.rotation.T + T.translation
                if not any(
                    part == touch.part and np.allclose(outline, other, atol=1e-3)
                    for part, other in prints
                ):
                    prints.append((touch.part, outline))
        return tuple(prints)


_NOTHING = np.zeros((0, 3))


def figures_of(robot: Robot, motion: Motion) -> Figures:
    """All figures of a motion: its own signals "com" and "zmp" where it has them, else computed."""
    if len(motion) == 0:
        raise BadInput("motion", "time", "empty", "at least one instant")
    if set(motion.joint_names) != set(robot.joint_names):
        odd = sorted(set(motion.joint_names) ^ set(robot.joint_names))
        raise BadInput(
            "motion",
            "joint_names",
            f"of another robot ({odd[0]} is not in both)",
            f"the {robot.na} joints of {robot.name}",
        )
    motion = motion.ordered_as(robot.joint_names)
    com, momentum, poses = _sweep(robot, motion)
    feet = {
        part: (robot.soles[part].outline @ R[:, 2, :, None])[..., 0].min(axis=1) + p[:, 2]
        for part, (R, p) in poses.items()
    }
    guessed = not motion.contacts.touches
    contacts = _guess(robot, motion, feet, poses) if guessed else motion.contacts
    force, moment = _contact_wrench(robot, motion.time, com, momentum)
    figures = Figures(
        robot=robot,
        motion=motion,
        com=_signal(motion, "com", com),
        zmp=np.full_like(com, np.nan),
        force=force,
        feet=feet,
        contacts=contacts,
        guessed=guessed,
    )
    return replace(figures, zmp=_signal(motion, "zmp", _zmp(figures, moment)))


def margin(point: np.ndarray, polygon: np.ndarray) -> float:
    """How far a point is inside of a support polygon, seen from above [m].

    Negative outside; NaN without a polygon or a point.
    """
    if len(polygon) < 3 or not np.isfinite(point[:2]).all():
        return float("nan")
    return float(signed_distance(point[:2], polygon[:, :2]))


def support_polygon(touches: tuple[Touch, ...]) -> np.ndarray:
    """The hull of contacts on one flat floor, counter-clockwise, (k, 3) [m].

    Empty when the contacts are not on one level: then no polygon tells who is in balance.
    """
    points = support_points(touches)
    level = all(touch.normal[2] > UPRIGHT for touch in touches)
    if len(points) < 3 or not level or np.ptp(points[:, 2]) > LEVEL:
        return _NOTHING
    corners = convex_hull(points[:, :2])
    return np.column_stack([corners, np.full(len(corners), points[:, 2].mean())])


# -- working it out ------------------------------------------------------------------------


def _sweep(
    robot: Robot, motion: Motion
) -> tuple[np.ndarray, np.ndarray, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """Centre of mass (n, 3), momentum (n, 6), and rotations and positions of the feet."""
    model, n = robot.model, len(motion)
    data = model.createData()
    com, momentum = np.empty((n, 3)), np.empty((n, 6))
    frames = {part: robot.frame_id(part) for part in robot.feet}
    poses = {part: (np.empty((n, 3, 3)), np.empty((n, 3))) for part in frames}
    for k in range(n):
        momentum[k] = pin.computeCentroidalMomentum(model, data, motion.q[k], motion.v[k]).vector
        com[k] = data.com[0]
        for part, frame in frames.items():
            T = pin.updateFramePlacement(model, data, frame)
            poses[part][0][k], poses[part][1][k] = T.rotation, T.translation
    return com, momentum, poses


def _contact_wrench(
    robot: Robot, time: np.ndarray, com: np.ndarray, momentum: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Force of all contacts, and its moment about the world origin: momentum changes by them."""
    rate = np.gradient(momentum, time, axis=0) if len(time) > 1 else np.zeros_like(momentum)
    force = rate[:, :3] + [0.0, 0.0, robot.mass * GRAVITY]
    return force, rate[:, 3:] + np.cross(com, force)


def _zmp(figures: Figures, moment: np.ndarray) -> np.ndarray:
    time, force = figures.motion.time, figures.force
    floor = np.array([p[:, 2].mean() if len(p := figures.support(t)) else 0.0 for t in time])
    point = np.full((len(time), 3), np.nan)
    stands = force[:, 2] > FLYING * figures.robot.weight
    point[stands, :2] = _zmp_at(force[stands], moment[stands], floor[stands])
    point[stands, 2] = floor[stands]
    return point


def _zmp_at(force: np.ndarray, moment: np.ndarray, height: np.ndarray) -> np.ndarray:
    """The ZMP of wrenches about the world origin, each on its own level [m], (n, 2)."""
    raised = moment - np.cross(np.column_stack([0.0 * height, 0.0 * height, height]), force)
    return zmp(force, raised)


def _signal(motion: Motion, name: str, computed: np.ndarray) -> np.ndarray:
    """A recorded signal, filled up to three columns from what was computed."""
    recorded = motion.signals.get(name)
    if recorded is None or recorded.shape[1] not in (2, 3):
        return computed
    filled = computed.copy()
    filled[:, : recorded.shape[1]] = recorded
    if recorded.shape[1] == 2:  # only where it is on the floor was recorded
        filled[:, 2] = np.where(np.isnan(filled[:, 2]), 0.0, filled[:, 2])
    return filled


def _guess(
    robot: Robot,
    motion: Motion,
    feet: Mapping[str, np.ndarray],
    poses: Mapping[str, tuple[np.ndarray, np.ndarray]],
) -> ContactPlan:
    """Contacts read off the heights of the feet, for motions that do not tell theirs."""
    if not feet:
        return ContactPlan()
    ground = min(float(np.percentile(heights, 5.0)) for heights in feet.values())
    touches = []
    for part, heights in feet.items():
        R, p = poses[part]
        down = (heights < ground + NEAR_GROUND) & (R[:, 2, 2] > UPRIGHT)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], down.astype(int), [0]])))
        for first, last in zip(edges[::2], edges[1::2] - 1, strict=True):
            start, end = float(motion.time[first]), float(motion.time[last])
            if end - start >= min(SHORTEST_STAND, motion.duration):
                k = (first + last) // 2
                flat = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, np.arctan2(*R[k, [1, 0], 0])), p[k])
                touches.append(Touch(part, start, end, flat, robot.soles[part].points))
    return ContactPlan.of(touches)
