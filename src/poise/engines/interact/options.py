"""The knobs of being led by the hand, declared once; sizes are those of the paper's robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from poise.engines.interact.size import Size
from poise.errors import BadInput, NotFound
from poise.motion.knobs import Knob, checked, choice, knob, knobs_of
from poise.robot import Robot


@dataclass(frozen=True)
class InteractOptions:
    """How a robot lets itself be led. As declared: for the paper's robot; `on` fits any other."""

    # -- gait ------------------------------------------------------------------------
    single: float = knob(0.6, 0.4, 1.5, "s", "how long one foot swings", "gait", scale="time")
    double: float = knob(
        0.17, 0.02, 0.6, "s", "how long both feet stand between two swings", "gait", scale="time"
    )
    start: float = knob(
        1.4, 0.8, 4.0, "s", "from standing to the first shift of the weight", "gait", scale="time"
    )
    stop: float = knob(1.6, 0.8, 4.0, "s", "from the last landing to rest", "gait", scale="time")
    step_height: float = knob(
        0.05, 0.02, 0.15, "m", "how high a swinging foot is lifted", "gait", scale="length"
    )
    generator: str = choice(
        "timing", ("timing", "both"),
        "what gives way to a new footprint: its time, or time and place together", "gait",
    )  # fmt: skip
    shape: str = choice(
        "plateau", ("plateau", "quartic"), "how the ZMP makes up for it; quartic is the paper's",
        "gait",
    )  # fmt: skip
    in_flight: str = choice(
        "yes", ("yes", "no"), "whether a landing may still be moved when its foot is in the air",
        "gait",
    )  # fmt: skip
    # -- hands -----------------------------------------------------------------------
    hands: str = choice("right", ("right", "left", "both"), "which hands are held", "hands")
    damping: float = knob(
        80.0, 20.0, 400.0, "N s/m", "force over speed of a pulled hand", "hands", scale="damping"
    )
    spin_damping: float = knob(
        6.0, 1.0, 40.0, "N m s/rad", "moment over rate of a turned hand", "hands",
        scale="spin damping",
    )  # fmt: skip
    dead_band: float = knob(2.0, 0.0, 10.0, "N", "a weaker force is none", "hands", scale="force")
    filter_time: float = knob(
        0.02, 0.0, 0.2, "s", "over which forces are averaged", "hands", scale="time"
    )
    ahead: float = knob(
        0.1, 0.0, 0.2, "m", "how far ahead of the hand a foot may be put", "hands", scale="length"
    )
    # -- limits ----------------------------------------------------------------------
    most_force: float = knob(
        60.0, 10.0, 300.0, "N", "a stronger pull stops the robot", "limits", scale="force"
    )
    most_lead: float = knob(
        0.4, 0.1, 1.0, "m", "a hand further from its place stops the robot", "limits",
        scale="length",
    )  # fmt: skip
    most_x: float = knob(
        0.015, 0.002, 0.06, "m", "fluctuation of the ZMP, forward", "limits", scale="length"
    )
    most_y: float = knob(
        0.010, 0.002, 0.04, "m", "fluctuation of the ZMP, sideways", "limits", scale="length"
    )

    def on(self, robot: Robot) -> InteractOptions:
        """The same in SI units for a robot of any size."""
        size = Size.of(robot)
        return replace(
            self,
            **{
                name: getattr(self, name) * size.factor(one.scale)
                for name, one in knobs_of(self).items()
                if one.scale
            },
        )


def options_for(robot: Robot, settings: Mapping[str, Any] | None = None) -> InteractOptions:
    """The options of a robot in SI units, with some of them set.

    Args:
        robot: who is led.
        settings: knob -> value in SI units.
    """
    options = InteractOptions().on(robot)
    known = knobs_for(robot)
    for name, value in (settings or {}).items():
        if name not in known:
            raise NotFound("knob of interact", name, list(known))
        try:
            options = replace(options, **{name: checked("interact", known[name], value)})
        except TypeError as error:
            raise BadInput("interact", name, f"{value!r}", known[name].accepted) from error
    return options


def knobs_for(robot: Robot) -> dict[str, Knob]:
    """Every knob with its range in SI units."""
    size = Size.of(robot)
    return {
        name: one.times(size.factor(one.scale)) if one.scale else one
        for name, one in knobs_of(InteractOptions).items()
    }
