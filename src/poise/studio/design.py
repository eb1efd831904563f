"""A walk as it is being designed: a style to start from, and the sliders moved since.

Numbers are kept exactly as they are told to `poise walk --set`, so that the page, the command and
a recipe make the same motion to the last digit.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from poise.engines.expressive import Style, find_style, knobs_for, preset_names
from poise.robot import Robot


@dataclass(frozen=True)
class WalkDesign:
    """A style and what was changed on it."""

    base: Style
    settings: Mapping[str, Any] = field(default_factory=dict)  # knob -> value in SI units
    pose: Mapping[str, float] = field(default_factory=dict)  # joint -> angle [rad]

    @staticmethod
    def of(name: str) -> WalkDesign:
        """The design of a preset."""
        return WalkDesign(find_style(name))

    @property
    def preset(self) -> str | None:
        """The preset it started from, if it did."""
        name = self.base.name
        return name if name in preset_names() and find_style(name) == self.base else None

    def style(self, robot: Robot) -> Style:
        """The style on a robot, as `poise walk` would make it."""
        style = self.base.set_on(robot, self.settings, "studio")
        if self.pose:
            style = style.set_on(robot, {"rest_pose": {**style.rest_pose, **self.pose}}, "studio")
        return style

    def with_setting(self, name: str, value: Any) -> WalkDesign:
        """The same with one knob set, in SI units."""
        return replace(self, settings={**self.settings, name: value})

    def with_joint(self, joint: str, angle: float) -> WalkDesign:
        """The same with one joint of the rest pose set [rad]."""
        return replace(self, pose={**self.pose, joint: angle})

    def with_joints(self, angles: Mapping[str, float]) -> WalkDesign:
        """The same with some joints of the rest pose set [rad]."""
        return replace(self, pose={**self.pose, **angles})

    def value(self, robot: Robot, name: str) -> Any:
        """The value of a knob on a robot, in SI units."""
        return self.settings.get(name, self.base.value_on(robot, name))

    def file_needed(self) -> bool:
        """Whether the command needs the style as a file: it names joints or words of its own."""
        return bool(self.pose or (self.base.rest_pose and self.preset is None))

    def command(self, robot: Robot, steps: int, robot_spec: str = "") -> str:
        """The `poise walk` line that makes the same motion.

        Args:
            robot: who walks.
            steps: how many.
            robot_spec: name or path of the robot on the command line; its name when absent.
        """
        spec = robot_spec or robot.name
        words = ["poise", "walk", "--robot", spec]
        if self.file_needed():
            words += ["--style", style_file(self.base.name)]
            told: Mapping[str, Any] = {}  # the file has them all
        elif self.preset is not None:
            words += ["--style", self.preset]
            told = self.settings
        else:
            style, normal = self.style(robot), Style()
            words += ["--style", "normal"]
            told = {
                name: style.value_on(robot, name)
                for name in knobs_for(robot)
                if getattr(style, name) != getattr(normal, name)
            }
        for name, value in told.items():
            words += [
                "--set",
                f"{name}={float(value)!r}" if isinstance(value, float) else f"{name}={value}",
            ]
        words += ["--steps", str(steps), "--out", "walk.npz"]
        return " ".join(shlex.quote(word) for word in words)


def style_file(name: str) -> str:
    """A file name for a style, of letters, digits and dashes."""
    plain = "".join(c if c.isalnum() else "-" for c in name.lower()).strip("-")
    return f"{plain[:40] or 'style'}.toml"
