"""A recorded person, as the page shows one: joints, markers and when the feet touch the ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import viser

from poise.motion import Mark
from poise.motion.panels import Panel
from poise.viewer import colours
from poise.viewer.canvas import ViserCanvas
from poise.viewer.stage import WORLD

if TYPE_CHECKING:
    from poise.engines.imitate import Human

RATE = 50.0  # [Hz], that is enough to look at
ASIDE = 0.7  # of the robot's height: how far to its left the person walks
BONES = (
    ("left_hip", "right_hip"),
    ("left_shoulder", "right_shoulder"),
    *(
        (f"{side}_{a}", f"{side}_{b}")
        for side in ("left", "right")
        for a, b in (
            ("hip", "knee"),
            ("knee", "ankle"),
            ("ankle", "toe"),
            ("shoulder", "elbow"),
            ("elbow", "wrist"),
        )
    ),
)
Contacts = Mapping[str, Mapping[str, list[float]]]  # "left", "right" -> "ic", "to" -> [s]


@dataclass(frozen=True, eq=False)
class Person:
    """A walk of a person."""

    source: str
    time: np.ndarray  # [s], (n,)
    joints: Mapping[str, np.ndarray]  # [m], (n, 3)
    markers: np.ndarray  # [m], (n, m, 3)
    contacts: Contacts
    height: float  # [m]
    floor: float  # [m]
    notes: tuple[str, ...]

    @staticmethod
    def of(human: Human) -> Person:
        """What is shown of a person."""
        step = max(round(human.rate / RATE), 1)
        joints = {name: np.asarray(path)[::step] for name, path in human.joints.items()}
        for side in ("left", "right"):
            if f"{side}_toe" not in joints and f"{side}_toe" in human.landmarks:
                joints[f"{side}_toe"] = np.asarray(human.landmarks[f"{side}_toe"])[::step]
        points = [np.asarray(path)[::step] for path in human.landmarks.values()]
        n = len(human.time[::step])
        contacts = {
            side: {kind: getattr(human.events.side(side), kind).tolist() for kind in ("ic", "to")}
            for side in ("left", "right")
        }
        return Person(
            human.source,
            np.asarray(human.time)[::step],
            joints,
            np.stack(points, axis=1) if points else np.zeros((n, 0, 3)),
            contacts,
            human.height,
            human.floor,
            tuple(human.notes),
        )

    def pelvis(self, k: int) -> np.ndarray:
        """The middle of the hips over the floor [m], (3,)."""
        hips = [self.joints[name][k] for name in ("left_hip", "right_hip") if name in self.joints]
        middle = np.nanmean(hips, axis=0) if hips else np.zeros(3)
        return np.array([middle[0], middle[1], self.floor])


@dataclass(frozen=True, eq=False)
class Likeness:
    """How like a person a robot walks."""

    clip: tuple[float, float]  # [s], when in the motion the recording plays
    panels: tuple[Panel, ...] = ()  # person and robot in one plot each
    sentences: tuple[str, ...] = ()


class PersonBeside:
    """A person beside the robot, as tall as the robot is.

    Args:
        client: the browser.
        person: who.
        height: of the robot [m].
    """

    def __init__(self, client: viser.ClientHandle, person: Person, height: float) -> None:
        self.person = person
        self._scale = height / max(person.height, 1e-3)
        self._aside = np.array([0.0, ASIDE * height, 0.0])
        self._canvas = ViserCanvas(client, f"{WORLD}/person", height)
        forward = person.pelvis(len(person.time) - 1) - person.pelvis(0)
        heading = float(np.arctan2(forward[1], forward[0]))
        c, s = np.cos(heading), np.sin(heading)
        self._R = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])  # walks along x
        self._client, self._point = client, 0.007 * height
        self._cloud: Any = None

    def show(self, time: float, beside: np.ndarray) -> None:
        """Show the person at an instant of the recording [s], beside a place [m], (3,)."""
        person = self.person
        k = int(np.clip(np.searchsorted(person.time, time), 0, len(person.time) - 1))
        home, there = person.pelvis(k), np.array([beside[0], beside[1], 0.0]) + self._aside

        def placed(points: np.ndarray) -> np.ndarray:
            moved: np.ndarray = self._scale * (points - home) @ self._R.T + there
            return moved

        marks = []
        for a, b in BONES:
            if a in person.joints and b in person.joints:
                bone = placed(np.array([person.joints[a][k], person.joints[b][k]]))
                colour = colours.side_of(a) if a.split("_")[0] == b.split("_")[0] else colours.NOW
                marks.append(Mark(f"{a} {b}", bone, colour))
        ends = [("left_hip", "right_hip"), ("left_shoulder", "right_shoulder")]
        if all(name in person.joints for pair in ends for name in pair):
            spine = [np.mean([person.joints[name][k] for name in pair], axis=0) for pair in ends]
            marks.append(Mark("spine", placed(np.array(spine)), colours.NOW))
        self._canvas.show(marks)
        points = placed(person.markers[k])
        points = points[np.isfinite(points).all(axis=1)].astype(np.float32)
        self._show_markers(points)

    def _show_markers(self, points: np.ndarray) -> None:
        """Draw markers (n, 3); a cloud of none is an error in the browser."""
        if len(points) and self._cloud is not None and len(self._cloud.points) == len(points):
            self._cloud.points = points
            return
        if self._cloud is not None:
            self._cloud.remove()
            self._cloud = None
        if len(points):
            self._cloud = self._client.scene.add_point_cloud(
                f"{WORLD}/markers",
                points,
                (90, 90, 90),
                point_size=self._point,
                point_shape="circle",
            )

    def remove(self) -> None:
        """Take the person away."""
        self._canvas.show([])
        self._show_markers(np.zeros((0, 3)))


def contact_bars(person: Person, contacts: Contacts, now: float) -> str:
    """When each foot is on the ground, as two bars, and a line at an instant [s]."""
    start, end = float(person.time[0]), float(person.time[-1])
    span = max(end - start, 1e-9)

    def share(time: float) -> float:
        return 1e2 * min(max((time - start) / span, 0.0), 1.0)

    rows = []
    for side in ("left", "right"):
        colour = colours.css(colours.side_of(side))
        bars = "".join(
            f'<span style="position:absolute;height:100%;left:{share(a):.1f}%;'
            f'width:{share(b) - share(a):.1f}%;background:{colour}"></span>'
            for a, b in stances(contacts[side], start, end)
        )
        rows.append(
            '<div style="display:flex;align-items:center;font-size:11.5px;height:15px">'
            f'<span style="width:40px">{side}</span><span style="position:relative;flex:1;'
            f'height:9px;background:rgba(128,128,128,.15)">{bars}<span style="position:absolute;'
            f'width:2px;height:100%;background:#222;left:{share(now):.1f}%"></span></span></div>'
        )
    return f'<div style="padding:3px 12px">{"".join(rows)}</div>'


def stances(
    events: Mapping[str, list[float]], start: float, end: float
) -> list[tuple[float, float]]:
    """Stretches in which a foot stands, from its contacts and toe-offs [s]."""
    marks = sorted([(t, True) for t in events["ic"]] + [(t, False) for t in events["to"]])
    found, since = [], None if marks and marks[0][1] else start
    for time, down in marks:
        if down:
            since = time
        elif since is not None:
            found.append((since, time))
            since = None
    if since is not None:
        found.append((since, end))
    return found
