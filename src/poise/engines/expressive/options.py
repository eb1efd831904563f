"""The knobs of an expressive walk, declared once.

A Style is portable: lengths and times are counted in sizes of the robot (`scale`), weights in the
units of the robot on which they were calibrated. `Gait.of(robot, style)` turns it into metres and
seconds; `knobs_for(robot)` tells every range in SI units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from math import radians
from typing import Any

from poise.errors import BadInput, NotFound
from poise.motion.knobs import Knob, checked, choice, knob, knobs_of
from poise.robot import Robot
from poise.walking.stature import Stature

GROUPS = ("geometry", "balance", "style")
DEGREE = radians(1.0)


@dataclass(frozen=True)
class Style:
    """How a robot walks, for any robot."""

    # -- geometry --------------------------------------------------------------------
    step_length: float = knob(
        0.45, -1.2, 2.0, "m", "how far a foot lands in front of the other one",
        "geometry", scale="sole length",
    )  # fmt: skip
    spacing: float = knob(
        1.0, 0.85, 1.5, "m", "half the distance of the feet sideways",
        "geometry", scale="step width", rate=0.3,
    )  # fmt: skip
    step_height: float = knob(
        0.075, 0.02, 0.25, "m", "how high a swinging foot is lifted",
        "geometry", scale="CoM height",
    )  # fmt: skip
    sideways: float = knob(
        0.0, -0.25, 0.25, "m", "how far a step goes to the left",
        "geometry", scale="CoM height",
    )  # fmt: skip
    turn: float = knob(
        0.0, -22 * DEGREE, 22 * DEGREE, "rad", "how far a step turns to the left", "geometry"
    )
    # -- balance ---------------------------------------------------------------------
    sway: float = knob(
        1.0, 0.0, 2.0, "", "sideways sway; 1 brings the weight over the standing foot", "balance"
    )
    sway_phase: float = knob(
        0.0, -180 * DEGREE, 180 * DEGREE, "rad", "how much the sway runs ahead of the feet",
        "balance", rate=0.1,
    )  # fmt: skip
    single_support: float = knob(
        2.7, 1.2, 12.0, "s", "how long one foot swings", "balance", scale="fall time", rate=0.15
    )
    double_support: float = knob(
        1.0, 0.2, 5.0, "s", "how long both feet stand", "balance", scale="shift time", rate=0.15
    )
    com_height: float = knob(
        1.0, 0.88, 1.03, "m", "height of the centre of mass",
        "balance", scale="CoM height", rate=0.3,
    )  # fmt: skip
    # -- style -----------------------------------------------------------------------
    momentum: float = knob(
        1.0, 0.01, 200.0, "", "how much the arms balance the turning of the body", "style"
    )
    torque: float = knob(0.1, 0.001, 200.0, "", "how loose arms and head hang", "style")
    rest_pull: float = knob(
        1.0, 0.02, 10.0, "", "how strongly arms and head return to the rest pose", "style"
    )
    chest_pitch: float = knob(
        0.0, -20 * DEGREE, 25 * DEGREE, "rad", "lean of the chest, forward when positive", "style",
        rate=0.5,
    )  # fmt: skip
    head_pitch: float = knob(
        0.0, -40 * DEGREE, 40 * DEGREE, "rad", "bow of the head, down when positive", "style"
    )
    arm_raise: float = knob(
        0.0, -60 * DEGREE, 120 * DEGREE, "rad", "how far the arms are raised in front", "style"
    )
    arm_spread: float = knob(
        0.0, -10 * DEGREE, 60 * DEGREE, "rad", "how far the arms are held off the body", "style"
    )
    # -- laws ------------------------------------------------------------------------
    com_law: str = choice(
        "pendulum", ("pendulum", "middle"),
        "the centre of mass goes as a pendulum falls, or with the middle of the feet", "balance",
    )  # fmt: skip
    com_height_law: str = choice(
        "fixed", ("fixed", "free"), "whether the height of the centre of mass is held", "balance"
    )
    rest_pose: Mapping[str, float] = field(default_factory=dict)  # joint -> angle [rad]
    name: str = "normal"

    def __post_init__(self) -> None:
        for key, one in knobs_of(self).items():
            object.__setattr__(self, key, checked(f"style '{self.name}'", one, getattr(self, key)))

    def changed(self, **changes: Any) -> Style:
        """The same style with some knobs set, in units of the robot."""
        known = [item.name for item in fields(self)]
        for name in changes:
            if name not in known:
                raise NotFound("knob", name, known)
        return replace(self, **changes)

    def set_on(self, robot: Robot, values: Mapping[str, Any], where: str = "style") -> Style:
        """The same style with some knobs set in SI units, as they are shown for a robot."""
        shown = knobs_for(robot)
        sizes = sizes_of(robot)
        changes: dict[str, Any] = {}
        for name, value in values.items():
            if name == "rest_pose":
                changes[name] = checked_pose(robot, value, where)
                continue
            if name not in shown:
                raise NotFound("knob", name, [*shown, "rest_pose"])
            good = checked(where, shown[name], value)
            scale = KNOBS[name].scale
            changes[name] = good / sizes[scale] if scale else good
        return replace(self, **changes)

    def value_on(self, robot: Robot, name: str) -> Any:
        """The value of a knob in SI units, as it is shown for a robot."""
        if name not in KNOBS:
            raise NotFound("knob", name, list(KNOBS))
        scale = KNOBS[name].scale
        value = getattr(self, name)
        return value * sizes_of(robot)[scale] if scale else value


KNOBS: Mapping[str, Knob] = knobs_of(Style)
NUMBERS = tuple(name for name, one in KNOBS.items() if not one.choices)
WORDS = tuple(name for name, one in KNOBS.items() if one.choices)


def sizes_of(robot: Robot) -> dict[str, float]:
    """What one unit of each scale is on a robot [m, s]."""
    stature = Stature.of(robot)
    return {
        "CoM height": stature.com_height,
        "sole length": stature.sole_length,
        "step width": stature.step_width,
        "fall time": stature.time_unit,
        "shift time": stature.shift_time,
    }


def knobs_for(robot: Robot) -> dict[str, Knob]:
    """Every knob with default and range in SI units for a robot."""
    sizes = sizes_of(robot)
    return {name: one.times(sizes[one.scale]) if one.scale else one for name, one in KNOBS.items()}


def checked_pose(robot: Robot, pose: Any, where: str) -> dict[str, float]:
    """A rest pose whose joints exist and whose angles [rad] lie within their limits."""
    if not isinstance(pose, Mapping):
        raise BadInput(where, "rest_pose", f"{pose!r}", "a table of joint = angle [rad]")
    good: dict[str, float] = {}
    for joint, angle in pose.items():
        k = robot.index(joint)
        if isinstance(angle, bool) or not isinstance(angle, int | float):
            raise BadInput(where, f"rest_pose.{joint}", f"{angle!r}", "an angle [rad]")
        if not robot.lower[k] <= angle <= robot.upper[k]:
            raise BadInput(
                where,
                f"rest_pose.{joint}",
                f"{angle:g} rad",
                f"{robot.lower[k]:g} to {robot.upper[k]:g} rad",
            )
        good[joint] = float(angle)
    return good
