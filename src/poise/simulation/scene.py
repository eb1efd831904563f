"""What stands around the robot: a floor and solids, as values."""

from __future__ import annotations

from dataclasses import dataclass, field

import pinocchio as pin

from poise.errors import BadInput

SIZES = {"box": 3, "sphere": 1, "cylinder": 2}


@dataclass(frozen=True, eq=False)
class Solid:
    """A solid that does not move.

    Sizes [m]: box (x, y, z), full lengths; sphere (radius,); cylinder (radius, length), along
    its local z.
    """

    kind: str
    size: tuple[float, ...]
    T_world: pin.SE3 = field(default_factory=pin.SE3.Identity)  # pose of its centre
    friction: float = 0.8
    colour: tuple[int, int, int] = (150, 160, 175)

    def __post_init__(self) -> None:
        if self.kind not in SIZES:
            raise BadInput("solid", "kind", f"'{self.kind}'", ", ".join(SIZES))
        if len(self.size) != SIZES[self.kind] or not all(s > 0.0 for s in self.size):
            raise BadInput(
                "solid", "size", f"{self.size}", f"{SIZES[self.kind]} positive lengths [m]"
            )
        if not self.friction >= 0.0:
            raise BadInput("solid", "friction", f"{self.friction}", "zero or more")


@dataclass(frozen=True, eq=False)
class Scene:
    """Solids, and a floor at z = 0 or none."""

    solids: tuple[Solid, ...] = ()
    floor: bool = True
