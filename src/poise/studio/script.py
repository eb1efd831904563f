"""What was done to a live walk, tick by tick, and how to do it again without a page.

A script is the recipe of everything that was recorded: the robot, the options of the walk, and
every order with the tick before which it was given. Played again it gives the same motion.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from poise.engines.expressive import ExpressiveController, Style, Tick, WalkOptions
from poise.engines.expressive.recorder import motion_of_ticks
from poise.errors import BadInput
from poise.motion import Motion
from poise.robot import Robot

ENGINE = "studio walk"
LONGEST_REPLAY = 2_000_000  # ticks: hours of walking
ORDERS = ("style", "start", "stop", "stand_up")
Order = tuple[int, str, Any]  # tick, what, with what


@dataclass
class Script:
    """Orders in the sequence they were given."""

    options: WalkOptions = field(default_factory=WalkOptions)
    first: Style = field(default_factory=Style)
    orders: list[Order] = field(default_factory=list)

    def add(self, tick: int, what: str, value: Any = None) -> None:
        """Note an order given before a tick; of several styles before one tick the last counts."""
        last = self.orders[-1] if self.orders else None
        if last is not None and what == "style" and last[:2] == (tick, "style"):
            self.orders[-1] = (tick, what, value)
        else:
            self.orders.append((tick, what, value))

    def recipe(self, robot: Robot, start: int, end: int) -> dict[str, Any]:
        """How to make the ticks from `start` up to, without, `end` again."""
        return {
            "engine": ENGINE,
            "options": {
                "controller": asdict(self.options),
                "style": told(self.first),
                "orders": [list(order) for order in self.orders if order[0] < end],
                "ticks": [start, end],
            },
            "inputs": {"robot": robot.name, "model_hash": robot.model_hash},
            "seed": None,
        }


def read_recipe(path: str | Path) -> dict[str, Any]:
    """The recipe of the studio in a JSON file, or inside a motion that was recorded there."""
    path = Path(path)
    if path.suffix.lower() == ".npz":
        from poise.io import load

        recipe: Any = dict(load(path).recipe)
    else:
        try:
            recipe = json.loads(path.read_text(encoding="utf-8"))
        except OSError as problem:
            raise BadInput(path, "the file", problem.strerror or "unreadable", "a recipe") from None
        except ValueError:
            raise BadInput(path, "the text", "not JSON", "a recipe of the studio") from None
    if not isinstance(recipe, dict) or not str(recipe.get("engine")).startswith("studio "):
        raise BadInput(path, "the recipe", "not of the studio", f'engine = "{ENGINE}"')
    return recipe


def told(style: Style) -> dict[str, Any]:
    """A style as plain values."""
    return asdict(style) | {"rest_pose": dict(style.rest_pose)}


def give(controller: ExpressiveController, what: str, value: Any) -> None:
    """Give one order to a walk."""
    if what == "style":
        controller.set_style(Style(**value))
    elif what == "start":
        controller.start(value)
    elif what == "stop":
        controller.stop()
    elif what == "stand_up":
        controller.stand_up()
    else:
        raise BadInput("recipe", "an order", f"'{what}'", ", ".join(ORDERS))


def replay(robot: Robot, recipe: Mapping[str, Any]) -> Motion:
    """The motion of a recipe of the studio, made again without a page."""
    if recipe.get("engine") != ENGINE:
        raise BadInput("recipe", "engine", f"{recipe.get('engine')!r}", f'"{ENGINE}"')
    try:
        options = recipe["options"]
        start, end = (int(k) for k in options["ticks"])
        style, walk_options = Style(**options["style"]), WalkOptions(**options["controller"])
        coming = [(int(k), str(what), value) for k, what, value in options["orders"]]
    except (KeyError, TypeError, ValueError) as problem:
        raise BadInput("recipe", "its options", f"incomplete ({problem})", "as written") from None
    if not 0 <= start < end <= LONGEST_REPLAY:
        raise BadInput("recipe", "ticks", f"{start} to {end}", f"0 to {LONGEST_REPLAY}")
    controller = ExpressiveController(robot, style, walk_options)
    ticks: list[Tick] = []
    for k in range(end):
        while coming and coming[0][0] <= k:
            _, what, value = coming.pop(0)
            give(controller, what, value)
        tick = controller.tick()
        if k >= start:
            ticks.append(tick)
    return recorded(robot, ticks, recipe)


def recorded(robot: Robot, ticks: Sequence[Tick], recipe: Mapping[str, Any]) -> Motion:
    """Recorded ticks as a motion."""
    if len(ticks) < 2:
        raise BadInput("record", "the recording", f"{len(ticks)} instants", "two or more")
    return motion_of_ticks(robot, ticks, recipe)
