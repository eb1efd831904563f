"""A humanoid of boxes as URDF text, drawn in any dialect that URDFs are found in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pinocchio as pin

Namer = Callable[[str, str], str]  # side ("left", "right", ""), name -> name in the file


def snake(side: str, name: str) -> str:
    return f"{side}_{name}" if side else name


STYLES: dict[str, Namer] = {
    "left_knee": snake,
    "l_knee": lambda side, name: f"{side[0]}_{name}" if side else name,
    "knee_l": lambda side, name: f"{name}_{side[0]}" if side else name,
    "LKnee": lambda side, name: side[:1].upper() + name.title().replace("_", ""),
    "LeftKnee": lambda side, name: side.title() + name.title().replace("_", ""),
    "LLEG_KNEE": lambda side, name: f"{side[:1].upper()}LIMB_{name.upper()}",
    "limb_left_knee": lambda side, name: f"limb_{side}_{name}" if side else name,
}


@dataclass(frozen=True)
class Joint:
    name: str
    side: str  # "left", "right" or ""
    parent: str  # name of the parent joint, same side or none; "" is the root
    xyz: tuple[float, float, float]
    axis: tuple[float, float, float]
    lower: float
    upper: float
    effort: float
    velocity: float
    mass: float
    box: tuple[float, float, float] = (0.05, 0.05, 0.05)
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)  # middle of the box, and centre of mass


@dataclass(frozen=True)
class Drawing:
    """How the same humanoid is written down."""

    namer: Namer = snake
    R_root_body: np.ndarray = field(default_factory=lambda: np.eye(3))
    shapes: bool = True
    fingers: bool = False
    limits: str = "plain"  # or "missing", "placeholders", "contrary"
    world: str = ""  # "fixed" or "floating": a dummy link before the root
    mimic: tuple[str, str] | None = None  # right joint follows left joint, by plain name
    forearm: float = 0.0  # how far each wrist follows its elbow, when they are coupled
    boots: bool = False  # feet that are wider further up
    tilt: float = 0.0  # [rad], pitch of the soles at the zero posture
    heels: bool = False  # feet longer behind than in front
    mesh: str = ""  # address of a mesh for the chest
    point_head: bool = False  # a head with mass but without inertia


def limb(side: str) -> list[Joint]:
    s = 1.0 if side == "left" else -1.0

    def roll(low: float, high: float) -> tuple[float, float]:
        return (low, high) if s > 0 else (-high, -low)

    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    leg = dict(effort=120.0, velocity=8.0)
    arm = dict(effort=25.0, velocity=8.0)
    return [
        Joint("hip_yaw", side, "", (0, s * 0.09, -0.05), z, *roll(-0.6, 0.8), mass=1.0, **leg),
        Joint("hip_roll", side, "hip_yaw", (0, 0, 0), x, *roll(-0.4, 0.7), mass=1.0, **leg),
        Joint(
            "hip_pitch",
            side,
            "hip_roll",
            (0, 0, 0),
            y,
            -2.0,
            0.7,
            mass=4.0,
            box=(0.1, 0.1, 0.3),
            at=(0, 0, -0.17),
            **leg,
        ),
        Joint(
            "knee",
            side,
            "hip_pitch",
            (0, 0, -0.35),
            y,
            -0.02,
            2.3,
            mass=2.5,
            box=(0.08, 0.08, 0.28),
            at=(0, 0, -0.16),
            **leg,
        ),
        Joint("ankle_pitch", side, "knee", (0, 0, -0.33), y, -1.0, 0.8, mass=0.5, **leg),
        Joint(
            "ankle_roll",
            side,
            "ankle_pitch",
            (0, 0, 0),
            x,
            *roll(-0.5, 0.5),
            mass=1.0,
            box=(0.22, 0.1, 0.03),
            at=(0.04, 0, -0.065),
            **leg,
        ),
        Joint("shoulder_pitch", side, "waist", (0, s * 0.2, 0.3), y, -3.0, 1.5, mass=0.6, **arm),
        Joint(
            "shoulder_roll", side, "shoulder_pitch", (0, 0, 0), x, *roll(-0.2, 2.5), mass=0.6, **arm
        ),
        Joint(
            "shoulder_yaw",
            side,
            "shoulder_roll",
            (0, 0, -0.05),
            z,
            *roll(-1.5, 1.5),
            mass=1.2,
            box=(0.07, 0.07, 0.2),
            at=(0, 0, -0.1),
            **arm,
        ),
        Joint(
            "elbow",
            side,
            "shoulder_yaw",
            (0, 0, -0.23),
            y,
            -2.3,
            0.02,
            mass=0.8,
            box=(0.06, 0.06, 0.18),
            at=(0, 0, -0.1),
            **arm,
        ),
        Joint(
            "wrist_yaw",
            side,
            "elbow",
            (0, 0, -0.23),
            z,
            *roll(-1.5, 1.5),
            mass=0.5,
            box=(0.05, 0.03, 0.12),
            at=(0, 0, -0.06),
            **arm,
        ),
    ]


def joints(drawing: Drawing) -> list[Joint]:
    y, z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    middle = dict(effort=80.0, velocity=6.0)
    found = [
        Joint(
            "waist",
            "",
            "",
            (0, 0, 0.1),
            z,
            -1.0,
            1.0,
            mass=14.0,
            box=(0.18, 0.3, 0.35),
            at=(0, 0, 0.18),
            **middle,
        ),
        Joint("neck_yaw", "", "waist", (0, 0, 0.38), z, -1.2, 1.2, mass=0.3, **middle),
        Joint(
            "neck_pitch",
            "",
            "neck_yaw",
            (0, 0, 0.05),
            y,
            -0.6,
            0.8,
            mass=2.0,
            box=(0.18, 0.15, 0.2),
            at=(0, 0, 0.1),
            **middle,
        ),
        *limb("left"),
        *limb("right"),
    ]
    if drawing.heels:
        found = [replace(j, at=(-0.04, 0, -0.065)) if j.name == "ankle_roll" else j for j in found]
    if drawing.fingers:
        for side in ("left", "right"):
            for k, x in enumerate((-0.02, 0.0, 0.02)):
                found.append(
                    Joint(
                        f"finger{k}",
                        side,
                        "wrist_yaw",
                        (x, 0, -0.13),
                        y,
                        0.0,
                        1.5,
                        0.0,
                        0.0,
                        mass=0.02,
                        box=(0.01, 0.01, 0.05),
                        at=(0, 0, -0.025),
                    )
                )
    return [_limited(j, drawing.limits) for j in found]


def _limited(joint: Joint, how: str) -> Joint:
    if how == "missing":
        return replace(joint, effort=0.0, velocity=0.0)
    if how == "placeholders" and joint.name.startswith(("waist", "shoulder", "elbow", "wrist")):
        return replace(joint, effort=50000.0, velocity=50000.0)
    if how == "contrary" and joint.side == "left" and joint.name in ("knee", "elbow"):
        return replace(joint, lower=-joint.upper, upper=-joint.lower)
    return joint


def urdf(drawing: Drawing) -> str:
    """The text of the file."""
    name = drawing.namer
    R = drawing.R_root_body

    def link(key: str, mass: float, box: tuple, at: np.ndarray, turn: str = "0 0 0") -> str:
        inertia = np.full(3, 0.4 * mass * (0.5 * max(box)) ** 2)
        if drawing.point_head and key == name("", "neck_pitch_link"):
            inertia = np.zeros(3)
        origin = f'<origin xyz="{_text(at)}" rpy="{turn}"/>'
        shape = f'{origin}<geometry><box size="{_text(box)}"/></geometry>'
        if drawing.tilt and "ankle_roll" in key:
            origin = f'<origin xyz="{_text(at)}" rpy="0 {drawing.tilt} 0"/>'
            shape = f'{origin}<geometry><box size="{_text(box)}"/></geometry>'
        if drawing.mesh and key == name("", "waist_link"):
            shape = f'<geometry><mesh filename="{drawing.mesh}"/></geometry>'
        solids = f"<visual>{shape}</visual><collision>{shape}</collision>"
        if drawing.boots and "ankle_roll" in key:
            wide = '<origin xyz="0 0 -0.03"/><geometry><box size="0.3 0.16 0.02"/></geometry>'
            solids += f"<collision>{wide}</collision>"
        return (
            f'<link name="{key}"><inertial>{origin}<mass value="{mass}"/>'
            f'<inertia ixx="{inertia[0]}" iyy="{inertia[1]}" izz="{inertia[2]}"'
            ' ixy="0" ixz="0" iyz="0"/></inertial>' + (solids if drawing.shapes else "") + "</link>"
        )

    to_root = _text(pin.rpy.matrixToRpy(R.T))
    parts = [link("pelvis", 8.0, (0.15, 0.2, 0.12), np.zeros(3), to_root)]
    if drawing.world:
        parts.insert(0, '<link name="world"/>')
        parts.append(
            f'<joint name="world_joint" type="{drawing.world}">'
            '<parent link="world"/><child link="pelvis"/></joint>'
        )
    sides = {j.name: j.side for j in joints(drawing)}
    for j in joints(drawing):
        own = name(j.side, j.name)
        side = sides.get(j.parent, "") and j.side
        parent = name(side, f"{j.parent}_link") if j.parent else "pelvis"
        xyz, rpy = (R.T @ np.array(j.xyz), to_root) if not j.parent else (j.xyz, "0 0 0")
        mimic = ""
        if drawing.mimic and (j.side, j.name) == ("right", drawing.mimic[0]):
            mimic = f'<mimic joint="{name("left", drawing.mimic[1])}" multiplier="-1"/>'
        if drawing.forearm and j.name == "wrist_yaw":
            leader, rate = name(j.side, "elbow"), drawing.forearm
            mimic = f'<mimic joint="{leader}" multiplier="{rate if j.side == "left" else -rate}"/>'
        parts.append(link(name(j.side, f"{j.name}_link"), j.mass, j.box, np.array(j.at)))
        parts.append(
            f'<joint name="{own}" type="revolute"><parent link="{parent}"/>'
            f'<child link="{name(j.side, f"{j.name}_link")}"/>'
            f'<origin xyz="{_text(xyz)}" rpy="{rpy}"/><axis xyz="{_text(j.axis)}"/>'
            f'<limit lower="{j.lower}" upper="{j.upper}" effort="{j.effort}"'
            f' velocity="{j.velocity}"/>{mimic}</joint>'
        )
    return f'<robot name="boxy">{"".join(parts)}</robot>'


def _text(values: object) -> str:
    return " ".join(f"{float(v):.17g}" for v in np.asarray(values, dtype=float))
