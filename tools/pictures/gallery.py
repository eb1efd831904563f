"""The gallery of the docs: `python tools/pictures/gallery.py [NAME ...]`.

Every story is made by the library, then drawn twice: a film strip and a short moving picture.
Motions are kept in out/gallery, so that drawing again is quick; delete them to make them again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image

import poise
from poise.door import scene_of
from poise.motion import Mark, Motion
from poise.simulation.render import Camera, frames
from poise.viewer.pictures import film_strip

ROOT = Path(__file__).parents[2]
KEPT, PICTURES = ROOT / "out" / "gallery", ROOT / "docs" / "pictures" / "gallery"
RATE = 15.0  # [Hz], of moving pictures
STRIP, INSTANTS = (240, 300), 8
RED = (214, 64, 54)
PUSHES = ((0.0, 0.6), (90.0, 3.1))  # direction [deg], start [s]
NEWTON = 0.012  # [m], length of an arrow


@dataclass(frozen=True)
class Shot:
    """What is shown of a motion, and from where."""

    start: float | None = 0.0  # [s]; None is the second landing
    duration: float = 6.0  # [s]
    azimuth: float = 140.0  # [deg]
    closeness: float = 2.3  # distance in heights of the robot
    speed: float = 1.0  # of the film, against the clock
    follow: bool = False
    film: tuple[int, int] = (360, 360)  # [px]


def style(name: str) -> Callable[[], Motion]:
    """A walk of NAO in a style."""
    return lambda: poise.walk("nao", name, steps=10)


def imitation() -> Motion:
    """HRP-2 walks like the synthetic person."""
    from poise.engines.imitate import ImitateOptions
    from poise.examples import synthetic_trial

    trial = synthetic_trial()
    options = ImitateOptions(rate=100.0)
    return poise.imitate("hrp2", trial.walk, trial.static, trial.functional, options)


def push() -> Motion:
    """HOAP-3 is pushed from behind, then from its right."""
    from poise.engines.balance import Shove

    hits = [Shove(force=8.0, direction=d, start=s) for d, s in PUSHES]
    return poise.balance("hoap3", "stand", {"duration": 5.5}, hits)


def reach() -> Motion:
    """HRP-2 leans on a desk to reach a box."""
    return poise.plan("hrp2", "reach-over-desk")


def kick() -> Motion:
    """HRP-2 kicks."""
    return poise.plan("hrp2", "kick")


def led() -> Motion:
    """HRP-2 is led by the hand."""
    return poise.interact("hrp2", "straight")


STYLES = ("normal", "cautious", "proud", "relaxed", "sad")
STORIES: dict[str, tuple[Callable[[], Motion], Shot]] = {
    **{name: (style(name), Shot(None, 5.4, 125.0, 2.1)) for name in STYLES},
    "imitate": (imitation, Shot(0.0, 12.0, 110.0, 2.0, 2.0, follow=True)),
    "push": (push, Shot(0.2, 5.2, 120.0, 2.1)),
    "reach": (reach, Shot(0.0, 8.0, 120.0, 2.0)),
    "kick": (kick, Shot(0.0, 8.0, 105.0, 1.8)),
    "led": (led, Shot(5.0, 7.0, 110.0, 2.0, film=(480, 360))),
}


def motion_of(name: str) -> Motion:
    """The motion of a story, made once."""
    path = KEPT / f"{name}.npz"
    if not path.is_file():
        KEPT.mkdir(parents=True, exist_ok=True)
        poise.save(STORIES[name][0](), path)
    return poise.load(path)


def marks(name: str, motion: Motion, row: int) -> list[Mark]:
    """What is drawn into the picture at an instant: who pushes, and who pulls."""
    robot = poise.load_robot(motion.robot)
    at, time = robot.at(motion.q[row]), float(motion.time[row])
    if name == "led":
        hand, pull = at.position("right_hand"), motion.signals["partner"][row, 6:9]
        return [Mark("pull", np.array([hand, hand + 2.0 * NEWTON * pull]), RED, arrow=True)]
    for direction, start in PUSHES if name == "push" else ():
        if start <= time <= start + 0.5:
            way = np.array([np.cos(np.radians(direction)), np.sin(np.radians(direction)), 0.0])
            tip = at.position("chest") - 0.17 * robot.height * way
            return [Mark("push", np.array([tip - 0.3 * robot.height * way, tip]), RED, arrow=True)]
    return []


def draw(name: str) -> None:
    """Film strip and moving picture of a story."""
    motion, shot = motion_of(name), STORIES[name][1]
    robot = poise.load_robot(motion.robot)
    landings = sorted(touch.start for touch in motion.contacts.touches)
    start = landings[3] if shot.start is None else shot.start
    end = min(start + shot.duration, motion.time[-1])
    times = np.arange(start, end, shot.speed / RATE)
    q = motion.q[[motion.row(t) for t in times]]
    middle = 0.5 * (q[:, :2].min(axis=0) + q[:, :2].max(axis=0))
    camera = Camera(
        azimuth=shot.azimuth,
        distance=shot.closeness * robot.height,
        follow=shot.follow,
        target=None if shot.follow else (float(middle[0]), float(middle[1]), 0.48 * robot.height),
    )

    def shown(
        chosen: np.ndarray, size: tuple[int, int], camera: Camera = camera
    ) -> list[np.ndarray]:
        rows = [motion.row(t) for t in chosen]
        around = [marks(name, motion, row) for row in rows]
        return frames(robot, motion.q[rows], size, camera, around, scene_of(motion))

    PICTURES.mkdir(parents=True, exist_ok=True)
    _moving(shown(times, shot.film), PICTURES / f"{name}.webp", RATE)
    instants = np.linspace(start, end, INSTANTS)
    beside = replace(camera, follow=True)  # a strip is narrow
    film_strip(shown(instants, STRIP, beside), instants, PICTURES / f"{name}-strip.webp")


def _moving(pictures: Sequence[np.ndarray], path: Path, rate: float) -> None:
    first, *rest = [Image.fromarray(picture) for picture in pictures]
    first.save(
        path,
        save_all=True,
        append_images=rest,
        duration=round(1000.0 / rate),
        loop=0,
        quality=55,
        method=4,
    )


def main(names: Sequence[str]) -> None:
    """Draw the stories of these names, or all."""
    for name in names or STORIES:
        draw(name)
        size = sum(p.stat().st_size for p in PICTURES.glob(f"{name}*.webp")) / 1e3
        print(f"{name}: {size:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
