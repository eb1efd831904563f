"""A scene that is being edited: places that can be moved, phases that can be stretched."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.engines.multicontact.scene import SceneFile
from poise.robot import Robot

LEEWAY = 0.05  # of a duration that is kept: the optimiser wants a little room


@dataclass(frozen=True, eq=False)
class Handle:
    """Something of a scene that can be moved."""

    kind: str  # "contact" or "task"
    index: int  # among its kind
    label: str
    place: np.ndarray  # [m], (3,), world


def handles_of(robot: Robot, scene: SceneFile) -> list[Handle]:
    """What can be moved: contacts that are somewhere else than at the start, and targets."""
    at = robot.at(robot.half_sitting)
    found = []
    for k, contact in enumerate(scene.contacts):
        if contact.position is not None:
            found.append(Handle("contact", k, contact.name, np.array(contact.position)))
        elif contact.shift is not None and contact.part in robot.parts:
            place = at.position(contact.part) + np.array(contact.shift)
            found.append(Handle("contact", k, contact.name, place))
    for k, task in enumerate(scene.tasks):
        if task.position is not None:
            found.append(Handle("task", k, task.name or task.part, np.array(task.position)))
    return found


def moved(robot: Robot, scene: SceneFile, handle: Handle, place: np.ndarray) -> SceneFile:
    """The scene with one of its handles somewhere else [m], (3,)."""
    x, y, z = (round(float(v), 4) for v in place)
    if handle.kind == "task":
        tasks = list(scene.tasks)
        tasks[handle.index] = replace(tasks[handle.index], position=(x, y, z))
        return replace(scene, tasks=tuple(tasks))
    contacts = list(scene.contacts)
    contact = contacts[handle.index]
    if contact.position is not None:
        contact = replace(contact, position=(x, y, z))
    else:
        home = robot.at(robot.half_sitting).position(contact.part)
        dx, dy, dz = (round(float(v), 4) for v in np.array([x, y, z]) - home)
        contact = replace(contact, shift=(dx, dy, dz))
    contacts[handle.index] = contact
    return replace(scene, contacts=tuple(contacts))


def stretched(scene: SceneFile, phase: int, duration: float, kept: bool) -> SceneFile:
    """The scene with a phase of another duration [s]; kept, or only where the search starts."""
    phases = list(scene.phases)
    one = replace(phases[phase], duration=duration)
    if kept:
        one = replace(one, shortest=(1.0 - LEEWAY) * duration, longest=(1.0 + LEEWAY) * duration)
    else:
        low, high = min(one.shortest, 0.5 * duration), max(one.longest, 2.0 * duration)
        one = replace(one, shortest=low, longest=high)
    phases[phase] = one
    return replace(scene, phases=tuple(phases))
