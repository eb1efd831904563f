"""The picture of what poise is: five wishes, one motion, one judge.

`python tools/pictures/front.py`, after tools/pictures/gallery.py, whose motions it shows.
"""

from __future__ import annotations

import numpy as np
from gallery import PICTURES, STORIES, marks, motion_of
from PIL import Image, ImageDraw, ImageFont

import poise
from poise.door import scene_of
from poise.simulation.render import Camera, frames

# story, instant as a share of its length, what was wished
SHOWN = (
    ("proud", 0.62, "a style", "poise walk"),
    ("imitate", 0.45, "a person's walk", "poise imitate"),
    ("push", 0.2, "a push", "poise balance"),
    ("kick", 0.565, "contacts", "poise plan"),
    ("led", 0.38, "a hand to follow", "poise interact"),
)
WIDE, HIGH, GAP, HEAD, FOOT = 300, 400, 12, 78, 92
INK, PALE, BLUE, LINE = (32, 36, 42), (104, 112, 124), (24, 108, 196), (216, 221, 228)


def frame_of(name: str, share: float) -> Image.Image:
    """A story at an instant."""
    motion, shot = motion_of(name), STORIES[name][1]
    robot = poise.load_robot(motion.robot)
    row = motion.row(share * float(motion.time[-1]))
    x, y = (float(c) for c in motion.q[row, :2])
    target = (x, y, 0.47 * robot.height)
    camera = Camera(azimuth=shot.azimuth, distance=1.85 * robot.height, follow=False, target=target)
    drawn = frames(
        robot,
        motion.q[[row]],
        (2 * WIDE, 2 * HIGH),
        camera,
        marks(name, motion, row),
        scene_of(motion),
    )[0]
    return Image.fromarray(np.asarray(drawn)).resize((WIDE, HIGH), Image.Resampling.LANCZOS)


def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font that comes with Pillow."""
    return ImageFont.load_default(size=size)


def main() -> None:
    """Draw it."""
    width = len(SHOWN) * WIDE + (len(SHOWN) + 1) * GAP
    picture = Image.new("RGB", (width, HEAD + HIGH + FOOT), "white")
    pen = ImageDraw.Draw(picture)
    for k, (name, share, wish, command) in enumerate(SHOWN):
        x = GAP + k * (WIDE + GAP)
        pen.text((x + WIDE / 2, 8), wish, fill=INK, font=font(30), anchor="ma")
        pen.text((x + WIDE / 2, 46), command, fill=BLUE, font=font(21), anchor="ma")
        picture.paste(frame_of(name, share), (x, HEAD))
        pen.rectangle((x, HEAD, x + WIDE - 1, HEAD + HIGH - 1), outline=LINE)
    y = HEAD + HIGH + 14
    pen.line((GAP, y, width - GAP, y), fill=LINE, width=3)
    words = "one Motion   >   judged: limits, contacts, balance, physics   >   your robot's file"
    pen.text((width / 2, y + 20), words, fill=INK, font=font(30), anchor="ma")
    picture.save(PICTURES.parent / "poise.webp", quality=88, method=6)


if __name__ == "__main__":
    main()
